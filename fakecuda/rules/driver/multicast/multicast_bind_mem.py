"""cuMulticastBindMem: bind memory to a range of a multicast object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.multicast import Multicast
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.multicast.binding import FLAGS_ARE_ZERO, binding
from fakecuda.rules.driver.multicast.handle import multicasting, team_of
from fakecuda.rules.driver.va.handle import handle_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

MEMORY_IS_NO_MULTICAST = Rule(
    "`memHandle` is memory, not a multicast object",
    Result.INVALID_VALUE,
    manual("cuMulticastBindMem", "Binds a memory allocation specified by memHandle and created via cuMemCreate"),
    fix="pass the object for mcHandle, and a handle of cuMemCreate for memHandle",
)


@DRIVER.op("cuMulticastBindMem")
def multicast_bind_mem(
    call: Call, value: int, offset: int, mem_value: int, mem_offset: int, size: int, flags: int
) -> None:
    """Bind memory to a multicast object. The call waits until all its devices have been added.

    Args:
        call: The call.
        value: The object's handle.
        offset: Where in the object, bytes.
        mem_value: The memory's handle.
        mem_offset: Where in the memory, bytes.
        size: Bytes.
        flags: 0.
    """
    # CHECK
    multicasting(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    multicast = team_of(call, value)
    physical = handle_of(call, mem_value).physical
    if isinstance(physical, Multicast):
        raise MEMORY_IS_NO_MULTICAST.broken(handle=mem_value)
    made = binding(call, multicast, offset, (physical, mem_offset), size)
    # EFFECT
    multicast.bind(made)
