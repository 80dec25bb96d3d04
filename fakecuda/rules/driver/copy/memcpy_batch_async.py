"""cuMemcpyBatchAsync: a stream makes many copies, in any order.

Attributes belong to copies by the index of the first: ``attrsIdxs`` of 0 and 6 give the copies 0 to 5 the first
attributes, and the others the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.memory.space import READ, WRITE
from fakecuda.model.work.stream import LEGACY
from fakecuda.rules.core import Broken, Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.context.current import require_usable_context
from fakecuda.rules.driver.copy.plan import ANY, DURING_THE_CALL, IN_ORDER, Plan, is_out_of_reach, queue_all
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, POINTERS_ARE_GIVEN, wherever
from fakecuda.rules.driver.stream.handle import permitted_stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.work.stream import Stream

    Attributes = tuple[int, tuple[int, int], tuple[int, int], int]
    Integers = tuple[int, ...]

PREFER_OVERLAP = 1
"""CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE; a hint."""
DEVICE, LAST_PLACE = 1, 4
"""CU_MEM_LOCATION_TYPE_DEVICE and _HOST_NUMA_CURRENT; hints are 0 to the latter."""

STREAM_IS_NOT_LEGACY = Rule(
    "the stream is not the legacy default stream",
    Result.INVALID_VALUE,
    manual("cuMemcpyBatchAsync", "Must not be legacy NULL stream"),
    fix="pass a created stream or CU_STREAM_PER_THREAD; null is the legacy default stream",
)
THREAD_HAS_A_CONTEXT = Rule(
    "the calling thread has a current context, or the process was forked while that thread had one",
    Result.INVALID_VALUE,
    observed(
        "cuMemcpyBatchAsync",
        "without a current context the driver answers INVALID_VALUE for a created stream, "
        "which is enough for other copies",
    ),
    fix="call cuCtxSetCurrent in this thread before cuMemcpyBatchAsync, also with a created stream",
)
ARRAYS_ARE_GIVEN = Rule(
    "`dsts`, `srcs`, `sizes`, `attrs` and `attrsIdxs` are not null",
    Result.INVALID_VALUE,
    manual("cuMemcpyBatchAsync", "All three arrays must be of the same length as specified by count"),
    fix="pass all five arrays: dsts, srcs, sizes, attrs and attrsIdxs",
)
EVERY_COPY_HAS_ATTRIBUTES = Rule(
    "`numAttrs` is at least 1 and at most `count`",
    Result.INVALID_VALUE,
    manual("cuMemcpyBatchAsync", "numAttrs must be lesser than or equal to count"),
    fix="pass from 1 to count attributes; one entry with index 0 applies to all copies",
)
FIRST_INDEX_IS_ZERO = Rule(
    "`attrsIdxs[0]` is 0",
    Result.INVALID_VALUE,
    manual("cuMemcpyBatchAsync", "the first entry in attrsIdxs must always be 0"),
    fix="set attrsIdxs[0] to 0",
)
INDICES_INCREASE = Rule(
    "each entry of `attrsIdxs` is greater than the previous one, and the last is less than `count`",
    Result.INVALID_VALUE,
    manual("cuMemcpyBatchAsync", "each entry must be greater than the previous entry and the last entry"),
    fix="sort attrsIdxs without duplicates, and keep the last entry below count",
)
ORDER_IS_KNOWN = Rule(
    "`srcAccessOrder` in the attributes of each copy is STREAM, DURING_API_CALL or ANY",
    Result.INVALID_VALUE,
    manual(
        "cuMemcpyBatchAsync",
        "including the appropriate srcAccessOrder setting, otherwise the API will return CUDA_ERROR_INVALID_VALUE",
    ),
    fix="set srcAccessOrder to a value such as CU_MEMCPY_SRC_ACCESS_ORDER_STREAM; 0 is not valid",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` in the attributes of each copy has only bits of CUmemcpyFlags",
    Result.INVALID_VALUE,
    manual("cuMemcpyBatchAsync", "flags field can be used to specify certain flags for copies"),
    fix="set flags to CU_MEMCPY_FLAG_DEFAULT or CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE",
)
HINT_IS_A_PLACE = Rule(
    "`srcLocHint` and `dstLocHint` have type 0, or are the host, a host NUMA node or a device that the process sees",
    Result.INVALID_VALUE,
    observed(
        "cuMemcpyBatchAsync",
        "the driver answers INVALID_VALUE to any other location, even for memory whose hints it ignores according to "
        "the manual",
    ),
    fix="zero srcLocHint and dstLocHint, or name the host or a device that the process sees",
)
BYTES_ARE_COPIED = Rule(
    "the size of each copy is not 0",
    Result.INVALID_VALUE,
    observed(
        "cuMemcpyBatchAsync", "the driver answers INVALID_VALUE to a size of 0, whether the pointers are null or not"
    ),
    fix="leave out copies of 0 bytes",
)
COPIES_ARE_INDEPENDENT = Rule(
    "no copy writes memory that another copy of the batch reads or writes",
    Result.SUCCESS,
    undefined("cuMemcpyBatchAsync", "specifying any dependent copies within a batch will result in undefined behavior"),
    fix="put dependent copies into separate batches on one stream",
)
OF_ATTRIBUTES = frozenset({ORDER_IS_KNOWN, FLAGS_ARE_KNOWN, HINT_IS_A_PLACE})
"""Rules of copy attributes, which one set of attributes breaks for several copies."""


@DRIVER.op(
    "cuMemcpyBatchAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,), several="its copies are so many works of the stream"
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
) -> None:
    """Have a stream make several copies.

    Args:
        call: The call.
        dsts: Addresses of the targets, of devices or of the host.
        srcs: Addresses of the sources.
        sizes: Bytes of each copy.
        count: How many copies.
        attrs: CUmemcpyAttributes: order of access, hints for source and target, flags.
        indices: The first copy that each of them belongs to.
        attr_count: How many attributes.
        stream: The stream.
    """
    # CHECK
    if (stream or call.default_stream) == LEGACY:
        raise STREAM_IS_NOT_LEGACY.broken(stream=stream)
    stack = call.thread.stack
    if stack and stack[-1].destroyed:
        require_usable_context(stack[-1])
    working = permitted_stream_of(call, stream, "cuMemcpyBatchAsync")
    if not (stack or call.thread.forked_stack):
        raise THREAD_HAS_A_CONTEXT.broken(stream=working)
    if dsts is None or srcs is None or sizes is None or attrs is None or indices is None:
        raise ARRAYS_ARE_GIVEN.broken()
    if not 0 < attr_count <= count:
        raise EVERY_COPY_HAS_ATTRIBUTES.broken(attributes=attr_count, copies=count)
    if indices[0]:
        raise FIRST_INDEX_IS_ZERO.broken(index=indices[0])
    ends = (*indices[1:], count)
    for first, end in zip(indices, ends, strict=True):
        if first >= end:
            raise INDICES_INCREASE.broken(indices=indices, copies=count)
    plans: list[Plan] = []
    for attributes, first, end in zip(attrs, indices, ends, strict=True):
        for number in range(first, end):
            try:
                plans.append(copy_of(call, working, attributes, (dsts[number], srcs[number]), sizes[number]))
            except Broken as broken:
                if broken.rule not in OF_ATTRIBUTES:
                    broken.beside(copy=number)
                raise
    _independent(call, plans)
    # EFFECT
    queue_all(call, working, "cuMemcpyBatchAsync", plans)


@guard
def copy_of(call: Call, working: Stream, attributes: Attributes, ends: tuple[int, int], size: int) -> Plan:
    """Return one copy, from the second of the addresses to the first, with its attributes.

    The call waits for one that is read during it, and not at once, and for one that is read in order from memory which
    can be read at once.
    """
    dst, src = ends
    order, src_hint, dst_hint, flags = attributes
    if not IN_ORDER <= order <= ANY:
        raise ORDER_IS_KNOWN.broken(order=order)
    if flags & ~PREFER_OVERLAP:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    for kind, number in (dst_hint, src_hint):
        if not 0 <= kind <= LAST_PLACE or (kind == DEVICE and not 0 <= number < len(call.process.devices)):
            raise HINT_IS_A_PLACE.broken(hint=(kind, number))
    if not size:
        raise BYTES_ARE_COPIED.broken(dst=dst, src=src)
    if not dst or not src:
        raise POINTERS_ARE_GIVEN.broken(dst=dst, src=src)
    targets = wherever(call, working.context, dst, size, WRITE)
    sources = wherever(call, working.context, src, size, READ)
    waits = order == (IN_ORDER if is_out_of_reach(call, working, sources, src) else DURING_THE_CALL)
    return Plan((dst, size), (src, size), targets, sources, order=order, waits=waits)


@guard
def _independent(call: Call, plans: list[Plan]) -> None:
    """Check that no copy of a batch writes what another copy reads or writes."""
    if len(plans) < 2:  # noqa: PLR2004 - of a pair
        return
    ranges = [(*plan.dst, number, True) for number, plan in enumerate(plans)]
    ranges += [(*plan.src, number, False) for number, plan in enumerate(plans)]
    reach: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    for start, size, number, writes in sorted(ranges):
        for kind in (True, False) if writes else (True,):
            # The two that reach furthest: one of them may be of the same copy.
            for end, other in reach[kind]:
                if end > start and other != number:
                    call.undefined(COPIES_ARE_INDEPENDENT, pointer=start, size=size)
                    return
        furthest: Any = sorted([*reach[writes], (start + size, number)], reverse=True)[:2]
        reach[writes] = furthest
