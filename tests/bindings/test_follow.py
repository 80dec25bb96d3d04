"""Addresses that a binding follows before a call: one that leads nowhere is told, and ends no process."""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import FakeCudaError, Machine
from fakecuda.model.memory.files import MAP_FIXED
from fakecuda.model.memory.space import PROT_NONE, libc, map_memory
from fakecuda.reach.bindings.pointer_checks import followed, text_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOWHERE = 0x1000
FABRIC = 8


@pytest.fixture
def page() -> Iterator[int]:
    """The address of a page behind which nothing can be read."""
    start = map_memory(2 * mmap.PAGESIZE, PROT_NONE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED
    assert map_memory(mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, start) == start
    yield start
    libc.munmap(start, 2 * mmap.PAGESIZE)


def test_memory_is_followed_to_its_end(page: int) -> None:
    """No byte behind it, and none behind the last address there is."""
    followed(page, mmap.PAGESIZE)
    for address, size in ((page, mmap.PAGESIZE + 1), (NOWHERE, 1), ((1 << 64) - 1, 2)):
        with pytest.raises(FakeCudaError, match=f"points to {size} bytes at {address:#x} that cannot be read"):
            followed(address, size)


def test_a_text_ends_in_memory_that_can_be_read(page: int) -> None:
    """Wherever its end is; without one it is none."""
    last = page + mmap.PAGESIZE - 4
    ctypes.memmove(last, b"abc\0", 4)
    assert text_at(last) == b"abc"
    ctypes.memmove(last, b"abcd", 4)
    with pytest.raises(FakeCudaError, match="cannot be read"):
        text_at(last)
    long = ctypes.create_string_buffer(b"x" * 3 * mmap.PAGESIZE)
    assert text_at(ctypes.addressof(long)) == long.value


CALLS: dict[str, Callable[[Any], Any]] = {
    "a struct": lambda hip: hip.hipMemcpyParam2D(NOWHERE),
    "an array of numbers": lambda hip: hip.hipExtStreamCreateWithCUMask(1, NOWHERE),
    "a text": lambda hip: hip.hipDeviceGetByPCIBusId(NOWHERE),
    "a text at a negative number": lambda hip: hip.hipDeviceGetByPCIBusId(-1),
    "operations": lambda hip: hip.hipStreamBatchMemOp(None, 1, NOWHERE, 0),
    "what is set": lambda hip: hip.hipMemPoolSetAttribute(
        hip.hipDeviceGetDefaultMemPool(0)[1], hip.hipMemPoolAttr.hipMemPoolAttrReleaseThreshold, NOWHERE
    ),
    "where a result goes": lambda hip: hip.hipMemPoolGetAttribute(
        hip.hipDeviceGetDefaultMemPool(0)[1], hip.hipMemPoolAttr.hipMemPoolAttrReleaseThreshold, NOWHERE
    ),
    "where an attribute goes": lambda hip: hip.hipPointerGetAttribute(
        NOWHERE, hip.hipPointer_attribute.HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, hip.hipMalloc(64)[1]
    ),
}


@pytest.mark.parametrize("what", CALLS)
def test_hip_follows_no_bad_address(what: str) -> None:
    """It ended the process."""
    with Machine("hip-clr-2026", seed=0) as machine:
        hip = machine.here.hip
        hip.hipSetDevice(0)
        with pytest.raises(FakeCudaError, match="an argument points to"):
            CALLS[what](hip)


def test_the_bytes_of_a_fabric_handle() -> None:
    """Where the address leads nowhere."""
    with Machine("h200", seed=0) as machine:
        driver = machine.here.driver
        driver.cuInit(0)
        kind = driver.CUmemAllocationHandleType(FABRIC)
        with pytest.raises(FakeCudaError, match="an argument points to"):
            driver.cuMemImportFromShareableHandle(NOWHERE, kind)


def test_page_locked_memory_is_the_hosts_too() -> None:
    """It lies among the device addresses, and a struct may lie in it."""
    with Machine("h200", seed=0) as machine:
        c = machine.here.c
        c.cuInit(0)
        c.cuCtxSetCurrent(c.cuDevicePrimaryCtxRetain(0)[1])
        followed(c.cuMemHostAlloc(64, 0)[1], 64)
        with pytest.raises(FakeCudaError, match="cannot be read"):
            followed(c.cuMemAlloc(64)[1], 64)
