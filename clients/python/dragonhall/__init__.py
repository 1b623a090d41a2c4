"""Dragonhall's Python package: stubs (`v1`), SDK, bots and the command line."""
