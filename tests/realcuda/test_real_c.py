"""C-level calls: plain values in, plain values out, over a library of which every answer is known."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from realcuda import Machine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from realcuda import Process

INVALID, NOT_PERMITTED = 1, 800
POSIX, FABRIC = 1, 8
PROP = (1, 1, (1, 3), 0, (1, 2, 3))


@pytest.fixture
def exported(a: Process) -> Iterator[int]:
    """Return a descriptor that stands for handle 77."""
    code, descriptor = a.c.cuMemExportToShareableHandle(77, POSIX, 0)
    assert code == 0
    yield descriptor
    os.close(descriptor)


def test_integers(a: Process) -> None:
    """Integers go in and come out by the widths of the prototype."""
    assert a.c.cuDriverGetVersion() == (0, 13000)
    assert a.c.cuDeviceGet(1) == (0, 1)
    assert a.c.cuMemGetInfo() == (0, 5, 1 << 37)


def test_failure_has_no_results(a: Process) -> None:
    """A failed call answers None for each result."""
    assert a.c.cuDeviceGet(9) == (101, None)


def test_null_results(a: Process) -> None:
    """A named result pointer is null, and None stands in its place."""
    assert a.c.cuDriverGetVersion(null="driverVersion") == (INVALID, None)
    assert a.c.cuMemGetInfo(null="free") == (0, None, 1 << 37)
    assert a.c.cuMemGetInfo(null="free total") == (0, None, None)


def test_counts_that_are_read_and_written(a: Process) -> None:
    """A count says how much room there is, and then how many members there are; null where its pointer is."""
    call = a.c.cuGraphNodeGetDependencies
    assert call(7, 3) == (0, (100, 101, 0), ((0, 0, 1), (1, 0, 1), (2, 0, 1)), 2)
    assert call(7, 1, null="edgeData") == (0, (100,), None, 1)
    assert call(7, 0, null="dependencies edgeData") == (0, None, None, 2)
    assert call(7, 3, null="numDependencies") == (INVALID, None, None, None)
    assert call(7, None) == (INVALID, None, None, None)


def test_strings(a: Process) -> None:
    """A string is what stands before the NUL, within the length given."""
    assert a.c.cuDeviceGetName(64, 0) == (0, b"STUB GPU")
    assert a.c.cuDeviceGetName(5, 0) == (0, b"STUB")
    assert a.c.cuDeviceGetName(-1, 0) == (INVALID, None)
    assert a.c.cuGetErrorName(0) == (0, b"CUDA_SUCCESS")
    assert a.c.cuGetErrorName(12345) == (INVALID, None)


def test_blobs(a: Process) -> None:
    """Uuids and IPC handles are bytes; a handle travels by value."""
    assert a.c.cuDeviceGetUuid(1) == (0, b"\xa1" * 16)
    code, handle = a.c.cuIpcGetMemHandle(0)
    assert (code, handle) == (0, bytes(range(64)))
    assert a.c.cuIpcOpenMemHandle(handle, 7) == (0, 7)
    assert a.c.cuIpcOpenMemHandle(bytes(64), 7) == (INVALID, None)


def test_structs(a: Process) -> None:
    """Structs are nested tuples without their reserved members; arrays of them are tuples; None is null."""
    assert a.c.cuMemCreate(1, PROP, 0) == (0, 1)
    assert a.c.cuMemGetAllocationPropertiesFromHandle(1) == (0, PROP)
    assert a.c.cuMemCreate(1, None, 0) == (INVALID, None)
    assert a.c.cuMemSetAccess(0, 1, (((1, 0), 1), ((1, 1), 3)), 2) == (0,)
    assert a.c.cuMemGetAccess((1, 1), 0) == (0, 3)
    assert a.c.cuMemSetAccess(0, 1, None, 1) == (INVALID,)


def test_host_buffers(a: Process) -> None:
    """Bytes go in, a bytearray is filled in place, None is null."""
    _, pointer = a.c.cuMemAlloc(16)
    assert a.c.cuMemcpyHtoD(pointer, b"contents", 8) == (0,)
    target = bytearray(8)
    assert a.c.cuMemcpyDtoH(target, pointer, 8) == (0,)
    assert target == b"contents"
    part = memoryview(target)[2:4]
    assert a.c.cuMemcpyDtoH(part, pointer, 2) == (0,)
    assert target == b"cocoents"
    with pytest.raises(TypeError, match="filled in place"):
        a.c.cuMemcpyDtoH(b"contents", pointer, 8)
    assert a.c.cuMemcpyHtoD(pointer, None, 8) == (INVALID,)
    assert a.c.cuMemcpyDtoH(None, pointer, 8) == (INVALID,)


def test_host_address(a: Process) -> None:
    """An int for a host buffer is an address in the process."""
    _, here = a.c.cuMemAlloc(16)
    _, there = a.c.cuMemAlloc(16)
    a.c.cuMemsetD8(here, 7, 16)
    assert a.c.cuMemcpyHtoD(there, here, 16) == (0,)
    target = bytearray(16)
    a.c.cuMemcpyDtoH(target, there, 16)
    assert target == b"\7" * 16


def test_batches_of_operations(a: Process) -> None:
    """Unions of 48 bytes, by what is in them."""
    _, place = a.c.cuMemAlloc(16)
    assert a.c.cuStreamBatchMemOp(0, 2, ((5, place, 1 << 40, 0), (5, place + 8, 7, 0)), 0) == (0,)
    target = bytearray(16)
    a.c.cuMemcpyDtoH(target, place, 16)
    assert target == (1 << 40).to_bytes(8, "little") + (7).to_bytes(8, "little")
    assert a.c.cuStreamBatchMemOp(0, 1, ((99,),), 0) == (INVALID,)


def test_functions_of_the_c_library(a: Process) -> None:
    """A stream calls one by the address that it has in the process."""
    _, place = a.c.cuMemAlloc(64)
    a.c.cuCtxSetCurrent(0x1000)
    assert a.c.cuLaunchHostFunc(0, a.c_function("sem_post"), place) == (0,)
    assert a.c.cuStreamSynchronize(0) == (0,)
    target = bytearray(4)
    a.c.cuMemcpyDtoH(target, place, 4)
    assert target == bytes([1, 0, 0, 0])
    with pytest.raises(AttributeError, match="no_such_function"):
        a.c_function("no_such_function")


def test_calls_inside_of_a_function(a: Process) -> None:
    """Made in the thread that the driver calls a function in; what Python raises there arrives."""
    assert a.c.cuDeviceGetCount() == (0, 2)
    assert a.inside.cuDeviceGetCount() == (NOT_PERMITTED, None)
    assert a.inside.cuDriverGetVersion() == (0, 13000)
    assert a.c.cuDeviceGetCount() == (0, 2)
    assert a.c.cuCtxGetCurrent() == (0, 0)
    with pytest.raises(AttributeError, match="exports no cuStreamCreate"):
        a.inside.cuStreamCreate(0)


def test_no_function_is_called() -> None:
    """Where no driver is there."""
    with Machine(library="/nowhere/libcuda.so.1") as nothing, pytest.raises(OSError, match="cannot load"):
        nothing.spawn().inside.cuDeviceGetCount()


def test_large_buffers(a: Process) -> None:
    """A buffer of many chunks arrives whole."""
    contents = os.urandom(1 << 16) * 160
    _, pointer = a.c.cuMemAlloc(len(contents))
    assert a.c.cuMemcpyHtoD(pointer, contents, len(contents)) == (0,)
    target = bytearray(len(contents))
    assert a.c.cuMemcpyDtoH(target, pointer, len(contents)) == (0,)
    assert target == contents


@pytest.mark.parametrize(("attribute", "expected"), [(3, 0x70_0000_0000), (5, b"\7" * 16), (9, -2), (8, 1)])
def test_pointer_attributes(a: Process, attribute: int, expected: object) -> None:
    """Each attribute is read by its own width."""
    assert a.c.cuPointerGetAttribute(attribute, 0x70_0000_0000) == (0, expected)


def test_descriptors(machine: Machine, exported: int) -> None:
    """An exported descriptor is open here, and can be imported in another process."""
    assert os.fstat(exported)
    assert not os.get_inheritable(exported)
    other = machine.spawn()
    assert other.c.cuMemImportFromShareableHandle(exported, POSIX) == (0, 77)
    assert other.c.cuMemImportFromShareableHandle(exported, POSIX) == (0, 77)


@pytest.mark.parametrize("number", [-1, 3, 500, 1 << 40])
def test_no_descriptor(a: Process, number: int) -> None:
    """A number that is no descriptor here is none in the process either."""
    if number == 3:  # the process's own line to this one, most likely
        number = os.dup(0)
        os.close(number)
    assert a.c.cuMemImportFromShareableHandle(number, POSIX) == (INVALID, None)


def test_descriptors_do_not_leak(a: Process, machine: Machine) -> None:
    """Exporting and importing leaves no descriptor behind, here or there."""
    other = machine.spawn()

    def count(pid: int | str) -> int:
        return len([*Path(f"/proc/{pid}/fd").iterdir()])

    def once() -> None:
        _, descriptor = a.c.cuMemExportToShareableHandle(1, POSIX, 0)
        other.c.cuMemImportFromShareableHandle(descriptor, POSIX)
        os.close(descriptor)

    once()
    a.c.cuInit(0)
    other.c.cuInit(0)
    before = count("self"), count(a.pid), count(other.pid)
    for _ in range(5):
        once()
    a.c.cuInit(0)
    other.c.cuInit(0)
    assert (count("self"), count(a.pid), count(other.pid)) == before


def test_fabric_handles(a: Process) -> None:
    """A fabric handle is 64 bytes in both directions; another kind is refused by the driver."""
    assert a.c.cuMemExportToShareableHandle(1, FABRIC, 0) == (0, b"\xfa" * 64)
    assert a.c.cuMemImportFromShareableHandle(b"\5" * 64, FABRIC) == (0, 5)
    assert a.c.cuMemExportToShareableHandle(1, 2, 0) == (INVALID, None)


def test_wrong_use(a: Process) -> None:
    """A mistake in the use of the harness raises here and leaves the process as it was."""
    with pytest.raises(TypeError, match="cuMemAlloc takes"):
        a.c.cuMemAlloc()
    with pytest.raises(TypeError, match="null='size'"):
        a.c.cuMemAlloc(1, null="size")
    with pytest.raises(TypeError, match="takes a tuple of"):
        a.c.cuMemCreate(1, (1, 2, 3, 4, 5, 6), 0)
    with pytest.raises(AttributeError, match="has a function cuFoo"):
        a.c.cuFoo(1)
    with pytest.raises(AttributeError, match="exports no cuMemRelease"):
        a.c.cuMemRelease(1)
    assert a.c.cuInit(0) == (0,)
