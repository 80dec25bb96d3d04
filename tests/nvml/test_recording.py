"""What two H200 and two H100 have answered, and what the model answers to the same calls, through C."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fakecuda
from conformance.record import recordings
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.spec.nvml import LATER, NAMES, PROTOTYPES
from realcuda import nvml
from tests.nvml.through_c import BESIDE, MACHINES, differences, programs

ROOT = Path(__file__).parents[2]

through_c = pytest.mark.skipif(not NATIVE, reason=f"the native door needs {NEEDS}")


@through_c
@pytest.mark.parametrize("cards", MACHINES)
def test_the_model_answers_through_c_as_the_cards(cards: str) -> None:
    """Every call of every program: its code, and what it writes."""
    asked = programs(cards)
    assert len(asked) > 250
    with fakecuda.simulate(cards, strict=False):
        assert [line for program in asked for line in differences(program)] == []


@through_c
def test_an_answer_that_differs_through_c_is_found() -> None:
    """Another code, and another result."""
    program = next(one for one in programs("h200-x2") if one.name == "nvml/nvmlDeviceGetNumGpuCores")
    place = next(number for number, answer in enumerate(program.answers) if "numCores" in answer["outs"])
    with fakecuda.simulate("h200-x2", strict=False):
        program.answers[place]["outs"]["numCores"] += 1
        assert [line.partition(" is ")[2] for line in differences(program)] == ["16896 instead of 16897"]
        program.answers[place]["code"] = 3
        assert len(list(differences(program))) == 1


@through_c
def test_an_attached_process_gets_the_same_answers() -> None:
    """All of them, one program after the other."""
    text = """
from tests.nvml.through_c import differences, programs
for program in programs("h200-x2"):
    for line in differences(program):
        print(line)
"""
    with fakecuda.simulate("h200-x2", strict=False, shared=True):
        ran = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("", "")


def test_the_library_exports_what_a_drivers_does() -> None:
    """And more, which came with later drivers: no program asks a card for that."""
    assert set(NAMES) > LATER
    asked = {step["call"] for cards in MACHINES for program in programs(cards) for step in program.steps}
    assert asked.isdisjoint(LATER)


def test_programs_change_nothing_of_a_card() -> None:
    """What a program asks is made on a real machine, and no function that sets something is."""
    asked = {step["call"] for cards in MACHINES for program in programs(cards) for step in program.steps}
    for name in asked & PROTOTYPES.keys():
        nvml.refuse(name)
    for name in ("nvmlDeviceSetPersistenceMode", "nvmlDeviceResetGpuLockedClocks", "nvmlDeviceCreateGpuInstance"):
        with pytest.raises(PermissionError, match="may change settings"):
            nvml.refuse(name)


@pytest.mark.parametrize("cards", MACHINES)
def test_what_is_free_is_what_the_driver_calls_free(cards: str) -> None:
    """And the frame buffer is larger than its memory by what is reserved: so cards told it, with a context and with memory."""
    found = recordings.read(recordings.ROOT / cards / "nvml.jsonl.gz").programs
    program = next(one for one in found if one.name == BESIDE)
    asked = [(step["call"], answer["outs"]) for step, answer in zip(program.steps, program.answers, strict=True)]
    total = next(outs["bytes"] for call, outs in asked if call == "cuDeviceTotalMem")
    free = checked = 0
    for call, outs in asked:
        if call == "cuMemGetInfo":
            free = outs["free"]
        elif call in {"cuMemFree", "cuDevicePrimaryCtxRelease"}:
            free = 0
        elif call == "nvmlDeviceGetMemoryInfo_v2" and free:
            words = bytes.fromhex(outs["memory"]["hex"])[8:].ljust(32, b"\0")
            whole, reserved, unused, used = (int.from_bytes(words[at : at + 8], "little") for at in range(0, 32, 8))
            assert (whole - reserved, unused, used) == (total, free, total - free)
            checked += 1
    assert checked == 2
