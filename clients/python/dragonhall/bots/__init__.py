"""The shipped bots. A bot sees its own view and its legal moves, nothing else."""
