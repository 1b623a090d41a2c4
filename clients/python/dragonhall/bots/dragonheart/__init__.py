"""Dragonheart for bots: reading the protos, and playing greedily."""
