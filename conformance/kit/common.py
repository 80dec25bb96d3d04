"""Common twists of every call of an API, and sweeps of rules.

A common twist is a state of the process or of the thread. A sweep breaks a rule alike in every call that checks it: by a value for
the parameters of a type or of a name, or by a null pointer for each result. An entry leaves one out by
:meth:`~conformance.kit.case.Entry.without`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
from attrs import frozen

from conformance.kit.cleaning import DEEP
from conformance.kit.program import FORKED, INSIDE, MAIN
from fakecuda.rules.registry import DRIVER, FORMS, HIP, NVML, RUNTIME

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World
    from fakecuda.rules.registry import Api
    from fakecuda.spec.description import Function

Act: TypeAlias = "Callable[[World, Invocation], Invocation | None]"

WORLD, ARGUMENT, THREAD, CONTEXT, PROCESS, TEARDOWN = range(6)
"""The order in which twists act."""


def not_initialized(world: World, invocation: Invocation) -> Invocation:
    """Make the call in a process that never called cuInit."""
    return attrs.evolve(invocation, process=world.process(context=False, init=False), thread=MAIN)


def forked(_: World, invocation: Invocation) -> Invocation:
    """Make the call in a fork of an initialised process."""
    return attrs.evolve(invocation, thread=FORKED)


def torn_down(_: World, invocation: Invocation) -> Invocation:
    """Make the call in a process whose exit handlers have run."""
    invocation.process.c.cuInit(0)
    invocation.process.begin_exit()
    return attrs.evolve(invocation, thread=MAIN)


def inside_function(_: World, invocation: Invocation) -> Invocation:
    """Make the call inside a host function that a stream calls."""
    return attrs.evolve(invocation, thread=INSIDE)


def no_context(_: World, invocation: Invocation) -> None:
    """Pop every context from the calling thread's stack."""
    for _depth in range(DEEP):
        code, context = invocation.c.cuCtxGetCurrent()
        if code or not context:
            break
        invocation.c.cuCtxSetCurrent(0)


def destroyed_context(world: World, invocation: Invocation) -> None:
    """Destroy the thread's context from another thread, when its streams are idle."""
    for _, unblock in world.last:
        unblock()
    world.last.clear()
    code, context = invocation.c.cuCtxGetCurrent()
    if not code and context:
        invocation.process.thread(world.thread_name()).c.cuCtxDestroy(context)


def second_thread(world: World, invocation: Invocation) -> Invocation:
    """Make the call from another thread with the same current context."""
    code, context = invocation.c.cuCtxGetCurrent()
    name = world.thread_name()
    if not code and context:
        invocation.process.thread(name).c.cuCtxPushCurrent(context)
    return attrs.evolve(invocation, thread=name)


def other_thread(world: World, invocation: Invocation) -> Invocation:
    """Make the call in a new thread without a context."""
    return attrs.evolve(invocation, thread=world.thread_name())


def using_thread(world: World, invocation: Invocation) -> Invocation:
    """Make the call in another thread, which uses the first device by HIP."""
    name = world.thread_name()
    invocation.process.thread(name).ok.hipDeviceSynchronize()
    return attrs.evolve(invocation, thread=name)


def shut_down(_: World, invocation: Invocation) -> None:
    """Shut NVML down in the process."""
    invocation.process.ok.nvmlShutdown()


COMMON: dict[Api, tuple[tuple[str, Act, str, int], ...]] = {
    DRIVER: (
        ("not_initialized", not_initialized, "DRIVER_IS_INITIALIZED", PROCESS),
        ("forked", forked, "DRIVER_IS_INITIALIZED", PROCESS),
        ("torn_down", torn_down, "DRIVER_IS_UP", TEARDOWN),
        ("inside_function", inside_function, "CALLS_ARE_PERMITTED", TEARDOWN),
        ("no_context", no_context, "CONTEXT_IS_CURRENT", CONTEXT),
        ("destroyed_context", destroyed_context, "CONTEXT_IS_ALIVE", CONTEXT),
        ("second_thread", second_thread, "", THREAD),
    ),
    RUNTIME: (
        ("torn_down", torn_down, "DRIVER_IS_UP", TEARDOWN),
        ("inside_function", inside_function, "CALLS_ARE_PERMITTED", TEARDOWN),
        ("second_thread", second_thread, "", THREAD),
    ),
    HIP: (("second_thread", using_thread, "", THREAD),),
    NVML: (("shut_down", shut_down, "LIBRARY_IS_INITIALISED", PROCESS), ("second_thread", other_thread, "", THREAD)),
}
COMMON[FORMS] = COMMON[DRIVER]
"""The common twists of an API: name, action, rule and stage.

The runtime API initialises the driver, and takes a context where none is current; so does HIP.
"""
NEEDS_RULE = {"destroyed_context", "torn_down", "inside_function", "shut_down"}
"""Common twists that only apply to calls with the rule."""


@frozen
class Sweep:
    """The same violation of a rule in every call that checks the rule.

    Attributes:
        rule: The rule's id.
        values: Values, or functions of the invocation that return them, by the name or the C type of a parameter; the last
            parameter of the call that fits is changed. Empty where the call breaks the rule whatever it is given.
        null: Whether each result pointer is null in turn instead, but for an array that goes with a count.
        place: The file and the line where it is declared.
        profiles: The names of the profiles on which it holds. Empty for all that have the call.
    """

    rule: str
    values: dict[str, Any]
    null: bool
    place: tuple[str, int]
    profiles: frozenset[str] = frozenset()

    def changes(self, call: Function) -> list[tuple[str, Act, frozenset[str]]]:
        """Return the changes of a call: case name, action and changed things."""
        if self.null:
            given = {one.name for one in call.inputs}
            counted = any(one.name in given for one in call.outputs)
            found = [one.name for one in call.outputs if one.name in given or not (one.array and counted)]
            return [(one, setter({one: None}) if one in given else nulls(one), frozenset({one})) for one in found]
        fitting = [one for one in call.inputs if {one.name, one.type} & self.values.keys()][-1:]
        if not self.values:
            return [("", lambda _, invocation: invocation, frozenset())]
        values = [(one.name, self.values.get(one.name, self.values.get(one.type))) for one in fitting]
        return [("", setter({name: value}), frozenset({name})) for name, value in values]


SWEEPS: dict[str, Sweep] = {}
"""Sweeps by rule id; importing the modules of cases fills it."""


def sweep(rule: str, /, *, null: bool = False, only: str = "", **values: Plain) -> None:
    """Break a rule in every call that checks it, unless its entry does so itself.

    Args:
        rule: The rule's id.
        null: Whether each result pointer is null in turn.
        only: The name of the profile on which the rule holds alone. Empty for all profiles.
        values: Values, or functions of the invocation that return them, by the name or the C type of a parameter.
    """
    frame = sys._getframe(1)  # noqa: SLF001 - as stacks are taken
    profiles = frozenset({only} if only else ())
    SWEEPS[rule] = Sweep(rule, values, null, (frame.f_code.co_filename, frame.f_lineno), profiles)


def setter(args: dict[str, Plain]) -> Act:
    """Return a function that sets arguments to values or computed values."""

    def act(_: World, invocation: Invocation) -> Invocation:
        return invocation.evolve(**{k: v(invocation) if callable(v) else v for k, v in args.items()})

    return act


def nulls(results: str) -> Act:
    """Return a function that passes null for the named results."""

    def act(_: World, invocation: Invocation) -> Invocation:
        names = {*invocation.null.split(), *results.split()}
        return attrs.evolve(invocation, null=" ".join(sorted(names)))

    return act
