"""The rules of Dragonhall's games: pure functions from values to values.

Nothing in this package does I/O, reads a clock, or draws luck other than from
`core.rng`. Every game offers the verbs of `core.game.Game`; `registry.GAMES` names them.
"""
