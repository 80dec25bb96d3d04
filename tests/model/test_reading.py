"""Signals that come while an image is read: their handlers run before the call's effect."""

from __future__ import annotations

import gc
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fuzz.interrupts import Stop
from conformance.kit.kernels import HEAD, PTX
from fakecuda.model.code import image, ptx_tokens, reading
from fakecuda.model.os import interruption
from fakecuda.model.snapshot import snapshot
from fakecuda.spec.codes import Result
from tests.model.test_image import fatbin

from .world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine, Process

TEXT = PTX + b"\n.visible .global .u32 more;\n"
WRONG = (HEAD + ".visible .entry k { ret; }\n" * 2).encode()
TEXT_INPUT = 1
"""CU_JIT_INPUT_PTX."""
MANY = 200
"""More pauses than any test has."""


@pytest.fixture(autouse=True)
def paused(monkeypatch: pytest.MonkeyPatch, handled: list[Callable[[], Any]]) -> list[int]:
    """Have a handled signal come just before each pause of a reader, with a few tokens between two; list the pauses."""
    assert not handled
    real, pauses = reading.pause, list[int]()

    def pause() -> None:
        pauses.append(1)
        assert len(pauses) < MANY, "the image is read again and again"
        signal.raise_signal(signal.SIGUSR2)
        real()

    image.parsed.cache_clear()
    image.relocatable.cache_clear()
    monkeypatch.setattr(ptx_tokens, "BATCH", 20)
    monkeypatch.setattr(reading, "pause", pause)
    return pauses


def loads(a: Process) -> dict[str, Callable[[], Any]]:
    """Return calls that read PTX: alone, in a fatbin, for a linker, for a library."""
    _, state = a.c.cuLinkCreate(0, None, None)
    return {
        "module": lambda: a.c.cuModuleLoadData(TEXT),
        "fatbin": lambda: a.c.cuModuleLoadFatBinary(fatbin((1, 70, TEXT, 0))),
        "linker": lambda: a.c.cuLinkAddData(state, TEXT_INPUT, TEXT, len(TEXT), None, 0, None, None),
        "library": lambda: a.c.cuLibraryGetKernel(
            done(a.c.cuLibraryLoadData(TEXT, None, None, 0, None, None, 0)), b"empty"
        ),
    }


KINDS = ("module", "fatbin", "linker")
"""Calls that read before they create anything."""


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_handler_raises_ends_the_call(
    kind: str, machine: Machine, handled: list[Callable[[], Any]], paused: list[int]
) -> None:
    """At the first pause; nothing has happened, the lock is free, the collector works, and the call succeeds later."""
    a = started(machine)
    load = loads(a)[kind]
    before = snapshot(machine)

    def stop() -> None:
        raise Stop

    handled.append(stop)
    with pytest.raises(Stop):
        load()
    assert len(paused) == 1
    assert snapshot(machine) == before
    assert not machine.lock._is_owned()  # type: ignore[attr-defined]
    assert gc.isenabled()
    handled.clear()
    assert load()[0] == 0


@pytest.mark.parametrize("kind", [*KINDS, "library"])
def test_a_handler_that_returns_changes_nothing(
    kind: str, machine: Machine, handled: list[Callable[[], Any]], paused: list[int]
) -> None:
    """It runs at each pause, with the collector on; the image is read once, and the call is made again with it."""
    a = started(machine)
    seen: list[tuple[bool, bool]] = []
    handled.append(lambda: seen.append((gc.isenabled(), machine.lock._is_owned())))  # type: ignore[attr-defined]
    assert loads(a)[kind]()[0] == 0
    assert len(seen) == len(paused) > 3
    assert set(seen) == {(True, False)}


def test_a_handler_that_returns_leaves_a_paused_collector(machine: Machine, handled: list[Callable[[], Any]]) -> None:
    """The program has turned it off."""
    a, seen = started(machine), list[bool]()
    handled.append(lambda: seen.append(gc.isenabled()))
    gc.disable()
    try:
        assert loads(a)["module"]()[0] == 0
        assert not gc.isenabled()
    finally:
        gc.enable()
    assert seen
    assert not any(seen)


def test_a_call_of_several_effects_is_not_cut_in_two(machine: Machine, handled: list[Callable[[], Any]]) -> None:
    """By a handler that raises while the call reads."""
    a = started(machine)
    library = done(a.c.cudaLibraryLoadData(TEXT, None, None, 0, None, None, 0))
    kernel = done(a.c.cudaLibraryGetKernel(library, b"empty"))
    image.parsed.cache_clear()

    def stop() -> None:
        raise Stop

    handled.append(stop)
    with pytest.raises(Stop):
        a.c.cudaFuncSetCacheConfig(kernel, 0)
    handled.clear()
    assert a.c.cudaFuncSetCacheConfig(kernel, 0) == (0,)


def test_calls_of_other_threads_go_on_meanwhile(machine: Machine, handled: list[Callable[[], Any]]) -> None:
    """A handler may wait for one."""
    a, sizes = started(machine), list[int]()

    def other() -> None:
        thread = threading.Thread(target=lambda: sizes.append(a.thread("other").c.cuMemGetInfo()[0]))
        thread.start()
        thread.join()

    handled.append(other)
    assert loads(a)["module"]()[0] == 0
    assert sizes


@pytest.mark.parametrize("data", [TEXT, WRONG, b"garbage"])
def test_a_call_checks_again_what_a_handler_has_changed(
    data: bytes, permissive: Machine, handled: list[Callable[[], Any]]
) -> None:
    """The context is current no more, whatever the image is."""
    a = started(permissive)
    popped: list[int] = []
    handled.append(lambda: popped.append(a.c.cuCtxPopCurrent()[0]))
    assert a.c.cuModuleLoadData(data)[0] == Result.INVALID_CONTEXT
    assert popped


def test_an_image_that_is_refused_is_read_once(
    permissive: Machine, handled: list[Callable[[], Any]], paused: list[int]
) -> None:
    """However often a signal comes; an input of a linker is logged once, too."""
    a = started(permissive)
    handled.append(lambda: None)
    assert a.c.cuModuleLoadData(WRONG) == (Result.INVALID_PTX, None)
    once = len(paused)
    assert once
    _, state = a.c.cuLinkCreate(0, None, None)
    assert a.c.cuLinkAddData(state, TEXT_INPUT, WRONG, len(WRONG), None, 0, None, None) == (Result.INVALID_PTX,)
    assert len(paused) == 2 * once


def test_only_handlers_of_the_thread_that_reads_run(machine: Machine, paused: list[int]) -> None:
    """Those of another wait for the end of its own call; outside of calls there is nothing to run."""
    a, ran = started(machine), list[str]()
    interruption.defer(0, lambda: ran.append("other"))
    try:
        assert loads(a)["module"]()[0] == 0
        interruption.defer(threading.get_ident(), lambda: ran.append("own"))
        image.parsed.cache_clear()
        assert image.parsed(TEXT, 90, (9, 0)).entries
        assert not ran
        a.c.cuInit(0)
        assert ran == ["own"]
    finally:
        interruption.deferred.clear()
    assert paused
