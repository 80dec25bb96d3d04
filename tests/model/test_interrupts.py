"""Interrupted calls: at some instructions of every one, and in waits; ``python -m conformance.fuzz.interrupts`` tries all.

Each call is tried in one way, at a few instructions; the ways are proven by planting what they must find.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import zlib
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.fuzz.interrupts import KINDS, Stop, calls, interrupt
from conformance.fuzz.trials import Trials
from conformance.fuzz.whole import is_held
from conformance.kit.world import NotBuilt, Unavailable
from fakecuda.errors import MachineCorrupted
from fakecuda.model.memory import memory_effects
from fakecuda.model.os import interruption
from fakecuda.model.work import waiting
from tests.limits import until
from tests.model.waiting_calls import WAITING, World
from tests.rotation import part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

STEP = 149
PARTS = dict.fromkeys(KINDS, 3) | {"calls": 6}
"""The number of commits that together interrupt each call."""


def way_of(call: str) -> str:
    """Return the way in which a call is tried."""
    number = zlib.crc32(call.encode())
    ways = KINDS[number % 2 :: 2]
    return ways[number // 2 % len(ways)]


def tried(some: Iterable[str], kind: str, step: int = STEP) -> Trials:
    """Return what is seen of some calls, interrupted at every so many instructions."""
    seen = Trials()
    for call in some:
        try:
            one = interrupt(call, kind, step, 1 + zlib.crc32(f"{call} {kind}".encode()) % step)
        except (NotBuilt, Unavailable):
            continue
        seen.counts.update(one.counts)
        seen.wrong += one.wrong
    return seen


POINTS = 300 if sys.version_info >= (3, 13) else 400
"""The minimum number of tried instructions; Python 3.13.0 traces fewer."""


@pytest.mark.parametrize("kind", KINDS)
def test_calls_happen_or_do_not(kind: str) -> None:
    """Whatever comes at whichever instruction; no signal cuts one."""
    seen = tried(part([call for call in calls() if way_of(call) == kind], PARTS[kind]), kind)
    assert not seen.wrong
    assert seen.counts["points"] > POINTS // PARTS[kind]
    assert (seen.counts["torn"] > 0) == (kind == "cut")


@pytest.mark.parametrize(
    ("kind", "call", "step"), [("raises", "cuCtx", 17), ("calls", "cuMemAlloc", 11), ("traced", "cuCtx", 17)]
)
def test_what_does_not_wait_is_found(kind: str, call: str, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs within an operation cuts it, or calls into it."""
    monkeypatch.setattr(interruption, "is_operating", lambda _: False)
    assert any(tried([one], kind, step).wrong for one in calls(call))


def test_a_cut_that_is_not_told_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that goes on when an effect of it was cut in two."""
    monkeypatch.setattr(interruption, "_cuts", lambda *_: False)
    assert tried(calls("cuCtxDestroy"), "cut", 17).wrong


def deeper(levels: int, call: Callable[[], Any]) -> Any:
    """Return what a call answers with so many frames above it."""
    return deeper(levels - 1, call) if levels else call()


def outcome(call: Callable[[], Any]) -> str:
    """Return the code of a call, or what it raises."""
    try:
        return str(call()[0])
    except (RecursionError, MachineCorrupted) as error:
        return type(error).__name__


def test_a_stack_that_runs_out() -> None:
    """At every depth: the call happens, or it does not, or the machine says that it is none any more."""
    seen: set[tuple[str, str]] = set()
    limit = sys.getrecursionlimit()
    room = limit - len(list(frames()))
    for left in (room, *range(2, 40)):  # the first call imports, which needs more of the stack than any other
        with fakecuda.Machine("h200", strict=False) as machine:
            calls = machine.spawn("a").thread("main").c
            calls.cuInit(0)
            calls.cuCtxCreate(None, 0, 0)
            destroy = partial(calls.cuCtxDestroy, calls.cuCtxGetCurrent()[1])
            calls.cuMemAlloc(512)
            came = outcome(partial(deeper, room - left, destroy))
            seen.add((came, outcome(partial(calls.cuInit, 0))))
            assert not is_held(machine)
            if not interruption.is_torn(machine):
                machine.check_invariants()
        assert sys.getrecursionlimit() - limit in range(8)
        sys.setrecursionlimit(limit)
    assert seen == {("RecursionError", "0"), ("RecursionError", "MachineCorrupted"), ("0", "0")}


def frames() -> Iterator[object]:
    """Yield the frames of the calling function and those above it."""
    frame = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back  # type: ignore[assignment]


def send_when_waiting(machine: fakecuda.Machine) -> threading.Thread:
    """Send the signal from another thread, when the main thread waits."""
    number = threading.get_native_id()

    def send() -> None:
        until(lambda: number in machine.scheduler.census.waiting)
        os.kill(os.getpid(), signal.SIGUSR2)

    thread = threading.Thread(target=send)
    thread.start()
    return thread


@pytest.mark.parametrize("name", WAITING)
def test_a_handler_ends_a_wait(name: str, handled: list[Callable[[], None]]) -> None:
    """As Ctrl-C does: it raises, and the machine is as before the call, which can be made again."""

    def stop() -> None:
        raise Stop

    handled.append(stop)
    with fakecuda.simulate("h200", door="lookalike", strict=False) as machine:
        world = World(created=True)
        before = machine.snapshot()
        sender = send_when_waiting(machine)
        with pytest.raises(Stop):
            WAITING[name](world)
        sender.join()
        assert machine.snapshot() == before
        world.write(0)
        assert WAITING[name](world) == 0


@pytest.mark.parametrize("name", WAITING)
def test_a_handler_calls_while_a_call_waits(name: str, handled: list[Callable[[], None]]) -> None:
    """It brings about what is waited for; the collector works meanwhile."""
    codes: list[int] = []
    collects: list[bool] = []
    with fakecuda.simulate("h200", door="lookalike", strict=False) as machine:
        world = World(created=True)
        handled.append(lambda: codes.append(world.driver_call("cuMemAlloc", 512)))
        handled.append(lambda: collects.append(gc.isenabled()))
        handled.append(lambda: world.write(0))
        sender = send_when_waiting(machine)
        assert WAITING[name](world) == 0
        sender.join()
        machine.check_invariants()
    assert (codes, collects, gc.isenabled()) == ([0], [True], True)


def test_a_collector_that_is_off_stays_off_in_a_wait(handled: list[Callable[[], None]]) -> None:
    """Who has paused it wants it so."""
    collects: list[bool] = []
    with fakecuda.simulate("h200", door="lookalike", strict=False) as machine:
        world = World(created=True)
        handled.append(lambda: collects.append(gc.isenabled()))
        handled.append(lambda: world.write(0))
        sender = send_when_waiting(machine)
        gc.disable()
        try:
            assert WAITING["cuStreamSynchronize"](world) == 0
        finally:
            collects.append(gc.isenabled())
            gc.enable()
        sender.join()
    assert collects == [False, False]


def test_a_handler_that_comes_between_two_looks_runs_at_the_next(
    handled: list[Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call that waits holds the lock there: the handler would find the machine's queues half-way."""
    held: list[bool] = []
    with fakecuda.simulate("h200", door="lookalike", strict=False) as machine:
        world, real = World(created=True), waiting._go_on

        def go_on(*args: Any) -> None:
            if not held:
                signal.raise_signal(signal.SIGUSR2)
                assert not held
            real(*args)

        monkeypatch.setattr(waiting, "_go_on", go_on)
        handled.append(lambda: held.append(machine.lock._is_owned()))  # type: ignore[attr-defined]
        handled.append(lambda: world.write(0))
        assert WAITING["cuStreamSynchronize"](world) == 0
    assert held == [False]


def test_handlers_are_told_as_they_were_set(handled: list[Callable[[], None]]) -> None:
    """Who asks for one gets it, whatever stands for it meanwhile."""
    assert not handled

    def handler(*_: object) -> None:
        handled.clear()

    former = signal.getsignal(signal.SIGUSR2)
    assert signal.signal(signal.SIGUSR2, handler) is former
    assert signal.getsignal(signal.SIGUSR2) is handler
    assert signal.signal(signal.SIGUSR2, signal.SIG_IGN) is handler
    assert signal.signal(signal.SIGUSR2, former) is signal.SIG_IGN
    with pytest.raises(TypeError):
        signal.signal(signal.SIGUSR2, "no handler")  # type: ignore[arg-type]


@pytest.mark.parametrize("shared", [False, True])
def test_a_cut_machine_says_so_and_closes(shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    """To each further call, by its name; what it holds of the system is given back all the same."""
    with fakecuda.simulate("h200", door="lookalike", shared=shared) as machine:
        calls = machine.here.c
        calls.cuInit(0)
        calls.cuCtxCreate(None, 0, 0)
        with monkeypatch.context() as patch:
            patch.setattr(memory_effects, "allocate", short_of_memory)
            patch.setattr(interruption, "CODES", {short_of_memory.__code__})
            with pytest.raises(MemoryError):
                calls.cuMemAlloc(512)
        for _ in range(2):
            with pytest.raises(
                MachineCorrupted, match="MemoryError interrupted cuMemAlloc in the middle of its effect"
            ):
                calls.cuMemGetInfo()
    assert machine.closed


def short_of_memory(*_: object) -> None:
    """Fail as an effect does that memory runs out in."""
    raise MemoryError
