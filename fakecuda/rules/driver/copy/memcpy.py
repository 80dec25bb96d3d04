"""cuMemcpy: memory to memory; the addresses tell which of them is the host's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.model import timed
from fakecuda.model.space import READ, WRITE
from fakecuda.rules.core import Rule, guard, undefined
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, POINTERS_ARE_GIVEN, pieces, written
from fakecuda.rules.driver.pool.valid import not_freed
from fakecuda.rules.driver.stream.order import launch

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.driver.copy.range import Piece

ADDRESS_IS_KNOWN = Rule(
    "each address lies in memory of a device that the process has, or in mapped memory of the host",
    Result.INVALID_VALUE,
    undefined(
        "cuMemcpy",
        "silent about other addresses; driver 580 takes them for the host's (segmentation fault), or writes to freed "
        "memory that is mapped still",
    ),
)


@DRIVER.op("cuMemcpy", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy(call: Call, dst: int, src: int, count: int) -> None:
    """Copy ``count`` bytes from address ``src`` to address ``dst``, each of a device or of the host."""
    # CHECK
    context = current(call)
    if not count:
        return
    if not dst or not src:
        raise POINTERS_ARE_GIVEN.broken(dst=dst, src=src)
    targets = wherever(call, context, dst, count, WRITE)
    sources = wherever(call, context, src, count, READ)
    # EFFECT
    launch(call, context, lambda: timed.copy(call.machine.clock, targets, sources), (dst, count), (src, count))


@guard
def wherever(call: Call, context: Context, start: int, size: int, access: int) -> list[Piece]:
    """Return the memory behind a range, of devices or of the host.

    Args:
        call: The call.
        context: The context that copies.
        start: The range's first address.
        size: Bytes.
        access: ``READ`` or ``WRITE``.
    """
    process = call.process
    if process.memory.at(start) is not None:
        return written(call, context, start, size) if access == WRITE else pieces(call, context, start, size, access)
    not_freed(call, start)
    if process.system.access_of(start, size) < access:
        found = process.freed.get(start)
        call.undefined(ADDRESS_IS_KNOWN, pointer=start, size=size, found=found)
        raise ADDRESS_IS_KNOWN.broken(pointer=start, size=size, found=found)
    return process.system.pieces(start, size)
