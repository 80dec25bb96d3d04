"""Hooks that several setters share: they nest in one order, and each is taken away by itself."""

from __future__ import annotations

from functools import partial
from itertools import permutations
from threading import RLock
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine, MachineCorrupted
from fakecuda.machine.orders.orders import scheduled
from fakecuda.model.hooks import ASK, COUNT, LOCK, RECORD, TORN, TURNS, WATCH
from fakecuda.model.os.interruption import Torn, is_torn
from fakecuda.prompt.record import Calls

from .world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Write = Callable[[Any], None]


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Yield a machine."""
    with Machine("h200", seed=0) as made:
        yield made


class Layer:
    """A layer of a lock that forwards all calls."""

    def __init__(self, inside: Any, name: str) -> None:
        self.inside, self.name = inside, name

    def __enter__(self) -> None:
        self.inside.acquire()

    def __exit__(self, *_: object) -> None:
        self.inside.release()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inside, name)


def names(machine: Machine) -> list[str]:
    """Return the layers of a machine's lock, the outermost first."""
    lock: Any = machine.lock
    found = []
    while isinstance(lock, Layer):
        found.append(lock.name)
        lock = lock.inside
    assert lock is LOCK.own(machine)
    return found


@pytest.mark.parametrize("order", list(permutations([WATCH, TURNS, TORN])))
def test_layers_nest_in_one_order(machine: Machine, order: tuple[str, ...]) -> None:
    """In every order they come and go; the last that goes leaves the machine's own."""
    own = machine.lock
    takes = {kind: LOCK.put(machine, kind, partial(Layer, name=kind)) for kind in order}
    assert names(machine) == [TORN, TURNS, WATCH]
    left = [TORN, TURNS, WATCH]
    for kind in order:
        takes[kind]()
        takes[kind]()
        left.remove(kind)
        assert names(machine) == left
    assert machine.lock is own


def test_a_renewed_lock_has_no_layers(machine: Machine) -> None:
    """Whose setters take theirs away later, which changes nothing."""
    take = LOCK.put(machine, TURNS, partial(Layer, name=TURNS))
    own = RLock()
    LOCK.renew(machine, own)
    take()
    assert machine.lock is own


def test_a_machine_stays_torn_when_others_go(machine: Machine) -> None:
    """An effect that is cut in two within turns, or while processes are attached, has the last word."""
    take = LOCK.put(machine, TURNS, partial(Layer, name=TURNS))
    LOCK.put(machine, TORN, partial(Torn, call="cuMemAlloc", error=KeyboardInterrupt()))
    take()
    assert is_torn(machine)
    with pytest.raises(MachineCorrupted):
        machine.lock.acquire()


def test_a_machine_that_is_shared_within_turns_is_watched_behind_them(machine: Machine) -> None:
    """Its lock looks after attached processes as long as it is shared, and takes turns as long as there are some."""
    own = machine.lock
    with machine.shared(export=False) as offer:
        with scheduled(machine, 0):
            sharing = offer.open()
        assert "WatchfulLock" in type(machine.lock).__name__
        assert sharing is offer.sharing
    assert machine.lock is own


def test_calls_are_counted_within_faults_that_came_earlier(machine: Machine) -> None:
    """A call without effects that a fault refuses is counted once, as refused."""
    a = started(machine)
    with machine.fail("cuDriverGetVersion", code="INVALID_VALUE"):
        calls = Calls(machine)
        before = calls.made
        assert a.c.cuDriverGetVersion()[0] != 0
        done(a.c.cuDriverGetVersion())
        assert calls.made == before + 2
    done(a.c.cuDriverGetVersion())
    assert calls.made == before + 3
    assert len(machine.calls) == calls.made


def test_layers_of_a_kind_nest_as_they_came(machine: Machine) -> None:
    """The later one is asked first."""
    heard: list[str] = []

    def note(write: Write, entry: Any, *, name: str) -> None:
        heard.append(name)
        write(entry)

    def around(write: Write, *, name: str) -> Write:
        return partial(note, write, name=name)

    for kind, name in ((ASK, "first fault"), (COUNT, "one"), (COUNT, "two"), (ASK, "second fault")):
        RECORD.put(machine, kind, partial(around, name=name))
    machine.spawn().c.cuDriverGetVersion()
    assert heard == ["second fault", "first fault", "two", "one"]
