"""Fixtures of unordered accesses: streams, memory, accesses and orders."""

from __future__ import annotations

import ctypes
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import UndefinedBehaviour
from fakecuda.rules.driver.stream.race import ACCESSES_ARE_ORDERED
from tests.model.world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine

BLOCKING, NON_BLOCKING = 0, 1
LEGACY, PER_THREAD = 1, 2
SIZE = 64
PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
NOTHING = PROTOTYPE(lambda _: None)


class Scene:
    """A process with two streams, shared memory, and memory of each stream.

    Args:
        machine: The machine.
        flags: Those of the streams.
    """

    def __init__(self, machine: Machine, flags: int = NON_BLOCKING) -> None:
        self.machine = machine
        self.process = started(machine, name="a")
        self.c: Any = self.process.c
        self.one, self.two, self.third = (int(done(self.c.cuStreamCreate(flags))) for _ in range(3))
        self.common, self.own, self.flag = (int(done(self.c.cuMemAlloc(4096))) for _ in range(3))
        self.event = int(done(self.c.cuEventCreate(0)))
        self.host = (ctypes.c_char * 4096)()
        self.pinned = int(done(self.c.cuMemHostAlloc(4096, 0)))
        done(self.c.cuMemsetD32(self.flag, 0, 4))
        done(self.c.cuCtxSynchronize())

    def record(self, stream: int) -> None:
        """Record the event in a stream."""
        done(self.c.cuEventRecord(self.event, stream))

    def wait(self, stream: int) -> None:
        """Have a stream wait for the event."""
        done(self.c.cuStreamWaitEvent(stream, self.event, 0))

    def settle(self) -> None:
        """Have all work be done that can be."""
        self.machine.complete()


def fill(scene: Scene, stream: int) -> None:
    """Write the memory."""
    done(scene.c.cuMemsetD8Async(scene.common, 1, SIZE, stream))


def copy_in(scene: Scene, stream: int) -> None:
    """Write it by a copy, from a part of it that is another one."""
    done(scene.c.cuMemcpyDtoDAsync(scene.common, scene.common + 2048, SIZE, stream))


def rows_in(scene: Scene, stream: int) -> None:
    """Write rows of it."""
    done(scene.c.cuMemsetD2D8Async(scene.common, 32, 1, 8, 4, stream))


def copy_out(scene: Scene, stream: int) -> None:
    """Read it, to memory that nobody else uses."""
    done(scene.c.cuMemcpyDtoDAsync(scene.own + stream % 7 * 256, scene.common, SIZE, stream))


def fetch(scene: Scene, stream: int) -> None:
    """Read it, to page-locked memory that nobody else uses."""
    done(scene.c.cuMemcpyDtoHAsync(scene.pinned + stream % 7 * 256, scene.common, SIZE, stream))


WRITES, READS = (fill, copy_in, rows_in), (copy_out, fetch)
PAIRS = [*product(WRITES, WRITES + READS), *product(READS, WRITES)]


def by_event(scene: Scene) -> None:
    """The second stream waits for an event of the first."""
    scene.record(scene.one)
    scene.wait(scene.two)


def by_two_events(scene: Scene) -> None:
    """It waits for one of a stream that has waited for another one of the first."""
    scene.record(scene.one)
    scene.wait(scene.third)
    scene.record(scene.third)
    scene.wait(scene.two)


def by_event_synchronise(scene: Scene) -> None:
    """The host waits for an event."""
    scene.record(scene.one)
    done(scene.c.cuEventSynchronize(scene.event))


def by_event_query(scene: Scene) -> None:
    """The host is told that an event's work is done."""
    scene.record(scene.one)
    scene.settle()
    done(scene.c.cuEventQuery(scene.event))


def by_elapsed_time(scene: Scene) -> None:
    """The host is told when an event's work was done."""
    scene.record(scene.one)
    scene.settle()
    done(scene.c.cuEventElapsedTime(scene.event, scene.event))


def by_stream_synchronise(scene: Scene) -> None:
    """The host waits for the first stream."""
    done(scene.c.cuStreamSynchronize(scene.one))


def by_stream_query(scene: Scene) -> None:
    """The host is told that the first stream's work is done."""
    scene.settle()
    done(scene.c.cuStreamQuery(scene.one))


def by_context_synchronise(scene: Scene) -> None:
    """The host waits for the context."""
    done(scene.c.cuCtxSynchronize())


def by_event_of_the_context(scene: Scene) -> None:
    """The second stream waits for an event of the whole context."""
    context = done(scene.c.cuCtxGetCurrent())
    done(scene.c.cuCtxRecordEvent(context, scene.event))
    scene.wait(scene.two)


def by_wait_of_the_context(scene: Scene) -> None:
    """The whole context waits for an event."""
    context = done(scene.c.cuCtxGetCurrent())
    scene.record(scene.one)
    done(scene.c.cuCtxWaitEvent(context, scene.event))


def by_value(scene: Scene) -> None:
    """The second stream waits for a value that the first writes."""
    done(scene.c.cuStreamWriteValue32(scene.one, scene.flag, 1, 0))
    done(scene.c.cuStreamWaitValue32(scene.two, scene.flag, 1, 0))


def by_value_that_the_host_sees(scene: Scene) -> None:
    """The host looks until the first stream has written a value to memory that it can read."""
    done(scene.c.cuStreamWriteValue32(scene.one, scene.pinned, 1, 0))
    scene.settle()


def by_function(scene: Scene) -> None:
    """The first stream has begun a function of the host."""
    done(scene.c.cuLaunchHostFunc(scene.one, ctypes.cast(NOTHING, ctypes.c_void_p).value, 0))
    scene.settle()


def by_free(scene: Scene) -> None:
    """The host frees memory, which waits for the context."""
    done(scene.c.cuMemFree(scene.flag))


def by_copy_to_plain_memory(scene: Scene) -> None:
    """The first stream copies to memory of the host that is not page-locked: the call waits for it."""
    done(scene.c.cuMemcpyDtoHAsync(ctypes.addressof(scene.host), scene.own + 2048, 8, scene.one))


def by_limit(scene: Scene) -> None:
    """The context's stack size changes, which waits for it."""
    done(scene.c.cuCtxSetLimit(0, 3072 - done(scene.c.cuCtxGetLimit(0))))


EDGES = [
    *(by_event, by_two_events, by_event_synchronise, by_event_query, by_elapsed_time, by_stream_synchronise),
    *(by_stream_query, by_context_synchronise, by_event_of_the_context, by_wait_of_the_context, by_value),
    *(by_value_that_the_host_sees, by_function, by_free, by_copy_to_plain_memory, by_limit),
]


def no_edge(scene: Scene) -> None:
    """Nothing orders them."""


def event_that_nobody_awaits(scene: Scene) -> None:
    """An event is recorded alone."""
    scene.record(scene.one)


def event_of_another_stream(scene: Scene) -> None:
    """The event is one of a third stream."""
    scene.record(scene.third)
    scene.wait(scene.two)


def event_for_another_stream(scene: Scene) -> None:
    """A third stream waits for it."""
    scene.record(scene.one)
    scene.wait(scene.third)


def event_that_is_recorded_again(scene: Scene) -> None:
    """The last record counts."""
    scene.record(scene.one)
    scene.record(scene.third)
    scene.wait(scene.two)


def other_stream_synchronised(scene: Scene) -> None:
    """The host waits for the second stream."""
    done(scene.c.cuStreamSynchronize(scene.two))


def other_stream_asked(scene: Scene) -> None:
    """It asks for the second stream."""
    scene.settle()
    done(scene.c.cuStreamQuery(scene.two))


def default_stream_between(scene: Scene) -> None:
    """Something happens in the default stream, on which these do not block."""
    done(scene.c.cuMemsetD8(scene.flag, 0, 4))


def copy_from_plain_memory(scene: Scene) -> None:
    """The first stream copies from memory of the host: the call waits for none."""
    done(scene.c.cuMemcpyHtoDAsync(scene.own + 2048, ctypes.addressof(scene.host), 8, scene.one))


def streams_made_and_destroyed(scene: Scene) -> None:
    """Streams come and go."""
    done(scene.c.cuStreamDestroy(int(done(scene.c.cuStreamCreate(NON_BLOCKING)))))


def limit_that_stays(scene: Scene) -> None:
    """The context gets the stack size that it has."""
    done(scene.c.cuCtxSetLimit(0, done(scene.c.cuCtxGetLimit(0))))


NO_EDGES = [
    *(limit_that_stays, no_edge, event_that_nobody_awaits, event_of_another_stream, event_for_another_stream),
    *(event_that_is_recorded_again, other_stream_synchronised, other_stream_asked, default_stream_between),
    *(copy_from_plain_memory, streams_made_and_destroyed),
]


def found(action: Callable[[], object]) -> Any:
    """Return the finding that something raises."""
    with pytest.raises(UndefinedBehaviour) as caught:
        action()
    assert caught.value.finding.rule is ACCESSES_ARE_ORDERED
    return caught.value.finding
