"""Tests of Hypothesis: each example has a machine of its own, and fails by what is found on that, so that it shrinks."""

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
"""Where Hypothesis has a test's settings."""


@contextmanager
def each(
    item: pytest.Item, machine: Callable[[], AbstractContextManager[Machine]], judge: Callable[[], None]
) -> Iterator[None]:
    """Have each example of a test judged; a fresh machine is given to those that take the fixture ``fakecuda`` themselves.

    Args:
        item: The test.
        machine: Installs a machine for an example, and fails by what was found on it.
        judge: Fails by what was found on the example's machine, or on the test's own, which other fixtures may have.
    """
    test: Any = item.obj  # type: ignore[attr-defined]
    handle = test.hypothesis
    inner, wanted = handle.inner_test, getattr(test, SETTINGS, settings())

    @wraps(inner)
    def example(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the test
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


def _others(item: Any) -> bool:  # noqa: ANN401 - a function of pytest
    """Return whether a test takes other fixtures that its examples share, of which Hypothesis complains."""
    definitions = item._fixtureinfo.name2fixturedefs  # noqa: SLF001 - as Hypothesis asks
    names = signature(item.function).parameters.keys() & definitions.keys() - {"fakecuda"}
    return any(one.scope == "function" for name in names for one in definitions[name])
