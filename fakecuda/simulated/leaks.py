"""What a test and its processes have left behind: counted, judged and told.

What the model calls a retain may be a library's, which keeps it for as long as its process lives: that is of the kind
``kept``, and does not count. Which calls a client has made nobody can see, for it is compiled; how its retains are told from
others stands at :func:`_may_be_a_clients`.
"""

from __future__ import annotations

import contextlib
import gc
import traceback
from collections import Counter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import attrs
from attrs import frozen

from fakecuda.errors import FakeCudaError
from fakecuda.model.left import KINDS, Leak, left_on
from fakecuda.near import nearest
from fakecuda.reach.install import clients, garbage
from fakecuda.simulated.install import installed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Allowed = str | Callable[[Leak], bool]

UNCOUNTED = ("ipc", "kept")
"""Kinds whose names have no plural."""
MOST = 20
"""How many places a report lists."""
_told: WeakKeyDictionary[Any, dict[int, Any]] = WeakKeyDictionary()
"""The items of leaks that somebody was told of, by the machine."""


def leaks(*, kept: bool = False) -> list[Leak]:
    """Return what the processes of the installed machine hold, and those that ended in order have left.

    If anything is there, the garbage collector runs first. On a real driver nothing is seen.

    Args:
        kept: Whether to tell, too, what libraries keep for the life of their process.

    Raises:
        FakeCudaError: No machine is installed.
    """
    return _held((), kept=kept)


def assert_no_leaks(*allowed: Allowed, kept: bool = False) -> None:
    """Assert that the processes of the installed machine hold nothing, and have left nothing.

    Args:
        allowed: What may be there: names of kinds, and functions that say so of a :class:`Leak`.
        kept: Whether what libraries keep for the life of their process counts, too.

    Raises:
        AssertionError: Something is there; the text lists it.
        FakeCudaError: No machine is installed, or a kind is unknown.
    """
    if found := _held(checked(allowed), kept=kept):
        raise AssertionError(told(found))


def _held(allowed: Iterable[Allowed], *, kept: bool) -> list[Leak]:
    """Return what there is on the installed machine and may not be; see :func:`leaks`."""
    machine = installed()
    if machine is None:
        msg = "no machine is installed: ask for leaks in a test with the fixture, or within fakecuda.machine()"
        raise FakeCudaError(msg)
    if not is_seen(machine):
        return []
    if found := _counted(machine, allowed, kept=kept):
        full = garbage.collect(machine)
        found = _counted(machine, allowed, kept=kept)
        if found and not full:
            gc.collect()
            found = _counted(machine, allowed, kept=kept)
    return found


def _counted(machine: Any, allowed: Iterable[Allowed], *, kept: bool = False) -> list[Leak]:
    """Return what there is on a machine now and may not be."""
    return [leak for leak in without(judged(machine), allowed) if kept or leak.kind != "kept"]


def tell(machine: Any, found: Iterable[Leak]) -> None:
    """Note that somebody was told of leaks."""
    _told.setdefault(machine, {}).update((id(leak.item), leak.item) for leak in found)


def is_told(machine: Any, leak: Leak) -> bool:
    """Return whether somebody was told of something that was left."""
    return id(leak.item) in _told.get(machine, ())


def checked(allowed: Iterable[Allowed]) -> tuple[Allowed, ...]:
    """Return what may be left.

    Raises:
        FakeCudaError: It is no list, or has what is neither a function nor the name of a kind; the text names the nearest.
    """
    if isinstance(allowed, str) or not hasattr(allowed, "__iter__"):
        msg = f"what may be left is a list of kinds and functions, not {allowed!r}: write [{allowed!r}]"
        raise FakeCudaError(msg)
    for one in (ones := tuple(allowed)):
        if not callable(one) and one not in KINDS:
            raise FakeCudaError(nearest(str(one), KINDS, "kind of leak"))
    return ones


def without(found: Iterable[Leak], allowed: Iterable[Allowed]) -> list[Leak]:
    """Return leaks without those that may be there."""
    return [leak for leak in found if not any(one(leak) if callable(one) else one == leak.kind for one in allowed)]


def is_seen(machine: Any) -> bool:
    """Return whether a machine can tell what is left: no driver, and another process's if this is one of its tests."""
    return hasattr(machine, "living") or hasattr(machine, "left")


@frozen
class Remains:
    """What a test has left behind.

    Attributes:
        found: What somebody holds, or has left.
        failed: What nothing but the traceback of the failed test held.
    """

    found: list[Leak]
    failed: list[Leak]

    def __str__(self) -> str:
        """Return all of it as lines."""
        parts = [told(self.found)] if self.found else []
        if self.failed:
            parts.append("held by the traceback of the failed test alone:\n" + "\n".join(_lines(self.failed)))
        return "\n".join(parts)


def at_end(
    machine: Any,
    allowed: Iterable[Allowed],
    failure: BaseException | None,
    *,
    exact: bool = True,
) -> Remains:
    """Return what a test has left behind on its machine, which is about to end.

    If anything is there, clients give up what they have cached, and the garbage collector runs. Of a failed test the
    local variables are dropped then: they are nobody's any more, and are told apart.

    Args:
        machine: The machine.
        allowed: What may be there.
        failure: The exception by which the test has failed, if it has.
        exact: Also collect old objects, which takes longer in a large suite. Otherwise something counts although only old
            garbage holds it.
    """
    if not _counted(machine, allowed):
        return Remains([], [])
    full = garbage.collect(machine)
    if clients.used():
        clients.end()
    found = _counted(machine, allowed)
    if found and not full and (exact or failure is not None):
        gc.collect()
        found = _counted(machine, allowed)
    if failure is None or not found:
        return Remains(found, [])
    _drop_locals(failure)
    gc.collect()
    remaining = _counted(machine, allowed)
    still = {id(leak.item) for leak in remaining}
    return Remains(remaining, [leak for leak in found if id(leak.item) not in still])


def _drop_locals(failure: BaseException) -> None:
    """Drop the local variables of the frames that an exception and those before it have come through."""
    waiting, seen = [failure], set[int]()
    while waiting:
        error = waiting.pop()
        if id(error) not in seen:
            seen.add(id(error))
            for frame, _ in traceback.walk_tb(error.__traceback__):
                with contextlib.suppress(RuntimeError):  # it runs
                    frame.clear()
                    frame.f_locals  # noqa: B018 - before Python 3.13 what was read of it once stays there until then
            waiting += [one for one in (error.__cause__, error.__context__) if one is not None]


def told(found: list[Leak]) -> str:
    """Return leaks as lines: those that a place has made are one, the first of which is named."""
    counts = Counter(leak.kind for leak in found)
    kinds = [f"{count} {kind}{'s' * (count > 1 and kind not in UNCOUNTED)}" for kind, count in counts.items()]
    fixes = {leak.kind: f"  fix of {leak.kind}: {leak.fix}" for leak in found if leak.fix}
    return "\n".join([f"left behind: {', '.join(kinds)}", *_lines(found), *fixes.values()])


def _lines(found: list[Leak]) -> list[str]:
    groups: dict[tuple[str, str, str], list[Leak]] = {}
    for leak in found:
        groups.setdefault((leak.process, leak.kind, leak.line), []).append(leak)
    lines = [f"  {_line(group)}" for group in list(groups.values())[:MOST]]
    return [*lines, f"  and {len(groups) - MOST} places more"] if len(groups) > MOST else lines


def _line(group: list[Leak]) -> str:
    first, size = group[0], sum(leak.size for leak in group)
    if len(group) == 1:
        return str(first)
    return f"{len(group)} times" + (f", {size} bytes together" if size else "") + f": {first}"


def judged(machine: Any) -> list[Leak]:
    """Return what is left on a machine; what is a library's is of the kind ``kept``."""
    if machine.elsewhere:
        return list(machine.left())
    found, counted = [], set[tuple[Any, ...]]()
    for leak in left_on(machine):
        if leak.kind == "retain":
            place = leak.process, leak.text, leak.item.thread
            if not leak.stack or (place not in counted and _may_be_a_clients(machine, leak)):
                leak = attrs.evolve(leak, kind="kept")  # noqa: PLW2901 - the same, judged
            counted.add(place)
        found.append(leak)
    return found


def _may_be_a_clients(machine: Any, leak: Leak) -> bool:
    """Return whether a retain may be a client's: the first of each thread, for each device, is then taken for one.

    cuda.core retains a device's primary context once a thread, at the first ``set_current``, and never releases it;
    numba-cuda does so through it. In this OS process they tell themselves whether they have used a machine, in an attached one
    nobody knows. What an earlier machine has left is nobody's in any case.
    """
    process = machine.processes[leak.process]
    return hasattr(process, "session") or (process is machine.here and clients.used())
