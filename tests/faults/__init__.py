"""The service under faults, abuse and load: `python3 dev.py faults [--quick] [SCENARIO …]`."""
