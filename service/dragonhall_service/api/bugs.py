"""How a bug is told to the operator."""

import secrets
import traceback
from typing import Any


def report_bug(error: BaseException, log: Any) -> str:
    """Log where an unexpected exception arose and return the id under which it was logged.

    Its text is kept out: it may name a hidden card or a token.
    """
    error_id = secrets.token_hex(8)
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    log.error("bug", error_id=error_id, kind=type(error).__name__, where=where)
    return error_id
