"""Checkpoints of processes: lock, checkpoint, restore and unlock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model.effect import effect
from fakecuda.model.os.process import CHECKPOINTED, LOCKED, READY

if TYPE_CHECKING:
    from fakecuda.model.context import Device
    from fakecuda.model.graph.capture import Gate
    from fakecuda.model.memory.backing import DeviceMemory
    from fakecuda.model.os.process import Process


@define(eq=False)
class Checkpoint:
    """The state of a process that is locked, or was restored on other cards.

    Attributes:
        gate: Makes the calls of the locked process. None once it is unlocked.
        away: Bytes of the checkpointed process, by the memory that others can use them in until it is restored.
        lost: Whether the process can never be restored, because memory for it was missing.
        onto: The card that each device is to the process since it was restored on others.
    """

    gate: Gate | None
    away: dict[DeviceMemory, int] = field(factory=dict)
    lost: bool = False
    onto: dict[Device, Device] = field(factory=dict)


def of(process: Process) -> Checkpoint:
    """Return the checkpoint state of a locked process."""
    assert process.checkpoint is not None
    return process.checkpoint


@effect()
def lock(process: Process, gate: Gate) -> None:
    """Lock a process, so that a gate makes its calls."""
    process.state = LOCKED
    if process.checkpoint is None:
        process.checkpoint = Checkpoint(gate)
    process.checkpoint.gate = gate
    process.turn_gate()


@effect()
def unlock(process: Process) -> None:
    """Unlock a process."""
    process.state, of(process).gate = READY, None
    if not of(process).onto:
        process.checkpoint = None
    process.turn_gate()


@effect()
def save(process: Process, sizes: dict[DeviceMemory, int]) -> None:
    """Checkpoint a locked process, and free its device memory for others."""
    process.state, of(process).away = CHECKPOINTED, sizes
    for memory, size in sizes.items():
        memory.used -= size


@effect()
def lose(process: Process) -> None:
    """Note that a process can never be restored."""
    of(process).lost = True


@effect()
def restore(process: Process) -> None:
    """Restore a checkpointed process, which stays locked."""
    process.state = LOCKED
    for memory, size in of(process).away.items():
        memory.used += size
    of(process).away = {}
