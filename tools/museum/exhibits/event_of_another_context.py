"""An event is recorded on a stream of another context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuda.bindings import driver, runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import checked, context, logged

if TYPE_CHECKING:
    from fakecuda import FakeCuda

SIZE, PORTABLE, NON_BLOCKING, DISABLE_TIMING = 4096, 1, 1, 2


def transfer(_: FakeCuda, *, fixed: bool) -> None:
    """The stream is on the buffer's device, the event on the current device."""
    checked(runtime.cudaSetDevice(1))
    stream = checked(runtime.cudaStreamCreate())
    checked(runtime.cudaSetDevice(1 if fixed else 0))
    event = checked(runtime.cudaEventCreateWithFlags(2))
    checked(runtime.cudaEventRecord(event, stream))


def two_contexts(_: FakeCuda, *, fixed: bool) -> None:
    """Two contexts of one device have separate events and streams."""
    first = context(driver)
    stream = checked(driver.cuStreamCreate(1))
    context(driver)
    if fixed:
        checked(driver.cuCtxSetCurrent(first))
    event = checked(driver.cuEventCreate(0))
    checked(driver.cuEventRecord(event, stream))


def thread_local(_: FakeCuda, *, fixed: bool) -> None:
    """A thread has one event for its default stream, which differs on each device."""
    events: dict[int, object] = {}
    for device in (0, 1):
        checked(runtime.cudaSetDevice(device))
        key = device if fixed else 0
        if key not in events:
            events[key] = checked(runtime.cudaEventCreate())
        checked(runtime.cudaEventRecord(events[key], runtime.cudaStreamPerThread))


def legacy_stream(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """A pool keeps an event for the default stream, and is used under another context of another process."""
    api = fakecuda.spawn("service").driver
    contexts = [context(api, device) for device in (1, 0)]
    checked(api.cuCtxSetCurrent(contexts[0]))
    event = checked(api.cuEventCreate(driver.CUevent_flags.CU_EVENT_DISABLE_TIMING))
    checked(api.cuCtxSetCurrent(contexts[0 if fixed else 1]))
    checked(api.cuEventRecord(event, 0))


def slab_of_two_cards(_: FakeCuda, *, fixed: bool) -> None:
    """A pool of page-locked slabs has one list of events for two cards, and reuses a slab without an order."""
    slab = 0
    events: dict[int, list[Any]] = {0: [], 1: []}
    copied = []
    for device in (0, 1):
        checked(runtime.cudaSetDevice(device))
        slab = slab or int(checked(runtime.cudaHostAlloc(SIZE, PORTABLE)))
        stream = checked(runtime.cudaStreamCreateWithFlags(NON_BLOCKING))
        events[device if fixed else 0].append(checked(runtime.cudaEventCreateWithFlags(DISABLE_TIMING)))
        copied.append((stream, checked(runtime.cudaMalloc(SIZE))))
    (first, target), (second, other) = copied
    kind = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
    event = events[1].pop() if fixed else events[0][0]
    checked(runtime.cudaMemcpyAsync(other, slab, SIZE, kind, second))
    logged(runtime.cudaEventRecord(event, second))
    checked(runtime.cudaSetDevice(0))
    checked(runtime.cudaStreamWaitEvent(first, event, 0))
    checked(runtime.cudaMemcpyAsync(slab, target, SIZE, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost, first))


def recorded_by_the_driver(_: FakeCuda, *, fixed: bool) -> None:
    """By the driver API: a slab's event is of another context, so its record fails."""
    contexts = [context(driver, device) for device in (0, 1)]
    slab = checked(driver.cuMemHostAlloc(SIZE, PORTABLE))
    target = checked(driver.cuMemAlloc(SIZE))
    reader = checked(driver.cuStreamCreate(NON_BLOCKING))
    checked(driver.cuCtxSetCurrent(contexts[1 if fixed else 0]))
    event = checked(driver.cuEventCreate(DISABLE_TIMING))
    checked(driver.cuCtxSetCurrent(contexts[1]))
    checked(driver.cuMemcpyHtoDAsync(target, slab, SIZE, reader))
    logged(driver.cuEventRecord(event, reader))
    checked(driver.cuCtxSetCurrent(contexts[0]))
    writer = checked(driver.cuStreamCreate(NON_BLOCKING))
    checked(driver.cuStreamWaitEvent(writer, event, 0))
    checked(driver.cuMemsetD8Async(int(slab), 1, SIZE, writer))


EXHIBITS = [
    Exhibit(
        number=25,
        report="kvcache-ai/Mooncake#2722",
        title="the event belongs to the current device, the stream to the buffer's device",
        happens=(
            "A transfer takes a stream of the buffer's device from a pool and creates its event in the thread's "
            "current context. If the current context is on another card, the event cannot be recorded."
        ),
        part=Part.REFUSED,
        told=("event.event_record.EVENT_IS_THE_STREAM_S",),
        programs={"transfer": transfer, "two-contexts": two_contexts},
        devices={"transfer": 2},
    ),
    Exhibit(
        number=25,
        report="rapidsai/rmm#1306",
        title="one event of a thread for the default streams of all devices",
        happens=(
            "A program creates one event for each thread, and records it on the thread's default stream. The thread "
            "has a default stream on each device, and the event belongs to the first device."
        ),
        part=Part.REFUSED,
        told=("event.event_record.EVENT_IS_THE_STREAM_S",),
        programs={"thread-local": thread_local, "legacy-stream": legacy_stream},
        devices={"thread-local": 2, "legacy-stream": 2},
    ),
    Exhibit(
        number=25,
        report="NVIDIA/cuCascade#189",
        title="events of one pool are recorded on streams of two cards",
        happens=(
            "A pool of page-locked memory has one list of events. An event that was made on one card is recorded on a stream of "
            "the other, which is refused. The pool ignores the refusal, and reuses the memory while a copy still "
            "reads it."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED",),
        programs={"two-cards": slab_of_two_cards, "two-contexts": recorded_by_the_driver},
        devices={"two-cards": 2, "two-contexts": 2},
    ),
]
