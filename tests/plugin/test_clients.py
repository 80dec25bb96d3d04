"""Clients that keep objects of the driver for as long as their process lives, test after test in one process."""

from __future__ import annotations

import re
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda as module
from fakecuda.machine import late_uses
from fakecuda.model.os.process import NOT_INITIALIZED
from fakecuda.reach.install import clients
from fakecuda.reach.install.carried_state import Handles, Kept
from fakecuda.reach.native.stubs import NATIVE

if TYPE_CHECKING:
    from .conftest import Suite

DEVICE, POOL = 0, (1, 1, 0)
numba_cuda = clients.NumbaCuda()
IMPORT = "from cuda.core import Device, DeviceMemoryResource"
CORE = """
    import pytest
    import fakecuda as module

    KEPT = []

    @pytest.mark.parametrize("number", range(6))
    def test_it(fakecuda, number):
        device = Device(number % 2)
        device.set_current()
        KEPT.append(device)  # and all that it has cached
        stream = device.create_stream()
        for resource in (device.memory_resource, DeviceMemoryResource(device)):
            buffer = resource.allocate(4096, stream=stream)
            buffer.fill(7, stream=stream)
            buffer.close()
        assert stream.record().sync() is None
        assert device.properties.max_threads_per_block == 1024
        for former in KEPT:
            former.set_current()
            former.create_stream().close()

    @pytest.mark.fakecuda(profile=["h200", "h200-x4"])
    def test_devices_are_the_machines(fakecuda):
        assert len(Device.get_all_devices()) == len(fakecuda.machine.devices)

    def test_nothing_is_current(fakecuda):
        # as in the first test of a process: cuda.core says what to do
        with pytest.raises(Exception, match="set_current"):
            Device(0).create_stream()

    def test_a_destructor_calls_while_an_exception_is_in_flight(fakecuda):
        device = Device(0)
        device.set_current()
        for error, look_up in ((ValueError, [].index), (KeyError, {}.__getitem__)):
            with pytest.raises(error):
                look_up(device.allocate(64, stream=device.default_stream))
            assert [call.call for call in fakecuda.calls].count("cuMemFreeAsync") == 1 + (error is KeyError)

    def test_machines_inside_of_each_other(fakecuda):
        Device(1).set_current()
        with module.simulate():
            Device(1).set_current()
            Device(0).set_current()
            Device(0).create_stream()
        for number in (0, 1):
            Device(number).set_current()
            Device(number).create_stream()
"""


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the process hold nothing of the driver, and no client loaded."""
    monkeypatch.setattr(late_uses, "KEPT", Kept())
    monkeypatch.setattr(clients, "CLIENTS", ())


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what a client is told, which is loaded."""
    told: list[str] = []
    monkeypatch.setattr(late_uses, "KEPT", Kept())
    monkeypatch.setitem(sys.modules, "some_client", SimpleNamespace())
    begin, end = (lambda _, word=word: told.append(word) for word in ("begin", "end"))
    one = SimpleNamespace(module="some_client", name="a client", used=lambda _: "end" in told, begin=begin, end=end)
    monkeypatch.setattr(clients, "CLIENTS", (one,))
    return told


@pytest.mark.skipif(not NATIVE, reason="cuda.core needs the native door")
@pytest.mark.parametrize("where", ["in a conftest", "in the file", "in a test"])
def test_cuda_core_works_in_each_test(suite: Suite, where: str) -> None:
    """Its devices, contexts, pools and streams: in the sixth test as in the first, whatever it has kept."""
    pytest.importorskip("cuda.core")
    test = (
        re.sub(r"(def test_.*\n)", rf"\1        {IMPORT}\n", CORE) if where == "in a test" else f"\n    {IMPORT}{CORE}"
    )
    suite.write(test_it=test, **({"conftest": "import cuda.core"} if where == "in a conftest" else {}))
    done = suite.run("-W", "error", door="native")
    assert done.counts == {"PASSED": 11}, done.out


NUMBA = """
    import numpy
    import pytest
    from numba import cuda

    @pytest.mark.parametrize("number", range(3))
    def test_an_array(fakecuda, number):
        array = cuda.to_device(numpy.arange(4))
        assert array.copy_to_host().tolist() == [0, 1, 2, 3]
        with cuda.gpus[number % 2]:
            cuda.stream().synchronize()

    @pytest.mark.fakecuda(profile=["h200", "h200-x4"])
    def test_devices_are_the_machines(fakecuda):
        assert len(cuda.gpus) == len(fakecuda.machine.devices)

    def test_a_context_stays_current(fakecuda):
        cuda.gpus[1].__enter__()
        cuda.pinned_array(100)

    def test_the_first_device_is_current(fakecuda):
        assert cuda.current_context().device.id == 0
"""


@pytest.mark.skipif(not NATIVE, reason="Numba needs the native door")
def test_numba_works_in_each_test(suite: Suite) -> None:
    """It makes its devices, contexts and arrays again, and leaves nothing behind."""
    pytest.importorskip("numba")
    suite.write(test_it=NUMBA)
    done = suite.run("--fakecuda-leaks=error", door="native")
    assert done.counts == {"PASSED": 7}, done.out


class Code:
    """Code of numba-cuda, with the caches of its kernel."""

    def __init__(self) -> None:
        self._cufunc_cache: dict[int, object] = {}
        self._cubin_cache: dict[int, object] = {}

    def load(self, device: int) -> list[object]:
        """Return the function and the cubin of a device, from the caches."""
        caches: tuple[dict[int, object], ...] = (self._cufunc_cache, self._cubin_cache)
        return [cache.setdefault(device, object()) for cache in caches]


def test_kernels_of_numba_are_loaded_on_each_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their functions are those of a machine, so code from before loads them again; bytes stay."""
    driver = SimpleNamespace(is_initialized=False, initialization_error=None, devices={})
    numba = SimpleNamespace(driver=driver)
    monkeypatch.setitem(sys.modules, "numba.cuda.codegen", SimpleNamespace(CUDACodeLibrary=Code))
    monkeypatch.setitem(sys.modules, numba_cuda.module, numba)
    before = Code()
    loaded = before.load(0)
    for _ in range(2):
        numba_cuda.begin(numba)
        code = Code()
        code._cubin_cache[1] = b"bytes"
        again = [*before.load(0), *code.load(0)]
        assert not {*loaded} & {*again}
        assert [*before.load(0), *code.load(0)] == again
        numba_cuda.end(numba)
        loaded = [*before.load(0), *code.load(0)]
        assert not {*loaded} & {*again}
        assert code.load(1)[1] == b"bytes"


LEAVES = """
import os
import fakecuda
from cuda.core import Device

def leave(**options):
    with fakecuda.simulate("h200", **options):
        Device(0).set_current()
        child = os.fork()
        if not child:
            return
        print(os.waitpid(child, 0)[1], flush=True)

parent = os.getpid()
for options in ({}, {"shared": False}):
    leave(**options)
    if os.getpid() != parent:
        os._exit(0)
"""


@pytest.mark.skipif(not NATIVE, reason="cuda.core needs the native door")
def test_a_fork_leaves_its_copy_of_a_machine() -> None:
    """Whose process is another one's, where it was shared: nothing is asked of it."""
    pytest.importorskip("cuda.core")
    done = subprocess.run([sys.executable, "-c", LEAVES], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("0\n0\n", "")


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("inherit", [None, False])
def test_a_machine_is_fresh_where_no_client_has_used_one(inherit: bool | None) -> None:  # noqa: FBT001 - the argument
    """Whatever an earlier one has left."""
    for _ in range(2):
        with module.simulate("h200", inherit=inherit, door="lookalike") as machine:
            c = machine.here.c
            assert c.cuDeviceGetCount() == (module.Result.NOT_INITIALIZED, None)
            assert c.cuInit(0) == (0,)
            assert c.cuDevicePrimaryCtxGetState(DEVICE) == (0, 0, 0)
            assert c.cuDevicePrimaryCtxRetain(DEVICE)[0] == 0


@pytest.mark.usefixtures("fresh")
def test_a_machine_goes_on_with_what_the_process_holds() -> None:
    """The driver is initialised, a context that is retained is active and empty, a default pool is there; all else is new."""

    def held(c: Any) -> tuple[int, int]:
        return c.cuDevicePrimaryCtxRetain(DEVICE)[1], c.cuDeviceGetDefaultMemPool(DEVICE)[1]

    with module.simulate("h200", inherit=True, door="lookalike") as machine:
        c = machine.here.c
        assert c.cuDeviceGetCount() == (module.Result.NOT_INITIALIZED, None)
        c.cuInit(0)
        context, pool = held(c)
        held(c)
        c.cudaFree(0)
        c.cuCtxSetCurrent(context)
        free, _ = c.cuMemGetInfo()[1:]
        memory = c.cuMemAlloc(1 << 20)[1]
        stream = c.cuStreamCreate(0)[1]
    with module.simulate("h200", inherit=True, door="lookalike") as machine:
        c = machine.here.c
        assert c.cuDevicePrimaryCtxGetState(DEVICE) == (0, 0, 1)
        assert c.cuCtxGetCurrent() == (0, 0)
        assert c.cuCtxSetCurrent(context) == (0,)
        assert c.cuMemGetInfo()[1] == free
        assert c.cuMemAllocFromPoolAsync(4096, pool, 0)[0] == 0
        assert held(c) == (context, pool)
        assert not machine.here.memory.at(memory)
        assert stream not in machine.here.streams
        for _ in range(3):  # the two of the machine before, of which the runtime's own was none, and this one's
            assert c.cuDevicePrimaryCtxRelease(DEVICE) == (0,)
        assert c.cuDevicePrimaryCtxRelease(DEVICE) == (module.Result.INVALID_CONTEXT,)
    with module.simulate("h200", inherit=True, door="lookalike") as machine:
        c = machine.here.c
        assert c.cuDevicePrimaryCtxGetState(DEVICE) == (0, 0, 0)
        assert held(c) == (context, pool)


@pytest.mark.usefixtures("fresh")
def test_a_machine_takes_what_it_has_devices_for() -> None:
    """A context of a second device waits until there is one again."""
    with module.simulate("h200-x2", inherit=True, door="lookalike") as machine:
        c = machine.here.c
        c.cuInit(0)
        contexts = [c.cuDevicePrimaryCtxRetain(device)[1] for device in (0, 1)]
    with module.simulate("h200", inherit=True, door="lookalike") as machine:
        assert list(machine.here.contexts) == contexts[:1]
    with module.simulate("h200-x2", inherit=True, door="lookalike") as machine:
        assert list(machine.here.contexts) == contexts


@pytest.mark.usefixtures("fresh")
def test_inner_and_outer_machines_are_of_one_process() -> None:
    """What one retains or releases, the other has or has not."""
    with module.simulate("h200", inherit=True, door="lookalike") as outer:
        outer.here.c.cuInit(0)
        context = outer.here.c.cuDevicePrimaryCtxRetain(DEVICE)[1]
        with module.simulate("h200", inherit=True, door="lookalike") as inner:
            assert list(inner.here.contexts) == [context]
            inner.here.c.cuDevicePrimaryCtxRetain(DEVICE)
        assert outer.here.primary(DEVICE).references == 2
        with module.simulate("h200", inherit=True, door="lookalike") as inner:
            inner.here.c.cuDevicePrimaryCtxRelease(DEVICE)
            inner.here.c.cuDevicePrimaryCtxRelease(DEVICE)
        assert outer.here.primary(DEVICE).references == 0
        assert not outer.here.contexts


@pytest.mark.usefixtures("fresh")
def test_handles_do_not_depend_on_what_came_before() -> None:
    """Those of contexts and pools of a process follow from what they are of; each has its own."""
    forward, backward = Handles(), Handles()
    wanted = [*range(16), *((kind, place, number) for kind in (1, 3) for place in range(6) for number in range(-1, 8))]
    assert [forward[one] for one in wanted] == [backward[one] for one in reversed(wanted)][::-1]
    assert len(set(forward.values())) == len(wanted)


@pytest.mark.usefixtures("fresh")
def test_a_machine_of_hip_goes_on_with_nothing() -> None:
    """What clients keep is CUDA's; it is there again on the next machine of CUDA's."""
    for _ in range(2):
        with module.simulate("h200", inherit=True, door="lookalike") as machine:
            machine.here.c.cuInit(0)
            context = machine.here.c.cuDevicePrimaryCtxRetain(DEVICE)[1]
        with module.simulate("hip-clr-2026", inherit=True, door="lookalike") as machine:
            assert machine.here.state == NOT_INITIALIZED
            assert not machine.here.contexts
    with module.simulate("h200", inherit=True, door="lookalike") as machine:
        assert list(machine.here.contexts) == [context]


def test_a_client_is_told_of_machines(client: list[str]) -> None:
    """When one is there, and before it ends; a machine goes on where the client is loaded."""
    with module.simulate("h200", door="lookalike") as machine:
        assert client == ["begin"]
        machine.here.c.cuInit(0)
        context = machine.here.c.cuDevicePrimaryCtxRetain(DEVICE)[1]
    assert client == ["begin", "end"]
    with module.simulate("h200", door="lookalike") as machine:
        assert list(machine.here.contexts) == [context]
    with module.simulate("h200", door="lookalike", inherit=False) as machine:
        assert not machine.here.contexts


@pytest.mark.usefixtures("client")
def test_a_failed_call_with_what_the_process_holds_is_no_use_of_a_former_machine(
    recwarn: pytest.WarningsRecorder,
) -> None:
    """The handle is as good on this machine."""
    with module.simulate("h200", door="lookalike") as machine:
        machine.here.c.cuInit(0)
        context = machine.here.c.cuDevicePrimaryCtxRetain(DEVICE)[1]
    with module.simulate("h200", door="lookalike") as machine:
        assert machine.here.c.cuCtxDestroy(context) != (0,)
    assert not late_uses.take_outlived()
    assert not [one for one in recwarn if one.category is late_uses.OutlivedWarning]
