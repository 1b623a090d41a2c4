"""Logs: JSON lines in production, colours on a terminal, always on stderr."""

import json
import logging
import sys
from typing import Any

import structlog

from dragonhall_service.config import Settings

_encoder = json.JSONEncoder(default=repr)


def _json(line: Any, **_: Any) -> str:
    # json.dumps would make an encoder for each line.
    return _encoder.encode(line)


def configure_logs(settings: Settings) -> None:
    """Set up structlog for this process."""
    text = settings.log_format == "text" or (settings.log_format == "auto" and sys.stderr.isatty())
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer() if text else structlog.processors.JSONRenderer(_json),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[settings.log_level.upper()]
        ),
        # One write a line: workers share standard error, and a line is not to be torn.
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
