"""The README's promises: its example runs, its table of settings is the real one."""

import re
import sys
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE
from pathlib import Path

from dragonhall_service.app import embedded_server
from dragonhall_service.config import describe

README = Path(__file__).parents[2].joinpath("README.md").read_text()


def example() -> str:
    code, _ = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    return str(code)


def test_the_example_has_at_most_20_lines_of_code() -> None:
    code = [line for line in example().splitlines() if line.strip()]
    assert len(code) <= 20


async def test_the_example_plays_a_match() -> None:
    async with embedded_server() as target:
        process = await create_subprocess_exec(
            sys.executable, "-c", example(), target, stdout=PIPE, stderr=PIPE
        )
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    assert b"OUTCOME_CAUSE_COMPLETED" in out


def test_the_table_of_settings_is_complete() -> None:
    rows = re.findall(r"^\| `(DRAGONHALL_\w+)` \| (.*?) \| (.*?) \|$", README, re.MULTILINE)
    told = [(name, default.strip("`").replace("none", ""), help_) for name, default, help_ in rows]
    assert told == describe()
