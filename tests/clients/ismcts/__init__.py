"""The search bot."""
