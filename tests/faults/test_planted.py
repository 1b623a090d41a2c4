"""Each planted fault still finds what it changes; without it, faults would be caught by nobody."""

import subprocess
import sys

import pytest

from tests.faults.planted import FAULTS

PLANT = """
from tests.faults.planted import FAULTS
FAULTS[{fault!r}]()
from dragonhall_service.store.scripts import Script
Script(None, "commit.lua")
"""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_can_be_planted(fault: str) -> None:
    subprocess.run([sys.executable, "-c", PLANT.format(fault=fault)], check=True)
