"""Copies of contiguous bytes through the look-alike, timed beside ``memmove``.

Both use the same buffers, which are warm: each was written before. A simulated device's memory is memory of this
process, so memmove is as fast as a copy can be.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from fakecuda import Machine

from .measure import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZE = 1 << 20
BATCH = 4
"""Number of copies in a batch."""
SHARE = 0.7
"""Minimum speed of a copy, relative to memmove's."""
LIMIT = 1 / SHARE
BATCHED = f"cuMemcpyBatchAsync, {BATCH} copies"
NUMBER = 30
REPEATS = 25
PER_THREAD = 2
ROW = 1 << 10


def copies() -> Iterator[tuple[str, float]]:
    """Yield each copy's name, and its time relative to memmove's."""
    with Machine() as machine:
        driver = machine.here.driver
        driver.cuInit(0)
        driver.cuCtxCreate(None, 0, 0)
        one, other = (driver.cuMemAlloc(BATCH * SIZE)[1] for _ in range(2))
        buffer = ctypes.create_string_buffer(b"x" * BATCH * SIZE, BATCH * SIZE)
        host, pinned = ctypes.addressof(buffer), driver.cuMemAllocHost(BATCH * SIZE)[1]
        for pointer in (one, other, pinned):
            driver.cuMemcpy(pointer, host, BATCH * SIZE)
        places = {int(pointer): _place(machine, int(pointer)) for pointer in (one, other)} | {
            host: host,
            pinned: pinned,
        }
        for name, (call, dst, src) in _calls(driver, int(one), int(other), host, pinned).items():
            target, source = places[dst], places[src]
            size = BATCH * SIZE if name == BATCHED else SIZE
            taken = in_turn(
                {"call": call, "memmove": lambda to=target, of=source, size=size: ctypes.memmove(to, of, size)},  # type: ignore[misc]
                number=NUMBER,
                repeats=REPEATS,
            )
            yield name, taken["call"] / taken["memmove"]


def _place(machine: Machine, pointer: int) -> int:
    """Return the address of device memory in this process."""
    item = machine.here.current_thread().process.memory.at(pointer)
    assert item is not None
    return item.extent.memory.address(item.extent) + pointer - item.origin


def _calls(d: Any, one: int, other: int, host: int, pinned: int) -> dict[str, tuple[Callable[[], object], int, int]]:
    """Return copying calls by name, each with its target and source."""
    attributes = d.CUmemcpyAttributes()
    attributes.srcAccessOrder = d.CUmemcpySrcAccessOrder(1)
    pointers = [[d.CUdeviceptr(start + number * SIZE) for number in range(BATCH)] for start in (one, other)]
    flat, solid = d.CUDA_MEMCPY2D(), d.CUDA_MEMCPY3D()
    for copy in (flat, solid):
        copy.srcMemoryType = copy.dstMemoryType = d.CUmemorytype(2)
        copy.dstDevice, copy.srcDevice = one, other
        copy.dstPitch = copy.srcPitch = copy.WidthInBytes = ROW
        copy.Height = SIZE // ROW
    solid.Depth = 1
    calls: dict[str, tuple[Callable[[], object], int, int]] = {
        "cuMemcpyHtoD": (lambda: d.cuMemcpyHtoD(one, host, SIZE), one, host),
        "cuMemcpyDtoH": (lambda: d.cuMemcpyDtoH(host, one, SIZE), host, one),
        "cuMemcpyDtoD": (lambda: d.cuMemcpyDtoD(one, other, SIZE), one, other),
        "cuMemcpy from the host": (lambda: d.cuMemcpy(one, host, SIZE), one, host),
        "cuMemcpyPeer": (lambda: d.cuMemcpyPeer(one, 0, other, 0, SIZE), one, other),
        "cuMemcpyHtoDAsync": (lambda: d.cuMemcpyHtoDAsync(one, host, SIZE, 0), one, host),
        "cuMemcpyHtoDAsync, pinned": (lambda: d.cuMemcpyHtoDAsync(one, pinned, SIZE, 0), one, pinned),
        "cuMemcpyDtoHAsync": (lambda: d.cuMemcpyDtoHAsync(host, one, SIZE, 0), host, one),
        "cuMemcpyDtoDAsync": (lambda: d.cuMemcpyDtoDAsync(one, other, SIZE, 0), one, other),
        "cuMemcpyAsync from the host": (lambda: d.cuMemcpyAsync(one, host, SIZE, 0), one, host),
        "cuMemcpyPeerAsync": (lambda: d.cuMemcpyPeerAsync(one, 0, other, 0, SIZE, 0), one, other),
        BATCHED: (
            lambda: d.cuMemcpyBatchAsync(*pointers, [SIZE] * BATCH, BATCH, [attributes], [0], 1, PER_THREAD),
            one,
            other,
        ),
        "cuMemcpy2D without gaps": (lambda: d.cuMemcpy2D(flat), one, other),
        "cuMemcpy3D without gaps": (lambda: d.cuMemcpy3D(solid), one, other),
    }
    return calls
