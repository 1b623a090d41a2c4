"""The tests of Dragonkeepers' rules."""
