"""The command line, a composition root: `dragonhall --help`."""


def main() -> None:
    """Run the command line."""
    from dragonhall.cli.commands import run

    run()
