"""Checkpoints of processes, which are locked, saved, restored and unlocked."""

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
    """What a driver keeps of a process that is locked, or that was restored on other cards.

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
    """Return the checkpoint of a process that was locked."""
    assert process.checkpoint is not None
    return process.checkpoint


@effect()
def lock(process: Process, gate: Gate) -> None:
    """Lock a process; the gate makes its calls from now on."""
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
    """Checkpoint a locked process: others can use so many bytes of each device's memory."""
    process.state, of(process).away = CHECKPOINTED, sizes
    for memory, size in sizes.items():
        memory.used -= size


@effect()
def lose(process: Process) -> None:
    """Note that a process can never be restored."""
    of(process).lost = True


@effect()
def restore(process: Process) -> None:
    """Restore a checkpointed process, for which there is room; it is still locked."""
    process.state = LOCKED
    for memory, size in of(process).away.items():
        memory.used += size
    of(process).away = {}
