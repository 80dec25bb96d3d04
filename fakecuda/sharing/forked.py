"""A forked child of the process that owns a shared machine: it is a process of its own there, as after any fork."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fakecuda.model.process import READY
from fakecuda.sharing.client import RemoteMachine

if TYPE_CHECKING:
    from fakecuda.simulated import Machine


def attach_instead(machine: Machine) -> None:
    """Lead a forked child's calls to the machine that its parent goes on with; its copy of the machine ends.

    Args:
        machine: The copy.
    """
    sharing = machine.sharing
    assert sharing is not None
    here = machine.processes.get("here")
    native: Any = sys.modules.get("fakecuda.native.door")
    remote = RemoteMachine(
        sharing.path,
        sharing.own,
        ready=here is not None and here.state == READY,
        attached=native.offer if native else lambda _: None,
    )
    sharing.abandon()
    machine.sharing = None
    machine.abandon()
    if native and native.door.machine is machine:
        native.door.machine = remote
    if "fakecuda.install" in sys.modules:
        sys.modules["fakecuda.install"].lead(machine, remote)
