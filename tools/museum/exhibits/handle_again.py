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


def free_list_of_a_stream(_: FakeCuda, *, fixed: bool) -> None:
    """A pool gives a block that was freed in a stream to the next allocation in it, without a wait."""
    checked(runtime.cudaSetDevice(0))
    free: dict[int, Any] = {}
    for value in (1, 2):
        stream = checked(runtime.cudaStreamCreateWithFlags(NON_BLOCKING))
        block = free.pop(int(stream), None) or checked(runtime.cudaMalloc(MIB))
        checked(runtime.cudaMemsetAsync(block, value, MIB, stream))
        free[int(stream)] = block
        if fixed:
            checked(runtime.cudaStreamSynchronize(stream))  # what invalidates a stream in the pool does so
        checked(runtime.cudaStreamDestroy(stream))


def scratch_of_a_stream(_: FakeCuda, *, fixed: bool) -> None:
    """By the driver API: the scratch memory of a stream is never freed, and its next task uses it."""
    context(driver)
    source, target = (checked(driver.cuMemAlloc(4096)) for _ in range(2))
    scratch: dict[int, Any] = {}
    for task in (source, target):
        stream = checked(driver.cuStreamCreate(NON_BLOCKING))
        if int(stream) not in scratch:
            scratch[int(stream)] = checked(driver.cuMemAlloc(4096))
        checked(driver.cuMemcpyDtoDAsync(scratch[int(stream)], task, 4096, stream))
        if fixed:
            checked(driver.cuStreamSynchronize(stream))
        checked(driver.cuStreamDestroy(stream))
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
    Exhibit(
        number=36,
        report="rapidsai/rmm#649",
        title="memory that a destroyed stream still uses is a new stream's",
        happens=(
            "An allocator keeps the memory that was freed in a stream for the next allocation in it, which needs no wait. Its key "
            "is the stream's handle. The driver gives the handle of a destroyed stream to a new stream at once, even if "
            "work is pending in the destroyed one. The new stream gets the memory and does not wait. The report asks for a "
            "call of the allocator before a stream is destroyed, which waits for the stream."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED", "destroyed)"),
        programs={"free-list-of-a-stream": free_list_of_a_stream, "scratch-of-a-stream": scratch_of_a_stream},
        settings={"handles": "card"},
    ),
]
