"""Generated from protos/dragonhall/v1: `python3 dev.py gen`."""
