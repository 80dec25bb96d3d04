"""Work of a captured stream as graph nodes: checks, and parameters of the nodes.

Memory that a memset fills, or that cuMemcpyAsync copies, is not looked at before the graph is made executable, except
for the access that a pool grants; that of values which a stream waits for or writes not before the graph is launched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.code.kernels import Config
from fakecuda.model.graph.executables import PLACES, TYPES
from fakecuda.model.graph.graph import BATCH_MEM_OP, HOST, KERNEL, MEMCPY, MEMSET, Captured
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.space import READ, WRITE
from fakecuda.model.work.batch import Batch
from fakecuda.model.work.launch import AT_ONCE, COOPERATIVE, Launch
from fakecuda.rules.capturing import EVENT_IS_OF_ONE_PROCESS
from fakecuda.rules.driver.context.ctx_get_stream_priority_range import clamped
from fakecuda.rules.driver.copy.memset import PITCH_IS_ALIGNED, PITCH_SPANS_THE_ROW, POINTER_IS_ALIGNED
from fakecuda.rules.driver.copy.range import POINTERS_ARE_GIVEN, RANGE_IS_ALLOCATED, pool_grants
from fakecuda.rules.driver.copy.shape import DESCRIPTION_IS_GIVEN
from fakecuda.rules.driver.event.event_record import on_stream
from fakecuda.rules.driver.event.event_record_with_flags import EXTERNAL
from fakecuda.rules.driver.event.event_record_with_flags import FLAGS_ARE_KNOWN as RECORD_FLAGS_ARE_KNOWN
from fakecuda.rules.driver.event.handle import live_event_of, usable_event_of
from fakecuda.rules.driver.execution.arguments import ARGUMENTS_ARE_GIVEN, BUFFER_FITS, stored
from fakecuda.rules.driver.execution.launch_attributes import OF_ATTRIBUTES, asked_for, recorded
from fakecuda.rules.driver.execution.launch_kernel import (
    at_once,
    clustered,
    launched_of,
    prepared,
    prepared_at_once,
    roomy,
    shaped,
)
from fakecuda.rules.driver.execution.launch_kernel_ex import configured, dimensions
from fakecuda.rules.driver.graph.kernel_attribute import TOLD as STORED
from fakecuda.rules.driver.graph.params import usable
from fakecuda.rules.driver.stream.capture_state import unmodelled
from fakecuda.rules.driver.stream.handle import using
from fakecuda.rules.driver.stream.stream_batch_mem_op import formed, given
from fakecuda.rules.driver.stream.stream_wait_event import FLAGS_ARE_KNOWN as WAIT_FLAGS_ARE_KNOWN
from fakecuda.spec import launch_config, mem_ops
from fakecuda.spec.stream_values import PRIORITY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.model.call import Call
    from fakecuda.model.graph.graph import Data, Node
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream
    from fakecuda.rules.core import Rule
    from fakecuda.rules.dispatch import Op
    from fakecuda.rules.driver.stream.stream_batch_mem_op import Operations

    Made = tuple[int, Any] | None
    """A node's kind and parameters. None if no node is added."""

HOST_MEMORY, DEVICE_MEMORY, UNIFIED = 1, 2, 4
"""Values of CUmemorytype."""
PROGRAMMATIC: Data = (1, 0, 1)
"""Edge data for programmatic completion (CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC)."""
ALL_BEGUN: Data = (2, 0, 1)
"""Edge data of an event with triggerAtBlockStart: all blocks have begun."""
BEGUN: Data = (2, 0, 0)
"""Edge data of a launch completion event."""
BESIDE = frozenset({launch_config.PREFERRED_CLUSTER, launch_config.PORTABLE, launch_config.SHARED_MEMORY})
"""Launch attributes whose nodes are not modelled."""


def _rows(size: int) -> Callable[..., Made]:
    """Return a maker of memset nodes for rows of ``size``-byte values."""

    def made(_call: Call, stream: Stream, dst: int, pitch: int, value: int, width: int, height: int, _: int) -> Made:
        if not width or not height:
            return None
        if dst % size:
            raise POINTER_IS_ALIGNED.broken(pointer=dst)
        if height > 1 and pitch % size:
            raise PITCH_IS_ALIGNED.broken(pitch=pitch)
        if height > 1 and pitch < width * size:
            raise PITCH_SPANS_THE_ROW.broken(pitch=pitch, row=width * size)
        return MEMSET, Captured(((dst, pitch, value, size, width, height), stream.context))

    return made


def _values(size: int) -> Callable[..., Made]:
    """Return a maker of memset nodes for one row."""
    rows = _rows(size)
    return lambda call, stream, dst, value, count, _: rows(call, stream, dst, 0, value, count, 1, 0)


def _copying(to: int, of: int) -> Callable[..., Made]:
    """Return a maker of memcpy nodes between memory of these types."""
    named = POINTERS_ARE_GIVEN if UNIFIED in {to, of} else RANGE_IS_ALLOCATED

    def made(call: Call, stream: Stream, dst: int, src: int, size: int, _: int) -> Made:
        if not size:
            return None
        if not dst or not src:
            raise named.broken(dst=dst, src=src)
        return _box(call, stream, (0, 0, 0, 0, *_side(of, src), 0, 0, 0, 0, *_side(to, dst), size, 1, 1))

    return made


def _side(kind: int, place: int) -> tuple[int, ...]:
    return (kind, place, 0, 0, 0, 0, 0) if kind == HOST_MEMORY else (kind, 0, place, 0, 0, 0, 0)


def _box(call: Call, stream: Stream, params: tuple[int, ...]) -> Made:
    """Return the node of a copy, which uses memory as the current context can, whatever stream is captured."""
    context = using(call, stream)
    what, types = (params, context), params[TYPES]
    for kind, place, access in zip(types, params[PLACES], (READ, WRITE), strict=True):
        item = call.process.memory.at(place) if kind == UNIFIED else None
        if isinstance(item, Pooled) and not item.pool.on_host:
            pool_grants(context, item, access)
    if UNIFIED not in types:
        usable(call, MEMCPY, what)
    return MEMCPY, what


def _solid(call: Call, stream: Stream, params: tuple[int, ...] | None, _: int) -> Made:
    if params is None:
        raise DESCRIPTION_IS_GIVEN.broken()
    return _box(call, stream, params) if all(params[-3:]) else None


def _flat(call: Call, stream: Stream, params: tuple[int, ...] | None, _: int) -> Made:
    """Return the node of a 2D copy."""
    if params is None:
        raise DESCRIPTION_IS_GIVEN.broken()
    if not all(params[-2:]):
        return None
    source = (*params[:2], 0, 0, *params[2:6], 0, params[6], 0)
    target = (*params[7:9], 0, 0, *params[9:13], 0, params[13], 0)
    return _box(call, stream, (*source, *target, *params[14:], 1))


def _operating(_call: Call, stream: Stream, operations: Operations) -> Made:
    """Return the node of batched stream memory operations."""
    formed(stream.context, operations)
    return BATCH_MEM_OP, Batch(operations, stream.context)


def _one(kind: int) -> Callable[..., Made]:
    """Return a maker of nodes for single waits or writes; see CUstreamBatchMemOpType."""
    return lambda call, stream, _, *of: _operating(call, stream, ((kind, *of),))


def _several(call: Call, stream: Stream, _: int, *batch: Any) -> Made:
    return _operating(call, stream, given(call, *batch))


def _calling(_call: Call, _stream: Stream, _: int, function: int, data: int) -> Made:
    return HOST, (function, data)


def _launching(call: Call, _stream: Stream, *args: int) -> Made:
    """Return the node of a launch, with a copy of its arguments."""
    function, _ = launched_of(call, args[0], args[8])
    config = Config((args[1], args[2], args[3]), (args[4], args[5], args[6]), args[7])
    values = prepared(call, function, config, args[9], args[10], node=True)
    kernel = 0 if args[0] == function.handle else args[0]
    return KERNEL, Launch(function, config, values, kernel, packed=bool(args[10]))


def _cooperating(call: Call, _stream: Stream, *args: int) -> Made:
    """Return the node of a cooperative launch, with a copy of its arguments."""
    function, _ = launched_of(call, args[0], args[8])
    config = Config((args[1], args[2], args[3]), (args[4], args[5], args[6]), args[7])
    values = prepared_at_once(call, function, config, args[9])
    kernel = 0 if args[0] == function.handle else args[0]
    return KERNEL, Launch(function, config, values, kernel, attributes={COOPERATIVE: AT_ONCE})


def _configured(
    call: Call, stream: Stream, config: tuple[Any, ...] | None, handle: int, params: int, extra: int
) -> Made:
    """Return the node of a launch with a configuration and its attributes."""
    given = configured(call, config)
    function, _ = launched_of(call, handle, given[launch_config.STREAM])
    values = stored(call, function.entry, params, extra)
    wanted = asked_for(call, function, stream, given[launch_config.ATTRIBUTES])
    shape = dimensions(given)
    shaped(function, shape)
    for event, flags in wanted.events:
        if not flags and live_event_of(call, event).interprocess:
            raise EVENT_IS_OF_ONE_PROCESS.broken(event=event, stream=stream)
    recorded(call, stream, wanted)
    clustered(function, shape, wanted.cluster)
    if wanted.cooperative:
        at_once(function, shape)
    else:
        roomy(function, shape)
    kept = {}
    for number, *of in given[launch_config.ATTRIBUTES]:
        if number in STORED:
            told = [clamped(call, stream.context, of[0])] if number == PRIORITY else of
            kept[number] = launch_config.value(number, told)
    kernel = 0 if handle == function.handle else handle
    return KERNEL, Launch(function, shape, values, kernel, packed=bool(extra), attributes=kept)


def spares(rule: Rule | None, args: tuple[Any, ...]) -> bool:
    """Return whether a captured launch that breaks a rule leaves its capture valid; its last argument is ``extra``."""
    looked_at = {*OF_ATTRIBUTES, EVENT_IS_OF_ONE_PROCESS, *((ARGUMENTS_ARE_GIVEN, BUFFER_FITS) if args[-1] else ())}
    return rule in looked_at


def asks_beside(config: tuple[Any, ...] | None) -> bool:
    """Return whether a launch has attributes whose nodes are not modelled."""
    given = () if config is None else config[launch_config.ATTRIBUTES] or ()
    return any(one[0] in BESIDE for one in given)


def events_of(call: Call, op: Op, config: tuple[Any, ...]) -> list[tuple[Event, Data]]:
    """Return the events that a launch records, with the edge data for their waiters.

    Args:
        call: The call.
        op: The operation.
        config: The configuration.
    """
    found = {}
    for number, *value in config[launch_config.ATTRIBUTES]:
        if number in {launch_config.EVENT, launch_config.COMPLETION}:
            handle, flags, *trigger = value
            if flags:
                unmodelled(op)
            early = ALL_BEGUN if any(trigger) else PROGRAMMATIC
            found[number] = call.process.events[handle], early if trigger else BEGUN
    return list(found.values())


def edge_of(op: Op, config: tuple[Any, ...], before: Iterable[Node]) -> Data | None:
    """Return the edge data of a programmatic launch; None for other launches.

    Args:
        op: The operation.
        config: The configuration.
        before: The nodes that the edges come from.
    """
    last = dict(one[:2] for one in config[launch_config.ATTRIBUTES] if one[0] == launch_config.SERIALIZATION)
    kinds = {node.kind for node in before}
    if not any(last.values()) or KERNEL not in kinds:
        return None
    if kinds != {KERNEL}:
        unmodelled(op)
    return PROGRAMMATIC


def recording(call: Call, args: tuple[int, ...]) -> bool:
    """Check a record in a captured stream; return whether the event is external."""
    event = usable_event_of(call, args[0])
    flags = args[2] if len(args) > 2 else 0  # noqa: PLR2004 - those of cuEventRecordWithFlags
    if flags & ~EXTERNAL:
        raise RECORD_FLAGS_ARE_KNOWN.broken(flags=flags)
    if not flags:
        on_stream(call, event, args[1], "cuEventRecord")
        if event.interprocess:
            raise EVENT_IS_OF_ONE_PROCESS.broken(event=event)
    return bool(flags)


def waiting(call: Call, args: tuple[int, ...]) -> bool:
    """Check a wait in a captured stream; return whether the event is external."""
    if args[2] & ~EXTERNAL:
        raise WAIT_FLAGS_ARE_KNOWN.broken(flags=args[2])
    usable_event_of(call, args[1])
    return bool(args[2])


NODES: dict[str, Callable[..., Made]] = {
    **{f"cuMemsetD{8 * size}Async": _values(size) for size in (1, 2, 4)},
    **{f"cuMemsetD2D{8 * size}Async": _rows(size) for size in (1, 2, 4)},
    "cuMemcpyAsync": _copying(UNIFIED, UNIFIED),
    "cuMemcpyDtoDAsync": _copying(DEVICE_MEMORY, DEVICE_MEMORY),
    "cuMemcpyHtoDAsync": _copying(DEVICE_MEMORY, HOST_MEMORY),
    "cuMemcpyDtoHAsync": _copying(HOST_MEMORY, DEVICE_MEMORY),
    "cuMemcpy2DAsync": _flat,
    "cuMemcpy3DAsync": _solid,
    "cuLaunchHostFunc": _calling,
    "cuStreamWaitValue32": _one(mem_ops.WAIT_32),
    "cuStreamWaitValue64": _one(mem_ops.WAIT_64),
    "cuStreamWriteValue32": _one(mem_ops.WRITE_32),
    "cuStreamWriteValue64": _one(mem_ops.WRITE_64),
    "cuStreamBatchMemOp": _several,
    "cuLaunchKernel": _launching,
    "cuLaunchCooperativeKernel": _cooperating,
    "cuLaunchKernelEx": _configured,
}
"""Functions that make a node from a call, its stream and its arguments."""
