"""A machine in a forked child of its OS process."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING

from fakecuda.model.hooks import LOCK
from fakecuda.model.memory.backing import DeviceMemory
from fakecuda.model.memory.pool import pools_of
from fakecuda.model.memory.va import Mapping
from fakecuda.model.work.stream_scheduler import forked

if TYPE_CHECKING:
    from fakecuda.model.machine import Machine


def go_on(machine: Machine, forking: int) -> None:
    """Continue with a copy of a machine in a forked child; the parent keeps its own.

    Args:
        machine: The machine.
        forking: The OS's id of the thread that forked, in the parent; no other thread goes on.
    """
    LOCK.renew(machine, RLock())  # a thread that is not there may hold the old one
    machine.scheduler.renew(machine.lock)
    machine.scheduler.census.fork()
    forked(machine)
    if machine.races is not None:
        machine.races.forget()
    for device in (*machine.devices, machine.host):
        device.memory.fork()
    for process in machine.processes.values():
        process.fork(forking)
        for item in process.memory:
            if isinstance(item, Mapping) and item.host_access:
                assert isinstance(item.extent.memory, DeviceMemory)
                item.extent.memory.show(item.extent, item.start, item.size)
        for pool in pools_of(process):
            for chunk in pool.chunks.values():
                pool.show(chunk)
