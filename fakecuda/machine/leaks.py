"""Leaks: objects that a test and its processes did not release.

A library may keep a retain of a primary context for the life of its process. Such a retain has the kind ``kept`` and
does not count as a leak. Clients are compiled, so their calls have no visible caller. :func:`_may_be_a_clients` says
how their retains are recognised.
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
from fakecuda.machine.install import installed
from fakecuda.model import history
from fakecuda.model.leaks import KINDS, Leak, access, leaks_on, which
from fakecuda.near import nearest
from fakecuda.reach.install import clients, garbage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Allowed = str | Callable[[Leak], bool]

UNCOUNTED = ("ipc", "kept")
"""Kinds of objects without a plural."""
MOST = 20
"""Maximum number of places in a report."""
HEAD = "left behind"
"""The first words of the text about leaks."""
ALSO = "also: "
"""The first words of the line about leaks of a failed program."""
FOLLOWS = "what is left behind may follow from the failure, if the code behind it gives it back"
"""The first words of the whole list of a failed program's leaks."""
_told: WeakKeyDictionary[Any, dict[int, Any]] = WeakKeyDictionary()
"""Items of reported leaks, by machine."""


def leaks(*, kept: bool = False) -> list[Leak]:
    """Return what the processes of the installed machine hold.

    Also return what processes left that exited in order.
    If there is anything, the garbage collector runs first. On a real driver the list is empty.

    Args:
        kept: Include what libraries keep for the life of their process.

    Raises:
        FakeCudaError: No machine is installed.
    """
    return _held((), kept=kept)


def assert_no_leaks(*allowed: Allowed, kept: bool = False) -> None:
    """Assert that the installed machine has no leaks.

    Its processes must hold nothing and must have left nothing.

    Args:
        allowed: Leaks to accept: names of kinds, and functions that take a :class:`Leak` and return True to accept it.
        kept: Count what libraries keep for the life of their process, too.

    Raises:
        AssertionError: There are leaks; the text lists them.
        FakeCudaError: No machine is installed, or a kind is unknown.
    """
    if found := _held(checked(allowed), kept=kept):
        raise AssertionError(told(found))


def _held(allowed: Iterable[Allowed], *, kept: bool) -> list[Leak]:
    """Return the leaks on the installed machine that are not allowed.

    See :func:`leaks`.
    """
    machine = installed()
    if machine is None:
        msg = (
            "leaks can only be listed for a simulated machine, and none is active: list leaks in a test that uses the "
            "`fakecuda` fixture, or inside `with fakecuda.simulate():`"
        )
        raise FakeCudaError(msg)
    if not is_seen(machine):
        return []
    if found := _counted(machine, allowed, kept=kept):
        full = garbage.collect(machine)
        found = _counted(machine, allowed, kept=kept)
        if found and not full:
            gc.collect()
            found = _counted(machine, allowed, kept=kept)
    return traced(machine, found)


def traced(machine: Any, found: list[Leak]) -> list[Leak]:
    """Return leaks with the calls that made them."""
    if not found:
        return found
    from fakecuda.machine import origins  # noqa: PLC0415 - most machines leave nothing

    return origins.traced(machine, found)


def _counted(machine: Any, allowed: Iterable[Allowed], *, kept: bool = False) -> list[Leak]:
    """Return the current leaks on a machine that are not allowed."""
    return [leak for leak in without(judged(machine), allowed) if kept or leak.kind != "kept"]


def tell(machine: Any, found: Iterable[Leak]) -> None:
    """Mark leaks as reported."""
    _told.setdefault(machine, {}).update((id(leak.item), leak.item) for leak in found)


def is_told(machine: Any, leak: Leak) -> bool:
    """Return whether a leak was reported."""
    return id(leak.item) in _told.get(machine, ())


def checked(allowed: Iterable[Allowed]) -> tuple[Allowed, ...]:
    """Return the leaks to accept, as a tuple.

    Raises:
        FakeCudaError: The value is not a list, or an item is neither a function nor a kind; the text names similar
            kinds.
    """
    if isinstance(allowed, str) or not hasattr(allowed, "__iter__"):
        msg = f"the leaks to accept are a list of kinds and functions, not {allowed!r}: write [{allowed!r}]"
        raise FakeCudaError(msg)
    for one in (ones := tuple(allowed)):
        if not callable(one) and one not in KINDS:
            raise FakeCudaError(nearest(str(one), KINDS, "kind of leak"))
    return ones


def without(found: Iterable[Leak], allowed: Iterable[Allowed]) -> list[Leak]:
    """Return leaks without those that are allowed."""
    return [leak for leak in found if not any(one(leak) if callable(one) else one == leak.kind for one in allowed)]


def is_seen(machine: Any) -> bool:
    """Return whether leaks on a machine are known.

    They are not known on a driver, and in a child of a shared machine's test.
    """
    return hasattr(machine, "living") or hasattr(machine, "left")


@frozen
class Remains:
    """The leaks of a test.

    Attributes:
        found: Leaks that something else still holds, or that nothing holds.
        failed: Leaks that only the traceback of the failed test held.
    """

    found: list[Leak]
    failed: list[Leak]

    def __str__(self) -> str:
        """Return all leaks as lines."""
        parts = [told(self.found)] if self.found else []
        if self.failed:
            parts.append("held only by the traceback of the failed test:\n" + "\n".join(_lines(self.failed)))
        return "\n".join(parts)


def at_end(
    machine: Any,
    allowed: Iterable[Allowed],
    failure: BaseException | None,
    *,
    exact: bool = True,
) -> Remains:
    """Return the leaks of a test at the end of its machine.

    If there is anything, clients release their caches, and the garbage collector runs. If the test failed, the local
    variables of its traceback are dropped then. What only they held is listed separately.

    Args:
        machine: The machine.
        allowed: Leaks to accept.
        failure: The exception that failed the test; None if it passed.
        exact: Collect old objects, too, which takes longer in a large suite. Otherwise something counts as a leak even
            if only old garbage holds it.
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
        return Remains(traced(machine, found), [])
    _drop_locals(failure)
    gc.collect()
    remaining = _counted(machine, allowed)
    still = {id(leak.item) for leak in remaining}
    freed = [leak for leak in found if id(leak.item) not in still]
    return Remains(traced(machine, remaining), freed)


def _drop_locals(failure: BaseException) -> None:
    """Drop the local variables of all frames of an exception.

    This includes its causes and its contexts.
    """
    waiting, seen = [failure], set[int]()
    while waiting:
        error = waiting.pop()
        if id(error) not in seen:
            seen.add(id(error))
            for frame, _ in traceback.walk_tb(error.__traceback__):
                with contextlib.suppress(RuntimeError):  # the frame still runs
                    frame.clear()
                    frame.f_locals  # noqa: B018 - before Python 3.13 only a new read drops the last snapshot
            waiting += [one for one in (error.__cause__, error.__context__) if one is not None]


def briefly(text: str, how: str) -> str:
    """Return the text of a machine's leaks as one line, for a program that has failed anyway.

    The line is empty if only the traceback of the failure held anything.

    Args:
        text: What :meth:`Remains.__str__` returned.
        how: What to write for the whole list.
    """
    head, _, kinds = text.partition("\n")[0].partition(": ")
    if head != HEAD:
        return ""
    count = sum(int(one.split()[0]) for one in kinds.split(", "))
    objects = f"{history.counted(count, 'object')} {'was' if count == 1 else 'were'} {HEAD} ({kinds})"
    return f"{ALSO}{objects}, perhaps because the failure came first: {how} lists {'it' if count == 1 else 'them'}"


def after_failure(text: str) -> str:
    """Return the whole text of the leaks of a program that has failed; empty without any."""
    return f"{FOLLOWS}:\n{text}" if text else ""


def is_of_failure(text: str) -> bool:
    """Return whether a note of an exception is about the leaks of the program that it stopped."""
    return text.startswith((ALSO, FOLLOWS))


def told(found: list[Leak]) -> str:
    """Return leaks as lines.

    Leaks from the same place share a line, which names the first one.
    """
    counts = Counter(leak.kind for leak in found)
    kinds = [f"{count} {kind}{'s' * (count > 1 and kind not in UNCOUNTED)}" for kind, count in counts.items()]
    fixes = {leak.kind: f"  fix of {leak.kind}: {leak.fix}" for leak in found if leak.fix}
    return "\n".join([f"{HEAD}: {', '.join(kinds)}", *_lines(found), *fixes.values()])


def _lines(found: list[Leak]) -> list[str]:
    groups: dict[tuple[str, str, str], list[Leak]] = {}
    for leak in found:
        groups.setdefault((leak.process, leak.kind, leak.line), []).append(leak)
    lines = [f"  {line}" for group in list(groups.values())[:MOST] for line in _told_group(group)]
    return [*lines, f"  and {len(groups) - MOST} places more"] if len(groups) > MOST else lines


def _told_group(group: list[Leak]) -> list[str]:
    """Return the lines about leaks from one place."""
    outer = [line.strip() for line in history.story(group[0].stack, history.NOWHERE, ("made", ""))[1:]]
    return [_line(group), *(f"  {line}" for line in (*outer, *which(group)))]


def _line(group: list[Leak]) -> str:
    first, size = group[0], sum(leak.size for leak in group)
    if len(group) == 1:
        return str(first)
    return f"{len(group)} alike" + (f", {size} bytes together" if size else "") + f", the first: {first}"


def judged(machine: Any) -> list[Leak]:
    """Return the leaks on a machine. Retains of libraries have the kind ``kept``."""
    if machine.elsewhere:
        return list(machine.left())
    found, counted = [], set[tuple[Any, ...]]()
    for leak in leaks_on(machine):
        if leak.kind == "retain":
            place = leak.process, leak.text, leak.item.thread
            if not leak.stack or (place not in counted and _may_be_a_clients(machine, leak)):
                leak = attrs.evolve(leak, kind="kept")  # noqa: PLW2901 - the same leak with its final kind
            counted.add(place)
        found.append(leak)
    if any(leak.kind == "peer" for leak in found):
        kept = set(_kept_access(machine, found))
        found = [
            attrs.evolve(leak, kind="kept") if leak.kind == "peer" and (leak.process, leak.text) in kept else leak
            for leak in found
        ]
    return found


def _kept_access(machine: Any, found: list[Leak]) -> Iterator[tuple[str, str]]:
    """Yield process and text of each access between two primary contexts that only libraries keep.

    It ends with the contexts, which the program cannot end.

    Args:
        machine: The machine.
        found: The leaks, whose retains of libraries are kept.
    """
    own = {id(leak.item) for leak in found if leak.kind == "retain"}
    for process in machine.processes.values():
        kept = [
            primary.context
            for primary in process.primaries.values()
            if primary.active and (primary.held or primary.retains) and own.isdisjoint(map(id, primary.retains))
        ]
        yield from ((process.name, access(context, peer)) for context in kept for peer in context.peers if peer in kept)


def _may_be_a_clients(machine: Any, leak: Leak) -> bool:
    """Return whether a retain may be a client's.

    Then the first retain of each thread and device is taken for one.
    cuda.core retains a device's primary context once per thread, at the first ``set_current``, and never releases it.
    numba-cuda does the same through cuda.core. In this OS process these clients report whether they used a machine. In
    an attached process nothing reports it. What an earlier machine has left never counts.
    """
    process = machine.processes[leak.process]
    return hasattr(process, "session") or (process is machine.here and clients.used())
