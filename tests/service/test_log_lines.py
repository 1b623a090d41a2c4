"""A line of the log is one write: lines of workers, who share standard error, are never torn."""

import json
import socket
import subprocess
import sys

WRITE = """
import structlog
from dragonhall_service.config import Settings
from dragonhall_service.logs import configure_logs
configure_logs(Settings(redis_url="redis://127.0.0.1:1", log_format="json"))
for number in range(10):
    structlog.get_logger().info("line", number=number)
"""


def test_a_line_is_one_write() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours:
        with theirs:
            subprocess.run([sys.executable, "-c", WRITE], stderr=theirs.fileno(), check=True)
        writes = list(iter(lambda: ours.recv(65_536), b""))
    assert [json.loads(write)["number"] for write in writes] == list(range(10))
    assert all(write.endswith(b"\n") for write in writes)
