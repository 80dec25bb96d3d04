"""Uses of values and threads after the end of their machine.

What outlives its machine touches no other machine. A thread that was started while a machine was installed may still
run when that machine has ended. Its calls then go to *nowhere*, a machine without devices. If a call fails with a value
of a former machine, the report names that machine, unless the current machine has drawn the same value.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet

import attrs

from fakecuda import Machine
from fakecuda.model.os.threads import SERVANTS, running
from fakecuda.profiles import load
from fakecuda.reach.install.carried_state import Kept
from fakecuda.reach.install.past_machines import Formers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fakecuda import Process

NOWHERE, NOWHERE_HIP = "h200-x2", "hip-clr-2026"
"""The profiles whose driver and AMD runtime *nowhere* has."""


class OutlivedWarning(UserWarning):
    """A thread or a value was used after the end of its machine.

    The use touched nothing.
    """


class Strays(NamedTuple):
    """Threads that outlived their machine.

    Attributes:
        process: Their process of *nowhere* now. If the machine was strict, the process is named after its maker.
        threads: Their ids.
    """

    process: Process
    threads: frozenset[int]


LOCK = threading.RLock()
"""The lock for installed machines, and for objects that outlived their machine."""
KEPT = Kept()
"""Past machines and other state that later machines of this process share."""
_formers = Formers()
_strays: list[Strays] = []
_outlived: list[tuple[str, str]] = []
_excused: WeakSet[Machine] = WeakSet()
"""Machines of failed tests. The traceback keeps objects and threads, whose late uses are not reported."""


def take_outlived() -> list[tuple[str, str]]:
    """Return uses of former machines' threads and values since the last call.

    Each is a pair of the maker and the use.
    """
    with LOCK:
        calls = nowhere().calls if nowhere.cache_info().currsize else None
        while calls:
            thread, op, *_ = calls.popleft()
            if thread.process.name != "here":
                text = (
                    f"thread {thread.name} called {op.name} after the thread's machine had ended: join the thread before "
                    "the machine ends"
                )
                _outlived.append((thread.process.name, text))
        found = list(dict.fromkeys(_outlived))
        _outlived.clear()
    return found


def remember(machine: Machine, maker: str, threads: frozenset[int]) -> None:
    """Note which values and threads of a machine could be used after its end.

    Report uses of other machines' values.

    Args:
        machine: The machine, which is about to end.
        maker: What made the machine.
        threads: The OS threads that ran before the machine was installed.
    """
    kept = [(handle, handle + 1) for handle in KEPT.handles.values()]  # later machines have these handles, too
    ranges, shares = machine.territory.taken(), machine.exchange.shares
    failed = {value: op.name for _, op, args, code, *_ in list(machine.calls) if code != 0 for value in _values(args)}
    for value, call in failed.items():
        mine = value in shares if isinstance(value, bytes) else _lies_in(value, [*ranges, *kept])
        if not mine and (former := _formers.maker_of(value)):
            shown = f"IPC handle {value[:8].hex()}..." if isinstance(value, bytes) else f"handle or address {value:#x}"
            text = (
                f"{maker} passed {shown} to {call}, but the machine that returned this value has ended: "
                f"do not keep handles and addresses for later tests"
            )
            _outlived.append((former, text))
    reported = machine.strict and machine not in _excused
    _formers.add(maker if reported else None, ranges, shares)
    if left := running() - threads - SERVANTS:
        empty = nowhere()
        # One test may have several machines, one inside the other.
        own = empty.processes.get(maker) or empty.spawn(maker) if reported else empty.here
        _strays.append(Strays(own, left))


def _values(args: Iterable[object]) -> Iterator[int | bytes]:
    """Yield the numbers and IPC handles of a call's arguments.

    Those in lists are included.
    """
    for value in args:
        if isinstance(value, list | tuple):
            yield from _values(value)
        elif isinstance(value, int | bytes) and value:
            yield value


def _lies_in(value: object, ranges: list[tuple[int, int]]) -> bool:
    return isinstance(value, int) and any(start <= value < end for start, end in ranges)


def bring_strays(reached: Process) -> None:
    """Make the calls of strays go to their processes of *nowhere*.

    Args:
        reached: The process that other calls reach now.
    """
    if _strays:
        _forget_ended(running())
        for process, threads in _strays:
            reached.threads.update({number: process.thread_of(number) for number in threads})


def _forget_ended(running: frozenset[int]) -> None:
    """Forget strays that have ended, and their processes."""
    empty = nowhere()
    ended = {number for _, threads in _strays for number in threads} - running
    for process in (empty.here, *(process for process, _ in _strays)):
        for number in ended:
            process.threads.pop(number, None)
    _strays[:] = [Strays(process, left) for process, threads in _strays if (left := threads & running)]
    kept = {empty.here, *(process for process, _ in _strays)}
    for name in [name for name, process in empty.processes.items() if process not in kept]:
        empty.living.pop(empty.processes.pop(name), None)


def excuse(machine: object) -> None:
    """Do not report late uses of a machine's objects, since a failure keeps them alive. The real driver has no reports."""
    if isinstance(machine, Machine):
        _excused.add(machine)


def is_late(machine: Machine, args: Iterable[object]) -> bool:
    """Return whether a call on a machine has a value of a former machine whose late uses are not reported.

    That machine's test has failed, for instance, and its traceback has kept an object, whose finaliser calls now.

    Args:
        machine: The machine that is installed now.
        args: The arguments of the call.
    """
    with LOCK:
        late = [value for value in _values(args) if _formers.is_unreported(value)]
    return bool(late) and not any(_is_own(machine, value) for value in late)


def late_maker(machine: Machine, args: Iterable[object]) -> str:
    """Return who made the former machine of a call's values; empty if unknown.

    Args:
        machine: The machine that is installed now.
        args: The arguments of the call.
    """
    with LOCK:
        makers = {value: _formers.maker_of(value) for value in _values(args)}
    return next((maker for value, maker in makers.items() if maker and not _is_own(machine, value)), "")


def _is_own(machine: Machine, value: int | bytes) -> bool:
    """Return whether a value is a running machine's own."""
    if isinstance(value, bytes):
        return value in machine.exchange.shares
    return machine.territory.owns(value) or value in KEPT.handles.values()  # which later machines have, too


@cache
def nowhere() -> Machine:
    """Return the machine without devices.

    ``cuInit`` answers NO_DEVICE there, other calls NOT_INITIALIZED, and HIP's calls NoDevice.
    """
    profile = attrs.evolve(load(NOWHERE), name="nowhere", devices=(), peers={}, hip=load(NOWHERE_HIP).hip)
    return Machine(profile, strict=False, seed=0)
