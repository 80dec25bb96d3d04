"""Unordered accesses of two OS processes: the detector agrees with every interleaving, as for processes of a test."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from conformance.fuzz.ordered.draw import drawn
from conformance.fuzz.ordered.kernels import fills_by_kernel
from conformance.fuzz.ordered.loop import compared
from conformance.fuzz.ordered.program import FIRST, NON_BLOCKING, OTHER, Actor, Program, Step
from tests.remote.conftest import Child
from tests.rotation import part

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine

PROGRAMS, PARTS = 20_000, 200
"""The drawn programs, and their parts, of which a commit takes one."""


class Calls:
    """The calls of an attached process, by their names."""

    def __init__(self, child: Child) -> None:
        self._child = child

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *args: self._child.call(name, *args)


class Attached:
    """An attached process with one thread."""

    def __init__(self, child: Child) -> None:
        self.c = Calls(child)

    def thread(self, _name: str) -> Attached:
        """Return its thread."""
        return self


def by_processes(program: Program) -> tuple[bool, str]:
    """Return whether a program with a second OS process is reported, and how that differs from its interleavings."""
    with ExitStack() as stack:

        def start(machine: Machine) -> Any:
            child = Child(stack.enter_context(machine.shared(export=False)).path)
            stack.callback(child.kill)
            return Attached(child)

        found = compared(program, start=start)
    return found.reported, found.difference


def is_sent(program: Program) -> bool:
    """Return whether a program has a second process that can make its calls in another address space."""
    steps = [step for step in program.steps if program.actors[step.actor].context == OTHER]
    return bool(steps) and not any(fills_by_kernel(step.args) or step.what == "kernel" for step in steps)


def program(*steps: tuple[object, ...]) -> Program:
    """Return a program of steps of two processes: an actor, the step's name and its arguments."""
    made = tuple(Step(str(what), int(str(actor)), tuple(args)) for actor, what, *args in steps)
    return Program((Actor(FIRST, NON_BLOCKING), Actor(OTHER, NON_BLOCKING)), made)


FILL = ("a", 0, 8)


def test_an_event_orders_two_processes() -> None:
    """And nothing else does: the memory is open by IPC."""
    ordered = program((0, "fill", *FILL), (0, "record", "i"), (1, "wait", "i"), (1, "fill", *FILL))
    assert by_processes(ordered) == (False, "")
    assert by_processes(program((0, "fill", *FILL), (1, "fill", *FILL))) == (True, "")


def test_drawn_programs() -> None:
    """The first report of each is a pair that may overlap, and no such pair comes before it."""
    tried = reported = 0
    for number in part(range(PROGRAMS), PARTS):
        one = drawn(2, number)
        if is_sent(one):
            found, difference = by_processes(one)
            assert not difference, number
            tried, reported = tried + 1, reported + found
    assert tried
    assert reported
