"""Which processes belong to a test: those that it has started, also before it attached itself, and what they have started."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.reach.remote.owner.owner import Sharing
from fakecuda.reach.remote.owner.session import Attached

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKER, OTHER, CHILD, TOP = 11, 12, 21, 1


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine without attached processes."""
    with Machine("h200") as made:
        yield made


def attached(machine: Machine, pid: int, *above: int, starter: str = "") -> Attached:
    """Return a process as it has attached."""
    made: Any = machine.adopt(Attached, None)
    made.pid, made.above, made.starter = pid, above, starter
    return made  # type: ignore[no-any-return]


def family(machine: Machine, process: Attached) -> set[str]:
    """Return the names of a process's family."""
    owner: Any = SimpleNamespace(machine=machine)
    return Sharing.family(owner, SimpleNamespace(process=process))  # type: ignore[arg-type]


def test_children_that_attach_before_their_test_are_its_own(machine: Machine) -> None:
    """And those of these; they are no later test's of the same OS process, and no other worker's."""
    machine.spawn("simulated")
    early = attached(machine, CHILD, WORKER, TOP)
    below = attached(machine, CHILD + 1, CHILD, WORKER, TOP, starter=early.name)
    stranger = attached(machine, CHILD + 2, OTHER, TOP)
    test = attached(machine, WORKER, TOP)
    late = attached(machine, CHILD + 3, WORKER, TOP, starter=test.name)
    assert family(machine, test) == {one.name for one in (early, below, test, late)}
    again = attached(machine, WORKER, TOP)
    assert family(machine, again) == {again.name}
    assert family(machine, attached(machine, OTHER, TOP)) > {stranger.name}


def test_groups_are_what_a_worker_has_started(machine: Machine) -> None:
    """Processes that are not below the owner are alone; if a test runs in the owner, all belong to it."""
    own, sessions = os.getpid(), dict[bytes, Any]()
    owner: Any = SimpleNamespace(machine=machine, sessions=sessions)
    test, child = attached(machine, WORKER, own, TOP), attached(machine, CHILD, WORKER, own, TOP)
    other, far = attached(machine, OTHER, own, TOP), attached(machine, CHILD + 1, TOP)
    groups = [Sharing.group(owner, one) for one in (test, child, other, far, machine.here)]
    assert groups == [WORKER, WORKER, OTHER, far.name, None]
    sessions[b"token"] = SimpleNamespace(process=attached(machine, own, TOP))
    assert Sharing.group(owner, child) is None
