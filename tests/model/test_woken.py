"""A call that waits when its process or its machine ends: it says so, and never that what it waited for has come."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.record.waits import PRIMARY, WAITING, World
from fakecuda.codes import Result
from fakecuda.errors import MachineClosed, ProcessDied
from fakecuda.native.stubs import NATIVE, NEEDS
from tests.limits import LONG, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine

ENDS: dict[str, tuple[Callable[[Machine], None], object]] = {
    "kill": (lambda machine: machine.here.kill(), ProcessDied),
    "exit": (lambda machine: machine.here.exit(), ProcessDied),
    "begin_exit": (lambda machine: machine.here.begin_exit(), Result.DEINITIALIZED),
    "close": (lambda machine: machine.close(), MachineClosed),
}
"""What ends, and what Python hears of it; C hears ``DEINITIALIZED``."""


def outcome(machine: Machine, name: str, end: Callable[[Machine], None]) -> object:
    """Return what a call answers or raises that waits when something ends."""
    world, answers = World(created=name in WAITING), list[Any]()

    def call() -> None:
        world.enter()
        try:
            answers.append({**WAITING, **PRIMARY}[name](world))
        except fakecuda.FakeCudaError as error:
            answers.append(type(error))

    thread = threading.Thread(target=call)
    thread.start()
    assert until(lambda: thread.native_id in machine.census.waiting or not thread.is_alive())
    assert thread.is_alive()
    end(machine)
    thread.join(LONG)
    return answers[0]


@pytest.mark.parametrize(
    "door", ["lookalike", pytest.param("native", marks=pytest.mark.skipif(not NATIVE, reason=NEEDS))]
)
@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("name", [*WAITING, *PRIMARY])
def test_what_ends_wakes_a_call(name: str, how: str, door: str) -> None:
    """Each call that waits, each end, by both doors; the machine is whole behind it."""
    end, heard = ENDS[how]
    with fakecuda.machine("h200", door=door, strict=False) as machine:
        found = outcome(machine, name, end)
        machine.check_invariants()
    through_c = door == "native" and not name.startswith("cuda")  # the runtime API has a module in Python by each door
    assert found == (Result.DEINITIALIZED if through_c else heard)
