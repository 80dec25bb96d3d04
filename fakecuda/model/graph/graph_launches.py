"""Launches of executable graphs: launches by kernels, order, and held objects."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fakecuda.model.effect import effect
from fakecuda.model.graph import user_object
from fakecuda.model.graph.executables import DEVICE, Body, Executable, Launched
from fakecuda.model.graph.graph import CONDITIONAL
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import After, nothing
from fakecuda.spec import orders

if TYPE_CHECKING:
    from collections.abc import Collection

    from fakecuda.model.graph.conditional import Condition
    from fakecuda.model.work.stream import Stream


@effect()
def assign(executable: Executable, by_kernels: Collection[Condition]) -> None:
    """Assign the defaults of an executable graph's conditions; kernels may set some of them."""
    for step in executable.body.every():
        if step.kind == CONDITIONAL:
            step.params.begin(waits=step.params.condition in by_kernels)


@effect()
def place(executable: Executable) -> None:
    """Make the present steps of an executable graph those that kernels launch."""
    executable.placed = executable.body.kept()


def follow_launch_in_order(executable: Executable, stream: Stream) -> None:
    """Order a stream's later work after the last launch and upload, for races only."""
    races = stream.context.process.machine.races
    _follow_in_order(executable.last, stream)
    if races is not None and races.takes(orders.UPLOADED_BEFORE):
        _follow_in_order(executable.uploaded, stream)


def _follow_in_order(last: Launched | None, stream: Stream) -> None:
    races = stream.context.process.machine.races
    if (
        last is not None
        and last.order is not None
        and last.stream is not stream
        and races is not None
        and races.streams
    ):
        races.follow(stream, last.order)


@effect()
@orders.makes(orders.LAUNCHED_BEFORE, orders.UPLOADED_BEFORE)
def follow_launch(executable: Executable, stream: Stream) -> None:
    """Order a stream's later work after the last launch and upload of a graph."""
    follow_launch_in_order(executable, stream)
    for earlier in (executable.last, executable.uploaded):
        _queue_behind(earlier, stream)


def _follow(last: Launched | None, stream: Stream) -> None:
    """Order a stream's later work after a launch or an upload in another stream."""
    _follow_in_order(last, stream)
    _queue_behind(last, stream)


def _queue_behind(last: Launched | None, stream: Stream) -> None:
    """Have a stream's later work wait for a launch or an upload in another stream."""
    if last is None or last.stream is stream:
        return
    if last.work is not None and not last.work.done:
        stream_scheduler.submit(stream, nothing, After((last.work,)))


@effect()
@orders.makes(orders.UPLOADED_BEHIND)
def upload(executable: Executable, stream: Stream) -> None:
    """Upload an executable graph: order later work, and fix what devices launch."""
    races = executable.process.machine.races
    if races is not None:
        races.pass_through(stream)
    for earlier in (executable.last, executable.uploaded):
        _follow(earlier, stream)
    act = partial(place, executable) if executable.flags & DEVICE else nothing
    stream_scheduler.submit(stream, act)
    executable.uploaded = _given(stream)


@effect()
def note_launch(executable: Executable, stream: Stream) -> None:
    """Record the launch of an executable graph in a stream."""
    executable.last = _given(stream)


def _given(stream: Stream) -> Launched:
    """Return the last work that a stream was given."""
    races = stream.context.process.machine.races
    order = None if races is None or not races.streams else races.captured(stream)
    return Launched(stream, stream.work[-1] if stream.work else None, order)


@effect()
def begin_launch(executable: Executable) -> Body:
    """Return a body that holds an executable graph's user objects for one launch."""
    launch = Body([], [])
    for part in executable.body.parts():
        user_object.share(launch, part)
    return launch
