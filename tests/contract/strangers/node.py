"""Runs the programs of clients/typescript as a stranger's machine would."""

import json
import subprocess
from pathlib import Path
from typing import Any

from clients.build import LANGUAGES, NODE, TYPESCRIPT

VERIFIER = TYPESCRIPT / "verifier" / "verify.mjs"

Record = dict[str, Any]  # a replay and what its readers were told, in protobuf's JSON


def play(target: str, *args: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run the program that plays and watches matches."""
    argv = [*LANGUAGES["typescript"].program, target, *args]
    return subprocess.run(argv, capture_output=True, text=True, timeout=3600)


def verify(records: list[Record]) -> "subprocess.CompletedProcess[str]":
    """Run the verifier on records."""
    argv = [NODE, str(VERIFIER)]
    text = json.dumps(records)
    return subprocess.run(argv, input=text, capture_output=True, text=True, timeout=3600)
