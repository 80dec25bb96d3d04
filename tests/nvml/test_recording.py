"""What two H200 and two H100 have answered, and what the model answers to the same calls, through C."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fakecuda
from conformance.record.nvml import plan
from conformance.record.nvml.replay import MACHINES, programs, recording, replay
from tests.nvml.state import shut_down

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("cards", "name"), [(cards, name) for cards in MACHINES for name in programs(cards)])
def test_the_model_answers_as_the_cards(cards: str, name: str) -> None:
    """Every call of a program that is modelled: its code, and what a success writes. Where the library crashes it is refused."""
    with fakecuda.machine(cards, strict=False):
        shut_down()
        assert [row for row in replay(name, of=cards) if row.differs] == []


def test_an_attached_process_gets_the_same_answers() -> None:
    """All of them, one program after the other."""
    text = """
from tests.nvml.state import shut_down
from conformance.record.nvml.replay import programs, replay
for name in programs():
    shut_down()
    for row in replay(name):
        if row.differs:
            print(row)
"""
    with fakecuda.machine("h200-x2", strict=False, shared=True):
        ran = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("", "")


@pytest.mark.parametrize("cards", MACHINES)
def test_the_recording_is_of_the_plan(cards: str) -> None:
    """Who records again asks the same, in the same order."""
    asked = {name: [[step, arguments] for step, arguments in program] for name, program in plan.programs().items()}
    assert {name: [row[:2] for row in rows] for name, rows in recording(cards)["programs"].items()} == asked


def test_the_library_exports_what_a_drivers_does() -> None:
    """And more, which came with later drivers."""
    from fakecuda.spec.nvml import NAMES  # noqa: PLC0415 - one test needs it

    assert set(recording()["exported"]) <= set(NAMES)


def test_what_is_free_is_what_the_driver_calls_free() -> None:
    """And the frame buffer is larger than its memory by what is reserved: so two H200 told it, with a context and with memory."""
    rows, checked = recording()["beside cuda"], 0
    total = next(row[2] for row in rows if row[0] == "cuDeviceTotalMem")
    free = 0
    for row in rows:
        if row[0] == "cuMemGetInfo":
            free = row[2]
        elif row[0] in {"cuMemFree", "cuDevicePrimaryCtxRelease"}:
            free = 0
        elif row[0] == "nvmlDeviceGetMemoryInfo_v2" and free:
            words = bytes.fromhex(row[3][0])[8:]
            whole, reserved, unused, used = (int.from_bytes(words[at : at + 8], "little") for at in range(0, 32, 8))
            assert (whole - reserved, unused, used) == (total, free, total - free)
            checked += 1
    assert checked == 2
