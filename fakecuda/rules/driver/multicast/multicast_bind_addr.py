"""cuMulticastBindAddr: bind mapped memory to a range of a multicast object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.backing import DeviceMemory
from fakecuda.model.memory.multicast import Multicast
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.va import Mapping, Physical
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.multicast.binding import FLAGS_ARE_ZERO, binding
from fakecuda.rules.driver.multicast.handle import multicasting, team_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.work.stream import Memory

MEMORY_IS_BINDABLE = Rule(
    "`memptr` lies in a mapping of cuMemCreate memory, or in memory of a pool that lies on a device",
    Result.INVALID_VALUE,
    manual("cuMulticastBindAddr", "The memory must have been allocated via cuMemCreate or cudaMallocAsync"),
    fix="pass an address from cuMemMap or cuMemAllocAsync; memory of cuMemAlloc cannot be bound",
)


@DRIVER.op("cuMulticastBindAddr")
def multicast_bind_addr(call: Call, value: int, offset: int, memptr: int, size: int, flags: int) -> None:
    """Bind memory to a multicast object. The call waits until all its devices have been added.

    Args:
        call: The call.
        value: The object's handle.
        offset: Where in the object, bytes.
        memptr: The memory's address, in a mapping or in memory of a pool.
        size: Bytes.
        flags: 0.
    """
    # CHECK
    process = multicasting(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    multicast = team_of(call, value)
    item = process.memory.at(memptr)
    physical = None if item is None else behind(item)
    if item is None or physical is None:
        raise MEMORY_IS_BINDABLE.broken(pointer=memptr, found=item or process.freed.get(memptr))
    made = binding(call, multicast, offset, (physical, memptr - item.origin), size)
    # EFFECT
    multicast.bind(made)


def behind(item: Memory) -> Physical | None:
    """Return the memory at an address in a form that can be bound; None if it cannot."""
    if isinstance(item, Mapping) and not isinstance(item.handle.physical, Multicast):
        return item.handle.physical
    if isinstance(item, Pooled) and isinstance(item.extent.memory, DeviceMemory):
        return Physical(item.extent, item.device, item.offset + item.size, item.pool.props.handle_types)
    return None
