"""The host uses page-locked memory before a copy is done."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from cuda.bindings import driver, runtime

from tools.museum.exhibit import STRICT_RACES, Exhibit, Part
from tools.museum.workshop import checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda

NON_BLOCKING = 1
SIZE = 4096


def result_is_read(_: FakeCuda, *, fixed: bool) -> None:
    """A result is copied to page-locked memory without a wait, and the next line reads it."""
    checked(runtime.cudaSetDevice(0))
    stream = checked(runtime.cudaStreamCreateWithFlags(NON_BLOCKING))
    result, copy = checked(runtime.cudaMalloc(SIZE)), int(checked(runtime.cudaMallocHost(SIZE)))
    kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    checked(runtime.cudaMemcpyAsync(copy, result, SIZE, kind, stream))
    if fixed:
        checked(runtime.cudaStreamSynchronize(stream))
    ctypes.string_at(copy, SIZE)
    checked(runtime.cudaStreamSynchronize(stream))
    checked(runtime.cudaFree(result))
    checked(runtime.cudaFreeHost(copy))
    checked(runtime.cudaStreamDestroy(stream))


def other_event(_: FakeCuda, *, fixed: bool) -> None:
    """By the driver API: the host waits for an event that was recorded before the copy."""
    context(driver)
    stream, ready = checked(driver.cuStreamCreate(NON_BLOCKING)), checked(driver.cuEventCreate(0))
    result, copy = checked(driver.cuMemAlloc(SIZE)), int(checked(driver.cuMemAllocHost(SIZE)))
    checked(driver.cuMemsetD8Async(result, 7, SIZE, stream))
    if not fixed:
        checked(driver.cuEventRecord(ready, stream))
    checked(driver.cuMemcpyDtoHAsync(copy, result, SIZE, stream))
    if fixed:
        checked(driver.cuEventRecord(ready, stream))
    checked(driver.cuEventSynchronize(ready))
    ctypes.string_at(copy, SIZE)
    checked(driver.cuStreamSynchronize(stream))
    checked(driver.cuMemFree(result))
    checked(driver.cuMemFreeHost(copy))
    checked(driver.cuEventDestroy(ready))
    checked(driver.cuStreamDestroy(stream))


def source_is_changed(_: FakeCuda, *, fixed: bool) -> None:
    """A batch is copied from page-locked memory, and the program clears that memory for the next one."""
    checked(runtime.cudaSetDevice(0))
    stream = checked(runtime.cudaStreamCreateWithFlags(NON_BLOCKING))
    batch, staged = checked(runtime.cudaMalloc(SIZE)), int(checked(runtime.cudaMallocHost(SIZE)))
    ctypes.memset(staged, 7, SIZE)
    kind = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
    checked(runtime.cudaMemcpyAsync(batch, staged, SIZE, kind, stream))
    if fixed:
        checked(runtime.cudaStreamSynchronize(stream))
    ctypes.memset(staged, 0, SIZE)
    checked(runtime.cudaStreamSynchronize(stream))
    checked(runtime.cudaFree(batch))
    checked(runtime.cudaFreeHost(staged))
    checked(runtime.cudaStreamDestroy(stream))


def loop(_: FakeCuda, *, fixed: bool) -> None:
    """By the driver API: each turn of a loop fills the same memory, and copies it without a wait."""
    context(driver)
    stream = checked(driver.cuStreamCreate(NON_BLOCKING))
    batches, staged = checked(driver.cuMemAlloc(3 * SIZE)), int(checked(driver.cuMemAllocHost(SIZE)))
    for turn in range(3):
        ctypes.memset(staged, turn, SIZE)
        checked(driver.cuMemcpyHtoDAsync(int(batches) + turn * SIZE, staged, SIZE, stream))
        if fixed:
            checked(driver.cuStreamSynchronize(stream))
    checked(driver.cuStreamSynchronize(stream))
    checked(driver.cuMemFree(batches))
    checked(driver.cuMemFreeHost(staged))
    checked(driver.cuStreamDestroy(stream))


EXHIBITS = [
    Exhibit(
        number=33,
        report="sgl-project/sglang#16493",
        title="the host reads a result before its copy is done",
        happens=(
            "A program copies a result to page-locked memory without a wait, and reads it. The bytes may be the old ones. "
            "The report has the line that reads."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED", "host uses"),
        programs={"result": result_is_read, "other-event": other_event},
        settings=STRICT_RACES,
    ),
    Exhibit(
        number=33,
        report="pytorch/tutorials#3261",
        title="the host changes the source of a copy before the copy is done",
        happens=(
            "A program copies from page-locked memory without a wait, and changes that memory. The device may get the new "
            "bytes. With plain memory the program works, because the call reads such memory before it returns."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED", "host writes"),
        programs={"cleared": source_is_changed, "loop": loop},
        settings=STRICT_RACES,
    ),
]
"""The bugs: a module is a row of the gallery, ``EXHIBITS`` its reports."""
