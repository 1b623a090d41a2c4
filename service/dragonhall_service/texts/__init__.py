"""What the games are called and how they are played, in every language: data and its reader.

A game is a folder: `components.toml` says what it is played with, `<language>.toml` names that
and explains the game's options, `<language>.md` holds the rules. `options/` explains the options
that a match of any game has. A further game or language is data only.
"""
