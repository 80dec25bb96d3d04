"""The look-alike of hip-python: its conventions, with the wheel's classes or others."""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda import FakeCudaError, NotModelledWarning
from fakecuda.reach.bindings.hip_classes import hip_binding
from fakecuda.rules.registry import HIP
from fakecuda.spec import hip
from tests.each import each

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = 4096
OK = hip_binding.hipError_t.hipSuccess
INVALID = hip_binding.hipError_t.hipErrorInvalidValue


@pytest.fixture(params=["hip-clr-2024", "hip-clr-2026"])
def machine(request: pytest.FixtureRequest) -> Iterator[fakecuda.Machine]:
    """Return a machine that has HIP.ops."""
    with fakecuda.Machine(request.param) as made:
        yield made


@pytest.fixture
def a(machine: fakecuda.Machine) -> Any:
    """Return what hip-python has, on a process."""
    return machine.spawn().hip


@each("name", sorted(HIP.ops))
def test_operations_take_what_the_description_says(name: str) -> None:
    """One plain value for each parameter that is no result."""
    code = HIP.ops[name].function.__code__
    assert code.co_argcount == 1 + len(hip.CALLS[name].inputs) or code.co_flags & 4  # or any number of them


def test_every_call_in_scope_is_described() -> None:
    """The documented codes are of the same calls."""
    assert HIP.ops.keys() <= hip.CALLS.keys()
    assert len(hip.CALLS) == 279


def test_codes_and_pointers(a: Any) -> None:
    """A call answers a code and its results; null pointers are None."""
    err, ptr = a.hipMalloc(SIZE)
    assert err is OK
    assert ptr
    assert ptr.__cuda_array_interface__["shape"] == (SIZE,)
    assert a.hipMalloc(0) == (OK, None)
    assert a.hipFree(ptr) == (OK,)
    assert a.hipFree(ptr) == (INVALID,)


def test_interprocess_handles(machine: fakecuda.Machine, a: Any) -> None:
    """A struct of 64 bytes goes from one process to another."""
    b = machine.spawn().hip
    _, ptr = a.hipMalloc(SIZE)
    err, handle = a.hipIpcGetMemHandle(ptr)
    assert err is OK
    assert len(handle.reserved) == 64
    assert a.hipIpcOpenMemHandle(handle, 1) == (hip_binding.hipError_t.hipErrorInvalidContext, None)
    assert b.hipIpcOpenMemHandle(handle, 0) == (INVALID, None)
    err, mine = b.hipIpcOpenMemHandle(handle, 1)
    assert err is OK
    assert b.hipMemcpy(mine, b"hello", 5, b.hipMemcpyKind.hipMemcpyHostToDevice) == (OK,)
    buffer = bytearray(5)
    assert a.hipMemcpy(buffer, ptr, 5, a.hipMemcpyKind.hipMemcpyDeviceToHost) == (OK,)
    assert buffer == b"hello"
    assert b.hipIpcCloseMemHandle(mine) == (OK,)


def test_structs(a: Any) -> None:
    """Their members are set as the wheel's are, nested ones in place."""
    prop = a.hipMemAllocationProp()
    prop.type = a.hipMemAllocationType.hipMemAllocationTypePinned
    prop.location.type = a.hipMemLocationType.hipMemLocationTypeDevice
    prop.location.id = 1
    err, size = a.hipMemGetAllocationGranularity(prop, a.hipMemAllocationGranularity_flags(1))
    assert (err, size) == (OK, 2 << 20)
    err, handle = a.hipMemCreate(size, prop, 0)
    assert err is OK
    assert a.hipMemGetAllocationPropertiesFromHandle(handle)[1].location.id == 1
    _, ptr = a.hipMemAddressReserve(size, 0, None, 0)
    assert a.hipMemMap(ptr, size, 0, handle, 0) == (OK,)
    desc = a.hipMemAccessDesc()
    desc.location.type = prop.location.type
    desc.location.id = 1
    desc.flags = a.hipMemAccessFlags.hipMemAccessFlagsProtReadWrite
    assert a.hipMemSetAccess(ptr, size, desc, 1) == (OK,)
    assert a.hipMemSetAccess(ptr, size, None, 1) == (INVALID,)
    assert a.hipMemGetAccess(desc.location, ptr) == (OK, 3)


def test_results_that_are_written_where_the_caller_says(a: Any) -> None:
    """A pool's threshold has eight bytes; null is a null pointer."""
    _, pool = a.hipDeviceGetDefaultMemPool(0)
    value, threshold = ctypes.c_uint64(77), a.hipMemPoolAttr.hipMemPoolAttrReleaseThreshold
    assert a.hipMemPoolSetAttribute(pool, threshold, ctypes.addressof(value)) == (OK,)
    value.value = 0
    assert a.hipMemPoolGetAttribute(pool, threshold, ctypes.addressof(value)) == (OK,)
    assert value.value == 77
    assert a.hipMemPoolGetAttribute(pool, threshold, None) == (INVALID,)


def test_properties(a: Any) -> None:
    """Texts, arrays, bits and structs in a struct are read as the wheel reads them; arrays are not written."""
    err, prop = a.hipGetDeviceProperties(0)
    assert err is OK
    assert (prop.name, prop.gcnArchName) == ("AMD Instinct MI300X", "gfx942:sramecc+:xnack-")
    assert prop.c_sizeof() == 1472
    assert (prop.maxThreadsDim, prop.luid) == ([1024] * 3, bytes(8))
    assert (prop.arch.hasDoubles, prop.arch.hasFunnelShift, prop.arch.has3dGrid) == (1, 0, 1)
    assert (prop.warpSize, prop.totalGlobalMem, prop.asicRevision) == (64, 206141652992, 1)
    assert int(prop.hdpMemFlushCntl) == 0
    with pytest.raises(AttributeError):
        prop.maxThreadsDim = [1, 2, 3]
    prop.arch.hasDoubles = 0
    assert prop.arch.hasDoubles == 0
    wish = a.hipDeviceProp_t(major=9)
    assert a.hipChooseDevice(wish) == (OK, 0)
    attribute = a.hipDeviceAttribute_t.hipDeviceAttributeWarpSize
    assert a.hipDeviceGetAttribute(attribute, 0) == (OK, 64)
    assert a.hipDeviceGetAttribute(attribute, 9) == (a.hipError_t.hipErrorInvalidDevice, 0)


def test_attributes_of_pointers(a: Any) -> None:
    """Each is written in as many bytes as it has."""
    _, ptr = a.hipMalloc(SIZE)
    known = a.hipPointer_attribute
    for attribute, value, size in (
        (known.HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, int(ptr), 8),
        (known.HIP_POINTER_ATTRIBUTE_MAPPED, 1, 1),
        (known.HIP_POINTER_ATTRIBUTE_RANGE_SIZE, SIZE, 4),
    ):
        place = bytearray(b"\xff" * 16)
        assert a.hipPointerGetAttribute(place, attribute, ptr) == (OK,)
        assert int.from_bytes(place[:size], "little") == value
        assert place[size:] == b"\xff" * (16 - size)
    sync = known.HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS
    assert a.hipPointerSetAttribute(ctypes.c_uint(1), sync, ptr) == (OK,)
    assert a.hipPointerSetAttribute(None, sync, ptr) == (INVALID,)
    err, attributes = a.hipPointerGetAttributes(ptr)
    assert err is OK
    assert attributes.type is a.hipMemoryType.hipMemoryTypeDevice
    assert (attributes.device, int(attributes.devicePointer)) == (0, int(ptr))


def test_work_of_streams(a: Any) -> None:
    """Masks are lists or buffers, functions addresses."""
    err, stream = a.hipExtStreamCreateWithCUMask(2, [0xF, 1])
    assert err is OK
    words = (ctypes.c_uint32 * 10)()
    assert a.hipExtStreamGetCUMask(stream, 10, words) == (OK,)
    assert list(words[:3]) == [0xF, 1, 0]
    assert a.hipExtStreamGetCUMask(stream, 10, [0] * 10) == (OK,)
    assert a.hipExtStreamCreateWithCUMask(2, None) == (INVALID, None)
    called: list[Any] = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(called.append)
    assert a.hipLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p), None) == (OK,)
    assert a.hipStreamSynchronize(stream) == (OK,)
    assert called == [None]


@pytest.mark.parametrize("machine", ["hip-clr-2026"], indirect=True)
def test_unions_of_streams(a: Any) -> None:
    """Operations are a buffer of unions, an attribute's value is one; clr of 2024 has none of the calls."""
    _, stream = a.hipStreamCreate()
    _, ptr = a.hipMalloc(SIZE)
    operation = struct.pack("<i4xQI4xI16x", 2, int(ptr), 77, 0)
    assert a.hipStreamBatchMemOp(stream, 1, operation, 0) == (OK,)
    assert a.hipStreamBatchMemOp(stream, 1, None, 0) == (INVALID,)
    there = bytearray(4)
    assert a.hipStreamSynchronize(stream) == (OK,)
    assert a.hipMemcpy(there, ptr, 4, a.hipMemcpyKind.hipMemcpyDeviceToHost) == (OK,)
    assert int.from_bytes(there, "little") == 77
    policy = a.hipLaunchAttributeID.hipLaunchAttributeSynchronizationPolicy
    value = a.hipLaunchAttributeValue()
    value.syncPolicy = a.hipSynchronizationPolicy.hipSyncPolicyYield
    assert a.hipStreamSetAttribute(stream, policy, value) == (OK,)
    answer = a.hipLaunchAttributeValue()
    assert a.hipStreamGetAttribute(stream, policy, answer) == (OK,)
    assert answer.syncPolicy is a.hipSynchronizationPolicy.hipSyncPolicyYield


def test_addresses_of_functions(a: Any) -> None:
    """Names are texts or bytes; what is not found says so."""
    found = a.hipDriverProcAddressQueryResult
    err, address, status = a.hipGetProcAddress("hipMalloc", 700, 0)
    assert (err, status) == (OK, found.HIP_GET_PROC_ADDRESS_SUCCESS)
    assert int(a.hipGetProcAddress(b"hipMalloc", 700, 0)[1]) == int(address) != 0
    for name in ("hipNothing", ""):
        assert a.hipGetProcAddress(name, 700, 0) == (INVALID, None, found.HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)


@pytest.mark.parametrize("name", ["hipSetValidDevices", "hipDrvPointerGetAttributes"])
def test_calls_without_arguments_for_arrays(a: Any, name: str) -> None:
    """The wheel passes what nobody has set: they can be called from C alone."""
    with pytest.warns(NotModelledWarning, match=f"{name} is not modelled"):
        getattr(a, name)(*[1] * (1 + name.startswith("hipDrv")))


def test_enums_are_asked_for(a: Any) -> None:
    """A number is none."""
    with pytest.raises(TypeError, match="argument 'kind' must be of type '_hipMemcpyKind__Base'"):
        a.hipMemcpy(0, 0, 0, 1)


def test_the_last_error(machine: fakecuda.Machine, a: Any) -> None:
    """In 2024 a success overwrote it."""
    a.hipSetDevice(9)
    a.hipGetDevice()
    kept = OK if machine.profile.hip.keeps_every_answer else a.hipError_t.hipErrorInvalidDevice
    assert a.hipPeekAtLastError() == (kept,)
    assert a.hipGetLastError() == (kept,)
    assert a.hipGetLastError() == (OK,)


def test_calls_that_are_not_modelled(a: Any) -> None:
    """They say so."""
    with pytest.warns(NotModelledWarning, match="hipMallocArray is not modelled: it answers hipErrorNotSupported"):
        assert a.hipMallocArray(None, 1, 1, 0) == (a.hipError_t.hipErrorNotSupported, None)


def test_a_machine_without_hip_says_so() -> None:
    """Its profile names none."""
    with fakecuda.Machine("h200") as machine, pytest.raises(FakeCudaError, match="the machine has no HIP library"):
        machine.spawn().hip.hipGetDeviceCount()
