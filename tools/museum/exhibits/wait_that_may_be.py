"""A program relies on a wait that the manual does not promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuda.bindings import driver, runtime

from tools.museum.exhibit import STRICT_RACES, Exhibit, Part
from tools.museum.workshop import MIB, checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda

NON_BLOCKING = 1
SIZE = 4096


def view_is_dropped(_: FakeCuda, *, fixed: bool) -> None:
    """A library frees the memory of an array while a stream still fills it."""
    checked(runtime.cudaSetDevice(0))
    stream = checked(runtime.cudaStreamCreateWithFlags(NON_BLOCKING))
    view = checked(runtime.cudaMalloc(SIZE))
    checked(runtime.cudaMemsetAsync(view, 1, SIZE, stream))
    if fixed:
        checked(runtime.cudaDeviceSynchronize())
    checked(runtime.cudaFree(view))
    checked(runtime.cudaStreamDestroy(stream))


def free_as_a_fence(_: FakeCuda, *, fixed: bool) -> None:
    """By the driver API: a free of other memory is to order two streams."""
    context(driver)
    first, second = (checked(driver.cuStreamCreate(NON_BLOCKING)) for _ in range(2))
    scratch, data, result = (checked(driver.cuMemAlloc(SIZE)) for _ in range(3))
    checked(driver.cuMemsetD32Async(data, 7, SIZE // 4, first))
    if fixed:
        checked(driver.cuCtxSynchronize())
    checked(driver.cuMemFree(scratch))
    checked(driver.cuMemcpyDtoDAsync(result, data, SIZE, second))
    checked(driver.cuCtxSynchronize())
    for address in (data, result):
        checked(driver.cuMemFree(address))
    for stream in (first, second):
        checked(driver.cuStreamDestroy(stream))


def staged_input(_: FakeCuda, *, fixed: bool) -> None:
    """A test stages its input with a plain copy, and launches a graph in a stream that does not block."""
    checked(runtime.cudaSetDevice(0))
    stream = checked(runtime.cudaStreamCreateWithFlags(NON_BLOCKING))
    given, result = (checked(runtime.cudaMalloc(MIB)) for _ in range(2))
    kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToDevice
    checked(runtime.cudaStreamBeginCapture(stream, runtime.cudaStreamCaptureMode.cudaStreamCaptureModeThreadLocal))
    checked(runtime.cudaMemcpyAsync(result, given, MIB, kind, stream))
    graph = checked(runtime.cudaStreamEndCapture(stream))
    replay = checked(runtime.cudaGraphInstantiate(graph, 0))
    checked(runtime.cudaMemcpy(given, b"\5" * MIB, MIB, runtime.cudaMemcpyKind.cudaMemcpyHostToDevice))
    if fixed:
        checked(runtime.cudaStreamSynchronize(0))
    checked(runtime.cudaGraphLaunch(replay, stream))
    checked(runtime.cudaStreamSynchronize(stream))
    checked(runtime.cudaGraphExecDestroy(replay))
    checked(runtime.cudaGraphDestroy(graph))
    _freed(given, result)
    checked(runtime.cudaStreamDestroy(stream))


def rows_are_staged(_: FakeCuda, *, fixed: bool) -> None:
    """By the driver API: the input is copied in rows, and a stream overwrites them."""
    context(driver)
    stream = checked(driver.cuStreamCreate(NON_BLOCKING))
    data = checked(driver.cuMemAlloc(64 * 64))
    rows = driver.CUDA_MEMCPY2D()
    rows.srcMemoryType, rows.srcHost = driver.CUmemorytype.CU_MEMORYTYPE_HOST, bytes(32 * 64)
    rows.dstMemoryType, rows.dstDevice = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE, data
    rows.srcPitch, rows.dstPitch, rows.WidthInBytes, rows.Height = 32, 64, 32, 64
    checked(driver.cuMemcpy2D(rows))
    if fixed:
        checked(driver.cuStreamSynchronize(0))
    checked(driver.cuMemsetD8Async(data, 1, 32, stream))
    checked(driver.cuStreamSynchronize(stream))
    checked(driver.cuMemFree(data))
    checked(driver.cuStreamDestroy(stream))


def _freed(*addresses: Any) -> None:
    for address in addresses:
        checked(runtime.cudaFree(address))


EXHIBITS = [
    Exhibit(
        number=32,
        report="kokkos/kokkos#9307",
        title="cudaFree is taken for a cudaDeviceSynchronize",
        happens=(
            "A library frees memory, and relies on `cudaFree` to wait for the work that uses it. The manual says that the call "
            "may wait. By default fakecuda waits as cards do, and finds nothing."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED",),
        programs={"dropped": view_is_dropped, "fence": free_as_a_fence},
        settings=STRICT_RACES,
    ),
    Exhibit(
        number=32,
        report="ashalliants/ninfer-3090#44",
        title="a copy from plain memory is taken for done when the call returns",
        happens=(
            "A test copies its input from memory that is not page-locked, and uses it in a stream that does not block on the "
            "default stream. The last part of the copy may still be under way: on an RTX 3090, 146 of 200 runs read old bytes."
        ),
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED",),
        programs={"graph": staged_input, "rows": rows_are_staged},
        settings=STRICT_RACES,
    ),
]
