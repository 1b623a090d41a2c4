"""Information-set Monte Carlo tree search for every game: one search, a policy for each game."""
