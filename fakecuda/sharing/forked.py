"""A forked child of the process that owns a shared machine: it is a process of its own there, as after any fork."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fakecuda.sharing.calls import known_of
from fakecuda.sharing.client import RemoteMachine

if TYPE_CHECKING:
    from fakecuda.simulated.machine import Machine


def attach_instead(machine: Machine, forking: int) -> None:
    """Lead a forked child's calls to the machine that its parent goes on with; its copy of the machine ends.

    Args:
        machine: The copy.
        forking: The id of the thread that has forked.
    """
    sharing = machine.sharing
    assert sharing is not None
    here = machine.processes.get("here")
    known = 0
    if here is not None:
        known = known_of(here)
    native: Any = sys.modules.get("fakecuda.native.door")
    remote = RemoteMachine(
        sharing.path,
        sharing.own,
        known=known,
        forking=forking,
        attached=native.offer if native else lambda _: None,
    )
    sharing.abandon()
    machine.sharing = None
    machine.abandon()
    if native and native.door.machine is machine:
        native.door.machine = remote
    if "fakecuda.doors.install" in sys.modules:
        sys.modules["fakecuda.doors.install"].lead(machine, remote)
