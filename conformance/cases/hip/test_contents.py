"""What HIP's memsets and copies of rows leave behind, and what is known of managed memory and of pools."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import fakecuda
from conformance.cases.hip.side import SIZE, Side
from conformance.cases.hip.varied import DEVICE, HOST, batch3d, managed, operation
from fakecuda.profiles import load
from fakecuda.spec.hip import ENUMS

if TYPE_CHECKING:
    from collections.abc import Iterator

NONE = (1 << 64) - 1
NOWHERE, CPU = -2, -1


@pytest.fixture
def w() -> Iterator[Side]:
    """Return a process on HIP as of 2026."""
    with fakecuda.Machine("hip-clr-2026", strict=False) as machine:
        yield Side(machine, "hip")
        machine.check_invariants()


_buffers: list[Any] = []


def _kept(data: bytes) -> int:
    _buffers.append(ctypes.create_string_buffer(data, len(data)))
    return ctypes.addressof(_buffers[-1])


def held(w: Side, ptr: int, size: int) -> bytes:
    """Return what memory holds."""
    buffer = ctypes.create_string_buffer(size)
    w.get("Memcpy", ctypes.addressof(buffer), ptr, size, 2)
    return buffer.raw


def test_values(w: Side) -> None:
    """Values of 16 and 32 bits stand one after the other; those of rows leave what is between the rows."""
    ptr = w.ptr
    w.get("MemsetD8", ptr, 0, SIZE)
    w.get("MemsetD16", ptr, 0x0102, 2)
    w.get("MemsetD32Async", ptr + 4, 0x01020304, 1, w.stream())
    w.get("MemsetD2D16", ptr + 16, 8, 0x0506, 2, 2)
    w.get("MemsetD2D32Async", ptr + 32, 8, 0x0708090A, 1, 2, w.stream())
    assert held(w, ptr, 48).hex(" ", 8).split() == [
        "0201020104030201",
        "0000000000000000",
        "0605060500000000",
        "0605060500000000",
        "0a09080700000000",
        "0a09080700000000",
    ]


def test_slices(w: Side) -> None:
    """Rows of slices are set and copied, and what lies between them is left."""
    ptr, pitch, *size = w.get("Malloc3D", (3, 2, 2))
    assert size == [3, 2]
    w.get("Memset", ptr, 0, pitch * 4)
    w.get("Memset3D", (ptr, pitch, 3, 2), 7, (3, 2, 2))
    assert held(w, ptr, pitch * 4) == (bytes([7] * 3) + bytes(pitch - 3)) * 4
    target = w.host
    w.get("Memcpy3D", (0, (1, 0, 1), (ptr, pitch, 3, 2), 0, (0, 0, 0), (target, 4, 4, 2), (2, 2, 1), 2))
    assert ctypes.string_at(target, 8) == bytes([7, 7, 0, 0] * 2)
    # A pitch as wide as the extent: all is set at once, whatever ysize says.
    w.get("Memset3D", (ptr, 3, 3, 9), 8, (3, 2, 2))
    assert held(w, ptr, 13)[:13] == bytes([8] * 12) + bytes(1)
    assert w.get("Malloc3D", (0, 2, 2)) == (0, 0, 0, 2)


def test_between_devices(w: Side) -> None:
    """Nobody needs access for a copy of slices between devices, with a stream or without."""
    source, there, empty = w.ptr, w.there, w.ptr
    w.get("Memset", source, 9, 64)
    w.get("Memset", empty, 0, 64)
    for name, stream in (("Memcpy3DPeer", ()), ("Memcpy3DPeerAsync", (w.stream(),))):
        w.get("MemcpyDtoD", there, empty, 64)
        place = (0, (0, 0, 0), (source, 8, 8, 4), 0, 0, (0, 0, 0), (there, 8, 8, 4), 1, (2, 2, 1))
        w.get(name, place, *stream)
        assert held(w, there, 16) == bytes([9, 9, 0, 0, 0, 0, 0, 0] * 2)


def test_a_struct_of_rows(w: Side) -> None:
    """A pitch of 0 is x and width; memory of unified type is what it is found to be."""
    ptr = w.ptr
    w.get("Memset", ptr, 0, 64)
    source = _kept(b"abcdef")
    w.get("MemcpyParam2DAsync", (1, 0, 11, 0, source, 0, 0, 0, 0, 2, 0, ptr, 0, 8, 2, 2), w.stream())
    w.get("DeviceSynchronize")
    assert held(w, ptr, 16) == b"bc" + bytes(6) + b"ef" + bytes(6)
    assert w("DrvMemcpy2DUnaligned", (0,) * 16) == 0
    assert w("DrvMemcpy3DAsync", (0,) * 23, 0) == 0


def test_batches(w: Side) -> None:
    """Copies of a batch are all made, or none; those of slices up to the one that fails, whose number is told."""
    first, second, target = w.ptr, w.ptr, w.ptr
    w.get("Memset", first, 1, 16)
    w.get("Memset", second, 2, 16)
    w.get("Memset", target, 0, 64)
    copies = ((target, target + 16), (first, second), (16, 8), 2)
    assert w.get("MemcpyBatchAsync", *copies, None, None, 0, 0) == NONE
    assert held(w, target, 32) == bytes([1] * 16 + [2] * 8 + [0] * 8)
    good, bad = operation(w, first, extent=(8, 1, 1)), operation(w, first, extent=(64, 2, 33))
    assert batch3d(w, good) == 0
    a = w.a.hip
    made = a.hipMemcpy3DBatchOp.allocate(2)
    for number, (source, width) in enumerate(((first, 16), (second, SIZE + 1))):
        one = a.hipMemcpy3DBatchOp.fromObj(int(made) + number * made.c_sizeof())
        for side, address in ((one.src, source), (one.dst, target + 32)):
            side.type = a.hipMemcpy3DOperandType.hipMemcpyOperandTypePointer
            side.op.ptr.ptr = address
        one.extent.width, one.extent.height, one.extent.depth = width, 1, 1
    assert a.hipMemcpy3DBatchAsync(2, made, 0, None) == (a.hipError_t.hipErrorInvalidValue, 1)
    assert held(w, target + 32, 16) == bytes([1] * 16)
    assert batch3d(w, good, bad) == 1


def test_advice(w: Side) -> None:
    """Advice and prefetches can be asked for, of whole pages."""

    def asked(attribute: int, size: int = 4, count: int = SIZE) -> Any:
        return w.get("MemRangeGetAttribute", size, attribute, ptr, count)

    ptr = managed(w)
    assert [asked(attribute) for attribute in (1, 2, 4, 100)] == [0, NOWHERE, NOWHERE, 0]
    w.get("MemAdvise", ptr, 1, 1, 99)
    w.get("MemAdvise", ptr, SIZE, 3, 1)
    w.get("MemPrefetchAsync", ptr, SIZE, 0, 0)
    w.get("MemAdvise", ptr, SIZE, 100, 0)
    assert [asked(attribute) for attribute in (1, 2, 4, 100)] == [1, 1, 0, 1]
    assert [asked(attribute, count=2 * SIZE) for attribute in (1, 2, 4, 100)] == [0, NOWHERE, NOWHERE, 2]
    for number in (1, CPU, 0):
        w.get("MemAdvise", ptr, SIZE, 5, number)
    assert asked(3, 16) == (0, 1, CPU, NOWHERE)
    w.get("MemAdvise", ptr, SIZE, 6, CPU)  # clr asks device 0 where the host is meant
    assert asked(3, 12) == (1, CPU, NOWHERE)
    w.get("MemAdvise_v2", ptr, SIZE, 3, (3, 0))
    w.get("MemPrefetchAsync_v2", ptr, SIZE, HOST, 0, 0)
    w.get("MemAdvise", ptr, SIZE, 101, 0)
    assert w.get("MemRangeGetAttributes", (4, 4, 4), (2, 4, 100), 3, ptr, SIZE) == (CPU, CPU, 0)
    w.get("MemPrefetchBatchAsync", (ptr, ptr + SIZE), (8, 8), 2, (DEVICE,), (0,), 1, 0, w.stream())
    assert asked(4, count=2 * SIZE) == 0


def test_advice_on_other_memory(w: Side) -> None:
    """Nothing is kept of the host's own, and a prefetch of a device's fails unseen; coherency is told of all."""
    assert w("MemAdvise", w.host, SIZE, 1, 0) == 0
    assert w.get("MemRangeGetAttribute", 4, 1, w.host, SIZE) == 0
    assert w("MemPrefetchAsync", w.ptr, SIZE, 0, 0) == 0
    assert w("MemPrefetchAsync", w.host, SIZE, CPU, 0) == 0
    flags = (0, 1, 0x80000000)
    modes = [w.get("MemRangeGetAttribute", 4, 100, w.get("HostMalloc", SIZE, flag), SIZE) for flag in flags]
    assert [*modes, w.get("MemRangeGetAttribute", 4, 100, w.ptr, SIZE)] == [0, 0, 1, 1]


def test_pools_of_locations(w: Side) -> None:
    """A device has a pool for managed memory beside the one that it allocates from."""
    assert w.get("MemGetDefaultMemPool", DEVICE, 1) == w.pool
    default = w.get("MemGetDefaultMemPool", DEVICE, 2)
    assert default == w.get("MemGetMemPool", DEVICE, 2) != w.pool
    made = w.get("MemPoolCreate", (2, 0, DEVICE, 0, 0))
    w.get("MemSetMemPool", DEVICE, 2, made)
    assert w.get("MemGetMemPool", DEVICE, 2) == made
    assert w.get("DeviceGetMemPool", 0) == w.pool
    own = w.get("MemPoolCreate", (1, 0, DEVICE, 0, 0))
    w.get("MemSetMemPool", DEVICE, 1, own)
    assert w.get("DeviceGetMemPool", 0) == own
    w.get("MemPoolDestroy", made)
    assert w.get("MemGetMemPool", DEVICE, 2) == default


def test_lenient_calls(w: Side) -> None:
    """What clr lets pass: addresses further in, memory of devices as the host's, sizes of nothing."""
    ptr = w.ptr
    assert w("Free", ptr + 8) == 0
    assert w("Free", ptr) == 1
    assert w("HostFree", w.ptr) == 0
    assert w("Free", w.get("MallocAsync", SIZE, 0)) == 0
    ptr = w.ptr
    assert w.get("HostGetDevicePointer", ptr, 0) == ptr
    assert w.get("HostGetFlags", w.get("HostMalloc", SIZE, 0x40000001)) == 0x40000001
    assert w.get("HostGetFlags", managed(w)) == 0
    assert w.get("MemPtrGetInfo", 0) == 0
    assert w("MemGetInfo", null=0) == 0
    assert w("ExtMallocWithFlags", SIZE, 3) == 0
    assert w("HostMalloc", 0, 0xC0000000) == 0
    assert w("Memcpy", 0, 0, 0, 9) == 0
    assert w("MemsetD16", 0, 1, 0) == w("Memset3D", (0, 0, 0, 0), 1, (1, 0, 1)) == 0


def test_a_descriptor_of_a_range(w: Side) -> None:
    """It is one of the process's own; adjoining mappings are one range."""
    os.close(w.get("MemGetHandleForAddressRange", w.ptr, SIZE, 1, 0))
    os.close(w.get("MemGetHandleForAddressRange", w.mapped() + 64, SIZE, 1, 0))


def test_access_is_not_looked_at(w: Side) -> None:
    """A mapping that no device was given access to is written and read all the same; what is not mapped is not."""
    ptr = w.mapped()
    w.get("MemsetD16", ptr, 0x0707, SIZE // 2)
    w.get("Memcpy", ptr + SIZE, ptr, SIZE, 3)
    assert held(w, ptr + SIZE, SIZE) == bytes([7]) * SIZE
    wide = w.get("MemAddressReserve", 4 << 20, 0, 0, 0)
    w.get("MemMap", wide, 2 << 20, 0, w.handle(), 0)
    assert w("Memcpy", w.host, wide + (2 << 20) - 8, 16, 2) == 1
    w.get("MemMap", wide + (2 << 20), 2 << 20, 0, w.handle(), 0)
    assert w("Memset", wide, 1, 4 << 20) == 0
    assert held(w, wide + (2 << 20) - 8, 16) == bytes([1]) * 16


def test_attributes_that_cannot_be_told(w: Side) -> None:
    """In a list they are 0, and the device -2; the call succeeds."""
    kinds = ENUMS["hipPointer_attribute"]
    (context, home, device, host, tokens) = (
        kinds[f"HIP_POINTER_ATTRIBUTE_{name}"]
        for name in ("CONTEXT", "DEVICE_ORDINAL", "DEVICE_POINTER", "HOST_POINTER", "P2P_TOKENS")
    )
    ptr, pinned = w.ptr, w.get("HostMalloc", SIZE, 0)
    assert w.get("DrvPointerGetAttributes", 5, (device, host, home, tokens, -1), ptr) == (ptr, 0, 0, 0, 0)
    assert w.get("DrvPointerGetAttributes", 2, (context, host), pinned) == (0, pinned)
    assert w.get("DrvPointerGetAttributes", 2, (device, home), w.host) == (0, -2)
    assert w.get("DrvPointerGetAttributes", 2, (device, home), w.there) == (0, 1)


def test_no_link() -> None:
    """Without one there is nothing to tell of it."""
    alone = attrs.evolve(load("hip-clr-2026"), peers={})
    with fakecuda.Machine(alone) as machine:
        assert machine.spawn().c.hipExtGetLinkTypeAndHopCount(0, 1) == (400, None, None)
