"""``with process:`` has code that calls the driver by its own ways run as a simulated process."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.errors import FakeCudaError, ProcessDied
from fakecuda.reach.install import clients
from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import FakeCuda, Machine

driver: Any = pytest.importorskip("cuda.bindings.driver")
runtime: Any = pytest.importorskip("cuda.bindings.runtime")
DOORS = [pytest.param("native", marks=pytest.mark.skipif(not NATIVE, reason=NEEDS)), "lookalike"]


@pytest.fixture(params=DOORS)
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine behind each door."""
    with fakecuda.simulate(door=request.param) as made:
        yield made


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No client has used a machine in this OS process."""
    monkeypatch.setattr(clients, "names", list)


def opened() -> int:
    """Initialise the driver and make the primary context of device 0 current; return its handle."""
    assert int(driver.cuInit(0)[0]) == 0
    context = driver.cuDevicePrimaryCtxRetain(0)[1]
    assert int(driver.cuCtxSetCurrent(context)[0]) == 0
    return int(context)


@pytest.mark.usefixtures("fresh")
def test_an_exchange_between_two_processes(machine: Machine) -> None:
    """What one exports the other opens, by code that knows of one driver alone; each has its own state."""
    a, b = machine.spawn("a"), machine.spawn("b")
    with a:
        opened()
        pointer = driver.cuMemAlloc(512)[1]
        assert driver.cuMemsetD8(pointer, 7, 512) == (driver.CUresult.CUDA_SUCCESS,)
        assert driver.cuCtxSynchronize() == (driver.CUresult.CUDA_SUCCESS,)
        handle = driver.cuIpcGetMemHandle(pointer)[1]
        assert driver.cuIpcOpenMemHandle(handle, 1)[0] == driver.CUresult.CUDA_ERROR_INVALID_CONTEXT
    with b as inside:
        assert inside is b is machine.here
        assert driver.cuMemGetInfo()[0] == driver.CUresult.CUDA_ERROR_NOT_INITIALIZED
        opened()
        code, other = driver.cuIpcOpenMemHandle(handle, 1)
        assert int(code) == 0
        read = bytearray(4)
        assert driver.cuMemcpyDtoH(read, other, 4) == (driver.CUresult.CUDA_SUCCESS,)
        assert bytes(read) == bytes([7] * 4)
        with a:
            assert driver.cuMemGetInfo()[0] == driver.CUresult.CUDA_SUCCESS
        assert machine.here is b
    assert machine.here is machine.processes["here"]
    assert driver.cuCtxGetCurrent()[0] == driver.CUresult.CUDA_ERROR_NOT_INITIALIZED
    assert {call.process for call in machine.log if call.call == "cuIpcOpenMemHandle"} == {"a", "b"}


@pytest.mark.usefixtures("fresh")
def test_the_runtime_and_other_threads_run_as_the_process_too(machine: Machine) -> None:
    """All that is called in this OS process meanwhile."""
    a = machine.spawn("a")
    seen: list[Any] = []

    def allocate() -> None:
        seen.append(runtime.cudaMalloc(512)[0])

    with a:
        thread = threading.Thread(target=allocate)
        thread.start()
        thread.join()
    assert seen == [runtime.cudaError_t.cudaSuccess]
    assert {call.process for call in machine.log} == {"a"}
    assert len(a.memory) == 1


@pytest.mark.skipif(not NATIVE, reason=NEEDS)
@pytest.mark.usefixtures("fresh")
def test_ctypes_runs_as_the_process() -> None:
    """By the library that the platform's loader finds."""
    with fakecuda.simulate(door="native") as machine:
        cuda = ctypes.CDLL("libcuda.so.1")
        count = ctypes.c_int()
        assert cuda.cuInit(0) == 0
        with machine.spawn("a", visible_devices="1"):
            assert cuda.cuDeviceGetCount(ctypes.byref(count)) == 3
            assert cuda.cuInit(0) == 0
            assert cuda.cuDeviceGetCount(ctypes.byref(count)) == 0
            assert count.value == 1
        assert cuda.cuDeviceGetCount(ctypes.byref(count)) == 0
        assert count.value == 2


def hidden(machine: Machine) -> None:
    """Enter a process of a machine in which another one is installed."""
    with fakecuda.simulate(door="lookalike"), machine.spawn("a"):
        pass


def dead(machine: Machine) -> None:
    """Enter a process that has ended."""
    process = machine.spawn("a")
    process.kill()
    with process:
        pass


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    ("enter", "error", "said"),
    [
        (hidden, FakeCudaError, "process a belongs to an outer machine, but a machine that was made later is active"),
        (dead, ProcessDied, "a"),
    ],
)
def test_where_it_cannot_run_it_says_so(
    machine: Machine, enter: Callable[[Machine], None], error: type[Exception], said: str
) -> None:
    """And nothing has changed."""
    with pytest.raises(error, match=said):
        enter(machine)
    assert machine.here is machine.processes["here"]
    opened()


def test_a_machine_that_is_not_installed_is_reached_by_nobody() -> None:
    """Nor one that was."""
    with fakecuda.Machine() as machine, pytest.raises(FakeCudaError, match="no call of this program reaches"):
        machine.spawn("a").__enter__()


def test_clients_that_keep_what_they_have_are_refused(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to do instead."""
    monkeypatch.setattr(clients, "names", lambda: ["cuda.core"])
    with pytest.raises(
        FakeCudaError, match=r"^this OS process cannot run .* \(cuda\.core\): .* functions of process\.driver$"
    ):
        machine.spawn("a").__enter__()
    assert machine.acting == []


@pytest.mark.usefixtures("fresh")
def test_the_end_of_a_machine_ends_what_acts(fakecuda: FakeCuda) -> None:
    """Whatever the block does."""
    process = fakecuda.spawn("a")
    process.__enter__()
    assert fakecuda.here is process
