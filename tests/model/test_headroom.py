"""Calls in an OS process whose memory is limited; ``python -m conformance.fuzz.limits`` tries all of them."""

from __future__ import annotations

import ctypes
import os
import resource
from typing import TYPE_CHECKING

import pytest

import fakecuda
from conformance.fuzz import interrupts, limits
from conformance.fuzz.whole import is_held
from fakecuda.model.call import Call
from fakecuda.model.memory import headroom, memory_effects
from fakecuda.model.memory.va import Mapping
from fakecuda.model.os import interruption
from tests.model.waiting_calls import WAITING, World

from .test_interrupts import send_when_waiting
from .test_transfer import PATTERN, SEAM, adjoining, put
from .world import GRANULE, contents, done, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fakecuda import Machine

FAR = 1 << 52
"""A limit that no process reaches."""
CALLS = ["cuMemAlloc", "cuCtxDestroy", "hipMemPrefetchAsync"]
"""Calls with one effect, and with several; the command takes all calls."""


@pytest.fixture
def limited() -> Iterator[None]:
    """Limit the memory of this process, so far away that it has all that it wants."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (FAR, hard))
    yield
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


@pytest.mark.parametrize("limit", limits.LIMITS)
def test_calls_where_no_memory_is_left(limit: str) -> None:
    """They happen, or raise MemoryError and have changed nothing."""
    told = limits.outside(limit, CALLS)
    assert f"{len(CALLS)} calls made" in told
    assert "0 wrong, 0 that" in told
    assert " 0 refused" not in told


def test_a_call_that_begins_without_room_is_found() -> None:
    """Memory runs out in its midst, with some blocks left: without any, CPython 3.11 raises for ever."""
    without = (
        "from conformance.fuzz import limits\nlimits.BLOCKS = (64,)\n"
        "from fakecuda.model.memory import headroom\nheadroom.read_limits = lambda: None"
    )
    assert "cuMemAlloc with" in limits.outside("DATA", ["cuMemAlloc"], without)


@pytest.mark.usefixtures("limited")
def test_there_is_room_for_a_call(machine: Machine) -> None:
    """It is asked for once, for all that is part of the call."""
    process = started(machine)
    assert headroom.limited
    assert process.c.cudaMalloc(512)[0] == 0


@pytest.mark.usefixtures("limited")
def test_a_call_without_room_is_not_begun(machine: Machine) -> None:
    """The machine is as before, and goes on when there is room again."""
    process = started(machine)
    before = machine.snapshot()
    headroom.limited[:] = [FAR]
    with pytest.raises(MemoryError, match=rf"process {os.getpid()} has less than {FAR >> 20} MiB left .*ulimit -v"):
        process.c.hipMalloc(512)
    headroom.read_limits()
    assert machine.snapshot() == before
    done(process.c.cuMemAlloc(512))


@pytest.mark.usefixtures("limited")
def test_a_part_of_a_call_asks_for_nothing(machine: Machine) -> None:
    """Who has the machine's lock has begun."""
    process = started(machine)
    headroom.limited[:] = [FAR]
    with machine.lock:
        headroom.make_room(Call(next(iter(process.threads.values()))))
    headroom.read_limits()


@pytest.mark.usefixtures("limited")
def test_a_call_that_another_process_makes_asks_here_too(machine: Machine) -> None:
    """Its frames take memory of this one."""
    process = started(machine)
    thread = next(iter(process.threads.values()))
    thread.remote = lambda *_: (0, None)
    assert process.c.cuCtxSynchronize() == (0,)
    headroom.limited[:] = [FAR]
    with pytest.raises(MemoryError):
        process.c.cuCtxSynchronize()
    headroom.read_limits()


def test_limits_are_read_when_the_program_sets_them(machine: Machine) -> None:  # noqa: ARG001 - one has been made
    """By either function; without a limit nothing is asked for, whatever the stacks of threads may be."""
    what = resource.RLIMIT_AS
    soft, hard = resource.getrlimit(what)
    assert headroom.limited == []
    try:
        resource.setrlimit(what, (FAR, hard))
        assert headroom.limited == [headroom.NEED + resource.getrlimit(resource.RLIMIT_STACK)[0]]
    finally:
        assert resource.prlimit(0, what, (soft, hard)) == (FAR, hard)
    assert headroom.limited == []


@pytest.mark.parametrize(("told", "asks"), [("2\n", True), ("0\n", False), (None, False)])
def test_a_system_that_promises_no_more_than_it_has(
    told: str | None,
    asks: bool,  # noqa: FBT001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It refuses memory as a limit does; it may be none that tells."""
    place = tmp_path / "overcommit_memory"
    if told is not None:
        place.write_text(told)
    with monkeypatch.context() as patch:
        patch.setattr(headroom, "OVERCOMMIT", place)
        headroom.promises_no_more.cache_clear()
        headroom.read_limits()
        assert bool(headroom.limited) == asks
    headroom.promises_no_more.cache_clear()
    headroom.read_limits()


@pytest.mark.usefixtures("limited")
def test_a_stack_without_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads have one of the system's choice."""
    monkeypatch.setattr(resource, "getrlimit", lambda what: (FAR if what == resource.RLIMIT_DATA else -1, -1))
    headroom.read_limits()
    assert headroom.limited == [headroom.NEED + headroom.STACK]


@pytest.mark.usefixtures("limited")
def test_a_call_that_has_waited_asks_again(handled: list[Callable[[], None]]) -> None:
    """Others may have taken the memory meanwhile; what it waited for has changed nothing."""
    with fakecuda.simulate("h200", door="lookalike", strict=False) as machine:
        world = World(created=True)

        def come() -> None:
            headroom.limited[:] = [FAR]
            world.write(0)

        handled.append(come)
        sender = send_when_waiting(machine)
        with pytest.raises(MemoryError):
            WAITING["cuMemFree"](world)
        sender.join()
        headroom.read_limits()
        assert not is_held(machine)
        assert WAITING["cuMemFree"](world) == 0


@pytest.mark.parametrize(("call", "torn"), [("cuMemAlloc", False), ("cuMemSetAccess", True)])
def test_an_effect_that_finds_no_memory_before_it_changes_anything(
    call: str,
    torn: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It has not happened; one that others came before has."""
    interrupts.calls()
    world = interrupts.World.of(call)
    with monkeypatch.context() as patch:
        patch.setattr(interruption, "FIRST", {short_of_memory.__code__})
        patch.setattr(memory_effects, "allocate", short_of_memory)
        patch.setattr(Mapping, "grant", short_of_memory)
        with pytest.raises(MemoryError):
            world.call()
    assert interruption.is_torn(world.machine) == torn
    world.machine.close()


def test_a_copy_that_the_host_has_no_memory_for(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Across the seam of two mappings it goes through a buffer, which may be as large as the card."""
    a = started(machine)
    seam = adjoining(a) + GRANULE - SEAM
    put(a, seam, PATTERN)
    target = done(a.c.cuMemAlloc(2 * SEAM))
    with monkeypatch.context() as patch:
        patch.setattr(ctypes, "create_string_buffer", short_of_memory)
        with pytest.raises(MemoryError):
            a.c.cuMemcpyDtoD(target, seam, 2 * SEAM)
    done(a.c.cuMemcpyDtoD(target, seam, 2 * SEAM))
    assert contents(a, target, 2 * SEAM) == PATTERN


def short_of_memory(*_: object) -> None:
    """Fail as what takes memory does."""
    raise MemoryError
