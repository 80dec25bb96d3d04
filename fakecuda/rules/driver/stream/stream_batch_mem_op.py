"""cuStreamBatchMemOp: a stream waits for values and writes values, in order.

An operation is a union that its first member tells apart. Each is checked as the call of its own is; all are checked
before the first of them is in the stream.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, NamedTuple

from fakecuda.model.memory import transfer
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import nothing
from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.stream.order import attend
from fakecuda.rules.driver.stream.stream_wait_value import (
    CAN_FLUSH,
    FLUSH_IS_SUPPORTED,
    NARROW,
    WIDE,
    aligned,
    comparable,
    condition,
    wide,
)
from fakecuda.rules.driver.stream.stream_write_value import changed, writable, written
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import mem_ops
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.work.stream import Stream
    from fakecuda.model.work.value import Value

    Operations = tuple[tuple[int, ...], ...]

KINDS = frozenset(ENUMS["CUstreamBatchMemOpType"].values())
BARRIERS = frozenset(ENUMS["CUstreamMemoryBarrier_flags"].values())
CAN_REDUCE = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED"]
REDUCTIONS: dict[int, Callable[[int, int], int]] = {
    ENUMS["CUstreamAtomicReductionOpType"][f"CU_STREAM_ATOMIC_REDUCTION_OP_{name}"]: function
    for name, function in {"ADD": operator.add, "AND": operator.and_, "OR": operator.or_}.items()
}
WIDTHS = {
    ENUMS["CUstreamAtomicReductionDataType"][f"CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_{8 * width}"]: width
    for width in (4, 8)
}

FLAGS_ARE_ZERO = Rule(
    "`flags` of the whole batch is 0",
    Result.INVALID_VALUE,
    manual("cuStreamBatchMemOp", "Reserved for future expansion; must be 0"),
    fix="pass 0 for the flags of cuStreamBatchMemOp",
)
OPERATIONS_ARE_FEW = Rule(
    "`count` is less than 256",
    Result.INVALID_VALUE,
    manual("cuStreamBatchMemOp", "Must be less than 256"),
    fix="pass at most 255 operations to one call, and split longer lists",
)
ARRAY_IS_GIVEN = Rule(
    "`paramArray` is not null if `count` is not 0",
    Result.INVALID_VALUE,
    undefined(
        "cuStreamBatchMemOp",
        "the manual says nothing about a null argument; driver 580 reads from the null pointer (segmentation fault)",
    ),
    fix="pass an array of CUstreamBatchMemOpParams",
)
OPERATION_IS_KNOWN = Rule(
    "`operation` of each entry is a CUstreamBatchMemOpType",
    Result.INVALID_VALUE,
    manual("cuStreamBatchMemOp", "See CUstreamBatchMemOpType for the full set of supported operations"),
    fix="set operation to a CUstreamBatchMemOpType, such as CU_STREAM_MEM_OP_WRITE_VALUE_32",
)
REDUCTION_IS_SUPPORTED = Rule(
    "the device of the stream or node supports atomic reductions, if the batch has one",
    Result.INVALID_VALUE,
    manual("cuStreamBatchMemOp", "See related APIs for details on querying support for specific operations"),
    fix="do not use reductions if CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED is 0",
)
OPERATION_S_FLAGS_ARE_KNOWN = Rule(
    "`flags` of each flush or reduction is 0, and `flags` of each barrier is a CUstreamMemoryBarrier_flags",
    Result.INVALID_VALUE,
    manual("cuStreamBatchMemOp", "CUDA_ERROR_INVALID_VALUE"),
    fix="set flags of a flush or reduction to 0, and flags of a barrier to CU_STREAM_MEMORY_BARRIER_TYPE_SYS or _GPU",
)
REDUCTION_IS_KNOWN = Rule(
    "each reduction is ADD, AND or OR on an unsigned 32-bit or 64-bit value",
    Result.INVALID_VALUE,
    manual("cuStreamBatchMemOp", "CUDA_ERROR_INVALID_VALUE"),
    fix="use CU_STREAM_ATOMIC_REDUCTION_OP_ADD, _AND or _OR on unsigned values of 32 or 64 bits",
)


class Step(NamedTuple):
    """The work of a stream for one memory operation.

    Attributes:
        act: Does it.
        ready: The value that it waits for; None for none.
        place: The memory that it uses: first address and bytes.
        value: The value that it writes. None if it writes none, or if that is not known.
    """

    act: Callable[[], None]
    ready: Value | None = None
    place: tuple[int, int] = (0, 0)
    value: int | None = None


@guard
def steps(call: Call, context: Context, operations: Operations) -> list[Step]:
    """Check memory operations, and return the work of the stream for each."""
    found: list[Step] = []
    for kind, *values in operations:
        if kind not in KINDS:
            raise OPERATION_IS_KNOWN.broken(operation=kind)
        if kind in mem_ops.WAITS:
            address, value, flags = values
            width = width_of(context, kind == mem_ops.WAIT_64)
            found.append(Step(nothing, condition(call, context, address, value, width, flags), (address, width)))
        elif kind in mem_ops.WRITES:
            address, value, flags = values
            width = width_of(context, kind == mem_ops.WRITE_64)
            found.append(Step(written(call, context, address, value, width, flags), None, (address, width), value))
        elif kind == mem_ops.REDUCTION:
            found.append(reduction(call, context, *values))
        else:
            idle(context, kind, *values)
            found.append(Step(nothing))
    return found


@guard
def width_of(context: Context, is_wide: bool) -> int:  # noqa: FBT001 - which of two operations
    """Return the size of an operation's value, which the device must support."""
    if not is_wide:
        return NARROW
    wide(context)
    return WIDE


@guard
def idle(context: Context, kind: int, flags: int) -> None:
    """Check an operation that changes no memory: a barrier or a flush."""
    if kind == mem_ops.FLUSH and not context.device.profile.attributes.get(CAN_FLUSH):
        raise FLUSH_IS_SUPPORTED.broken(device=context.device)
    if flags not in (BARRIERS if kind == mem_ops.BARRIER else {0}):
        raise OPERATION_S_FLAGS_ARE_KNOWN.broken(operation=kind, flags=flags)


@guard
def reducible(context: Context, flags: int, operation: int, kind: int) -> None:
    """Check that a context's device supports a reduction; see :func:`reduction`."""
    if not context.device.profile.attributes.get(CAN_REDUCE):
        raise REDUCTION_IS_SUPPORTED.broken(device=context.device)
    if flags:
        raise OPERATION_S_FLAGS_ARE_KNOWN.broken(operation=mem_ops.REDUCTION, flags=flags)
    if operation not in REDUCTIONS or kind not in WIDTHS:
        raise REDUCTION_IS_KNOWN.broken(reduction=operation, type=kind)


@guard
def reduction(call: Call, context: Context, flags: int, operation: int, kind: int, address: int, value: int) -> Step:
    """Return the step that combines a value in memory with another.

    Args:
        call: The call.
        context: The stream's context.
        flags: 0.
        operation: CUstreamAtomicReductionOpType.
        kind: CUstreamAtomicReductionDataType.
        address: The value's device address.
        value: The other value.
    """
    reducible(context, flags, operation, kind)
    width = WIDTHS[kind]
    function = REDUCTIONS[operation]
    act = changed(
        call, context, address, width, lambda piece: transfer.change(piece, lambda there: function(there, value))
    )
    return Step(act, place=(address, width))


@guard
def formed(context: Context, operations: Operations) -> None:
    """Check operations without their memory, as for graph nodes."""
    for kind, *values in operations:
        if kind not in KINDS:
            raise OPERATION_IS_KNOWN.broken(operation=kind)
        if kind in mem_ops.WAITS:
            aligned(values[0], width_of(context, kind == mem_ops.WAIT_64))
            comparable(context, values[2])
        elif kind in mem_ops.WRITES:
            aligned(values[0], width_of(context, kind == mem_ops.WRITE_64))
            writable(values[2])
        elif kind == mem_ops.REDUCTION:
            reducible(context, *values[:3])
        else:
            idle(context, kind, *values)


@guard
def given(call: Call, count: int, param_array: Operations | None, flags: int) -> Operations:
    """Return the operations of a call; arguments as for :func:`stream_batch_mem_op`."""
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if count >= mem_ops.MOST:
        raise OPERATIONS_ARE_FEW.broken(count=count)
    if count and param_array is None:
        call.undefined(ARRAY_IS_GIVEN, count=count)
        raise ARRAY_IS_GIVEN.broken(count=count)
    return (param_array or ())[:count]


def do(call: Call, stream: Stream, work: list[Step]) -> None:
    """Have a stream do what :func:`steps` returned."""
    for act, ready, place, value in work:
        attend(call, stream, act, place, ready, value)


@DRIVER.op("cuStreamBatchMemOp", several="each operation is work of its own")
def stream_batch_mem_op(call: Call, stream: int, count: int, param_array: Operations | None, flags: int) -> None:
    """Have a stream wait for values and write values, in the order of the array.

    Args:
        call: The call.
        stream: The stream.
        count: How many operations, fewer than 256.
        param_array: The operations, as :mod:`fakecuda.spec.mem_ops` has them.
        flags: 0.
    """
    # CHECK
    working = stream_of(call, stream, "cuStreamBatchMemOp")
    operations = given(call, count, param_array, flags)
    work = steps(call, working.context, operations)
    # EFFECT
    if not work:
        stream_scheduler.occupy(working)
    do(call, working, work)
