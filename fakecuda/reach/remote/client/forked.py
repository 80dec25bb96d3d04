"""A forked child of a shared machine's owner.

It becomes a separate process of the machine.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.owner.handle_call import known_of

if TYPE_CHECKING:
    from fakecuda.machine.machine import Machine


def attach_instead(machine: Machine, forking: int) -> None:
    """Send a forked child's calls to the machine of its parent.

    The child's copy of the machine ends.

    Args:
        machine: The copy of the machine.
        forking: The id of the thread that forked.
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
    if "fakecuda.machine.install" in sys.modules:
        sys.modules["fakecuda.machine.install"].lead(machine, remote)
