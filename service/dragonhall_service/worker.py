"""One of the processes that `dragonhall_service.workers` runs: a server on a shared port."""

import sys

import structlog

from dragonhall_service.app import run
from dragonhall_service.config import BadSetting, read_settings
from dragonhall_service.workers import BAD_SETTING


def main() -> None:
    """Serve until SIGTERM, or until the supervisor is gone."""
    structlog.contextvars.bind_contextvars(worker=int(sys.argv[1]))
    try:
        run(read_settings(), supervised=True)
    except BadSetting as mistake:
        print(f"dragonhall: {mistake}", file=sys.stderr)
        sys.exit(BAD_SETTING)


if __name__ == "__main__":
    main()
