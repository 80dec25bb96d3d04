"""A forked child of the process that owns a shared machine: it is a process of its own there, as after any fork."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.owner.handle_call import known_of

if TYPE_CHECKING:
    from fakecuda.simulated.machine import Machine


def attach_instead(machine: Machine, forking: int) -> None:
    """Lead a forked child's calls to the machine that its parent goes on with; its copy of the machine ends.

    Args:
        machine: The copy.
        forking: The id of the thread that has forked.
    """
    offer = machine.offer
    assert offer is not None
    here = machine.processes.get("here")
    known = 0
    if here is not None:
        known = known_of(here)
    native: Any = sys.modules.get("fakecuda.reach.native.door")
    remote = RemoteMachine(
        offer.address,
        offer.own,
        known=known,
        forking=forking,
        attached=native.offer if native else lambda _: None,
    )
    offer.abandon()
    machine.offer = None
    machine.abandon()
    machine.processes["here"] = remote.here  # type: ignore[assignment]
    for door in sys.modules["fakecuda.reach.native.callbacks"].DOORS.values() if native else ():
        if door.machine is machine:
            door.machine = remote
    if "fakecuda.simulated.install" in sys.modules:
        sys.modules["fakecuda.simulated.install"].lead(machine, remote)
