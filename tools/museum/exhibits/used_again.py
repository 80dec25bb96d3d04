"""A block is reused while its former user still writes to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.bindings import driver, runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import MIB, checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def event_lost(_: FakeCuda, *, fixed: bool) -> None:
    """One event serves all streams, and loses the first stream's record."""
    context(driver)
    first, second, third = (checked(driver.cuStreamCreate(1)) for _ in range(3))
    freed = checked(driver.cuEventCreate(2))
    block = checked(driver.cuMemAlloc(MIB))
    checked(driver.cuMemsetD8Async(block, 1, MIB, first))
    checked(driver.cuEventRecord(freed, first))
    if not fixed:
        checked(driver.cuEventRecord(freed, third))
    checked(driver.cuStreamWaitEvent(second, freed, 0))
    checked(driver.cuMemsetD8Async(block, 2, MIB, second))
    checked(driver.cuCtxSynchronize())
    checked(driver.cuMemFree(block))


def merged(_: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API: two merged free blocks wait for only one block's event."""
    checked(runtime.cudaSetDevice(0))
    streams = [checked(runtime.cudaStreamCreateWithFlags(1)) for _ in range(3)]
    arena = checked(runtime.cudaMalloc(2 * MIB))
    events = []
    for number, stream in enumerate(streams[:2]):
        checked(runtime.cudaMemsetAsync(arena + number * MIB, number, MIB, stream))
        event = checked(runtime.cudaEventCreateWithFlags(2))
        checked(runtime.cudaEventRecord(event, stream))
        events.append(event)
    for event in events if fixed else events[1:]:
        checked(runtime.cudaStreamWaitEvent(streams[2], event, 0))
    checked(runtime.cudaMemsetAsync(arena, 9, 2 * MIB, streams[2]))
    checked(runtime.cudaDeviceSynchronize())
    checked(runtime.cudaFree(arena))


EXHIBITS = [
    Exhibit(
        number=24,
        report="rapidsai/rmm#2489",
        title="an event's dependency is lost, and the block used again",
        happens=(
            "A pool gives a block that one stream has freed to another stream, which waits for an event first. If "
            "that event is lost, the new user and the old user write to the block at the same time."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED",),
        programs={"event-lost": event_lost, "merged": merged},
    ),
]
