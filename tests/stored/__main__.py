"""Writes the corpus of this release: `python3 dev.py run python -m tests.stored`, once, to be kept.

An earlier release's is never written again: it is what that release stored.
"""

import asyncio
import sys
from importlib.metadata import version

from dragonhall_service.embedded import embedded_store
from dragonhall_service.store.connection import connect
from tests.stored.corpus import FOLDER, save, write


async def _write() -> int:
    file = FOLDER / f"{version('dragonhall')}.json.gz"
    if file.exists():
        print(f"{file} is there: what a release has stored does not change", file=sys.stderr)
        return 1
    with embedded_store() as url:
        async with connect(url, retries=0, connections=2) as raw:
            save(await write(url, raw, version("dragonhall")), file)
    print(f"{file}: {file.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(_write()))
