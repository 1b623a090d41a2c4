"""A newer build of the server: it says so, and stores fields that this one does not know."""

from typing import Any

from dragonhall_service import metrics
from dragonhall_service.store import matches
from tests.service.driver import SERVE

VERSION = "0.1.0+newer"
NEWER = f"from tests.deploy.newer import become; become(); {SERVE}"


def become() -> None:
    """Make the server of this process a newer one."""
    storing: Any = matches
    telling: Any = metrics
    record, entry = storing.encode_record, storing.encode_entry
    storing.encode_record = lambda *of, **more: [*record(*of, **more), "later", "1"]
    storing.encode_entry = lambda *of: [*entry(*of), "later", "1"]
    telling.version = lambda distribution: VERSION
