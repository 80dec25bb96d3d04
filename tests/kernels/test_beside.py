"""Calls of other threads beside a launch that executes much."""

from __future__ import annotations

import ctypes
import gc
import signal
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import FakeCudaError, MachineClosed, ProcessDied
from fakecuda.errors import KernelError
from fakecuda.kernels import beside, launch
from fakecuda.kernels.beside import Beside
from fakecuda.kernels.compiled import engine
from fakecuda.kernels.compiled import grid as compiled_grid
from fakecuda.kernels.compiled.private import Unknown
from fakecuda.model.memory.backing import DeviceMemory

from .world import Bench, kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(not engine.is_installed(), reason="needs the extra kernels")

COUNT = """ld.global.u32 %r3, [%d0]; mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; st.global.u32 [%d0+4], %r1;
setp.lt.u32 %p0, %r1, 9000; @%p0 bra L; add.u32 %r3, %r3, 1; st.global.u32 [%d0], %r3;"""
"""It counts to 9000 in its second word, and adds 1 to its first one."""
AWAITS = "L: ld.volatile.global.u32 %r1, [%d0]; setp.eq.u32 %p0, %r1, 0; @%p0 bra L; st.global.u32 [%d0+4], %r1;"


class World:
    """A process whose launches let other threads act.

    Args:
        bench: The process.
        patch: The fixture ``monkeypatch``.

    Attributes:
        acts: What other threads do, one each time that the lock is released.
        times: How often native code has begun a launch.
        released: How often the lock was released.
    """

    def __init__(self, bench: Bench, patch: pytest.MonkeyPatch) -> None:
        self.bench, self.acts, self.times, self.released = bench, list[Any](), 0, 0
        bench.machine.ptx = launch.Runner()
        let, ended = Beside.let, launch.ended

        def acting(this: Beside) -> None:
            let(this)
            self.released += 1
            if self.acts:
                act = self.acts.pop(0)
                thread = threading.Thread(target=lambda: (bench.c.cuCtxSetCurrent(bench.context), act()))
                thread.start()
                thread.join()

        def counted(*given: Any) -> Any:
            self.times += 1
            return ended(*given)

        patch.setattr(Beside, "let", acting)
        patch.setattr(launch, "ended", counted)
        patch.setattr(launch, "is_alone", lambda _: False)
        for name, value in (("SLICE", 5000), ("LONG", 0), ("SHORT", 0)):
            patch.setattr(compiled_grid, name, value)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., World]]:
    """Return what makes a world with a kernel."""
    benches: list[Bench] = []

    def make(body: str, before: str = "", params: str = ".param .u64 out", **options: Any) -> World:
        benches.append(Bench(kernel(body, before, params), **options))
        return World(benches[-1], monkeypatch)

    yield make
    for one in benches:
        one.machine.close()


def test_calls_that_change_something_else(made: Callable[..., World]) -> None:
    """They are made while the kernel runs. The call checks again, and takes the result."""
    world = made(COUNT)
    bench = world.bench
    out, other = bench.array("c_uint32", 5, 0), bench.memory(bytes(4))
    world.acts = [lambda: bench.memory(b"1234"), lambda: bench.c.cuMemFree(other)]
    assert bench.launch("k", out) == 0
    assert bench.values(out, "c_uint32", 2) == [6, 9000]
    assert (world.acts, world.times) == ([], 1)
    assert [one.call for one in bench.machine.log[-3:-1]] == ["cuMemFree", "cuLaunchKernel"]


def test_calls_that_change_nothing(made: Callable[..., World]) -> None:
    """The launch goes on as if it had kept the lock."""
    world = made(COUNT)
    out = world.bench.array("c_uint32", 5, 0)
    world.acts = [world.bench.c.cuCtxGetDevice]
    assert world.bench.launch("k", out) == 0
    assert world.bench.values(out, "c_uint32", 2) == [6, 9000]
    assert world.released > 1
    assert world.times == 1
    assert gc.isenabled()
    gc.disable()
    try:
        assert world.bench.launch("k", out) == 0
        assert not gc.isenabled()
    finally:
        gc.enable()
    assert world.bench.values(out, "c_uint32", 2) == [7, 9000]


def test_other_work_on_the_same_memory(made: Callable[..., World]) -> None:
    """The kernel runs again after a copy, a fill or another kernel, and holds the lock then."""
    world = made(COUNT)
    bench = world.bench
    out = bench.array("c_uint32", 5, 0)
    acts: list[tuple[Callable[[], object], int]] = [
        (lambda: bench.c.cuMemcpyHtoD(out, b"\x09\0\0\0", 4), 10),
        (lambda: bench.c.cuMemsetD32(out, 20, 1), 21),
        (lambda: bench.launch("k", out), 23),
    ]
    for act, wanted in acts:
        world.acts, world.times = [act], 0
        assert bench.launch("k", out) == 0
        assert bench.values(out, "c_uint32", 2) == [wanted, 9000]
        assert world.times == 2 + (wanted == 23)
    bench.c.cuMemsetD32(out, 1, 1)
    again: list[int] = []
    world.acts, world.released = [lambda: bench.c.cuMemsetD32(out, 3, 1), lambda: again.append(1)], 0
    assert bench.launch("k", out) == 0
    assert bench.values(out, "c_uint32", 1) == [4]


def test_a_kernel_that_waits_for_another_thread(made: Callable[..., World]) -> None:
    """It sees what copies write, as on a card: one after another, so that it cannot run again."""
    second = "ld.param.u64 %d1, [flag]; L: ld.volatile.global.u32 %r1, [%d1]; setp.eq.u32 %p0, %r1, 0; @%p0 bra L;"
    third = "st.global.u32 [%d0], %r1; M: ld.volatile.global.u32 %r1, [%d1]; setp.ne.u32 %p0, %r1, 9; @%p0 bra M;"
    world = made(second + third, params=".param .u64 out, .param .u64 flag", races=False)
    bench = world.bench
    out, flag = bench.memory(bytes(4)), bench.memory(bytes(4))
    world.acts = [partial(bench.c.cuMemcpyHtoD, flag, bytes([one, 0, 0, 0]), 4) for one in (0, 7, 7, 7, 8, 9)]
    assert bench.launch("k", out, flag) == 0
    assert bench.values(out, "c_uint32", 1)[0] in {7, 8, 9}
    assert world.times == 1


def test_memory_that_is_freed(made: Callable[..., World]) -> None:
    """Its bytes stay until the kernel ends. Then the call finds that the memory is gone."""
    world = made(COUNT)
    bench = world.bench
    out = bench.array("c_uint32", 5, 0)
    place: list[int] = []

    def free() -> None:
        assert bench.c.cuMemFree(out) == (0,)
        place.append(bench.memory(b"12345678"))

    world.acts = [free]
    assert bench.launch("k", out) in {0, 700}
    if place[0] != out:
        assert bench.sync() == 700


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (lambda bench: bench.c.cuModuleUnload(bench.module), 400),
        (lambda bench: bench.c.cuCtxDestroy(bench.context), 709),
    ],
)
def test_what_the_launch_needs_ends(made: Callable[..., World], act: Callable[[Bench], object], code: int) -> None:
    """The call checks again."""
    world = made(COUNT)
    out = world.bench.array("c_uint32", 5, 0)
    world.acts = [lambda: act(world.bench)]
    assert world.bench.launch("k", out) == code
    assert world.times == 1


def test_the_machine_is_closed(made: Callable[..., World], monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory stays mapped until the kernel ends."""
    world = made(COUNT)
    bench = world.bench
    out = bench.array("c_uint32", 5, 0)
    bases: list[int] = []
    leave = DeviceMemory.leave

    def left(self: DeviceMemory) -> Any:
        bases.append(self._base)
        found = leave(self)
        bases.append(self._base)
        return found

    monkeypatch.setattr(DeviceMemory, "leave", left)
    world.acts = [bench.c.cuCtxGetDevice, bench.machine.close]
    with pytest.raises(MachineClosed) as raised:
        bench.launch("k", out)
    assert raised.value.waited
    assert bases[0]
    assert not bases[-1]


def test_the_process_ends(made: Callable[..., World]) -> None:
    """The call ends with it."""
    world = made(COUNT)
    out = world.bench.array("c_uint32", 5, 0)
    process = next(iter(world.bench.machine.processes.values()))
    world.acts = [lambda: world.bench.machine.end(process)]
    with pytest.raises(ProcessDied):
        world.bench.launch("k", out)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c(made: Callable[..., World]) -> None:
    """It ends the launch, and the machine is as before."""
    world = made("st.global.u32 [%d0], 7; L: bra L;")
    out = world.bench.memory(bytes(4))
    world.acts = [lambda: signal.raise_signal(signal.SIGINT)]
    with pytest.raises(KeyboardInterrupt):
        world.bench.launch("k", out)
    lock: Any = world.bench.machine.lock
    assert not lock._is_owned()
    assert world.bench.values(out, "c_uint32", 1) == [0]
    assert world.bench.c.cuMemFree(out) == (0,)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_within_a_search(made: Callable[..., World], monkeypatch: pytest.MonkeyPatch) -> None:
    """What native code asks for comes to its end first."""
    world = made(COUNT)
    out = world.bench.array("c_uint32", 5, 0)
    found = compiled_grid.CompiledGrid.found

    def pressed(self: Any, *given: int) -> int:
        signal.raise_signal(signal.SIGINT)
        monkeypatch.setattr(compiled_grid.CompiledGrid, "found", found)
        return found(self, *given)

    monkeypatch.setattr(compiled_grid.CompiledGrid, "found", pressed)
    with pytest.raises(KeyboardInterrupt):
        world.bench.launch("k", out)
    assert world.bench.values(out, "c_uint32", 2) == [5, 0]


def test_memory_of_the_host(made: Callable[..., World]) -> None:
    """The host may free it without a call, so the kernel keeps the lock from its first access on."""
    world = made(COUNT)
    bench = world.bench
    out = bench.ok(bench.c.cuMemAllocHost(8))
    ctypes.memset(out, 0, 8)
    assert bench.launch("k", out) == 0
    assert bench.sync() == 0
    assert ctypes.string_at(out, 8) == (1).to_bytes(4, "little") + (9000).to_bytes(4, "little")
    assert world.released == 1


def test_text_is_printed_under_the_lock(made: Callable[..., World], capfd: pytest.CaptureFixture[str]) -> None:
    """So is everything that Python does for native code."""
    before = """.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
    .global .align 1 .b8 text[4] = {104, 105, 10, 0};"""
    body = """mov.u64 %d1, text; { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %d1; st.param.b64 [b], 0;
    call (r), vprintf, (a, b); }"""
    world = made(body, before)
    assert world.bench.launch("k", world.bench.memory(bytes(4))) == 0
    assert capfd.readouterr().out == "hi\n"
    assert world.released > 1


def test_a_kernel_that_does_not_end(made: Callable[..., World]) -> None:
    """Its error comes at once, whatever other threads have done."""
    world = made(AWAITS)
    world.bench.machine.scheduler.wait_timeout = 0.001
    out = world.bench.memory(bytes(8))
    world.acts = [lambda: world.bench.memory(b"1")]
    with pytest.raises(KernelError, match="does not end"):
        world.bench.launch("k", out)
    assert world.times == 1


def test_steps_that_are_brief(made: Callable[..., World], monkeypatch: pytest.MonkeyPatch) -> None:
    """One of them now and then lets other threads act, and waits a moment for them."""
    world = made(COUNT)
    slept: list[float] = []
    monkeypatch.setattr("fakecuda.kernels.beside.time.sleep", slept.append)
    monkeypatch.setattr(compiled_grid, "SHORT", 1 << 30)
    monkeypatch.setattr(compiled_grid, "OFTEN", 12_000)
    out = world.bench.array("c_uint32", 5, 0)
    assert world.bench.launch("k", out) == 0
    assert world.bench.values(out, "c_uint32", 2) == [6, 9000]
    assert slept == [beside.PAUSE] * 3


SHARED = """.reg .b32 %s<9>; mov.u32 %r1, %tid.x; mov.u32 %r2, tile; ld.shared.u32 %r4, [%r2]; st.shared.u32 [%r2], %r4; bar.sync 0;
st.global.u32 [%d0], 1;"""


def test_launches_that_begin_again(made: Callable[..., World], monkeypatch: pytest.MonkeyPatch) -> None:
    """Because the detector needs all stamps, or because only plain Python knows; with other calls, and without."""
    for changes in (False, True):
        world = made(SHARED, ".shared .align 4 .u32 tile;")
        out = world.bench.memory(bytes(4))
        world.acts = [partial(world.bench.memory, b"1")] * changes
        assert world.bench.launch("k", out) == 0
        assert world.bench.values(out, "c_uint32", 1) == [1]
        engine.native.cache_clear()
        launch.kernel_of.cache_clear()
        launch.program_of.cache_clear()
    world = made(COUNT)
    out = world.bench.array("c_uint32", 5, 0)
    monkeypatch.setattr(compiled_grid.CompiledGrid, "run", refused)
    world.acts = []
    assert world.bench.launch("k", out) == 0
    assert world.bench.values(out, "c_uint32", 2) == [6, 9000]


def refused(_: Any) -> None:
    """Leave a launch to plain Python."""
    raise Unknown


def test_who_may_come_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other threads of Python, and threads that have called; nothing within a graph or a queue."""
    with Bench(kernel(COUNT)) as bench:
        monkeypatch.setattr(threading, "active_count", lambda: 1)
        assert beside.is_alone(bench.machine)
        bench.machine.scheduler.census.callers.update({1, 2})
        assert not beside.is_alone(bench.machine)
        monkeypatch.setattr(threading, "active_count", lambda: 2)
        bench.machine.scheduler.census.callers.clear()
        assert not beside.is_alone(bench.machine)


def test_work_that_waits_keeps_the_lock(made: Callable[..., World]) -> None:
    """It runs within another call, which may have had an effect."""
    world = made(COUNT, completion="manual")
    out = world.bench.array("c_uint32", 5, 0)
    assert world.bench.launch("k", out) == 0
    assert world.bench.values(out, "c_uint32", 2) == [6, 9000]
    assert world.released == 0


def test_errors_of_a_second_check(made: Callable[..., World]) -> None:
    """What the machine refuses meanwhile, it refuses the launch."""
    world = made(COUNT)
    out = world.bench.array("c_uint32", 5, 0)
    world.acts = [lambda: world.bench.machine.end(next(iter(world.bench.machine.processes.values())))]
    with pytest.raises(FakeCudaError):
        world.bench.launch("k", out)
