"""cuda.bindings.runtime while a machine is installed: the look-alike by either door, at one with the driver's module."""

from __future__ import annotations

import textwrap
import threading
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import FakeCudaError, expect_undefined
from fakecuda.machine import simulating
from tests.plugin.test_install import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Machine

driver: Any = pytest.importorskip("cuda.bindings.driver")
runtime: Any = pytest.importorskip("cuda.bindings.runtime")


def ok(answer: tuple[Any, ...]) -> Any:
    """Return the result of a call that has succeeded."""
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) == 2 else answer[1:]


@pytest.fixture(params=["native", "lookalike"])
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine of two devices, installed by each door."""
    try:
        with simulating.simulate("h200-x2", door=request.param) as installed:
            yield installed
    except FakeCudaError as error:
        pytest.skip(str(error))


def test_module_is_patched_and_restored() -> None:
    """Whoever holds the module calls the machine, and the real functions afterwards."""
    before = dict(vars(runtime))
    with simulating.simulate("h200", door="lookalike") as machine:
        assert ok(runtime.cudaGetDeviceCount()) == 1
        assert [record.call for record in machine.log] == ["cudaGetDeviceCount"]
        assert runtime.cudaMalloc.__doc__ == before["cudaMalloc"].__doc__
        with simulating.simulate("h200-x2", door="lookalike"):
            assert ok(runtime.cudaGetDeviceCount()) == 2
        assert ok(runtime.cudaGetDeviceCount()) == 1
    assert dict(vars(runtime)) == before


def test_memory_goes_from_one_api_to_the_other(machine: Machine) -> None:
    """What either API allocated is copied and freed by the other one; both act in the primary context."""
    pointer = ok(runtime.cudaMalloc(64))
    context = ok(driver.cuCtxGetCurrent())
    assert int(context) == int(ok(driver.cuDevicePrimaryCtxRetain(0)))
    ok(driver.cuMemsetD8(pointer, 7, 64))
    there = bytearray(64)
    ok(runtime.cudaMemcpy(there, pointer, 64, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost))
    assert there == bytes([7] * 64)
    ok(driver.cuMemFree(pointer))
    other = ok(driver.cuMemAlloc(64))
    ok(runtime.cudaMemset(other, 9, 64))
    ok(driver.cuMemcpyDtoH(there, other, 64))
    assert there == bytes([9] * 64)
    attributes = ok(runtime.cudaPointerGetAttributes(other))
    assert attributes.type == runtime.cudaMemoryType.cudaMemoryTypeDevice
    ok(runtime.cudaFree(other))
    assert {record.process for record in machine.log} == {"here"}


@pytest.mark.usefixtures("machine")
def test_streams_and_events_are_the_drivers_own() -> None:
    """A stream of one API takes work of the other, an event that one has recorded is waited for by the other."""
    stream = ok(runtime.cudaStreamCreate())
    event = ok(driver.cuEventCreate(0))
    pointer = ok(driver.cuMemAllocAsync(64, stream))
    ok(runtime.cudaMemsetAsync(pointer, 1, 64, stream))
    ok(driver.cuEventRecord(event, stream))
    ok(runtime.cudaEventSynchronize(event))
    ok(runtime.cudaFreeAsync(pointer, driver.CUstream(int(stream))))
    ok(driver.cuStreamDestroy(stream))
    with expect_undefined():
        runtime.cudaStreamQuery(stream)


def test_a_context_of_the_driver_api_is_used_as_it_is(machine: Machine) -> None:
    """No primary context comes into being; cudaDeviceReset leaves the context alone."""
    ok(driver.cuInit(0))
    context = ok(driver.cuCtxCreate(None, 0, 1))
    pointer = ok(runtime.cudaMalloc(64))
    assert ok(runtime.cudaGetDevice()) == 1
    assert int(ok(driver.cuPointerGetAttribute(driver.CUpointer_attribute(1), pointer))) == int(context)
    ok(runtime.cudaDeviceReset())
    ok(driver.cuMemsetD8(pointer, 0, 64))
    assert ok(driver.cuDevicePrimaryCtxGetState(1)) == (0, 0)
    ok(driver.cuCtxDestroy(context))
    assert ok(runtime.cudaGetDevice()) == 0
    assert machine.log


def test_device_reset_ends_what_the_driver_api_holds(machine: Machine) -> None:
    """The context stays current, destroyed for the driver API; the next call of the runtime API makes it anew."""
    pointer = ok(runtime.cudaMalloc(64))
    before = ok(driver.cuCtxGetCurrent())
    ok(runtime.cudaDeviceReset())
    assert int(ok(driver.cuCtxGetCurrent())) == int(before)
    assert driver.cuMemAlloc(64)[0] == driver.CUresult.CUDA_ERROR_CONTEXT_IS_DESTROYED
    assert ok(driver.cuDevicePrimaryCtxGetState(0)) == (0, 0)
    ok(runtime.cudaMalloc(64))
    assert ok(driver.cuDevicePrimaryCtxGetState(0))[1] == 1
    assert int(pointer)
    assert machine.log


@pytest.mark.usefixtures("machine")
def test_undefined_behaviour_of_the_runtime_api_is_raised() -> None:
    """It is Python that calls, whatever the door."""
    stream = ok(runtime.cudaStreamCreate())
    ok(runtime.cudaStreamDestroy(stream))
    with expect_undefined():
        runtime.cudaStreamSynchronize(stream)


def test_threads_have_devices_and_errors_of_their_own(machine: Machine) -> None:
    """A new thread begins with device 0, no context and no error."""
    ok(runtime.cudaSetDevice(1))
    assert int(runtime.cudaSetDevice(7)[0]) == 101
    seen: list[Any] = []

    def work() -> None:
        seen.extend([ok(driver.cuCtxGetCurrent()), ok(runtime.cudaGetDevice()), runtime.cudaPeekAtLastError()])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert (int(seen[0]), seen[1], seen[2]) == (0, 0, (0,))
    assert runtime.cudaGetLastError() == (101,)
    assert ok(runtime.cudaGetDevice()) == 1
    assert machine.log


def test_calls_after_the_machine_reach_nothing() -> None:
    """A function that was kept from a machine is led nowhere: there are no devices."""
    with simulating.simulate("h200", door="lookalike"):
        kept = runtime.cudaGetDeviceCount
        ok(kept())
    assert kept() == (100, None)


def test_functions_imported_by_name_are_told_of() -> None:
    """With the native door too: it is the runtime library in the module that they reach."""
    done = run(
        """
        import warnings
        from cuda.bindings.runtime import cudaMalloc
        from fakecuda.machine import simulating
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            with simulating.simulate():
                pass
        for one in found:
            print(one.category.__name__, one.filename, one.message)
        """
    )
    assert done.stdout.startswith("ImportedByNameWarning <string> module __main__ has imported cudaMalloc from"), done
    assert "cuda.bindings.runtime by name" in done.stdout
    assert done.stdout.endswith("reach the real driver: import the module cuda.bindings.runtime itself\n")


@pytest.mark.parametrize("door", ["auto", "lookalike"])
def test_stands_in_where_the_package_is_missing(door: str) -> None:
    """A module of that name is there inside, with classes and calls, and gone afterwards."""
    done = run(
        f"""
        import sys
        class Hidden:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] == "cuda":
                    raise ModuleNotFoundError(name)
        sys.meta_path.insert(0, Hidden())
        from fakecuda.machine import simulating
        for _ in range(2):
            with simulating.simulate(door="{door}"):
                from cuda.bindings import runtime
                with simulating.simulate(door="lookalike"):
                    from cuda.bindings import driver
                    print(driver.cuInit(0), runtime.cudaGetDeviceCount())
                import cuda.bindings.runtime
                stream = runtime.cudaStreamCreate()[1]
                print(type(stream).__name__, runtime.cudaStreamDestroy(stream))
                prop = runtime.cudaGetDeviceProperties(0)[1]
                print(prop.name, prop.major, runtime.make_cudaExtent(1, 2, 3).depth)
        print([name for name in sys.modules if name.startswith("cuda")])
        """
    )
    lines = done.stdout.splitlines()
    assert not done.stderr
    once = [
        "(<CUresult.CUDA_SUCCESS: 0>,) (<cudaError_t.cudaSuccess: 0>, 2)",
        "cudaStream_t (<cudaError_t.cudaSuccess: 0>,)",
        "b'NVIDIA H200' 9 3",
    ]
    assert lines == [*once, *once, "[]"]


WAITING = """
import sys
from fakecuda.machine import simulating
def is_there():
    return "cuda.bindings.runtime" in sys.modules
def made(call):
    return type(call).__name__ == "function"
def count(runtime):
    return runtime.cudaGetDeviceCount()[1]
"""


@pytest.mark.parametrize(
    ("program", "said"),
    [
        pytest.param(
            """
            with simulating.simulate("h200-x2"):
                print(is_there())
                from cuda.bindings import runtime
                print(count(runtime), int(runtime.getLocalRuntimeVersion()[0]))
                with simulating.simulate("h200"):
                    print(count(runtime))
                print(count(runtime))
            print(made(runtime.cudaMalloc))
            """,
            ["False", "2 0", "1", "2", "False"],
            id="in a machine",
        ),
        pytest.param(
            """
            with simulating.simulate("h200-x2") as machine:
                counts = machine.here.runtime.cudaGetDeviceCount()
                from cuda.bindings.runtime import cudaGetDeviceCount
                print(counts[1], cudaGetDeviceCount()[1], made(cudaGetDeviceCount))
            """,
            ["2 2 True"],
            id="by the machine itself",
        ),
        pytest.param(
            """
            with simulating.simulate("h200"):
                pass
            from cuda.bindings import runtime
            print(made(runtime.cudaMalloc), len(sys.meta_path) == finders)
            with simulating.simulate("h200-x2"):
                print(count(runtime), made(runtime.cudaMalloc))
            """,
            ["False True", "2 True"],
            id="between machines",
        ),
        pytest.param(
            """
            import threading
            from fakecuda.reach.install.modules import Lookalike
            with simulating.simulate("h200-x2") as machine:
                other = Lookalike("runtime", lambda: machine)
                other.show(machine)
                thread = threading.Thread(target=__import__, args=["cuda.bindings.runtime"])
                thread.start()
                thread.join()
                print(count(sys.modules["cuda.bindings.runtime"]))
                other.withdraw()
            """,
            ["2"],
            id="two look-alikes, in another thread",
        ),
    ],
)
def test_module_is_replaced_when_it_is_imported(program: str, said: list[str]) -> None:
    """A machine does not import the module; a program that imports it calls the machine."""
    done = run(f"{WAITING}finders = len(sys.meta_path)\n{textwrap.dedent(program)}")
    assert (done.stdout.splitlines(), done.stderr) == (said, "")
