"""Bots for Dragonkeepers."""
