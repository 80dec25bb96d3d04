"""Rules about memory access of copies and memsets, which HIP does not check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.memory import Allocation
from fakecuda.model.memory.space import WRITE
from fakecuda.model.memory.va import Mapping
from fakecuda.rules.core import Rule, guard, undefined
from fakecuda.rules.driver.copy.range import accessible, hosted, pieces, wherever, written
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.work.stream import Memory
    from fakecuda.rules.driver.copy.range import Piece

ACCESS_IS_GIVEN = Rule(
    "the stream's device has read access to each mapping that the call reads, and write access to each mapping it "
    "writes",
    Result.SUCCESS,
    undefined(
        "hipMemSetAccess",
        "the manual says nothing about copies; hip-tests notes that AMD does not check access in hipMemcpy, and "
        "that a copy by a kernel faults",
    ),
    fix="call hipMemSetAccess for the device before the device uses the mapping",
)

MEMORY_IS_REACHED = Rule(
    "the memory to set is on the device that sets it, or open to it by peer access, hipMemPoolSetAccess or IPC",
    Result.SUCCESS,
    undefined(
        "hipMemset",
        "the manual says nothing about memory of another device; clr compares only sizes (ihipMemset_validate), "
        "and then the card faults",
    ),
    fix="set the memory on a stream of its own device, or enable peer access first",
)


@guard
def reached(call: Call, context: Context, start: int, size: int, access: int) -> list[Piece]:
    """Return the memory behind a range of a copy, of devices or of the host.

    Args:
        call: The call.
        context: What the process has on the device that copies.
        start: The first address.
        size: Bytes.
        access: ``READ`` or ``WRITE``.
    """
    item = call.process.memory.at(start)
    if isinstance(item, Mapping):
        return mapped(call, context, start, size, access)
    if type(item) is not Allocation:
        return wherever(call, context, start, size, access) if item is not None else hosted(call, start, size, access)
    return pieces(call, context, start, size, access)  # what anybody may read and write


@guard
def set_at(call: Call, context: Context, item: Memory, start: int, size: int) -> list[Piece]:
    """Return the memory behind a range that a memset writes, from an item on."""
    if isinstance(item, Mapping):
        return mapped(call, context, start, size, WRITE)
    if not accessible(item, context):
        call.undefined(MEMORY_IS_REACHED, memory=item, device=context.device)
    if start + size > item.end:
        return written(call, context, start, size, item)
    return [(item.extent, start - item.origin, size)]


@guard
def mapped(call: Call, context: Context, start: int, size: int, access: int) -> list[Piece]:
    """Return the memory behind adjoining mappings."""
    found: list[Piece] = []
    while size:
        item = call.process.memory.at(start)
        assert isinstance(item, Mapping)  # the calls have looked at what the range spans
        if item.access.get(context.device.ordinal, 0) & access != access:
            call.undefined(ACCESS_IS_GIVEN, mapping=item, device=context.device)
        length = min(size, item.end - start)
        found.append((item.extent, start - item.origin, length))
        start, size = start + length, size - length
    return found
