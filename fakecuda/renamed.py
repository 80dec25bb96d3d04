"""Old names of public arguments. They work for one release, with a warning that names the new one."""

from __future__ import annotations

import warnings
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

P = ParamSpec("P")
T = TypeVar("T")
ARGUMENTS = {"patience": "wait_timeout"}
"""The new name of each argument by its old one."""


def with_new_names(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by their new names."""
    return {ARGUMENTS.get(name, name): value for name, value in given.items()}


def warnings_of(given: Mapping[str, Any]) -> list[str]:
    """Return the text of a warning for each old name among arguments."""
    return [f"{name} is now {ARGUMENTS[name]}" for name in given if name in ARGUMENTS]


def named_twice(given: Mapping[str, Any]) -> str:
    """Return what is wrong if an argument has both of its names; an empty text if all is well."""
    for old, new in ARGUMENTS.items():
        if old in given and new in given:
            return f"{old}={given[old]!r} and {new}={given[new]!r}: {old} is the old name of {new}; write {new} alone"
    return ""


def taking_old_names(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function take the old names of its arguments, too.

    The function raises a FakeCudaError if an argument has both of its names. Type checkers know the new names only.
    """

    @wraps(function)
    def taking(*args: P.args, **keywords: P.kwargs) -> T:
        __tracebackhide__ = True
        if ARGUMENTS.keys().isdisjoint(keywords):
            return function(*args, **keywords)
        if problem := named_twice(keywords):
            from fakecuda.errors import FakeCudaError  # noqa: PLC0415 - the plugin, which is always loaded, needs no errors

            raise FakeCudaError(problem)
        for text in warnings_of(keywords):
            warnings.warn(text, DeprecationWarning, stacklevel=2)
        return function(*args, **with_new_names(keywords))

    return taking
