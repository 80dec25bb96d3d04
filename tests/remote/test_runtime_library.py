"""The runtime API and HIP in attached processes: the owner's model answers them as it does the driver's calls."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import TYPE_CHECKING

import pytest

from fakecuda import FakeCudaError, Machine, NotModelledWarning
from fakecuda.reach.remote.client.client import RemoteMachine

from .test_start import python, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fakecuda.reach.remote.owner.endpoint import Offer

    from .conftest import Child

    Start = Callable[[], Child]

__all__ = ["python"]
POOL = (1, 1, (1, 0), 0, 0, 0)


def test_memory_goes_from_one_process_to_the_other(machine: Machine, start: Start) -> None:
    """What cudaMalloc returns is opened elsewhere by its handle."""
    a, b = start(), start()
    size = 3 << 20
    _, there = a.call("cudaMalloc", size)
    _, handle = a.call("cudaIpcGetMemHandle", there)
    code, here = b.call("cudaIpcOpenMemHandle", handle, 1)
    assert code == 0
    assert a.call("cudaMemset", there, 0x5A, size) == (0,)
    assert b.call("cudaMemcpy", "buffer", here, size, 2) == (0,)
    assert b.call("state", "buffer")[0] == b"\x5a" * 64
    assert (machine.log[-1].process, machine.log[-1].call) == ("b", "cudaMemcpy")
    assert b.call("cudaIpcCloseMemHandle", here) == (0,)
    a.kill()
    b.kill()
    machine.check_invariants()
    machine.exchange.reap()
    assert machine.devices[0].memory.used == 0


def test_structs_and_texts_cross(sharing: Offer) -> None:
    """Properties go both ways, names of devices and errors come."""
    runtime = RemoteMachine(sharing.path).here.runtime
    error, properties = runtime.cudaGetDeviceProperties(1)
    assert (int(error), properties.name) == (0, b"NVIDIA H200")
    assert runtime.cudaChooseDevice(properties)[1] in {0, 1}
    assert runtime.cudaDeviceGetPCIBusId(32, 0)[0] == 0
    assert runtime.cudaGetErrorName(runtime.cudaError_t.cudaErrorInvalidValue)[1] == b"cudaErrorInvalidValue"
    _, pool = runtime.cudaMemPoolCreate(runtime.cudaMemPoolProps())
    assert pool is None
    assert runtime.cudaDriverGetVersion() == (0, sharing.machine.profile.driver_version)


def test_last_errors_are_the_threads(sharing: Offer) -> None:
    """Also that of a call that is not modelled, of which the owner does not hear at once."""
    client = RemoteMachine(sharing.path)
    c, runtime = client.here.c, client.here.runtime
    assert c.cudaSetDevice(7) == (101,)
    found = []
    thread = threading.Thread(target=lambda: found.append(c.cudaGetLastError()))
    thread.start()
    thread.join()
    assert found == [(0,)]
    assert [c.cudaGetLastError(), c.cudaGetLastError()] == [(101,), (0,)]
    with pytest.warns(NotModelledWarning):
        assert int(runtime.cudaGraphicsUnregisterResource(0)[0]) == 801
    assert [c.cudaPeekAtLastError(), c.cudaGetLastError(), c.cudaGetLastError()] == [(801,), (801,), (0,)]


def test_ctypes_calls_a_libcudart(sharing: Offer) -> None:
    """A program's own prototypes, and a stream's function of the host."""
    library = RemoteMachine(sharing.path).here.cudart
    count, pointer = ctypes.c_int(), ctypes.c_void_p()
    assert library.cudaGetDeviceCount(ctypes.byref(count)) == 0
    assert library.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(4096)) == 0
    content = ctypes.create_string_buffer(b"x" * 64)
    assert library.cudaMemcpy(pointer, content, ctypes.c_size_t(64), 1) == 0
    seen: list[int] = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    assert library.cudaLaunchHostFunc(None, function, ctypes.c_void_p(42)) == 0
    assert library.cudaStreamSynchronize(None) == 0
    assert (count.value, seen) == (2, [42])


def test_a_pools_descriptor_is_a_real_one(sharing: Offer) -> None:
    """Exported by one process, imported by another, and closed by whoever has it."""
    one, other = RemoteMachine(sharing.path).here.c, RemoteMachine(sharing.path).here.c
    code, pool = one.cudaMemPoolCreate(POOL)
    assert code == 0
    code, descriptor = one.cudaMemPoolExportToShareableHandle(pool, 1, 0)
    assert code == 0
    assert os.fstat(descriptor)
    other.cudaSetDevice(0)
    assert other.cudaMemPoolImportFromShareableHandle(descriptor, 1, 0)[0] == 0
    os.close(descriptor)


def test_visible_devices_are_read_by_the_first_call_that_asks(sharing: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cuInit is needed for that, and what the program sets before counts."""
    c = RemoteMachine(sharing.path).here.c
    assert c.cudaRuntimeGetVersion()[0] == 0
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert c.cudaGetDeviceCount() == (0, 1)


def test_a_fork_has_no_driver(machine: Machine, sharing: Offer) -> None:
    """What the runtime library knows is there in the fork, the device of the forking thread, too."""
    calls = (("cudaGetDevice", ()), ("cudaGetDeviceCount", ()), ("cudaFree", (0,)), ("cudaMalloc", (64,)))
    c = RemoteMachine(sharing.path).here.c
    assert c.cudaSetDevice(1) == (0,)
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(theirs, bytes(getattr(c, name)(*args)[0] for name, args in calls))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(theirs)
    alone = machine.spawn()
    alone.c.cudaSetDevice(1)
    assert list(os.read(ours, 4)) == [getattr(alone.forked, name)(*args)[0] for name, args in calls]
    os.close(ours)


RUNTIME = (
    "import ctypes\n"
    "from cuda.bindings import runtime\n"
    "error, count = runtime.cudaGetDeviceCount()\n"
    "assert int(error) == 0\n"
    "pointer = runtime.cudaMalloc(4096)[1]\n"
    "library = ctypes.CDLL('libcudart.so.13')\n"
    "value = ctypes.c_int(-1)\n"
    "assert library.cudaGetDevice(ctypes.byref(value)) == 0\n"
    "assert library.cudaFree(ctypes.c_void_p(pointer)) == 0\n"
    "print(count, value.value)\n"
)


@pytest.mark.parametrize("early", [False, True])
def test_a_program_that_imports_the_runtime_attaches(python: str, tmp_path: Path, *, early: bool) -> None:
    """In whatever order it imports what it needs."""
    program = (
        RUNTIME if early else RUNTIME.replace("import ctypes\n", "", 1).replace("library =", "import ctypes\nlibrary =")
    )
    with Machine() as machine, machine.shared(export=False) as sharing:
        assert run(python, program, sharing.environ(), tmp_path) == ["2", "0"]
        assert [process.alive for process in machine.processes.values()] == [False]


@pytest.fixture
def hip_sharing() -> Iterator[Offer]:
    """Return the offer of a machine that has HIP."""
    with Machine("hip-clr-2024", strict=False) as machine, machine.shared(export=False) as sharing:
        yield sharing
        machine.check_invariants()


def test_hip_is_answered_by_the_owner(hip_sharing: Offer) -> None:
    """Memory goes from one process to the other; what the owner would have to follow is refused."""
    one, other = RemoteMachine(hip_sharing.path).here, RemoteMachine(hip_sharing.path).here
    _, there = one.c.hipMalloc(4096)
    _, handle = one.c.hipIpcGetMemHandle(there)
    code, here = other.c.hipIpcOpenMemHandle(handle, 1)
    assert code == 0
    content = bytearray(b"hello")
    address = ctypes.addressof(ctypes.c_char.from_buffer(content))
    assert one.c.hipMemcpy(there, address, 5, 1) == (0,)
    back = ctypes.create_string_buffer(5)
    assert other.c.hipMemcpy(ctypes.addressof(back), here, 5, 2) == (0,)
    assert back.raw == b"hello"
    assert int(one.hip.hipGetDeviceCount()[1]) >= 1
    seen: list[int] = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    assert one.c.hipLaunchHostFunc(0, ctypes.cast(function, ctypes.c_void_p).value, 42) == (0,)
    assert one.c.hipDeviceSynchronize() == (0,)
    assert seen == [42]
    with pytest.raises(FakeCudaError, match="before HIP 7, this call takes the address of a descriptor"):
        one.c.hipMemImportFromShareableHandle(address, 1)


def test_a_fork_leaves_its_parents_memory(machine: Machine, sharing: Offer) -> None:
    """It knows it while it lives, and its end takes nothing along."""
    c = RemoteMachine(sharing.path).here.c
    assert c.cudaSetDevice(0) == (0,)
    _, pool = c.cudaMemPoolCreate(POOL)
    _, pointer = c.cudaMallocFromPoolAsync(4096, pool, 0)
    before = machine.devices[0].memory.used
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(theirs, bytes([c.cuMemPrefetchAsync(pointer, 4096, (1, 0), 0, 0)[0]]))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    os.close(theirs)
    assert os.read(ours, 1) == bytes([machine.processes["a"].forked.cuMemPrefetchAsync(pointer, 4096, (1, 0), 0, 0)[0]])
    os.close(ours)
    machine.check_invariants()
    assert machine.devices[0].memory.used == before
    assert c.cudaFreeAsync(pointer, 0) == (0,)
    assert c.cudaMemPoolDestroy(pool) == (0,)
