"""Hints for a failed test that may use fakecuda wrongly."""

from __future__ import annotations

import re
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.testing import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

BINDINGS = "cuda.bindings"
MISSING = re.compile(r"No module named '(cuda(\.bindings(\.\w+)?)?)'")


NO_CALL = "the test made no call on its machine: the code under test may have fallen back to the CPU"


def of_machine(
    machine: Any, *, marked: bool, failure: BaseException | None = None, is_used: bool = False
) -> Iterator[str]:
    """Yield a hint for a marked test without a machine.

    Also yield one for programs that made no call, or for a test that made none and did not fail by a wrong use of fakecuda.

    Args:
        machine: The test's machine; None without a machine.
        marked: Whether the test has the mark ``fakecuda``.
        failure: The exception that ended the test.
        is_used: Whether the test has looked at the machine, or made others.
    """
    if machine is None:
        if marked:
            yield (
                "the mark fakecuda describes a machine, but the test uses none: add the argument fakecuda, or "
                "@pytest.mark.usefixtures('fakecuda')"
            )
        return
    offer = getattr(machine, "offer", None)
    if offer is not None and not offer.forbidden and offer.children.has_ended_any() and offer.sharing is None:
        yield (
            "the programs that the test started made no call on its machine: Python programs reach it by themselves; "
            "compiled programs need machine.link() before (docs/processes.md)"
        )
    elif is_uncalled(machine) and not is_used and not isinstance(failure, FakeCudaError):
        yield NO_CALL


def is_uncalled(machine: Any) -> bool:
    """Return whether a simulated machine got no call of any process of the test."""
    if hasattr(machine, "calls"):
        return not machine.calls and not machine.elsewhere
    return getattr(machine, "is_uncalled", False)


def of_passed(item: pytest.Item) -> Iterator[str]:
    """Yield a hint for a passed test that did not use its machine.

    A test that looks at its machine, such as ``assert not fakecuda.calls``, gets none. Neither does one whose machine
    only an autouse fixture asked for, nor a test of Hypothesis, whose examples have their own machines.
    """
    which: Any = item
    machine, given = (item.stash.get(key, which) for key in (settings.MACHINE, settings.GIVEN))
    if machine is which or given._is_used or not is_uncalled(machine):  # noqa: SLF001 - no part of the public object
        return
    if not getattr(getattr(which, "obj", None), "is_hypothesis_test", False) and _asks(which):
        yield NO_CALL


def _asks(item: Any) -> bool:
    """Return whether a test requests the fixture ``fakecuda``, even indirectly."""
    info = getattr(item, "_fixtureinfo", None)  # pytest has no public name for it
    if info is None:
        return False
    known = info.name2fixturedefs
    marks = [mark.args for mark in item.own_markers if mark.name == "usefixtures"]
    waiting, seen = [*info.argnames, *chain(*marks)], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += chain.from_iterable(one.argnames for one in known.get(name, ()))
    return "fakecuda" in seen


def of_import(failure: BaseException) -> Iterator[str]:
    """Yield a hint if cuda-bindings is not installed.

    Args:
        failure: The exception that ended a test.
    """
    if isinstance(failure, ImportError):
        yield from of_text(f"{failure}")


def of_text(text: str) -> Iterator[str]:
    """Yield a hint if a text says that cuda-bindings is not installed."""
    if MISSING.search(text) and not _has_bindings():
        yield (
            "cuda-bindings is not installed: pip install 'fakecuda[cuda]'; or import it inside the test and use "
            "--fakecuda-door=lookalike, which replaces it"
        )


def _has_bindings() -> bool:
    try:
        return find_spec(BINDINGS) is not None
    except ImportError:
        return False
