"""What machines draw: the same seed and the same program give the same answers, whatever came before."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from fakecuda import Machine
from fakecuda.model.os import rng
from fakecuda.model.os.rng import TEST

from .world import created, done, mapped, started

ROOT = Path(__file__).parents[2]
ID = "tests/test_it.py::test_one"
PROGRAM = """
import json, sys
sys.path.insert(0, {root!r})
from tests.model.test_rng import answers
print(json.dumps(answers(7, shared={shared}), default=repr))
"""


def answers(seed: int | None, *, shared: bool = False) -> list[Any]:
    """Return what the calls of a program answered that asks for all kinds of values."""
    with (
        Machine("h200-x2", seed=seed, strict=False) as machine,
        machine.shared(export=False) if shared else nullcontext(),
    ):
        a, b = started(machine), started(machine, 1)
        for process in (a, b, a):
            c = process.c
            pointer = done(c.cuMemAlloc(3 << 20))
            stream = done(c.cuStreamCreate(1))
            events = [done(c.cuEventCreate(0)) for _ in range(2)]
            c.cuEventRecord(events[0], stream)
            c.cuMemsetD8Async(pointer, 1, 3 << 20, stream)
            c.cuEventRecord(events[1], stream)
            c.cuEventElapsedTime(*events)
            c.cuIpcGetMemHandle(pointer)
            c.cuIpcGetEventHandle(done(c.cuEventCreate(6)))
            c.cuMemHostAlloc(4096, 0)
            mapped(process, created(process))
            pool = done(c.cuMemPoolCreate((1, 0, (1, 0), 0, 0, 0, 0)))
            c.cuMemAllocFromPoolAsync(4096, pool, stream)
            c.cuPointerGetAttribute(7, pointer)
            c.cuMemGetInfo()
        assert seed is None or not machine.notes  # without a seed, its place may be another live machine's
        return [(call.process, call.call, call.code, call.outs) for call in machine.log]


@pytest.mark.parametrize("shared", [False, True])
def test_the_same_seed_gives_the_same_answers(monkeypatch: pytest.MonkeyPatch, *, shared: bool) -> None:
    """In one process with machines that came before and one that is there, and in two others."""
    monkeypatch.delenv(TEST)
    first = answers(7, shared=shared)
    with Machine() as there:
        started(there)
        answers(8)
        assert answers(7, shared=shared) == first
    told = json.dumps(first, default=repr)
    for _ in range(2):
        program = PROGRAM.format(root=str(ROOT), shared=shared)
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert json.loads(run.stdout) == json.loads(told)


def test_another_seed_gives_other_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """And none gives others each time."""
    monkeypatch.delenv(TEST)
    assert len({repr(answers(seed)) for seed in (7, 8, -7, None, None)}) == 5


def test_a_test_has_values_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a seed, in whichever phase, and without one, in each phase."""
    seeded, unseeded = [], []
    for phase in ("setup", "call"):
        for test in (ID, f"{ID}[1]"):
            monkeypatch.setenv(TEST, f"{test} ({phase})")
            seeded.append(repr(answers(7)))
            unseeded.append(repr(answers(None)))
    assert seeded[:2] == seeded[2:]
    assert len({*seeded, *unseeded}) == 6


def test_machines_of_a_test_are_told_apart_by_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each without a seed has others; they come again when the test does, and those with a seed do not count."""
    monkeypatch.setenv(TEST, f"{ID} (call)")
    first = [answers(None), answers(None)]
    assert first[0] != first[1]
    rng.restart()
    assert answers(7) == answers(7)
    assert [answers(None), answers(None)] == first
    monkeypatch.setenv(TEST, f"{ID}[1] (call)")
    answers(None)
    monkeypatch.setenv(TEST, f"{ID} (call)")
    assert answers(None) == first[0]


def test_ipc_handles_tell_nothing() -> None:
    """They are 64 bytes, and those of one machine have nothing in common."""
    with Machine(seed=7) as machine:
        a = started(machine)
        handles = [done(a.c.cuIpcGetMemHandle(done(a.c.cuMemAlloc(1)))) for _ in range(20)]
    assert {len(handle) for handle in handles} == {64}
    assert len({handle[at : at + 8] for handle in handles for at in range(0, 64, 8)}) == 160
