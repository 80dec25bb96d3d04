"""Launches that a machine with ``kernels="skip"`` skips, and findings about the bytes that they leave unknown.

A skipped launch takes its place in its stream. The detector of races ignores its accesses. If the machine has several
contexts, the kernel may wait in memory for their work, as kernels of ranks do: the detector then ignores what comes
after it in its stream, until the host has waited for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model import history
from fakecuda.model.finding import Finding
from fakecuda.model.work import launching
from fakecuda.rules.core import TOGETHER, Rule, undefined
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.module import Function
    from fakecuda.model.graph.graph_run import GraphRun
    from fakecuda.model.memory.transfer import Pieces, Shape
    from fakecuda.model.memory.unknown import Unknown
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream
    from fakecuda.model.work.value import Value

CONTENT_IS_KNOWN = Rule(
    "no skipped launch may have written the bytes that the host or a kernel reads",
    Result.SUCCESS,
    undefined(
        "cuLaunchKernel",
        'the manual says nothing about launches that fakecuda skips with kernels="skip": the bytes that the '
        "kernel would have written are unknown",
    ),
    fix="write the kernel's Python function with @fakecuda.kernel, or remove the code that reads the kernel's results",
)
"""Any call that reads memory may break the rule, after a skipped launch."""
TOGETHER.append(CONTENT_IS_KNOWN)


def launch(
    call: Call,
    function: Function,
    args: tuple[bytes, ...],
    stream: Stream,
    events: tuple[Event, ...],
    graph: GraphRun | None,
) -> None:
    """Have a stream skip a launch, also in a graph, and record its events."""
    machine = call.machine
    if machine.races is not None:
        machine.races.lose_sight()
        if sum(len(process.contexts) for process in machine.living) > 1:
            machine.races.lose_track(stream)
    launching.skip(function, args, stream, history.here(1), events, graph)


def handed(call: Call, targets: Pieces, sources: Pieces, shape: Shape | None = None) -> None:
    """Report unknown bytes that a copy hands to the host during the call."""
    assert call.machine.unknown is not None
    found = call.machine.unknown.handed(targets, sources, shape)
    if found is not None:
        call.undefined(CONTENT_IS_KNOWN, **facts_of(call.process, found))


def handed_later(stream: Stream, name: str, targets: Pieces, sources: Pieces, shape: Shape | None) -> None:
    """Keep a finding about unknown bytes that a queued copy hands to the host.

    Args:
        stream: The stream.
        name: The call that has queued the copy.
        targets: As :func:`fakecuda.model.memory.transfer.copy_rows` takes it, and so the others.
        sources: See above.
        shape: See above.
    """
    machine = stream.context.process.machine
    assert machine.unknown is not None
    found = machine.unknown.handed(targets, sources, shape)
    if found is not None:
        keep(stream.context.process, name, found, _queued(stream))


def waited(stream: Stream, value: Value) -> None:
    """Keep a finding about a wait that ended by a value which may be unknown."""
    machine = stream.context.process.machine
    assert machine.unknown is not None
    found = machine.unknown.first([value.piece])
    if found is not None:
        name = value.write.replace("Write", "Wait")
        keep(stream.context.process, name, found, _queued(stream))


def _queued(stream: Stream) -> history.Stack:
    """Return the stack of the call that queued a stream's oldest work."""
    return stream.work[0].queued if stream.work else history.here(1)


def keep(process: Process, name: str, found: Unknown, stack: history.Stack = history.NOWHERE, **facts: Any) -> None:
    """Keep a finding about unknown bytes that queued work reads.

    Args:
        process: The process.
        name: The call that has queued the work.
        found: The bytes.
        stack: The stack that called.
        facts: Further facts.
    """
    process.machine.keep(Finding(CONTENT_IS_KNOWN, name, process.name, facts | facts_of(process, found), stack))


def facts_of(process: Process, found: Unknown) -> dict[str, Any]:
    """Return the facts about unknown bytes: their place, their number, and the launch."""
    extent, offset, size = found.piece
    places = ((item, item.origin + offset) for item in process.memory if item.extent is extent)
    item, pointer = next(((item, at) for item, at in places if item.start <= at < item.end), (None, None))
    return {"pointer": pointer, "size": size, "launch": found.launch, "memory": item}
