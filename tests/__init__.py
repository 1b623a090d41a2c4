"""The tests of Dragonhall."""
