"""Programs with garbage for arguments: a few of each kind, and that mistakes planted in an operation are found."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fuzz import garbage
from conformance.fuzz.by_c import ROOM
from conformance.fuzz.garbage import World
from conformance.fuzz.nonsense import Held, Made
from fakecuda.model import context_effects
from fakecuda.reach.bindings.c import CLevel
from fakecuda.reach.native.generated import callbacks

if TYPE_CHECKING:
    from fakecuda.model.os.process import Process

SEED, PROGRAMS = 1, 3
ENOUGH = 300


def test_garbage_is_refused() -> None:
    """By a code, by what the binding raises or as undefined behaviour; nothing else is raised, and nothing crashes."""
    command = [
        sys.executable,
        "-m",
        "conformance.fuzz.garbage",
        "--inside",
        "--seed",
        str(SEED),
        "--programs",
        str(PROGRAMS),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count(garbage.MARK) == PROGRAMS * (len(garbage.APIS) * len(garbage.DOORS) - len(garbage.NOWHERE))


def raises(*_: Any, **__: Any) -> None:
    """Stand for an effect that has a mistake."""
    raise KeyError


def keeps_the_lock(process: Process, *_: Any, **__: Any) -> None:
    """Stand for an effect that does not let go of the lock."""
    process.machine.lock.acquire()


HERE = [door for door in garbage.DOORS if door != "attached"]
PLANTED = [(raises, "KeyError", door) for door in HERE] + [(keeps_the_lock, "the lock is held", door) for door in HERE]
PLANTED.append((raises, "a call was cut in two", "attached"))
"""What is planted, what is told of it, and the door; an attached process hears an error, and a thread of the owner has the lock."""
NEAR = ["cuDevicePrimaryCtxRelease", "cuEventCreate", "cuEventDestroy", "cuEventQuery"]
"""The drawn calls, so that a mistake in one is found soon."""


@pytest.mark.usefixtures("broken_machines")
@pytest.mark.parametrize(("planted", "told", "door"), PLANTED)
def test_a_planted_mistake_is_found(planted: Any, told: str, door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a seed that finds it again, and a program of no more calls than it takes, as code that runs."""
    monkeypatch.setattr(context_effects, "end_event", planted)
    monkeypatch.setattr(garbage, "drawn", lambda *_: NEAR)
    seed, report = next((seed, found) for seed in range(ENOUGH) if (found := garbage.report("driver", door, seed)))
    assert told in report
    assert garbage.report("driver", door, seed).partition(" at 0x")[0] == report.partition(" at 0x")[0]
    code = report[report.index("from conformance") :]
    assert code.count("    ('") == 1
    shown: list[str] = []
    exec(code, {"print": shown.append})  # noqa: S102 - it is what the report says
    assert told in shown[0]


def test_a_count_that_is_not_checked_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through C an array may be said to have more members than there is memory."""

    def many(_pointer: int, size: int, count: int) -> int:
        assert count * size <= ROOM, "it would be read"
        return count

    monkeypatch.setattr(callbacks, "many", many)
    assert any("it would be read" in garbage.report("driver", "native", seed) for seed in range(ENOUGH))


def test_a_call_that_ends_the_attached_process_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy from where there is no memory does not."""

    def crash(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)

    monkeypatch.setattr(CLevel, "cuEventQuery", crash, raising=False)
    for call, wrong in (
        (("cuMemcpyHtoD", (Held("CUdeviceptr", 0), 0x1000, 64)), ""),
        (("cuEventQuery", (0,)), "cuEventQuery has ended the attached process\n"),
    ):
        _, told = garbage.run("driver", "attached", False, [call, ("cuCtxSynchronize", ())])
        assert told.endswith(wrong)
        assert bool(told) == bool(wrong)


def test_a_crash_is_told_with_its_seed(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """The process that it ends is not the one that draws on."""
    monkeypatch.setenv(garbage.CRASH, str(SEED + 1))
    assert garbage.outside("driver", "operations", SEED, 2, lambda seed: seed >= SEED + 3) == 1
    told = capfd.readouterr().out
    assert f"seed {SEED + 1} of driver by operations: ended by -11" in told


def test_what_stands_for_a_value_is_found_in_each_world() -> None:
    """By its kind and number; what has come of no call is null, and a number is what is added to it."""
    world = World("driver", "operations", strict=False)
    first, second = world.held["CUevent"]
    assert world.resolve((Held("CUevent", 2), [Held("CUevent", 1, 8)])) == (first, [second + 8])
    assert world.resolve(Held("CUarray", 0)) == 0
    world.close()
    world = World("driver", "look-alike", strict=False)
    made = world.resolve(Made("CUmemLocation", (("id", 1), ("type", 2.5), ("nothing", Made("Raises")))))
    assert made.id == 1
    assert int(world.resolve(Made("CUmemLocationType", 1))) == 1
    world.close()
