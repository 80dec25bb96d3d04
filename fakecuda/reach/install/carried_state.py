"""What an OS process still holds of the driver when a machine ends, and the next one goes on with.

On a driver cuInit is called once a process, a primary context lives as long as somebody retains it, and its handle stays the
same, as that of a default pool does. Clients rely on that (:mod:`fakecuda.reach.install.clients`). A machine that goes on with it
begins initialised, with the primary contexts that are still retained and the default pools that were asked for, all of them
empty, under the handles that they had. All else is new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model import context_effects
from fakecuda.model.history import NOWHERE
from fakecuda.model.memory.address_ranges import HANDLE, LASTING
from fakecuda.model.os.process import NOT_INITIALIZED, READY

if TYPE_CHECKING:
    from fakecuda.model.memory.pool import Kind
    from fakecuda.model.os.process import Process


class Handles(dict["int | Kind", int]):
    """The handles of primary contexts, by their devices' ordinals, and of default pools, by their kinds.

    What an earlier machine has given out stays. Others follow from what they are of, whichever is asked for first.
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
    """What this OS process holds of the driver.

    Attributes:
        initialised: Whether cuInit has been called.
        retains: The names of the threads that retain the primary context of a device, by its ordinal.
        pools: The device that a default pool lies on, by the pool's kind; -1 is the host.
        handles: The handles of primary contexts and default pools.
    """

    initialised: bool = False
    retains: dict[int, list[str]] = field(factory=dict)
    pools: dict[Kind, int] = field(factory=dict)
    handles: Handles = field(factory=Handles)

    def give(self, process: Process) -> None:
        """Have a process go on with it, as far as that sees the devices."""
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
                context_effects.default_pool(process, kind, there[ordinal])

    def take(self, process: Process) -> None:
        """Keep what a process holds whose machine is about to end."""
        if process.state != READY:
            return
        self.initialised = True
        for device in process.devices:
            primary = process.primary(device.ordinal)
            # The runtime API takes a reference of its own on each machine.
            self.retains[device.ordinal] = [retain.thread for retain in primary.retains]
            if primary.context is not None:
                self.handles[device.ordinal] = primary.context.handle
        for kind, pool in process.default_pools.items():
            self.pools[kind], self.handles[kind] = pool.device.ordinal, pool.handle
