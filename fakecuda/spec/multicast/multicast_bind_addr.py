"""cuMulticastBindAddr: memory of a device, named by where it is mapped, is bound to a range of a multicast object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model.multicast import Multicast
from fakecuda.model.va import Mapping
from fakecuda.rule import Rule, manual, op
from fakecuda.spec.multicast.binding import FLAGS_ARE_ZERO, binding
from fakecuda.spec.multicast.valid import multicasting, team_of

if TYPE_CHECKING:
    from fakecuda.model.process import Thread

MEMORY_IS_MAPPED = Rule(
    "at the address memory from cuMemCreate is mapped",
    Result.INVALID_VALUE,
    manual("cuMulticastBindAddr", "The memory must have been allocated via cuMemCreate or cudaMallocAsync"),
)


@op("cuMulticastBindAddr")
def multicast_bind_addr(call: Thread, value: int, offset: int, memptr: int, size: int, flags: int) -> None:
    """Bind memory to a multicast object, once all devices of its team were added.

    Args:
        call: The calling thread.
        value: The object's handle.
        offset: Where in the object, bytes.
        memptr: The memory's address, in a mapping.
        size: Bytes.
        flags: 0.
    """
    # CHECK
    process = multicasting(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    multicast = team_of(call, value, "cuMulticastBindAddr")
    mapping = process.memory.at(memptr)
    if not isinstance(mapping, Mapping) or isinstance(mapping.handle.physical, Multicast):
        raise MEMORY_IS_MAPPED.broken(pointer=memptr, found=mapping or process.freed.get(memptr))
    made = binding(call, multicast, offset, (mapping.handle.physical, memptr - mapping.start), size)
    # EFFECT
    multicast.bind(made)
