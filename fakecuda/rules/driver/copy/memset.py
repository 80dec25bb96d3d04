"""Memsets: calls that fill device memory with a value.

The twelve calls differ in the bits of a value, in whether they fill rows, and in whether a stream does it. What fills bytes
looks at no alignment. The calls stand at the end, made by the four functions before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.memory import Allocation, Import, is_foreign
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.space import WRITE
from fakecuda.model.work import timed
from fakecuda.model.work.accesses import WRITES
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, accessible, pool_grants, written
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.stream.order import enqueue, launch
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.work.accesses import Use
    from fakecuda.model.work.stream import Memory, Stream
    from fakecuda.rules.driver.copy.range import Piece

POINTER_IS_ALIGNED = Rule(
    "`dstDevice` is a multiple of the element size",
    Result.INVALID_VALUE,
    manual("cuMemsetD16", "The dstDevice pointer must be two byte aligned"),
    fix="pass an address that is a multiple of the element size",
)
PITCH_IS_ALIGNED = Rule(
    "`dstPitch` is a multiple of the element size if there are several rows",
    Result.INVALID_VALUE,
    manual("cuMemsetD2D16", "pointer and dstPitch offset must be two byte aligned"),
    fix="pass a pitch that is a multiple of the element size, as cuMemAllocPitch returns",
)
PITCH_SPANS_THE_ROW = Rule(
    "the pitch is at least the size of a row if there are several rows",
    Result.INVALID_VALUE,
    manual("cuMemsetD2D8", "dstPitch specifies the number of bytes between each row"),
    fix="pass a pitch that is at least the size of a row",
)
PEER_IS_ENABLED = Rule(
    "peer access is enabled for memory of another device and IPC memory of another context (in graph nodes: another device)",
    Result.INVALID_VALUE,
    observed(
        "cuMemsetD8",
        "unlike copies, memsets need cuCtxEnablePeerAccess for memory on another device and for an IPC mapping of "
        "another context",
    ),
    fix="call cuCtxEnablePeerAccess in the current context; each direction must be enabled separately",
)


@guard
def fillable(call: Call, context: Context, dst: int, count: int, width: int = 1, *, node: bool = False) -> list[Piece]:
    """Return the memory that a memset may write.

    Args:
        call: The call.
        context: The context that writes.
        dst: Device address of the first value.
        count: Values.
        width: Bytes of a value.
        node: Whether a node of a graph writes: it reaches linear memory of all devices.
    """
    size = count * width
    item = call.process.memory.at(dst)
    if type(item) is Allocation and item.context.device is context.device and dst + size <= item.end:
        block = item.block
        return [(block.extent, dst - block.start, size)]
    if isinstance(item, Pooled):
        pool_grants(context, item, WRITE)
    targets = written(call, context, dst, size, item)
    reached = node and _is_reached(item, context)
    if item is not None and not reached and not accessible(item, context):
        raise PEER_IS_ENABLED.broken(memory=item, context=context)
    return targets


def _is_reached(item: Memory | None, context: Context) -> bool:
    """Return whether nodes reach memory without peer access: linear memory of all devices, and what was opened on theirs."""
    if isinstance(item, Import):
        return item.context.device is context.device
    return isinstance(item, Allocation) and not is_foreign(item, context)


@guard
def _aligned(call: Call, context: Context, dst: int, count: int, width: int) -> list[Piece]:
    """Return the memory that a memset of aligned values may write."""
    if dst % width:
        raise POINTER_IS_ALIGNED.broken(pointer=dst)
    return fillable(call, context, dst, count, width)


@guard
def fillable_rows(
    call: Call, context: Context, dst: int, pitch: int, columns: int, height: int, width: int = 1, *, node: bool = False
) -> list[Piece]:
    """Return the memory of rows that a memset may write.

    Args:
        call: The call.
        context: The context that writes.
        dst: Device address of the first row.
        pitch: Bytes from row to row; of a single row it is not looked at.
        columns: Values of a row.
        height: Rows.
        width: Bytes of a value.
        node: As for :func:`fillable`.
    """
    row = columns * width
    if height > 1 and pitch < row:
        raise PITCH_SPANS_THE_ROW.broken(pitch=pitch, row=row)
    return fillable(call, context, dst, (height - 1) * pitch + row, node=node)


@guard
def aligned_rows(
    call: Call, context: Context, dst: int, pitch: int, columns: int, height: int, width: int, *, node: bool = False
) -> list[Piece]:
    """Return the memory of rows of aligned values; see :func:`fillable_rows`."""
    if dst % width:
        raise POINTER_IS_ALIGNED.broken(pointer=dst)
    if pitch % width and height > 1:
        raise PITCH_IS_ALIGNED.broken(pitch=pitch)
    return fillable_rows(call, context, dst, pitch, columns, height, width, node=node)


def use_of_rows(targets: list[Piece], dst: int, pitch: int, size: int, width: int, height: int) -> Use:
    """Return the memory use of a memset of rows; arguments as for :func:`fill_rows`."""
    row = width * size
    return WRITES, (dst, (height - 1) * pitch + row), targets, (row, height, 1, pitch, 0)


@orders.makes(orders.FILL)
def fill_rows(
    call: Call,
    stream: Stream,
    targets: list[Piece],
    dst: int,
    pitch: int,
    value: int,
    size: int,
    width: int,
    height: int,
) -> None:
    """Have a stream fill rows with values of ``size`` bytes.

    ``targets`` is the memory; the other arguments are those of :func:`fillable_rows`.
    """
    use = use_of_rows(targets, dst, pitch, size, width, height)
    race.in_stream(call, stream, (use,), depth=race.ASKED + 1)
    row, used = width * size, use[1]
    enqueue(call, stream, lambda: timed.fill_rows(call.machine, targets, value, size, row, height, pitch), used)


def _values(name: str, bits: int) -> Callable[[Call, int, int, int], None]:
    """Declare a synchronous memset call for values of ``bits`` bits."""
    size = bits // 8
    targets_of = fillable if size == 1 else _aligned

    @DRIVER.op(name, acts_before=(MAPPINGS_SHARE_A_DEVICE,), bits=bits)
    @orders.makes(orders.FILL)
    def memset(call: Call, dst: int, value: int, count: int) -> None:
        """Set ``count`` values of {bits} bits from device address ``dst`` on to ``value``."""
        # CHECK
        context = current(call)
        if not count:
            return
        targets = targets_of(call, context, dst, count, size)
        # EFFECT
        place = dst, count * size
        race.at_once(call, context, (WRITES, place, targets, None))
        launch(call, context, lambda: timed.fill(call.machine, targets, value, size), place)

    return memset


def _queued_values(name: str, bits: int) -> Callable[[Call, int, int, int, int], None]:
    """Declare an asynchronous memset call for values of ``bits`` bits."""
    size = bits // 8
    targets_of = fillable if size == 1 else _aligned

    @DRIVER.op(name, acts_before=(MAPPINGS_SHARE_A_DEVICE,), bits=bits)
    @orders.makes(orders.FILL)
    def memset_async(call: Call, dst: int, value: int, count: int, stream: int) -> None:
        """Have a stream set ``count`` values of {bits} bits from device address ``dst`` on to ``value``."""
        # CHECK
        working = stream_of(call, stream, name)
        if not count:
            return
        targets = targets_of(call, working.context, dst, count, size)
        # EFFECT
        place = dst, count * size
        race.in_stream(call, working, ((WRITES, place, targets, None),))
        enqueue(call, working, lambda: timed.fill(call.machine, targets, value, size), place)

    return memset_async


def _rows(name: str, bits: int) -> Callable[[Call, int, int, int, int, int], None]:
    """Declare a synchronous memset call for rows of values of ``bits`` bits."""
    size = bits // 8
    targets_of = fillable_rows if size == 1 else aligned_rows

    @DRIVER.op(name, acts_before=(MAPPINGS_SHARE_A_DEVICE,), bits=bits)
    @orders.makes(orders.FILL)
    def memset_rows(call: Call, dst: int, pitch: int, value: int, width: int, height: int) -> None:
        """Set ``height`` rows of ``width`` values of {bits} bits to ``value``.

        Args:
            call: The call.
            dst: Device address of the first row.
            pitch: Bytes from row to row.
            value: The value.
            width: Values of a row.
            height: Rows.
        """
        # CHECK
        context = current(call)
        if not width or not height:
            return
        targets = targets_of(call, context, dst, pitch, width, height, size)
        # EFFECT
        row = width * size
        used = dst, (height - 1) * pitch + row
        race.at_once(call, context, (WRITES, used, targets, (row, height, 1, pitch, 0)))
        launch(call, context, lambda: timed.fill_rows(call.machine, targets, value, size, row, height, pitch), used)

    return memset_rows


def _queued_rows(name: str, bits: int) -> Callable[[Call, int, int, int, int, int, int], None]:
    """Declare an asynchronous memset call for rows of values of ``bits`` bits."""
    size = bits // 8
    targets_of = fillable_rows if size == 1 else aligned_rows

    @DRIVER.op(name, acts_before=(MAPPINGS_SHARE_A_DEVICE,), bits=bits)
    def memset_rows_async(call: Call, dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
        """Have a stream set ``height`` rows of ``width`` values of {bits} bits to ``value``.

        Arguments as for the memset of rows without a stream.
        """
        # CHECK
        working = stream_of(call, stream, name)
        if not width or not height:
            return
        targets = targets_of(call, working.context, dst, pitch, width, height, size)
        # EFFECT
        fill_rows(call, working, targets, dst, pitch, value, size, width, height)

    return memset_rows_async


memset_d8 = _values("cuMemsetD8", 8)
memset_d16 = _values("cuMemsetD16", 16)
memset_d32 = _values("cuMemsetD32", 32)
memset_d8_async = _queued_values("cuMemsetD8Async", 8)
memset_d16_async = _queued_values("cuMemsetD16Async", 16)
memset_d32_async = _queued_values("cuMemsetD32Async", 32)
memset_d2d8 = _rows("cuMemsetD2D8", 8)
memset_d2d16 = _rows("cuMemsetD2D16", 16)
memset_d2d32 = _rows("cuMemsetD2D32", 32)
memset_d2d8_async = _queued_rows("cuMemsetD2D8Async", 8)
memset_d2d16_async = _queued_rows("cuMemsetD2D16Async", 16)
memset_d2d32_async = _queued_rows("cuMemsetD2D32Async", 32)
