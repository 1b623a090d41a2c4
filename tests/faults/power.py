"""A power failure as a model: what a killed store had not synced yet is cut off its file."""

import os
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("synced.c")


def preload(folder: Path) -> dict[str, str]:
    """Return the environment of a store that notes what it has synced in a folder."""
    library = folder / "synced.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library), "SYNCED_LOG": str(folder / "synced")}


def cut(folder: Path) -> int:
    """Cut the append-only files of a store that has ended; return how many bytes were lost."""
    on_disk: dict[str, int] = {}
    for line in (folder / "synced").read_text().splitlines():
        size, _, path = line.partition(" ")
        on_disk[path] = max(int(size), on_disk.get(path, 0))
    lost = 0
    for file in (folder / "appendonlydir").glob("*.incr.aof"):
        kept = on_disk.get(str(file), 0)
        lost += file.stat().st_size - kept
        os.truncate(file, kept)
    return lost
