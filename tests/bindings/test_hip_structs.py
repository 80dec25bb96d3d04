"""Structs and arrays of hip-python's calls on memory, with the wheel's classes or others."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda import FakeCudaError
from fakecuda.reach.bindings.hip_classes import hip_binding

if TYPE_CHECKING:
    from collections.abc import Iterator

OK = hip_binding.hipError_t.hipSuccess
INVALID = hip_binding.hipError_t.hipErrorInvalidValue


@pytest.fixture
def a() -> Iterator[Any]:
    """Return what hip-python has, on a process."""
    with fakecuda.Machine("hip-clr-2026") as machine:
        yield machine.spawn().hip


def test_slices(a: Any) -> None:
    """A struct is given by value, another one returned, and one with structs in it read by its address."""
    extent = a.hipExtent(width=10, height=2, depth=2)
    err, place = a.hipMalloc3D(extent)
    assert (err, place.xsize, place.ysize) == (OK, 10, 2)
    assert a.hipMemset3D(place, 7, extent) == (OK,)
    buffer = bytearray(40)
    parms = a.hipMemcpy3DParms()
    for side, ptr, pitch in ((parms.srcPtr, place.ptr, place.pitch), (parms.dstPtr, buffer, 10)):
        side.ptr, side.pitch, side.xsize, side.ysize = ptr, pitch, 10, 2
    parms.extent.width, parms.extent.height, parms.extent.depth = 10, 2, 2
    parms.kind = a.hipMemcpyKind.hipMemcpyDeviceToHost
    assert a.hipMemcpy3D(parms) == (OK,)
    assert buffer == bytes([7] * 40)
    assert a.hipMemcpy3D(int(parms)) == (OK,)
    assert a.hipMemcpy3D(None) == (INVALID,)
    assert int(parms.srcArray) == 0


def test_rows(a: Any) -> None:
    """Members that are enums, handles and addresses."""
    err, ptr, pitch = a.hipMallocPitch(10, 2)
    assert err is OK
    buffer = bytearray(b"0123456789" * 2)
    rows = a.hip_Memcpy2D(WidthInBytes=10, Height=2, srcPitch=10, dstPitch=pitch)
    rows.srcMemoryType, rows.dstMemoryType = a.hipMemoryType.hipMemoryTypeHost, a.hipMemoryType.hipMemoryTypeDevice
    rows.srcHost, rows.dstDevice, rows.srcArray = buffer, ptr, None
    assert a.hipMemcpyParam2D(rows) == (OK,)
    back = bytearray(10)
    assert a.hipMemcpy(back, ptr[pitch], 10, a.hipMemcpyKind.hipMemcpyDefault) == (OK,)
    assert back == b"0123456789"


def test_null_is_no_value(a: Any) -> None:
    """A struct that C takes by value is read at the address that is given; hip-python dies at null."""
    with pytest.raises(FakeCudaError, match="argument 'extent' is null, but is passed by value"):
        a.hipMalloc3D(None)


def test_attributes_of_a_range(a: Any) -> None:
    """They are written where the caller says: one number, or several."""
    _, ptr = a.hipMallocManaged(4096, 1)
    attribute, numbers = a.hipMemRangeAttribute, (ctypes.c_int * 2)()
    assert a.hipMemAdvise(ptr, 4096, a.hipMemoryAdvise.hipMemAdviseSetAccessedBy, 1) == (OK,)
    where = ctypes.addressof(numbers)
    assert a.hipMemRangeGetAttribute(where, 8, attribute.hipMemRangeAttributeAccessedBy, ptr, 4096) == (OK,)
    assert list(numbers) == [1, hip_binding.hipInvalidDeviceId]
    assert a.hipMemRangeGetAttribute(None, 4, attribute.hipMemRangeAttributeReadMostly, ptr, 4096) == (INVALID,)


def test_arrays_that_hip_python_takes_no_argument_for(a: Any) -> None:
    """It has variables of its own there: no such call can succeed."""
    _, ptr = a.hipMalloc(64)
    assert a.hipMemRangeGetAttributes(1, ptr, 64) == (INVALID, None, 0, 0)
    err, stream = a.hipStreamCreate()
    assert err is OK
    cell = ctypes.c_void_p(int(ptr))
    for sources in ([ptr], ctypes.addressof(cell), None):
        answer = a.hipMemcpyBatchAsync(sources, 1, None, 0, stream)
        assert (answer[0], len(answer)) == (INVALID, 5)
        assert a.hipMemPrefetchBatchAsync(sources, 1, a.hipMemLocation(), 1, 0, stream) == (INVALID, 0, 0)


def test_pools_of_locations(a: Any) -> None:
    """A location is read by its address; the argument that is named type is an enum's."""
    location = a.hipMemLocation()
    location.type = a.hipMemLocationType.hipMemLocationTypeDevice
    pinned = a.hipMemAllocationType.hipMemAllocationTypePinned
    err, pool = a.hipMemGetDefaultMemPool(location, pinned)
    assert err is OK
    assert int(pool) == int(a.hipDeviceGetDefaultMemPool(0)[1])
    assert a.hipMemSetMemPool(location, pinned, pool) == (OK,)
    assert a.hipMemGetMemPool(None, pinned) == (INVALID, None)
    with pytest.raises(TypeError, match="argument 'type' must be of type"):
        a.hipMemGetMemPool(location, 1)


def test_a_descriptor_of_a_range(a: Any) -> None:
    """It is written where the caller says."""
    _, ptr = a.hipMalloc(4096)
    descriptor = ctypes.c_int(-1)
    kind = a.hipMemRangeHandleType.hipMemRangeHandleTypeDmaBufFd
    assert a.hipMemGetHandleForAddressRange(ctypes.addressof(descriptor), ptr, 4096, kind, 0) == (OK,)
    os.close(descriptor.value)
