"""Tests of the Python client, its bots and the command line."""
