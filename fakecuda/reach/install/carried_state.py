"""The driver objects that an OS process holds across machines.

The next machine continues with them.
On a driver, cuInit is called once per process. A primary context lives as long as it is retained, and its handle stays
the same, as does the handle of a default pool. Clients rely on that (:mod:`fakecuda.reach.install.clients`). A machine
that continues with these objects starts initialised. It has the primary contexts that are still retained and the
default pools that were requested. All of these are empty and have their former handles. Everything else is new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model import context_effects
from fakecuda.model.history import NOWHERE
from fakecuda.model.memory import pool_lifetime
from fakecuda.model.memory.address_ranges import HANDLE, LASTING
from fakecuda.model.os.process import NOT_INITIALIZED, READY

if TYPE_CHECKING:
    from fakecuda.model.memory.pool import Kind
    from fakecuda.model.os.process import Process


class Handles(dict["int | Kind", int]):
    """The handles of primary contexts and of default pools.

    Contexts are by device ordinal, and pools by kind.
    Handles of earlier machines stay. A new handle follows from its key, so the order of requests does not matter.
    """

    def __missing__(self, what: int | Kind) -> int:
        if isinstance(what, int):
            place = what
        else:
            type_, location, number = what
            place = (1 << 8 | type_ << 4 | location) << 16 | number + 1
        self[what] = LASTING + place * HANDLE
        return self[what]


@define
class Kept:
    """The driver objects that this OS process holds.

    Attributes:
        initialised: Whether cuInit has been called.
        retains: For each device ordinal, the names of the threads that retain its primary context.
        pools: For each kind of default pool, the ordinal of its device; -1 is the host.
        handles: The handles of primary contexts and default pools.
    """

    initialised: bool = False
    retains: dict[int, list[str]] = field(factory=dict)
    pools: dict[Kind, int] = field(factory=dict)
    handles: Handles = field(factory=Handles)

    def give(self, process: Process) -> None:
        """Give the objects to a process, for the devices that it sees."""
        machine = process.machine
        process.lasting = self.handles
        devices = machine.seen_by(process)
        if not self.initialised or not devices or process.state not in {NOT_INITIALIZED, READY}:
            return
        if process.state == NOT_INITIALIZED:
            process.initialise(devices)
        for device in devices:
            primary, wanted = process.primary(device.ordinal), self.retains.get(device.ordinal, [])
            for thread in wanted[len(primary.retains) :]:
                context_effects.retain(process, device, primary, NOWHERE, thread)
            while len(primary.retains) > len(wanted):
                context_effects.release(process, primary, NOWHERE, primary.retains[-1].thread)
        there = {device.ordinal: device for device in (*devices, machine.host)}
        for kind, ordinal in self.pools.items():
            if ordinal in there:
                pool_lifetime.default_pool(process, kind, there[ordinal])

    def take(self, process: Process) -> None:
        """Take over the objects of a process whose machine is about to end."""
        if process.state != READY:
            return
        self.initialised = True
        for device in process.devices:
            primary = process.primary(device.ordinal)
            # The runtime API takes its own reference on each machine.
            self.retains[device.ordinal] = [retain.thread for retain in primary.retains]
            if primary.context is not None:
                self.handles[device.ordinal] = primary.context.handle
        for kind, pool in process.pools.defaults.items():
            self.pools[kind], self.handles[kind] = pool.device.ordinal, pool.handle
