"""The fixtures of a repeated test, which are made again for each run.

A fresh machine has nothing of what a fixture did on the test's own. So a function-scoped fixture is made and finished
within each run if it depends on the fixture ``fakecuda``, or called the driver, or depends on such a fixture. Others
keep the value of the test's own run.
"""

from __future__ import annotations

import inspect
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from fakecuda.fixture import FakeCuda
from fakecuda.testing import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from fakecuda import Machine

OURS = "fakecuda"
"""The name of the plugin's fixture."""


NEEDED = {
    "item": ("_request", "_initrequest", "_fixtureinfo.argnames", "funcargs"),
    "item._request": ("_fixture_defs", "_arg2fixturedefs", "_fillfixtures"),
    "item.session": ("_fixturemanager.getfixturedefs", "_setupstate.stack"),
}
"""Private names of pytest that this module needs, by their owner."""
OF_FIXTURES = ("_finalizers", "cached_result", "argnames")
"""Private names of a fixture definition."""


def lacking(item: pytest.Item) -> str:
    """Return the first missing private name of pytest; empty if all exist."""
    names = [f"{what}.{name}" for what, ones in NEEDED.items() for name in ones]
    if missing := next((name for name in names if not _has(item, name)), ""):
        return missing
    which: Any = item
    every = [one for ones in which._fixtureinfo.name2fixturedefs.values() for one in ones]  # noqa: SLF001 - private to pytest
    return next((f"FixtureDef.{name}" for name in OF_FIXTURES for one in every if not hasattr(one, name)), "")


def _has(item: pytest.Item, path: str) -> bool:
    """Return whether a path such as ``item.session`` exists."""
    found: Any = item
    for name in path.split(".")[1:]:
        if not hasattr(found, name):
            return False
        found = getattr(found, name)
    return True


@contextmanager
def acting(item: pytest.Item, definition: pytest.FixtureDef[Any]) -> Iterator[None]:
    """Note in the block whether a fixture acts on the test's machine."""
    before = _last_call(item)
    try:
        yield
    finally:
        code = getattr(inspect.unwrap(definition.func), "__code__", None)
        asks = code is not None and OURS in code.co_consts  # by request.getfixturevalue()
        if asks or _last_call(item) is not before:
            item.stash.setdefault(settings.ACTING, set()).add(definition)


def _last_call(item: pytest.Item) -> object:
    made = settings.machine_of(item)
    calls = getattr(made, "calls", None)
    return calls[-1] if calls else None


@contextmanager
def made(item: pytest.Function, machine: Machine) -> Iterator[dict[str, Any]]:
    """Make a test's fixtures again, yield the arguments, and finish the fixtures.

    Args:
        item: The test, whose own run is over and whose own fixtures stay.
        machine: The machine of this run.
    """
    which: Any = item
    request, arguments = which._request, which.funcargs  # noqa: SLF001 - pytest has no public way to make fixtures again
    known: dict[str, Any] = request._fixture_defs  # noqa: SLF001 - private to pytest
    own: Any = _own(item)
    again = _again(item, known, own)
    finalizers = item.session._setupstate.stack[item][0]  # noqa: SLF001 - private to pytest
    kept = {one: (one.cached_result, list(one._finalizers)) for one in {own, *known.values(), *again}}  # noqa: SLF001 - private to pytest
    own_finalizers, attributes = list(finalizers), getattr(settings.instance_of(item), "__dict__", {})
    own_attributes = dict(attributes)  # such as setup_method sets
    finalizers.clear()
    for one in again:
        one.cached_result = None
        one._finalizers.clear()  # noqa: SLF001 - private to pytest
    own.cached_result = (FakeCuda(machine), *own.cached_result[1:])
    try:
        which._initrequest()  # noqa: SLF001 - private to pytest
        which._request._fixture_defs.update({name: one for name, one in known.items() if one not in again})  # noqa: SLF001 - private to pytest
        with ExitStack() as stack:
            stack.callback(_finish, finalizers)
            which._request._fillfixtures()  # noqa: SLF001 - private to pytest
            yield {name: which.funcargs[name] for name in item._fixtureinfo.argnames}  # noqa: SLF001 - as pytest calls a test
    finally:
        finalizers[:] = own_finalizers
        attributes.clear()
        attributes.update(own_attributes)
        which._request, which.funcargs = request, arguments  # noqa: SLF001 - private to pytest
        for one, (result, its_finalizers) in kept.items():
            one.cached_result = result
            one._finalizers[:] = its_finalizers  # noqa: SLF001 - private to pytest


def _own(item: pytest.Item) -> Any:
    """Return the definition of the plugin's fixture, which suites may override."""
    which: Any = item
    known = which._request._arg2fixturedefs.get(OURS)  # noqa: SLF001 - private to pytest
    # Some releases lack what was asked for at run time. getfixturedefs takes no node before pytest 8.1, which has it.
    return (known or which.session._fixturemanager.getfixturedefs(OURS, item))[0]  # noqa: SLF001 - as above


def _again(item: pytest.Item, known: dict[str, Any], own: Any) -> set[Any]:
    """Return the definitions of the fixtures to make again.

    Args:
        item: The test.
        known: Its fixtures by name; of one that overrides another of its name, the last.
        own: The plugin's fixture.
    """
    again = {one for one in item.stash.get(settings.ACTING, set()) if one is not own}
    names = {OURS, *(one.argname for one in again)}
    while True:
        more = {
            one
            for one in known.values()
            if one is not own and one not in again and one.scope == "function" and not names.isdisjoint(one.argnames)
        }
        if not more:
            return again
        again |= more
        names |= {one.argname for one in more}


def _finish(finalizers: list[Any]) -> None:
    """Call the finalizers of a run, last first, despite exceptions."""
    with ExitStack() as stack:
        while finalizers:
            stack.callback(finalizers.pop(0))
