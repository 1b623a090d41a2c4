"""Runs a command that must not outlive who asked for it: `python -m dragonhall.tournament.guard`.

Standard input is a pipe from the asker. When it closes, however the asker ended, the command is
ended too; when the command ends, so does this, with its exit code.
"""

import os
import signal
import subprocess
import sys
import threading

PATIENCE_S = 15.0
NOT_FOUND = 127
"""What a shell says of a command that cannot be started."""


def main(command: list[str]) -> int:
    """Run the command and return its exit code."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    except OSError as missing:
        print(f"{command[0]}: {missing.strerror}", file=sys.stderr)
        return NOT_FOUND
    threading.Thread(target=_end_with_asker, args=(process,), daemon=True).start()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: process.terminate())
    return process.wait()


def _end_with_asker(process: "subprocess.Popen[bytes]") -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    process.terminate()
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
