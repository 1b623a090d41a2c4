"""Plays a bot through hard situations and says what it does wrong."""
