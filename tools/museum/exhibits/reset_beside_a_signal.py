"""A rank resets memory that other ranks already write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuda.bindings import driver, runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda

NON_BLOCKING = 1
PAD = 64


def _ranks() -> tuple[Any, Any, Any, Any]:
    """Return the pad of rank 1, a value of rank 0 to signal with, and a stream of each rank."""
    checked(runtime.cudaSetDevice(1))
    pad, theirs = checked(runtime.cudaMalloc(PAD)), checked(runtime.cudaStreamCreateWithFlags(NON_BLOCKING))
    checked(runtime.cudaSetDevice(0))
    checked(runtime.cudaDeviceEnablePeerAccess(1, 0))
    value, ours = checked(runtime.cudaMalloc(PAD)), checked(runtime.cudaStreamCreateWithFlags(NON_BLOCKING))
    checked(runtime.cudaMemset(value, 1, PAD))
    checked(runtime.cudaDeviceSynchronize())
    return pad, value, ours, theirs


def _end(*streams: Any) -> None:
    for device, stream in zip((0, 1), streams, strict=True):
        checked(runtime.cudaSetDevice(device))
        checked(runtime.cudaStreamSynchronize(stream))
        checked(runtime.cudaDeviceSynchronize())
        checked(runtime.cudaStreamDestroy(stream))


def zeroed_pad(_: FakeCuda, *, fixed: bool) -> None:
    """The ranks have met when the pad was allocated; then one clears its own, and the other one signals."""
    pad, value, ours, theirs = _ranks()
    checked(runtime.cudaSetDevice(1))
    checked(runtime.cudaMemset(pad, 0, PAD))
    if fixed:
        checked(runtime.cudaDeviceSynchronize())  # and then the ranks meet
    checked(runtime.cudaSetDevice(0))
    checked(runtime.cudaMemcpyPeerAsync(pad, 1, value, 0, PAD, ours))
    _end(ours, theirs)
    checked(runtime.cudaFree(pad))
    checked(runtime.cudaFree(value))


def zeroed_by_driver(_: FakeCuda, *, fixed: bool) -> None:
    """By the driver API, in a stream."""
    other = context(driver, 1)
    pad, theirs = checked(driver.cuMemAlloc(PAD)), checked(driver.cuStreamCreate(NON_BLOCKING))
    checked(driver.cuMemsetD8Async(pad, 0, PAD, theirs))
    if fixed:
        checked(driver.cuStreamSynchronize(theirs))
    own = context(driver)
    checked(driver.cuCtxEnablePeerAccess(other, 0))
    value, ours = checked(driver.cuMemAlloc(PAD)), checked(driver.cuStreamCreate(NON_BLOCKING))
    checked(driver.cuMemcpyPeerAsync(pad, other, value, own, PAD, ours))
    for stream in (ours, theirs):
        checked(driver.cuStreamSynchronize(stream))
        checked(driver.cuStreamDestroy(stream))
    checked(driver.cuMemFree(value))
    checked(driver.cuMemFree(pad))


def flag_of_the_last_round(_: FakeCuda, *, fixed: bool) -> None:
    """Each round resets the flag in a rank's stream. The other rank does not wait for the reset before it signals."""
    pad, value, ours, theirs = _ranks()
    for _round in range(2):
        checked(runtime.cudaSetDevice(1))
        checked(runtime.cudaMemsetAsync(pad, 0, PAD, theirs))
        if fixed:
            checked(runtime.cudaStreamSynchronize(theirs))  # and then the ranks meet
        checked(runtime.cudaSetDevice(0))
        checked(runtime.cudaMemcpyPeerAsync(pad, 1, value, 0, PAD, ours))
        checked(runtime.cudaStreamSynchronize(ours))
    _end(ours, theirs)
    checked(runtime.cudaFree(pad))
    checked(runtime.cudaFree(value))


def value_of_the_last_round(_: FakeCuda, *, fixed: bool) -> None:
    """The same by values, with the driver API: a rank writes the flag in its stream, and the other one waits in its own."""
    other = context(driver, 1)
    flag, theirs = checked(driver.cuMemAlloc(PAD)), checked(driver.cuStreamCreate(NON_BLOCKING))
    context(driver)
    checked(driver.cuCtxEnablePeerAccess(other, 0))
    ours = checked(driver.cuStreamCreate(NON_BLOCKING))
    for _round in range(2):
        checked(driver.cuMemsetD32Async(flag, 0, 1, theirs))
        if fixed:
            checked(driver.cuStreamSynchronize(theirs))  # and then the ranks meet
        checked(driver.cuStreamWriteValue32(ours, flag, 1, 0))
        checked(driver.cuStreamWaitValue32(theirs, flag, 1, 0))
    for stream in (ours, theirs):
        checked(driver.cuStreamSynchronize(stream))
        checked(driver.cuStreamDestroy(stream))
    checked(driver.cuMemFree(flag))


def value_that_stays(_: FakeCuda, *, fixed: bool) -> None:
    """Each round writes the same value, where it should write the number of the round."""
    other = context(driver, 1)
    flag, data, copy = (checked(driver.cuMemAlloc(PAD)) for _ in range(3))
    theirs, read = checked(driver.cuStreamCreate(NON_BLOCKING)), checked(driver.cuEventCreate(0))
    checked(driver.cuMemsetD8(flag, 0, PAD))
    checked(driver.cuCtxSynchronize())
    own = context(driver)
    checked(driver.cuCtxEnablePeerAccess(other, 0))
    ours = checked(driver.cuStreamCreate(NON_BLOCKING))
    for number in (1, 2):
        value = number if fixed else 1
        checked(driver.cuMemsetD8Async(data, number, PAD, ours))
        checked(driver.cuStreamWriteValue32(ours, flag, value, 0))
        checked(driver.cuStreamWaitValue32(theirs, flag, value, 0))
        checked(driver.cuMemcpyDtoDAsync(copy, data, PAD, theirs))
        checked(driver.cuCtxSetCurrent(other))
        checked(driver.cuEventRecord(read, theirs))
        checked(driver.cuCtxSetCurrent(own))
        checked(driver.cuStreamWaitEvent(ours, read, 0))
    for stream in (ours, theirs):
        checked(driver.cuStreamSynchronize(stream))
        checked(driver.cuStreamDestroy(stream))
    checked(driver.cuEventDestroy(read))
    for place in (flag, data, copy):
        checked(driver.cuMemFree(place))


def event_of_the_last_round(_: FakeCuda, *, fixed: bool) -> None:
    """The signal waits for an event, which was recorded before the reset."""
    pad, value, ours, theirs = _ranks()
    checked(runtime.cudaSetDevice(1))
    reset = checked(runtime.cudaEventCreate())
    checked(runtime.cudaMemsetAsync(pad, 0, PAD, theirs))
    checked(runtime.cudaEventRecord(reset, theirs))
    checked(runtime.cudaMemsetAsync(pad, 0, PAD, theirs))
    if fixed:
        checked(runtime.cudaEventRecord(reset, theirs))
    checked(runtime.cudaSetDevice(0))
    checked(runtime.cudaStreamWaitEvent(ours, reset, 0))
    checked(runtime.cudaMemcpyPeerAsync(pad, 1, value, 0, PAD, ours))
    _end(ours, theirs)
    checked(runtime.cudaEventDestroy(reset))
    checked(runtime.cudaFree(pad))
    checked(runtime.cudaFree(value))


EXHIBITS = [
    Exhibit(
        number=34,
        report="pytorch/pytorch#196546",
        title="a pad for signals is cleared while a peer signals",
        happens=(
            "All ranks allocate a pad together. Then each clears its own pad without a wait. The signal of a peer may arrive "
            "first, and the rank clears it and waits forever."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED", "Peer"),
        programs={"memset": zeroed_pad, "in-a-stream": zeroed_by_driver},
        devices={"memset": 2, "in-a-stream": 2},
    ),
    Exhibit(
        number=34,
        report="NVIDIA/nvshmem#98",
        title="a flag is reset for the next round while a peer signals",
        happens=(
            "Two ranks exchange signals in rounds. A rank resets its flag, and the other one does not wait for the reset "
            "before it signals."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED", "Memset"),
        programs={"rounds": flag_of_the_last_round, "earlier-event": event_of_the_last_round},
        devices={"rounds": 2, "earlier-event": 2},
    ),
    Exhibit(
        number=34,
        report="NVIDIA/nvshmem#98, by values",
        title="a flag of the last round is reset while a stream writes it, or not at all",
        happens=(
            "A rank signals by a value that its stream writes, and the other rank waits for the value in its stream. A reset "
            "without an order may remove the signal. Without a reset, the signal of the last round ends the wait."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED", "Memset"),
        programs={"reset": value_of_the_last_round, "no-reset": value_that_stays},
        devices={"reset": 2, "no-reset": 2},
        where="https://github.com/NVIDIA/nvshmem/issues/98",
    ),
]
"""The bugs: a module is a row of the gallery, ``EXHIBITS`` its reports."""
