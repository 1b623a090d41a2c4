"""What a user can get wrong on the command line."""


class Mistake(Exception):
    """The text says what is wrong and what to do."""
