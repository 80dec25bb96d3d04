"""Calls during a capture: refused, invalidating the capture, or captured as nodes.

A process that has begun a capture makes its calls through :func:`gate`, which looks the call up by its name. Its answers are those
of a card, driver 580 (recorded programs ``questions/capture``). A call of the runtime API, or an older form, does what its calls do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model import context_effects
from fakecuda.model.call import RetryCall
from fakecuda.model.graph import capture
from fakecuda.model.graph.graph import EVENT_RECORD, WAIT_EVENT, Graph, Node
from fakecuda.model.graph.graph_memory import has_memory
from fakecuda.model.history import here
from fakecuda.model.os.process import FORKED
from fakecuda.model.work.stream import LEGACY, PER_THREAD
from fakecuda.rules.capturing import (
    CAPTURE_OF_THE_EVENT_GOES_ON,
    CAPTURES_STAY_APART,
    CONTEXT_IS_NOT_CAPTURED,
    EVENT_IS_NOT_CAPTURED,
    EVENT_IS_OF_ONE_PROCESS,
    EVENT_IS_OF_THE_CAPTURE,
    GRAPH_IS_NOT_CAPTURED_TO,
    SAFE_WHILE_CAPTURING,
    STREAM_IS_NOT_CAPTURED,
)
from fakecuda.rules.core import Broken
from fakecuda.rules.driver.event.event_elapsed_time import has_a_time
from fakecuda.rules.driver.event.handle import EVENT_IS_GIVEN
from fakecuda.rules.driver.execution.launch_kernel import STREAM_IS_THE_FUNCTION_S
from fakecuda.rules.driver.graph.executable import OF_PARAMETERS, UPLOAD
from fakecuda.rules.driver.stream.capture_state import CAPTURE_IS_VALID, LEGACY_STREAM_IS_FREE, invalidate, unmodelled
from fakecuda.rules.driver.stream.captured_calls import (
    ASKING,
    AT_ONCE,
    HARMLESS,
    IN_FORKS,
    OF_OTHERS,
    OLDER,
    TOLD_WHILE_VALID,
    UNHARMED,
    UNMODELLED,
    UNSAFE,
    UNSAFE_ELSEWHERE,
    UNSEEN,
)
from fakecuda.rules.driver.stream.captured_memory import allocated, freed
from fakecuda.rules.driver.stream.captured_mistakes import MISTAKEN
from fakecuda.rules.driver.stream.nodes import NODES, asks_beside, edge_of, events_of, recording, spares, waiting
from fakecuda.rules.driver_calls import driver_calls_of, rerouted
from fakecuda.rules.registry import DRIVER, FORMS, NVML
from fakecuda.spec import launch_config
from fakecuda.spec.driver import CALLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.graph.capture import Capture, Captures
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream
    from fakecuda.rules.dispatch import Op

    Handler = Callable[[Call, Captures, Op, tuple[Any, ...]], Any]

LAUNCH_EX = "cuLaunchKernelEx"
INSTANTIATE = "cuGraphInstantiateWithParams"
LAUNCHING = frozenset({"cuLaunchKernel", "cuLaunchCooperativeKernel"})
"""Calls that invalidate a capture if they fail."""
STREAMS = {
    name: place
    for name, one in CALLS.items()
    for place, param in list(enumerate(one.inputs))[::-1]
    if param.type == "CUstream" and not param.pointer
}
"""The index of each call's stream argument; the first one of two."""


def gate(call: Call, op: Op, args: tuple[Any, ...]) -> Any:
    """Make a call of a process that has begun a capture.

    Args:
        call: The call.
        op: Its operation.
        args: Its arguments.
    """
    state = call.process.captures
    assert state is not None
    told = call.process.state != FORKED or "Capture" in op.name or op.name in IN_FORKS
    if (state.of or state.events) and told:
        if (mistaken := MISTAKEN.get(op.name)) and mistaken(call, args) and not _is_broken(call, state, op, args):
            return op.function(call, *args)
        if op.api is not DRIVER and op.name in UNSAFE:
            _check_safe(call, state)
        if driver_calls_of(op):
            return rerouted(op, gate)(call, *args)
        if op.api is DRIVER or op.name in OLDER:
            handler = HANDLERS.get(op.name)
            if handler is not None:
                return handler(call, state, op, args)
        elif op.api not in {FORMS, NVML} and state.of and not _is_unseen(op.name):
            unmodelled(op)
    return op.function(call, *args)


def _is_broken(call: Call, state: Captures, op: Op, args: tuple[Any, ...]) -> bool:
    """Return whether a harmless call's stream is in an invalidated capture."""
    stream = _stream(call, _handle(op.name, args)) if op.name in HARMLESS else None
    one = None if stream is None else state.of.get(stream)
    return one is not None and not one.valid


def _is_unseen(name: str) -> bool:
    """Return whether captures do not notice a runtime or HIP call."""
    return name in UNSEEN or name.removeprefix("cuda").removeprefix("hip") in OF_OTHERS


def _check_safe(call: Call, state: Captures) -> None:
    """Invalidate the captures that forbid an unsafe call."""
    found = state.forbidding(call.thread)
    if found:
        invalidate(found, SAFE_WHILE_CAPTURING)
        raise SAFE_WHILE_CAPTURING.broken(captures=found)


def _check_context(state: Captures, context: Context | None) -> None:
    """Invalidate the captures of a context, for a call on all work of the context."""
    found = [one for one in state.all() if any(stream.context is context for stream in one.streams)]
    if found:
        invalidate(found, CONTEXT_IS_NOT_CAPTURED)
        raise CONTEXT_IS_NOT_CAPTURED.broken(captures=found)


def _check_legacy(call: Call, state: Captures) -> None:
    """Invalidate the captures of the current context's blocking streams."""
    context = _current(call)
    found = [one for one in state.all() if context is not None and one.blocking_in(context)]
    if found:
        invalidate(found, LEGACY_STREAM_IS_FREE)
        raise LEGACY_STREAM_IS_FREE.broken(captures=found)


def _check_source(call: Call, state: Captures, op: Op, args: tuple[Any, ...]) -> None:
    """Invalidate captures if stream attributes are copied from the legacy stream."""
    if op.name == "cuStreamCopyAttributes":
        source = _stream(call, args[1])
        if source is not None and source.handle == LEGACY:
            _check_legacy(call, state)
        one = None if source is None else state.of.get(source)
        if one is not None and not one.valid:
            raise CAPTURE_IS_VALID.broken(invalidated_by=one.invalidated_by, stream=source, capture=one)


def _current(call: Call) -> Context | None:
    stack = call.thread.stack
    return stack[-1] if stack else None


def _unsafe(call: Call, state: Captures, op: Op, args: tuple[Any, ...]) -> Any:
    _check_safe(call, state)
    return op.function(call, *args)


def _at_once(call: Call, state: Captures, op: Op, args: tuple[Any, ...]) -> Any:
    if call.default_stream == LEGACY:
        _check_legacy(call, state)
    return op.function(call, *args)


def _of_context(call: Call, state: Captures, op: Op, args: tuple[Any, ...]) -> Any:
    _check_context(state, call.process.contexts.get(args[0]) if args and (args[0] or args[1:]) else _current(call))
    if op.name == "cuCtxWaitEvent":
        event = call.process.events.get(args[1])
        if event in state.events:
            _check_goes_on(state.events[event][0], event)
    outs = op.function(call, *args)
    if op.name == "cuCtxRecordEvent":
        capture.forget(state, call.process.events[args[1]])
    return outs


def _is_on(one: Capture) -> bool:
    return one.valid and not one.over


def _check_goes_on(one: Capture, event: Event) -> None:
    if not _is_on(one):
        raise CAPTURE_OF_THE_EVENT_GOES_ON.broken(event=event, capture=one)


def _asking(call: Call, state: Captures, op: Op, args: tuple[Any, ...]) -> Any:
    """Query events: except for elapsed times, this invalidates an event's capture."""
    times = op.name == "cuEventElapsedTime"
    for event in (call.process.events.get(one) for one in args):
        if times and event not in state.events and (event is None or not has_a_time(event)):
            break
        if event in state.events:
            one = state.events[event][0]
            _check_goes_on(one, event)
            if not times:
                invalidate([one], EVENT_IS_NOT_CAPTURED)
            raise EVENT_IS_NOT_CAPTURED.broken(event=event, capture=one)
    if not times:
        _check_safe(call, state)
    return op.function(call, *args)


def _ending(call: Call, state: Captures, op: Op, args: tuple[Any, ...]) -> Any:
    """Destroy an event, a stream or a context, and remove it from captures."""
    outs = op.function(call, *args)
    capture.leave(state, here())
    return outs


def _ending_stream(call: Call, state: Captures, op: Op, args: tuple[Any, ...]) -> Any:
    """Destroy a stream; the legacy stream invalidates captures of blocking streams."""
    if args[0] == LEGACY:
        _check_legacy(call, state)
    return _ending(call, state, op, args)


def _of_graph(call: Call, state: Captures, op: Op, args: tuple[Any, ...]) -> Any:
    """Destroy a graph or a node, if no capture adds to the graph."""
    item = call.process.graphs.get(args[0])
    whole = item.graph if isinstance(item, Node) else item
    if isinstance(item, Node) and has_memory(item.graph):  # which the call itself refuses
        return op.function(call, *args)
    for one in state.all():
        if isinstance(whole, Graph) and one.graph is whole:
            raise GRAPH_IS_NOT_CAPTURED_TO.broken(graph=whole, capture=one)
    return op.function(call, *args)


def _handle(name: str, args: tuple[Any, ...]) -> int:
    """Return the stream handle among a call's arguments."""
    if name == LAUNCH_EX:
        return int(args[0][launch_config.STREAM]) if args[0] is not None else LEGACY
    if name == INSTANTIATE:
        return int(args[1][1])
    return int(args[STREAMS.get(name, 0)])


def _stream(call: Call, handle: int) -> Stream | None:
    """Return the stream of a handle; None if the stream does not exist."""
    if handle > PER_THREAD:
        return call.process.streams.get(handle)
    context = _current(call)
    if context is None or context.destroyed:
        return None
    return context_effects.default_stream(context, handle or call.default_stream, call.thread.name)


def _streamed(call: Call, state: Captures, op: Op, args: tuple[Any, ...]) -> Any:
    """Make a call with a stream, which may be captured."""
    name = op.name
    stream = _stream(call, _handle(name, args))
    if stream is None or (name == "cuStreamAddCallback" and (args[3] or not args[1])):  # which are looked at first
        return op.function(call, *args)
    if stream.handle == LEGACY and name not in ASKING:
        _check_legacy(call, state)
    one = state.of.get(stream)
    if one is None:
        return _elsewhere(call, state, op, args, stream)
    node = NODES.get(name)
    refused = node is None and name not in UNMODELLED and name not in BY_THEMSELVES
    valid_only = name in TOLD_WHILE_VALID if name in UNHARMED else name in HARMLESS or not refused
    if valid_only and not one.valid:
        raise CAPTURE_IS_VALID.broken(invalidated_by=one.invalidated_by, stream=stream, capture=one)
    if name in UNHARMED:
        _check_source(call, state, op, args)
        return op.function(call, *args)
    if refused:
        if name not in HARMLESS:
            invalidate([one], STREAM_IS_NOT_CAPTURED)
        raise STREAM_IS_NOT_CAPTURED.broken(stream=stream, capture=one)
    if name == LAUNCH_EX and asks_beside(args[0]):
        unmodelled(op)
    if node is None:
        if name in UNMODELLED:
            unmodelled(op)
        return BY_THEMSELVES[name](call, state, op, args, one, stream)
    try:
        made = node(call, stream, *args)
    except RetryCall:
        raise
    except Exception as error:
        rule = error.rule if isinstance(error, Broken) else None
        launches = (name in LAUNCHING and args[0]) or (name == LAUNCH_EX and args[1])
        if launches and rule is not STREAM_IS_THE_FUNCTION_S and not spares(rule, args):
            invalidate([one], rule)
        raise
    if made is None:
        return None
    if name == LAUNCH_EX:
        events, data = events_of(call, op, args[0]), edge_of(op, args[0], one.streams[stream])
        capture.launch(state, one, stream, made, here(), data, events)
    else:
        capture.put(one, stream, *made, here())
    return None


def _instantiating(call: Call, state: Captures, op: Op, args: tuple[Any, ...]) -> Any:
    """Instantiate a graph; with an upload, as a call with the upload's stream."""
    flags = args[1][0] if args[1] is not None else 0
    if not flags & UPLOAD:
        return _unsafe(call, state, op, args)
    if flags & ~OF_PARAMETERS:
        return op.function(call, *args)
    return _streamed(call, state, op, args)


def _elsewhere(call: Call, state: Captures, op: Op, args: tuple[Any, ...], stream: Stream) -> Any:
    """Make a call with a stream that is not captured, during another stream's capture."""
    if op.name in UNSAFE_ELSEWHERE:
        _check_safe(call, state)
    _check_source(call, state, op, args)
    if op.name == "cuStreamWaitEvent":
        event = call.process.events.get(args[1])
        if event in state.events:
            one, nodes = state.events[event]
            _check_goes_on(one, event)
            if not args[2]:
                if stream.handle == LEGACY:
                    invalidate([one], LEGACY_STREAM_IS_FREE)
                    raise LEGACY_STREAM_IS_FREE.broken(event=event, capture=one)
                capture.join(state, one, stream, nodes)
                return None
    outs = op.function(call, *args)
    if op.name.startswith("cuEventRecord"):
        capture.forget(state, call.process.events[args[0]])
    return outs


def _record(call: Call, state: Captures, _: Op, args: tuple[Any, ...], one: Capture, stream: Stream) -> None:
    """Record an event in a captured stream; an external event becomes a node."""
    if recording(call, args):
        capture.put(one, stream, EVENT_RECORD, call.process.events[args[0]], here())
    else:
        capture.record(state, call.process.events[args[0]], one, stream)


def _wait(call: Call, state: Captures, _: Op, args: tuple[Any, ...], one: Capture, stream: Stream) -> None:
    """Have a captured stream wait for an event; an external event becomes a node."""
    try:
        external = waiting(call, args)
    except Broken as broken:
        if broken.rule is EVENT_IS_GIVEN:
            invalidate([one], EVENT_IS_GIVEN)
        raise
    event = call.process.events[args[1]]
    if external:
        capture.put(one, stream, WAIT_EVENT, event, here())
        return
    if event not in state.events:
        if event.interprocess:
            invalidate([one], EVENT_IS_OF_ONE_PROCESS)
            raise EVENT_IS_OF_ONE_PROCESS.broken(event=event, stream=stream)
        if event.records:
            invalidate([one], EVENT_IS_OF_THE_CAPTURE)
            raise EVENT_IS_OF_THE_CAPTURE.broken(event=event, stream=stream)
        return
    other, nodes = state.events[event]
    if not _is_on(other):
        invalidate([one], CAPTURE_OF_THE_EVENT_GOES_ON)
        raise CAPTURE_OF_THE_EVENT_GOES_ON.broken(event=event, capture=other)
    if other is not one:
        invalidate([one, other], CAPTURES_STAY_APART)
        raise CAPTURES_STAY_APART.broken(captures=[one, other])
    capture.join(state, one, stream, nodes)


BY_THEMSELVES: dict[str, Callable[..., Any]] = {
    "cuEventRecord": _record,
    "cuEventRecordWithFlags": _record,
    "cuStreamWaitEvent": _wait,
    "cuMemAllocAsync": allocated,
    "cuMemAllocFromPoolAsync": allocated,
    "cuMemFreeAsync": freed,
}
"""How a captured stream records or awaits an event, allocates or frees memory."""
HANDLERS: dict[str, Handler] = {
    **dict.fromkeys((*STREAMS, *OLDER, LAUNCH_EX), _streamed),
    **dict.fromkeys(UNSAFE, _unsafe),
    INSTANTIATE: _instantiating,
    **dict.fromkeys(AT_ONCE, _at_once),
    **dict.fromkeys(("cuCtxSynchronize", "cuCtxSynchronize_v2", "cuCtxRecordEvent", "cuCtxWaitEvent"), _of_context),
    **dict.fromkeys(("cuEventQuery", "cuEventSynchronize", "cuEventElapsedTime"), _asking),
    **dict.fromkeys(
        ("cuEventDestroy", "cuCtxDestroy", "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxReset"), _ending
    ),
    "cuStreamDestroy": _ending_stream,
    **dict.fromkeys(("cuGraphDestroy", "cuGraphDestroyNode"), _of_graph),
}
"""Functions that make calls during a capture; other calls run as usual."""
