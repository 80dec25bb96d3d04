"""A pool knows streams by their handles, and a new stream has the handle of a destroyed one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuda.bindings import driver, runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import MIB, checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda

NON_BLOCKING, DISABLE_TIMING = 1, 2


def event_of_a_stream(_: FakeCuda, *, fixed: bool) -> None:
    """Each stream has an event and a list of free blocks. A block from another stream's list waits for its event."""
    checked(runtime.cudaSetDevice(0))
    events: dict[int, Any] = {}
    free: dict[int, list[Any]] = {}
    for value in (1, 2):
        stream = checked(runtime.cudaStreamCreateWithFlags(NON_BLOCKING))
        key = checked(runtime.cudaStreamGetId(stream)) if fixed else int(stream)
        if key not in events:
            events[key], free[key] = checked(runtime.cudaEventCreateWithFlags(DISABLE_TIMING)), []
        other = next((one for one, blocks in free.items() if blocks and one != key), None)
        if free[key]:
            block = free[key].pop()
        elif other is not None:
            checked(runtime.cudaStreamWaitEvent(stream, events[other], 0))
            block = free[other].pop()
        else:
            block = checked(runtime.cudaMalloc(MIB))
        checked(runtime.cudaMemsetAsync(block, value, MIB, stream))
        free[key].append(block)
        checked(runtime.cudaEventRecord(events[key], stream))
        checked(runtime.cudaStreamDestroy(stream))


def last_user(_: FakeCuda, *, fixed: bool) -> None:
    """By the driver API: a buffer notes its last user. Only another user waits, and the copy of a task still reads."""
    context(driver)
    source, target = (checked(driver.cuMemAlloc(4096)) for _ in range(2))
    done = checked(driver.cuEventCreate(DISABLE_TIMING))
    reader = checked(driver.cuStreamCreate(NON_BLOCKING))
    user = checked(driver.cuStreamGetId(reader)) if fixed else int(reader)
    checked(driver.cuMemcpyDtoDAsync(target, source, 4096, reader))
    checked(driver.cuEventRecord(done, reader))
    checked(driver.cuStreamDestroy(reader))
    writer = checked(driver.cuStreamCreate(NON_BLOCKING))
    if user != (checked(driver.cuStreamGetId(writer)) if fixed else int(writer)):
        checked(driver.cuStreamWaitEvent(writer, done, 0))
    checked(driver.cuMemsetD8Async(source, 0, 4096, writer))
    checked(driver.cuCtxSynchronize())


EXHIBITS = [
    Exhibit(
        number=35,
        report="rapidsai/rmm#2251",
        title="a pool takes a new stream for a destroyed one with the same handle",
        happens=(
            "A pool keeps an event and a list of free blocks for each stream, with the stream's handle as the key. The driver "
            "gives the handle of a destroyed stream to a new stream. The pool gives the new stream a block that the "
            "destroyed stream's work still uses, and the new stream does not wait. The id of cudaStreamGetId is unique."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED", "destroyed stream"),
        programs={"event-of-a-stream": event_of_a_stream, "last-user": last_user},
        settings={"handles": "card"},
    ),
]
