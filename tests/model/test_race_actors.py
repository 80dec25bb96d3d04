"""Accesses of two actors: threads, processes, contexts, host functions; each with an order, and without what looks like it."""

from __future__ import annotations

import ctypes
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine, UndefinedBehaviour
from fakecuda.spec.mem_ops import WAIT_32, WRITE_32
from tests.model.racing import NON_BLOCKING, NOTHING, SIZE, Scene, fill
from tests.model.world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable

EVENT = 2 | 4
"""CU_EVENT_DISABLE_TIMING and CU_EVENT_INTERPROCESS."""


class Far:
    """Another process with the first one's memory open, a stream, and its event.

    Args:
        scene: The first process.
    """

    def __init__(self, scene: Scene) -> None:
        self.c: Any = started(scene.machine, name="b").c
        self.event = int(done(scene.c.cuEventCreate(EVENT)))
        self.there = int(done(self.c.cuIpcOpenEventHandle(done(scene.c.cuIpcGetEventHandle(self.event)))))
        self.opened = int(done(self.c.cuIpcOpenMemHandle(done(scene.c.cuIpcGetMemHandle(scene.common)), 1)))
        self.stream, self.other = (int(done(self.c.cuStreamCreate(NON_BLOCKING))) for _ in range(2))

    def fill(self) -> None:
        """Write the memory in the stream."""
        done(self.c.cuMemsetD8Async(self.opened, 1, SIZE, self.stream))


def ipc_event(scene: Scene, *, ordered: bool) -> None:
    """A stream of another process waits for an event; without an order, another one of its streams waits."""
    far = Far(scene)
    fill(scene, scene.one)
    done(scene.c.cuEventRecord(far.event, scene.one))
    done(far.c.cuStreamWaitEvent(far.stream if ordered else far.other, far.there, 0))
    far.fill()


def ipc_event_too_early(scene: Scene, *, ordered: bool) -> None:
    """The event is recorded behind the work; without an order, before it."""
    far = Far(scene)
    for step in (fill, None) if ordered else (None, fill):
        if step is None:
            done(scene.c.cuEventRecord(far.event, scene.one))
        else:
            step(scene, scene.one)
    done(far.c.cuStreamWaitEvent(far.stream, far.there, 0))
    far.fill()


def process(scene: Scene, *, ordered: bool) -> None:
    """The host waits before another process goes on; without an order, it waits for another stream."""
    far = Far(scene)
    fill(scene, scene.one)
    done(scene.c.cuStreamSynchronize(scene.one if ordered else scene.two))
    far.fill()


def batch(scene: Scene, *, ordered: bool) -> None:
    """A stream writes a value by a batch, and another one waits for it by a batch; without an order, a third one writes it."""
    writer = scene.one if ordered else scene.third
    fill(scene, scene.one)
    done(scene.c.cuStreamBatchMemOp(writer, 1, ((WRITE_32, scene.flag, 1, 0),), 0))
    done(scene.c.cuStreamBatchMemOp(scene.two, 1, ((WAIT_32, scene.flag, 1, 0),), 0))
    scene.settle()
    fill(scene, scene.two)


def batch_at_another_place(scene: Scene, *, ordered: bool) -> None:
    """The batch waits for the value; without an order, for another value beside it, which the third stream writes."""
    fill(scene, scene.one)
    done(scene.c.cuStreamBatchMemOp(scene.one, 1, ((WRITE_32, scene.flag, 1, 0),), 0))
    done(scene.c.cuStreamBatchMemOp(scene.third, 1, ((WRITE_32, scene.flag + 4, 1, 0),), 0))
    place = scene.flag + (0 if ordered else 4)
    done(scene.c.cuStreamBatchMemOp(scene.two, 1, ((WAIT_32, place, 1, 0),), 0))
    scene.settle()
    fill(scene, scene.two)


def host_function(scene: Scene, *, ordered: bool) -> None:
    """A host function has started behind the work; without an order, one of another stream."""
    fill(scene, scene.one)
    function = ctypes.cast(NOTHING, ctypes.c_void_p).value
    stream = scene.one if ordered else scene.third
    done(scene.c.cuLaunchHostFunc(stream, function, 0))
    done(scene.c.cuStreamSynchronize(scene.third))
    scene.settle()
    fill(scene, scene.two)


def thread(scene: Scene, *, ordered: bool) -> None:
    """Another thread waits for the stream before the first one goes on; without an order, it only makes a call."""
    other: Any = scene.process.thread("second").c
    done(other.cuCtxSetCurrent(done(scene.c.cuCtxGetCurrent())))
    done(other.cuMemsetD8Async(scene.common, 1, SIZE, scene.one))
    done(other.cuStreamSynchronize(scene.one if ordered else scene.two))
    fill(scene, scene.two)


def streams_of_threads(scene: Scene, *, ordered: bool) -> None:
    """Two threads use their own default streams; an event of the one orders the other."""
    other: Any = scene.process.thread("second").c
    done(other.cuCtxSetCurrent(done(scene.c.cuCtxGetCurrent())))
    done(other.cuMemsetD8Async(scene.common, 1, SIZE, 2))
    done(other.cuEventRecord(scene.event, 2))
    if ordered:
        scene.wait(2)
    fill(scene, 2)


def context(scene: Scene, *, ordered: bool) -> None:
    """Another context waits for an event; without an order, the first one does."""
    first = done(scene.c.cuCtxGetCurrent())
    second = done(scene.c.cuCtxCreate(None, 0, 0))
    stream = int(done(scene.c.cuStreamCreate(NON_BLOCKING)))
    fill(scene, scene.one)
    scene.record(scene.one)
    done(scene.c.cuCtxWaitEvent(second if ordered else first, scene.event))
    fill(scene, stream)


def context_that_ends(scene: Scene, *, ordered: bool) -> None:
    """The context of the work is destroyed; without an order, another one."""
    second = done(scene.c.cuCtxCreate(None, 0, 0))
    stream = int(done(scene.c.cuStreamCreate(NON_BLOCKING)))
    third = done(scene.c.cuCtxCreate(None, 0, 0))
    fill(scene, stream)
    done(scene.c.cuCtxDestroy(second if ordered else third))
    fill(scene, scene.one)


ACTORS = [
    *(ipc_event, ipc_event_too_early, process, batch, batch_at_another_place, host_function, thread),
    *(streams_of_threads, context, context_that_ends),
]


@pytest.mark.parametrize("ordered", [True, False], ids=["ordered", "unordered"])
@pytest.mark.parametrize("completion", ["eager", "manual"])
@pytest.mark.parametrize("actors", ACTORS)
def test_actors(actors: Callable[..., None], completion: str, *, ordered: bool) -> None:
    """With the order there is no finding, and without it there is one."""
    with Machine("h200-x2", seed=1, completion=completion) as machine:
        scene = Scene(machine)
        with nullcontext() if ordered else pytest.raises(UndefinedBehaviour, match="ACCESSES_ARE_ORDERED"):
            actors(scene, ordered=ordered)
        assert len(machine.findings) == (not ordered)


@pytest.mark.parametrize("completion", ["eager", "manual"])
def test_a_copy_between_devices_beside_no_work(completion: str) -> None:
    """The default stream of the other device comes after the copy, also if nothing else was done before."""
    with Machine("h200-x2", seed=1, completion=completion) as machine:
        scene = Scene(machine)
        first = done(scene.c.cuCtxGetCurrent())
        second = done(scene.c.cuCtxCreate(None, 0, 1))
        there = int(done(scene.c.cuMemAlloc(4096)))
        done(scene.c.cuCtxSetCurrent(first))
        done(scene.c.cuMemcpyPeer(there, second, scene.common, first, SIZE))
        done(scene.c.cuCtxSetCurrent(second))
        done(scene.c.cuMemsetD8Async(there, 1, SIZE, 0))
        with pytest.raises(UndefinedBehaviour):
            scene.c.cuMemsetD8Async(there, 1, SIZE, done(scene.c.cuStreamCreate(NON_BLOCKING)))
