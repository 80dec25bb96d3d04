"""Memory in the runtime API: what is allocated for nothing, kinds of copies, rows and slices, what an address is."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Process
    from fakecuda.reach.bindings.c import CLevel

HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT = range(5)
ORIGIN = (0, 0, 0)


@pytest.fixture
def process() -> Iterator[Process]:
    """A process on a machine of two devices that answers as the driver does."""
    with Machine("h200-x2", strict=False, seed=1) as machine:
        yield machine.spawn()


@pytest.fixture
def c(process: Process) -> CLevel:
    """Its calls."""
    return process.c


def read(c: CLevel, address: int, size: int) -> bytes:
    """Return what is at an address of the device."""
    there = bytearray(size)
    assert c.cudaMemcpy(there, address, size, DEVICE_TO_HOST) == (0,)
    return bytes(there)


def test_nothing_is_allocated_for_nothing(c: CLevel) -> None:
    """0 bytes are a success without an address; null is freed; no rows have no pitch."""
    assert c.cudaMalloc(0) == c.cudaHostAlloc(0, 0) == c.cudaMallocHost(0) == (0, 0)
    assert c.cudaFree(0) == c.cudaFreeHost(0) == (0,)
    assert c.cudaMallocPitch(0, 5) == c.cudaMallocPitch(5, 0) == (0, 0, 0)
    assert c.cudaMalloc3D((5, 0, 1)) == (0, (0, 0, 5, 0))


def test_what_was_freed_is_refused(c: CLevel) -> None:
    """A second time, and what another call frees."""
    _, pointer = c.cudaMalloc(64)
    _, pinned = c.cudaHostAlloc(64, 0)
    assert c.cudaFree(pinned) == (1,)
    assert c.cudaFreeHost(pointer) == (1,)
    assert c.cudaFree(pointer) == (0,)
    assert c.cudaFree(pointer)[0] == 1
    assert c.cudaFreeHost(pinned) == (0,)


@pytest.mark.parametrize("kind", [HOST_TO_DEVICE, DEFAULT])
def test_kinds_of_copies(kind: int, c: CLevel) -> None:
    """The kind says which side is the host's, or the addresses do; another is refused, unless of nothing."""
    _, pointer = c.cudaMalloc(64)
    assert c.cudaMemcpy(pointer, bytes(range(64)), 64, kind) == (0,)
    assert read(c, pointer, 64) == bytes(range(64))
    there = bytearray(64)
    assert c.cudaMemcpy(there, bytes(range(64)), 64, HOST_TO_HOST) == (0,)
    assert there == bytes(range(64))
    assert c.cudaMemcpy(pointer, pointer, 1, 5) == (21,)
    assert c.cudaMemcpy(pointer, pointer, 0, 5) == (0,)
    assert c.cudaMemcpyAsync(pointer, pointer, 1, -1, 0) == (21,)
    assert c.cudaMemcpyAsync(pointer, pointer, 0, -1, 0) == (0,)
    assert c.cudaMemcpy2D(pointer, 8, pointer, 8, 8, 1, 7) == (21,)


def test_rows_are_no_longer_than_a_pitch(c: CLevel) -> None:
    """Of either side, in copies of rows and of slices."""
    _, pointer = c.cudaMalloc(4096)
    assert c.cudaMemcpy2D(pointer, 7, pointer, 8, 8, 2, DEVICE_TO_DEVICE) == (12,)
    assert c.cudaMemcpy2D(pointer, 8, pointer, 7, 8, 2, DEVICE_TO_DEVICE) == (12,)
    assert c.cudaMemcpy2D(pointer, 8, pointer + 64, 8, 8, 2, DEVICE_TO_DEVICE) == (0,)
    pitched = (pointer, 8, 8, 2)
    assert c.cudaMemcpy3D((0, ORIGIN, pitched, 0, ORIGIN, pitched, (9, 2, 1), DEVICE_TO_DEVICE)) == (12,)
    assert c.cudaMemcpy3D((0, ORIGIN, pitched, 0, ORIGIN, pitched, (9, 1, 1), DEVICE_TO_DEVICE)) == (1,)
    assert c.cudaMemcpy3D((0, (1, 0, 0), pitched, 0, ORIGIN, pitched, (8, 2, 1), DEVICE_TO_DEVICE)) == (1,)


def test_slices_are_set_and_copied(c: CLevel) -> None:
    """Rows at their pitch, slices at as many rows as the memory has, from a position on."""
    code, pitched = c.cudaMalloc3D((16, 4, 3))
    pointer, pitch, width, rows = pitched
    assert (code, width, rows) == (0, 16, 4)
    assert pitch >= 16
    size = pitch * 12
    assert c.cudaMemset(pointer, 0, size) == (0,)
    assert c.cudaMemset3D(pitched, 0x107, (3, 2, 2)) == (0,)
    found = read(c, pointer, size)
    for offset in range(size):
        slice_, row, x = offset // (4 * pitch), offset // pitch % 4, offset % pitch
        assert found[offset] == (7 if slice_ < 2 and row < 2 and x < 3 else 0)
    _, other = c.cudaMalloc(64)
    dense = (other, 3, 3, 2)
    copied = (0, ORIGIN, pitched, 0, ORIGIN, dense, (3, 2, 2), DEVICE_TO_DEVICE)
    assert c.cudaMemcpy3D(copied) == (0,)
    assert read(c, other, 12) == bytes([7] * 12)
    there = ctypes.create_string_buffer(12)
    out = (ctypes.addressof(there), 3, 3, 2)
    assert c.cudaMemcpy3D((0, (1, 0, 0), pitched, 0, ORIGIN, out, (3, 2, 2), DEVICE_TO_HOST)) == (0,)
    assert there.raw == bytes([7, 7, 0] * 4)
    assert c.cudaMemcpy3DAsync((*copied[:7], DEFAULT), 0) == (0,)
    assert c.cudaMemset3DAsync(pitched, 1, (16, 4, 3), 0) == (0,)
    assert read(c, pointer, 16) == bytes([1] * 16)
    assert c.cudaMemset3D(pitched, 1, (0, 4, 3)) == c.cudaMemset3DAsync(pitched, 1, (1, 0, 3), 0) == (0,)


def test_slices_that_are_refused(c: CLevel) -> None:
    """Rows beyond the memory, rows longer than a pitch, slices of fewer rows than are set of them."""
    _, pitched = c.cudaMalloc3D((16, 4, 3))
    pointer, pitch, *_ = pitched
    assert c.cudaMemset3D(pitched, 1, (16, 4, 1 << 20)) == (1,)
    assert c.cudaMemset3D((pointer, 8, 16, 4), 1, (16, 4, 1)) == (1,)
    assert c.cudaMemset3D((pointer, 8, 16, 4), 1, (16, 1, 1)) == (0,), "of one row the pitch is not looked at"
    assert c.cudaMemset3D((pointer, pitch, 16, 1), 1, (16, 2, 2)) == (1,)


@pytest.mark.parametrize("call", ["cudaMemcpy3D", "cudaMemcpy3DAsync"])
def test_copies_of_slices_that_are_refused(call: str, c: CLevel) -> None:
    """No description, no object or two on a side, a kind that is none."""
    _, pitched = c.cudaMalloc3D((16, 4, 3))
    rest: tuple[Any, ...] = (0,) if call.endswith("Async") else ()
    side = (0, ORIGIN, pitched)
    for params, code in (
        (None, 1),
        ((*side, *side, (1, 1, 1), 9), 21),
        ((0, ORIGIN, (0, 0, 0, 0), *side, (1, 1, 1), DEFAULT), 1),
        ((5, ORIGIN, pitched, *side, (1, 1, 1), DEFAULT), 1),
        ((5, ORIGIN, (0, 0, 0, 0), *side, (1, 1, 1), DEFAULT), 1),
        ((*side, *side, (1, 1, 1), DEFAULT), 0),
    ):
        assert getattr(c, call)(params, *rest) == (code,)


def test_slices_go_from_device_to_device(c: CLevel) -> None:
    """Between primary contexts, made where they are not active; devices that are none are refused."""
    _, source = c.cudaMalloc3D((16, 2, 2))
    assert c.cudaMemset3D(source, 3, (16, 2, 2)) == (0,)
    assert c.cudaSetDevice(1) == (0,)
    _, target = c.cudaMalloc(64)
    dense = (target, 16, 16, 2)
    params = (0, ORIGIN, source, 0, 0, ORIGIN, dense, 1, (16, 2, 2))
    assert c.cudaMemcpy3DPeer(params) == (0,)
    assert read(c, target, 64) == bytes([3] * 64)
    assert c.cudaMemcpy3DPeerAsync(params, 0) == (0,)
    assert c.cudaMemcpy3DPeer(None) == c.cudaMemcpy3DPeerAsync(None, 0) == (1,)
    assert c.cudaMemcpy3DPeer((*params[:3], 5, *params[4:])) == (101,)


def test_pointer_attributes(process: Process) -> None:
    """The type, the device and the addresses; of an address that nobody knows, that it is unregistered."""
    c, runtime = process.c, process.runtime
    kinds = runtime.cudaMemoryType
    _, pointer = c.cudaMalloc(64)
    _, pinned = c.cudaHostAlloc(64, 2)
    _, managed = c.cudaMallocManaged(64, 1)
    plain = ctypes.create_string_buffer(64)
    for address, kind, device, on_device, on_host in (
        (pointer + 5, kinds.cudaMemoryTypeDevice, 0, pointer + 5, 0),
        (pinned, kinds.cudaMemoryTypeHost, 0, pinned, pinned),
        (managed, kinds.cudaMemoryTypeManaged, 0, managed, managed),
        (ctypes.addressof(plain), kinds.cudaMemoryTypeUnregistered, -2, 0, ctypes.addressof(plain)),
    ):
        code, found = runtime.cudaPointerGetAttributes(address)
        assert code == 0
        assert (found.type, found.device) == (kind, device)
        assert (found.devicePointer, found.hostPointer) == (on_device, on_host)
        assert found.localityDomainOrdinal == -1
    assert runtime.cudaPointerGetAttributes(plain)[1].type == kinds.cudaMemoryTypeUnregistered


def test_memory_of_another_device(c: CLevel) -> None:
    """Its address is of no use to the current device before it has access."""
    _, pointer = c.cudaMalloc(64)
    c.cudaSetDevice(1)
    assert c.cudaPointerGetAttributes(pointer) == (0, (2, 0, 0, 0, -1))
    assert c.cudaDeviceEnablePeerAccess(0, 0) == (0,)
    assert c.cudaPointerGetAttributes(pointer) == (0, (2, 0, pointer, 0, -1))
    assert c.cudaDeviceEnablePeerAccess(0, 0) == (704,)
    assert c.cudaDeviceEnablePeerAccess(1, 0)[0] in {101, 217}, "itself: the manual and the driver part here"
    assert c.cudaDeviceEnablePeerAccess(2, 0) == c.cudaDeviceDisablePeerAccess(-1) == (101,)
    assert c.cudaDeviceDisablePeerAccess(0) == (0,)
    assert c.cudaDeviceDisablePeerAccess(0) == (705,)


def test_handles_go_to_another_process(process: Process) -> None:
    """Memory and events."""
    other = process.machine.spawn()  # type: ignore[attr-defined] # the machine is a simulated one
    _, pointer = process.c.cudaMalloc(64)
    process.c.cudaMemset(pointer, 9, 64)
    _, handle = process.runtime.cudaIpcGetMemHandle(pointer)
    _, opened = other.runtime.cudaIpcOpenMemHandle(handle, 1)
    assert read(other.c, opened, 4) == bytes([9] * 4)
    assert process.runtime.cudaIpcOpenMemHandle(handle, 1) == (201, None), "its own handle"
    assert other.runtime.cudaIpcCloseMemHandle(opened) == (0,)


def test_pools(process: Process) -> None:
    """A pool is made from properties that do not speak of GPUDirect RDMA."""
    runtime = process.runtime
    props = runtime.cudaMemPoolProps()
    props.allocType = runtime.cudaMemAllocationType.cudaMemAllocationTypePinned
    props.location.type = runtime.cudaMemLocationType.cudaMemLocationTypeDevice
    code, pool = runtime.cudaMemPoolCreate(props)
    assert code == 0
    threshold = runtime.cudaMemPoolAttr.cudaMemPoolAttrReleaseThreshold
    assert int(runtime.cudaMemPoolGetAttribute(pool, threshold)[1]) == 0
    assert runtime.cudaMemPoolCreate(None) == (1, None)
    assert runtime.cudaMemPoolDestroy(pool) == (0,)
