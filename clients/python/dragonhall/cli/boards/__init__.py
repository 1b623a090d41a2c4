"""Boards as text: a pure drawing for each game, from what one reader may know."""
