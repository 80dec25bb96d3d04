"""Hypothesis tests: each example has its own machine.

Its findings fail the example, so that Hypothesis shrinks it.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, settings

from fakecuda.fixture import FakeCuda

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    import pytest

    from fakecuda import Machine

SETTINGS = "_hypothesis_internal_use_settings"
"""The attribute under which Hypothesis stores a test's settings."""


@contextmanager
def each(
    item: pytest.Item, machine: Callable[[], AbstractContextManager[Machine]], judge: Callable[[], None]
) -> Iterator[None]:
    """Check each example of a test.

    Give a new machine to a test that takes the fixture ``fakecuda``.

    Args:
        item: The test.
        machine: Installs a machine for an example, and raises its findings.
        judge: Raises the findings of the current machine: the example's, or the test's that other fixtures use.
    """
    test: Any = item.obj  # type: ignore[attr-defined]
    handle = test.hypothesis
    inner, wanted = handle.inner_test, getattr(test, SETTINGS, settings())

    @wraps(inner)
    def example(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with machine() if "fakecuda" in kwargs else nullcontext() as made:
            result = inner(*args, **kwargs if made is None else {**kwargs, "fakecuda": FakeCuda(made)})
            judge()
        return result

    handle.inner_test = example
    if not _others(item):
        suppressed = {*wanted.suppress_health_check, HealthCheck.function_scoped_fixture}
        setattr(test, SETTINGS, settings(wanted, suppress_health_check=tuple(suppressed)))
    try:
        yield
    finally:
        handle.inner_test = inner
        setattr(test, SETTINGS, wanted)


def _others(item: Any) -> bool:
    """Return whether a test takes other function-scoped fixtures.

    Hypothesis rejects these.
    """
    definitions = item._fixtureinfo.name2fixturedefs  # noqa: SLF001 - as Hypothesis does
    names = signature(item.function).parameters.keys() & definitions.keys() - {"fakecuda"}
    return any(one.scope == "function" for name in names for one in definitions[name])
