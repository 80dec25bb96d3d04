"""The look-alike of cuda.bindings.driver: objects cross to the process and back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.reach.bindings.fallback_classes import not_found
from fakecuda.reach.bindings.installed import RULES
from realcuda import wire

if TYPE_CHECKING:
    from realcuda import Machine, Process

driver: Any = pytest.importorskip("cuda.bindings.driver", reason="cuda-bindings is not installed")
SUCCESS = driver.CUresult.CUDA_SUCCESS
POSIX = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR


def test_numbers_and_enums(a: Process) -> None:
    """Codes are the binding's own enum members."""
    code, version = a.driver.cuDriverGetVersion()
    assert code is SUCCESS
    assert version == 13000
    assert a.driver.cuDeviceGet(9) == (driver.CUresult.CUDA_ERROR_INVALID_DEVICE, None)


def test_handles(a: Process) -> None:
    """Handles come back as this process's classes and go in as such."""
    code, pointer = a.driver.cuMemAlloc(8)
    assert code is SUCCESS
    assert type(pointer) is driver.CUdeviceptr
    assert a.driver.cuCtxSetCurrent(driver.CUcontext(77)) == (SUCCESS,)
    assert a.driver.cuCtxGetCurrent() == (SUCCESS, driver.CUcontext(77))


def test_structs(a: Process) -> None:
    """A struct crosses member by member, nested ones too."""
    prop = driver.CUmemAllocationProp()
    prop.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    prop.location.id = 5
    prop.allocFlags.usage = 9
    _, handle = a.driver.cuMemCreate(1, prop, 0)
    _, back = a.driver.cuMemGetAllocationPropertiesFromHandle(handle)
    assert type(back) is driver.CUmemAllocationProp
    assert (back.type, back.location.id, back.allocFlags.usage) == (prop.type, 5, 9)
    first, second = driver.CUmemAccessDesc(), driver.CUmemAccessDesc()
    second.location.id = 1
    second.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    assert a.driver.cuMemSetAccess(0, 1, [first, second], 2) == (SUCCESS,)
    assert a.driver.cuMemGetAccess(second.location, 0) == (SUCCESS, 3)


def test_none_is_null(a: Process) -> None:
    """None stands for a null pointer."""
    assert a.driver.cuMemCreate(1, None, 0) == (driver.CUresult.CUDA_ERROR_INVALID_VALUE, None)


def test_blobs(a: Process, machine: Machine) -> None:
    """IPC handles and uuids keep their bytes."""
    _, uuid = a.driver.cuDeviceGetUuid(1)
    assert uuid.bytes == b"\xa1" * 16
    _, handle = a.driver.cuIpcGetMemHandle(driver.CUdeviceptr(1))
    code, pointer = machine.spawn().driver.cuIpcOpenMemHandle(handle, 7)
    assert (code, int(pointer)) == (SUCCESS, 7)


def test_buffers(a: Process) -> None:
    """Any buffer goes in; a writable one is filled."""
    _, pointer = a.driver.cuMemAlloc(4)
    for source in (b"abcd", bytearray(b"abcd"), memoryview(b"abcd")):
        assert a.driver.cuMemcpyHtoD(pointer, source, 4) == (SUCCESS,)
        target = bytearray(4)
        assert a.driver.cuMemcpyDtoH(target, pointer, 4) == (SUCCESS,)
        assert target == b"abcd"
    assert a.driver.cuMemcpyHtoD(dstDevice=pointer, srcHost=b"efgh", ByteCount=4) == (SUCCESS,)
    assert a.driver.cuMemcpyDtoH(dstHost=target, srcDevice=pointer, ByteCount=4) == (SUCCESS,)
    assert target == b"efgh"


def test_descriptors(a: Process, machine: Machine) -> None:
    """A descriptor is one of this process; it can be imported by position or keyword."""
    code, descriptor = a.driver.cuMemExportToShareableHandle(driver.CUmemGenericAllocationHandle(99), POSIX, 0)
    assert code is SUCCESS
    other = machine.spawn()
    _, handle = other.driver.cuMemImportFromShareableHandle(descriptor, POSIX)
    assert int(handle) == 99
    _, handle = other.driver.cuMemImportFromShareableHandle(shHandleType=POSIX, osHandle=descriptor)
    assert int(handle) == 99
    os.close(descriptor)


def test_exceptions(a: Process) -> None:
    """What the binding raises there is raised here, with its type and text."""
    with pytest.raises(TypeError, match="integer"):
        a.driver.cuMemAlloc("x")
    with pytest.raises(RuntimeError, match="cuMemRelease"):
        a.driver.cuMemRelease(1)
    with pytest.raises(TypeError, match="cannot be passed"):
        a.driver.cuMemAlloc(object())
    assert a.alive


def test_structs_that_point_elsewhere(a: Process) -> None:
    """A struct that holds an address of this process is refused here, before it can crash the other."""
    params = driver.CUctxCreateParams()
    params.execAffinityParams = [driver.CUexecAffinityParam()]
    params.numExecAffinityParams = 1
    with pytest.raises(TypeError, match="points to other structs"):
        a.driver.cuCtxCreate(params, 0, 0)


def test_members_that_a_release_lacks() -> None:
    """What only the other end's bindings have arrives as a number that can be given on, by whichever way it is read."""
    for name in ("CUdevice_attribute", "CUnothing"):
        member = wire.decode(("enum", name, 99999), driver, [])
        assert (member, member.value, member.name) == (99999, 99999, "99999")


def test_functions_that_the_driver_lacks(a: Process) -> None:
    """The installed release says so in the words of the table, and so does the look-alike."""
    told = RULES.absent_functions.format("cuCtxDetach")
    with pytest.raises(RuntimeError) as caught:
        a.driver.cuCtxDetach(0)
    assert str(caught.value) == told.removeprefix("RuntimeError: ")
    mine = not_found("cuCtxDetach")
    assert f"{type(mine).__name__}: {mine}" == told


def test_structs_with_unions_do_not_cross(a: Process) -> None:
    """How large they are is not known."""
    with pytest.raises(TypeError, match="CUDA_EXTERNAL_MEMORY_HANDLE_DESC cannot be passed"):
        a.driver.cuImportExternalMemory(driver.CUDA_EXTERNAL_MEMORY_HANDLE_DESC())


def test_names(a: Process) -> None:
    """Everything else of the module is this process's own."""
    assert a.driver.CUresult is driver.CUresult
    assert a.driver.CU_IPC_HANDLE_SIZE == 64
    with pytest.raises(AttributeError):
        a.driver.cuFoo  # noqa: B018 - the look-up is what is tried
