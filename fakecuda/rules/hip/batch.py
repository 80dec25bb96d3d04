"""Batches: many copies in one call."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fakecuda.model.memory.space import READ, WRITE
from fakecuda.rules.core import Broken, Rule, guard, source, undefined
from fakecuda.rules.driver.copy.plan import ANY, IN_ORDER, Plan, queue_all
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.hip.active import acting, arrived
from fakecuda.rules.hip.copy import POINTERS_ARE_GIVEN, SIZES_SUFFICE, beyond
from fakecuda.rules.hip.reach import reached
from fakecuda.rules.hip.shape import (
    ADDRESS_IS_GIVEN,
    ARRAY_IS_GIVEN,
    ARRAY_IS_KNOWN,
    END_FITS,
    HEIGHT_SPANS_THE_SLICE,
    SPAN_FITS,
    moved,
    no_array,
)
from fakecuda.rules.hip.stream import stream_at
from fakecuda.rules.hip.volume import (
    EACH_SIDE_IS_ONE,
    EXTENT_FITS,
    PITCH_IS_SMALL,
    PITCH_SPANS_THE_ROW,
    PITCH_SPANS_XSIZE,
    parms_checked,
)
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

    Integers = tuple[int, ...]
    Attributes = tuple[int, tuple[int, int], tuple[int, int], int]
    Operand = tuple[int, tuple[tuple[int, int, int, tuple[int, int]]]]
    Operation = tuple[Operand, Operand, tuple[int, int, int], int, int]

NONE_FAILED = (1 << 64) - 1
"""The failure index of a batch without a failure."""
ADDRESS, ARRAY, DEFAULT = 1, 2, 4
"""hipMemcpyOperandTypePointer, hipMemcpyOperandTypeArray, hipMemcpyDefault."""

ARRAYS_ARE_GIVEN = Rule(
    "`dsts`, `srcs` and `sizes` are not null, and `count` is not 0",
    Result.INVALID_VALUE,
    source("hipMemcpyBatchAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass dsts, srcs and sizes, and a count above 0",
)
ATTRIBUTES_ARE_GIVEN = Rule(
    "`attrs` and `attrsIdxs` are not null if `numAttrs` is not 0",
    Result.INVALID_VALUE,
    source("hipMemcpyBatchAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass attrs and attrsIdxs, or 0 for numAttrs",
)
INDICES_MAKE_SENSE = Rule(
    "`attrsIdxs` begins with 0, strictly increases, and stays below `count`; `numAttrs` is at most `count`",
    Result.INVALID_VALUE,
    source("hipMemcpyBatchAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix=(
        "begin attrsIdxs with 0, sort it without duplicates, keep the last entry below count, and numAttrs at most "
        "count"
    ),
)
ORDER_IS_KNOWN = Rule(
    "`srcAccessOrder` of each entry of `attrs` is stream, during the call, or any",
    Result.INVALID_VALUE,
    source("hipMemcpyBatchAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="set srcAccessOrder to a value such as hipMemcpySrcAccessOrderStream; 0 is not valid",
)
BYTES_ARE_COPIED = Rule(
    "no entry of `sizes` is 0",
    Result.INVALID_VALUE,
    source("hipMemcpyBatchAsync", "clr answers hipErrorInvalidValue for a size of 0"),
    fix="leave copies of 0 bytes out of the batch",
)
OPERATIONS_ARE_GIVEN = Rule(
    "`opList` is not null, `numOps` is not 0, and `flags` is 0",
    Result.INVALID_VALUE,
    source("hipMemcpy3DBatchAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass at least one hipMemcpy3DBatchOp, and 0 for the flags",
)
PLACE_OF_THE_FAILURE_IS_GIVEN = Rule(
    "`failIdx` is not null",
    Result.INVALID_VALUE,
    undefined(
        "hipMemcpy3DBatchAsync",
        "the manual says nothing about a null argument; clr writes to the null pointer (segmentation fault)",
    ),
    fix="pass an address for failIdx",
)
OPERAND_IS_KNOWN = Rule(
    "the type of each operand in `opList` is pointer or array",
    Result.INVALID_VALUE,
    undefined(
        "hipMemcpy3DBatchAsync",
        "the manual says nothing about any other value; clr continues with uninitialised stack memory",
    ),
    fix="set the type of each operand to an address or an array",
)


@guard
def attributes_fit(attrs: tuple[Attributes, ...] | None, indices: Integers | None, attr_count: int, count: int) -> None:
    """Check the attributes of a batch."""
    if attrs is None or indices is None:
        raise ATTRIBUTES_ARE_GIVEN.broken(attributes=attrs, indices=indices)
    taken = indices[:attr_count]
    increasing = all(first < second < count for first, second in pairwise(taken))
    if taken[0] or attr_count > count or not increasing:
        raise INDICES_MAKE_SENSE.broken(indices=indices, copies=count)
    for order, *_ in attrs[:attr_count]:
        if not IN_ORDER <= order <= ANY:
            raise ORDER_IS_KNOWN.broken(order=order)


@HIP.op(
    "hipMemcpyBatchAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,), several="its copies are so many works of the stream"
)
def memcpy_batch_async(
    call: Call,
    dsts: Integers | None,
    srcs: Integers | None,
    sizes: Integers | None,
    count: int,
    attrs: tuple[Attributes, ...] | None,
    indices: Integers | None,
    attr_count: int,
    stream: int,
) -> int:
    """Have a stream make several copies. Hints and flags make no difference.

    Args:
        call: The call.
        dsts: Addresses of the targets, of devices or of the host.
        srcs: Addresses of the sources.
        sizes: Bytes of each copy.
        count: How many copies.
        attrs: hipMemcpyAttributes: order of access, hints for source and target, flags.
        indices: The first copy that each of them belongs to.
        attr_count: How many attributes.
        stream: The stream.

    Returns:
        That no copy has failed.
    """
    # CHECK
    arrived(call, "hipMemcpyBatchAsync")
    working = stream_at(call, stream)
    if dsts is None or srcs is None or sizes is None or not count:
        raise ARRAYS_ARE_GIVEN.broken(copies=count)
    if attr_count:
        attributes_fit(attrs, indices, attr_count, count)
    call.thread.failed_at = NONE_FAILED
    for number, size in enumerate(sizes[:count]):
        if not size:
            call.thread.failed_at = number
            raise BYTES_ARE_COPIED.broken(copy=number)
    acting(call)
    plans = []
    for dst, src, size in zip(dsts[:count], srcs, sizes, strict=False):
        if not dst or not src:
            raise POINTERS_ARE_GIVEN.broken(dst=dst, src=src)
        for start in (src, dst):
            if (item := beyond(call, start, size)) is not None:
                raise SIZES_SUFFICE.broken(pointer=start, size=size, found=item)
        targets = reached(call, working.context, dst, size, WRITE)
        sources = reached(call, working.context, src, size, READ)
        plans.append(Plan((dst, size), (src, size), targets, sources))
    # EFFECT
    queue_all(call, working, "hipMemcpyBatchAsync", plans)
    return NONE_FAILED


@guard
def operand(call: Call, side: Operand, extent: tuple[int, int, int]) -> tuple[int, int, int, int]:
    """Return one side of a copy as a hipPitchedPtr."""
    kind, ((ptr, row, rows, _),) = side
    if kind == ARRAY:
        no_array(call, ptr)
    if kind != ADDRESS:
        call.undefined(OPERAND_IS_KNOWN, type=kind)
        raise OPERAND_IS_KNOWN.broken(type=kind)
    return ptr, row or extent[0], row or extent[0], rows or extent[1]


@HIP.op(
    "hipMemcpy3DBatchAsync",
    acts_before=(
        MAPPINGS_SHARE_A_DEVICE,
        ARRAY_IS_GIVEN,
        ARRAY_IS_KNOWN,
        OPERAND_IS_KNOWN,
        EACH_SIDE_IS_ONE,
        PITCH_SPANS_XSIZE,
        PITCH_IS_SMALL,
        PITCH_SPANS_THE_ROW,
        EXTENT_FITS,
        ADDRESS_IS_GIVEN,
        HEIGHT_SPANS_THE_SLICE,
        SPAN_FITS,
        END_FITS,
    ),
)
def memcpy3d_batch_async(
    call: Call, count: int, operations: tuple[Operation, ...] | None, flags: int, stream: int
) -> int:
    """Have a stream make 3D copies in order, until one fails.

    Args:
        call: The call.
        count: How many.
        operations: hipMemcpy3DBatchOp: source, target, extent; order of access and flags make no difference.
        flags: 0.
        stream: The stream.

    Returns:
        That no copy has failed.
    """
    # CHECK
    arrived(call, "hipMemcpy3DBatchAsync")
    if flags or operations is None or not count:
        raise OPERATIONS_ARE_GIVEN.broken(operations=count, flags=flags)
    working = stream_at(call, stream)
    if call.nulls:
        call.undefined(PLACE_OF_THE_FAILURE_IS_GIVEN)
        raise PLACE_OF_THE_FAILURE_IS_GIVEN.broken()
    # EFFECT
    call.thread.failed_at = NONE_FAILED
    for number, (src, dst, extent, *_) in enumerate(operations[:count]):
        try:
            source_at, target_at = operand(call, src, extent), operand(call, dst, extent)
            parms = 0, (0, 0, 0), source_at, 0, (0, 0, 0), target_at, extent, DEFAULT
            checked = parms_checked(call, parms)
            moved(call, *checked, working, name="hipMemcpy3DBatchAsync", asynchronous=True)
        except Broken:
            call.thread.failed_at = number
            raise
    return NONE_FAILED
