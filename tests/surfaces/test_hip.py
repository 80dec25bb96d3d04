"""The look-alike of hip-python: its conventions, with the wheel's classes or others; and that it is generated."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda import FakeCudaError, NotModelledWarning
from fakecuda.api import hip
from fakecuda.rule import HIP
from fakecuda.surfaces import hip_generate
from fakecuda.surfaces.hip_classes import hip_binding

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = 4096
OK = hip_binding.hipError_t.hipSuccess
INVALID = hip_binding.hipError_t.hipErrorInvalidValue


@pytest.fixture(params=["hip-clr-2024", "hip-clr-2026"])
def machine(request: pytest.FixtureRequest) -> Iterator[fakecuda.Machine]:
    """Return a machine that has HIP."""
    with fakecuda.Machine(request.param) as made:
        yield made


@pytest.fixture
def a(machine: fakecuda.Machine) -> Any:  # noqa: ANN401 - a look-alike
    """Return what hip-python has, on a process."""
    return machine.spawn().hip


def test_the_file_is_generated() -> None:
    """Nobody has edited it."""
    assert hip_generate.render() == Path(hip_generate.__file__).with_name("_hip.py").read_text()


@pytest.mark.parametrize("name", sorted(HIP))
def test_operations_take_what_the_description_says(name: str) -> None:
    """One plain value for each parameter that is no result."""
    code = HIP[name].function.__code__
    assert code.co_argcount == 1 + len(hip.CALLS[name].inputs) or code.co_flags & 4  # or any number of them


def test_every_call_in_scope_is_described() -> None:
    """The documented codes are of the same calls."""
    assert HIP.keys() <= hip.CALLS.keys()
    assert len(hip.CALLS) == 279


def test_codes_and_pointers(a: Any) -> None:  # noqa: ANN401 - a look-alike
    """A call answers a code and its results; null pointers are None."""
    err, ptr = a.hipMalloc(SIZE)
    assert err is OK
    assert ptr
    assert ptr.__cuda_array_interface__["shape"] == (SIZE,)
    assert a.hipMalloc(0) == (OK, None)
    assert a.hipFree(ptr) == (OK,)
    assert a.hipFree(ptr) == (INVALID,)


def test_interprocess_handles(machine: fakecuda.Machine, a: Any) -> None:  # noqa: ANN401 - a look-alike
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


def test_structs(a: Any) -> None:  # noqa: ANN401 - a look-alike
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


def test_results_that_are_written_where_the_caller_says(a: Any) -> None:  # noqa: ANN401 - a look-alike
    """A pool's threshold has eight bytes; null is a null pointer."""
    _, pool = a.hipDeviceGetDefaultMemPool(0)
    value, threshold = ctypes.c_uint64(77), a.hipMemPoolAttr.hipMemPoolAttrReleaseThreshold
    assert a.hipMemPoolSetAttribute(pool, threshold, ctypes.addressof(value)) == (OK,)
    value.value = 0
    assert a.hipMemPoolGetAttribute(pool, threshold, ctypes.addressof(value)) == (OK,)
    assert value.value == 77
    assert a.hipMemPoolGetAttribute(pool, threshold, None) == (INVALID,)


def test_enums_are_asked_for(a: Any) -> None:  # noqa: ANN401 - a look-alike
    """A number is none."""
    with pytest.raises(TypeError, match="argument 'kind' must be of type '_hipMemcpyKind__Base'"):
        a.hipMemcpy(0, 0, 0, 1)


def test_the_last_error(machine: fakecuda.Machine, a: Any) -> None:  # noqa: ANN401 - a look-alike
    """In 2024 a success overwrote it."""
    a.hipSetDevice(9)
    a.hipGetDevice()
    kept = OK if machine.profile.hip.keeps_every_answer else a.hipError_t.hipErrorInvalidDevice
    assert a.hipPeekAtLastError() == (kept,)
    assert a.hipGetLastError() == (kept,)
    assert a.hipGetLastError() == (OK,)


def test_calls_that_are_not_modelled(a: Any) -> None:  # noqa: ANN401 - a look-alike
    """They say so."""
    with pytest.warns(NotModelledWarning, match="hipMallocArray is not modelled: it answers hipErrorNotSupported"):
        assert a.hipMallocArray(None, 1, 1, 0) == (a.hipError_t.hipErrorNotSupported, None)


def test_a_machine_without_hip_says_so() -> None:
    """Its profile names none."""
    with fakecuda.Machine("h200") as machine, pytest.raises(FakeCudaError, match="the machine has no HIP"):
        machine.spawn().hip.hipGetDeviceCount()
