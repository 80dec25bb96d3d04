"""Threads of the machine's own that cannot be started: the call is refused, and nothing has changed."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import FakeCudaError, Machine
from fakecuda.model.memory.host_memory import HostMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOM = ctypes.create_string_buffer(64)
PLACE = ctypes.addressof(ROOM)
CALLED: list[int] = []
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: CALLED.append(1))
ADDRESS = ctypes.cast(FUNCTION, ctypes.c_void_p).value or 0


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Return a machine with a current context."""
    with Machine("h200") as made:
        made.here.c.cuInit(0)
        made.here.c.cuCtxCreate(None, 0, 0)
        yield made
        made.check_invariants()


def launch(c: Any) -> Callable[[], tuple[int, ...]]:
    """Have a stream call a function."""
    return lambda: c.cuLaunchHostFunc(0, ADDRESS, 0)


def graph(c: Any) -> Callable[[], tuple[int, ...]]:
    """Launch a graph that fills memory, and calls a function behind that."""
    _, made = c.cuGraphCreate(0)
    _, memory = c.cuMemAlloc(64)
    _, context = c.cuCtxGetCurrent()
    code, first = c.cuGraphAddMemsetNode(made, (), 0, (memory, 64, 7, 1, 64, 1), context)
    assert code == 0
    assert c.cuGraphAddHostNode(made, (first,), 1, (ADDRESS, 0))[0] == 0
    code, executable = c.cuGraphInstantiate(made, 0)
    assert code == 0
    return lambda: c.cuGraphLaunch(executable, 0)


def user_object(c: Any) -> Callable[[], tuple[int, ...]]:
    """Make an object that a function destroys."""
    return lambda: c.cuUserObjectCreate(0, ADDRESS, 1, 1)[:1]


@pytest.mark.parametrize("prepare", [launch, graph, user_object])
def test_a_thread_that_does_not_start(
    prepare: Callable[[Any], Callable[[], tuple[int, ...]]], machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No work is queued without a thread to do it; the call can be made again."""
    make = prepare(machine.here.c)
    before = machine.snapshot()

    def start(_: object) -> None:
        msg = "can't start new thread"
        raise RuntimeError(msg)

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        with pytest.raises(FakeCudaError, match="fakecuda cannot start a thread"):
            make()
    assert machine.snapshot() == before
    assert make() == (0,)
    assert machine.here.c.cuCtxSynchronize() == (0,)


def test_far_memory_has_a_thread_before_work_begins(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What may be left of work on memory of another OS process needs one: it is there before anything is done."""
    c = machine.here.c
    _, word = c.cuMemAlloc(64)
    _, working = c.cuStreamCreate(1)
    assert c.cuMemsetD8(word, 0, 64) == (0,)
    assert c.cuStreamWaitValue32(working, word, 1, 1) == (0,)
    assert c.cuMemsetD8Async(word + 4, 7, 60, working) == (0,)
    (context,) = machine.processes["here"].contexts.values()
    assert context.worker is None
    monkeypatch.setattr(HostMemory, "near", False)
    assert c.cuStreamWriteValue32(0, word, 1, 0) == (0,)
    assert c.cuStreamSynchronize(working) == (0,)
    assert context.worker is not None
