"""What trace and profile functions raise within an operation: it comes out behind it."""

from __future__ import annotations

import gc
import sys
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from conformance.fuzz.interrupts import Stop
from fakecuda.model.memory import memory_effects
from fakecuda.model.os import tracing

from .world import started

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from fakecuda import Machine

EFFECT = memory_effects.allocate.__code__


@pytest.fixture(autouse=True)
def _traces() -> Iterator[None]:
    """Set again what was set before, which may measure coverage."""
    trace, profile = sys.gettrace(), sys.getprofile()
    yield
    sys.settrace(trace)
    sys.setprofile(profile)


def stop(frame: FrameType, event: str, argument: object) -> Any:  # noqa: ARG001 - a trace function
    """Raise in the midst of an allocation, as it returns."""
    if frame.f_code is EFFECT and event == "return":
        raise Stop
    return stop


def cut(machine: Machine, kind: str) -> None:
    """Have an allocation interrupted, and see that it has happened."""
    process = machine.spawn()
    calls = process.thread("main").c
    calls.cuInit(0)
    calls.cuCtxCreate(None, 0, 0)
    calls.cuMemFree(calls.cuMemAlloc(512)[1])
    setter = getattr(sys, f"set{kind}")
    setter(stop)
    try:
        with pytest.raises(Stop):
            calls.cuMemAlloc(512)
        assert getattr(sys, f"get{kind}")() is None  # as Python does where one raises
    finally:
        setter(None)
    assert len(process.memory) == 1
    assert calls.cuMemGetInfo()[0] == 0


@pytest.mark.parametrize("kind", ["trace", "profile"])
def test_it_comes_out_of_the_whole_call(machine: Machine, kind: str) -> None:
    """The machine is whole, and answers further calls."""
    cut(machine, kind)


def test_it_comes_out_in_the_thread_that_called(machine: Machine) -> None:
    """Which need not be the main one."""
    raised: list[BaseException] = []

    def work() -> None:
        try:
            cut(machine, "trace")
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not raised


def test_outside_of_operations_it_comes_at_once() -> None:
    """As ever."""

    def raises(*_: object) -> None:
        raise Stop

    def called() -> str:
        return "not reached"

    with pytest.raises(Stop):  # noqa: PT012 - what leaves the block would be traced, too
        sys.settrace(raises)
        called()


@pytest.mark.parametrize("kind", ["trace", "profile"])
def test_functions_are_told_as_they_were_set(kind: str) -> None:
    """Who asks for one gets it, whatever stands for it; what was set before the first machine is put off, too."""
    setter, getter = (getattr(sys, f"{verb}{kind}") for verb in ("set", "get"))
    setter(stop)
    assert getter() is stop
    setter.__wrapped__(stop)
    tell = getter.__wrapped__
    assert tell() is stop
    tracing._stand_ins(setter.__wrapped__, tell)
    assert isinstance(tell(), tracing.Traced)
    setter(None)
    assert getter() is None


def test_what_is_written_in_c_is_left_alone() -> None:
    """It measures coverage, and a function that stands for it would take long."""
    sys.settrace(cast("Any", getattr))  # a frame has no "call", so that it answers None
    told = sys.gettrace.__wrapped__()  # type: ignore[attr-defined]
    sys.settrace(None)
    assert told is getattr


def test_where_it_stands_it_is_not_seen(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands for a function sees each frame but its own, and is none where the function asks for no more."""
    seen, unset, real = list[str](), list[object](), memory_effects.allocate

    def local(frame: FrameType, event: str, argument: object) -> Any:  # noqa: ARG001 - a trace function
        seen.append(event)
        if event == "raise":
            raise Stop
        return {"call": local, "again": stop, "line": None}[event]

    traced = tracing.Traced(local, lambda: unset.append(local))

    def allocate(*args: Any) -> Any:
        assert traced(sys._getframe(), "call", None) is traced
        assert traced(sys._getframe(), "again", None).function is stop
        assert traced(sys._getframe(), "line", None) is None
        assert traced(cast("Any", SimpleNamespace(f_globals=vars(tracing))), "raise", None) is None
        assert traced(sys._getframe(), "raise", None) is None
        return real(*args)

    process = started(machine)
    monkeypatch.setattr(memory_effects, "allocate", allocate)
    with pytest.raises(Stop):
        process.c.cuMemAlloc(512)
    assert len(process.memory) == 1
    assert (seen, unset) == (["call", "again", "line", "raise"], [local])
    with pytest.raises(Stop):
        traced(sys._getframe(), "raise", None)
    assert len(unset) == 1


def stand_ins() -> set[int]:
    """Return which stand-ins there are."""
    return {id(one) for one in gc.get_objects() if isinstance(one, tracing.Traced)}


def test_a_function_that_unsets_itself_is_there_for_the_call_that_the_interpreter_is_about_to_make() -> None:
    """The collector may run between the look at the function and its call, and have it called: it was gone then."""
    seen: list[str] = []
    kept: list[int] = []

    def once(frame: FrameType, event: str, argument: object) -> None:  # noqa: ARG001 - a trace function
        seen.append(frame.f_code.co_name)
        sys.settrace(None)

    def run() -> None:
        before = stand_ins()
        sys.settrace(once)
        kept.extend(stand_ins() - before)  # the call is an event

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == ["stand_ins"]
    assert len(kept) == 1
