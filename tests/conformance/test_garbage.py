"""Programs with garbage for arguments: a few of each kind, and that mistakes planted in an operation are found."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fuzz import garbage
from conformance.fuzz.garbage import World
from conformance.fuzz.nonsense import Held, Made
from fakecuda.model import lifetime

if TYPE_CHECKING:
    from fakecuda.model.process import Process

SEED, PROGRAMS = 1, 6
ENOUGH = 100


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
    assert run.stdout.count(garbage.MARK) == PROGRAMS * (len(garbage.APIS) * len(garbage.DOORS) - 1)


def raises(*_: Any, **__: Any) -> None:  # noqa: ANN401 - whatever the effect is called with
    """Stand for an effect that has a mistake."""
    raise KeyError


def keeps_the_lock(process: Process, *_: Any, **__: Any) -> None:  # noqa: ANN401 - likewise
    """Stand for an effect that does not let go of the lock."""
    process.machine.lock.acquire()


@pytest.mark.parametrize("door", garbage.DOORS)
@pytest.mark.parametrize(("planted", "told"), [(raises, "KeyError"), (keeps_the_lock, "the lock is held")])
def test_a_planted_mistake_is_found(planted: Any, told: str, door: str, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401 - an effect
    """With a seed that finds it again, and a program of no more calls than it takes, as code that runs."""
    monkeypatch.setattr(lifetime, "end_event", planted)
    seed, report = next((seed, found) for seed in range(ENOUGH) if (found := garbage.report("driver", door, seed)))
    assert told in report
    assert garbage.report("driver", door, seed).partition(" at 0x")[0] == report.partition(" at 0x")[0]
    code = report[report.index("from conformance") :]
    assert code.count("    ('") == 1
    shown: list[str] = []
    exec(code, {"print": shown.append})  # noqa: S102 - it is what the report says
    assert told in shown[0]


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
