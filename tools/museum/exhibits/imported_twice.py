"""A pool pointer is imported twice, and the first free ends both imports."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from cuda.bindings import driver

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import DESCRIPTOR, checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def shared_pool(api: Any) -> Any:
    """Return a pool whose memory other processes can import."""
    prop = driver.CUmemPoolProps()
    prop.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    prop.handleTypes = DESCRIPTOR
    prop.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    prop.location.id = 0
    return checked(api.cuMemPoolCreate(prop))


def buffers(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """A descriptor arrives twice; one buffer is closed while the other is used."""
    owner, reader = (fakecuda.spawn(name).driver for name in ("owner", "reader"))
    context(owner)
    context(reader)
    pool = shared_pool(owner)
    memory = checked(owner.cuMemAllocFromPoolAsync(4096, pool, 0))
    checked(owner.cuStreamSynchronize(0))
    number = checked(owner.cuMemPoolExportToShareableHandle(pool, DESCRIPTOR, 0))
    data = checked(owner.cuMemPoolExportPointer(memory))

    imported = checked(reader.cuMemPoolImportFromShareableHandle(number, DESCRIPTOR, 0))
    os.close(int(number))
    first = checked(reader.cuMemPoolImportPointer(imported, data))
    second = first if fixed else checked(reader.cuMemPoolImportPointer(imported, data))
    if not fixed:
        checked(reader.cuMemFreeAsync(first, 0))
    checked(reader.cuMemsetD8(second, 1, 4096))
    checked(reader.cuMemFreeAsync(second, 0))


def queue(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """A second message has the same memory; each consumer fills and frees it."""
    owner, reader = (fakecuda.spawn(name).driver for name in ("owner", "reader"))
    context(owner)
    context(reader)
    pool = shared_pool(owner)
    memory = checked(owner.cuMemAllocFromPoolAsync(1 << 20, pool, 0))
    checked(owner.cuStreamSynchronize(0))
    number = checked(owner.cuMemPoolExportToShareableHandle(pool, DESCRIPTOR, 0))
    data = checked(owner.cuMemPoolExportPointer(memory))
    imported = checked(reader.cuMemPoolImportFromShareableHandle(number, DESCRIPTOR, 0))
    os.close(int(number))
    cache: dict[str, Any] = {}
    for message in ("one", "two"):
        if not fixed or not cache:
            cache[message] = checked(reader.cuMemPoolImportPointer(imported, data))
    for address in cache.values():
        stream = checked(reader.cuStreamCreate(1))
        checked(reader.cuMemsetD8Async(address, 2, 1 << 20, stream))
        checked(reader.cuMemFreeAsync(address, stream))


EXHIBITS = [
    Exhibit(
        number=22,
        report="NVIDIA/cuda-python#2848",
        title="a pool's pointer is imported twice",
        happens=(
            "Two imports of one allocation of a pool give one address, and the driver does not count them: the first free unmaps the "
            "memory for both. cuda.core keeps a cache for this, whose deleter ran against imports of other threads."
        ),
        part=Part.UNDEFINED,
        told=("pool.handle.MEMORY_IS_NOT_FREED",),
        programs={"buffers": buffers, "queue": queue},
    ),
]
