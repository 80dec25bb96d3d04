"""Old and unknown names of public arguments.

Old names work for one release, with a warning that names the new one.
"""

from __future__ import annotations

import inspect
import warnings
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

P = ParamSpec("P")
T = TypeVar("T")
ARGUMENTS = {"patience": "wait_timeout"}
"""The new name of each old argument."""
RUNS = {
    name: f"call fakecuda.{name}(function), or write @pytest.mark.fakecuda({name}=True) on a test"
    for name in ("sweep", "explore")
}
"""The replacement of arguments that only the mark has."""


def with_new_names(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments under their new names."""
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


def unknown(call: str, given: Iterable[str], known: Iterable[str]) -> str:
    """Return what is wrong if a call has unknown arguments; an empty text if all are known.

    Args:
        call: The call, for the text.
        given: The names of the arguments.
        known: The names that the call takes.
    """
    known = list(known)
    wrong = [name for name in given if name not in known]
    if not wrong:
        return ""
    from fakecuda.near import suggestion  # noqa: PLC0415 - only for an error

    return f"{call} has no argument {wrong[0]!r}; {RUNS.get(wrong[0]) or suggestion(wrong[0], known)}"


def parameters_of(function: Callable[..., object]) -> list[str]:
    """Return the names of the arguments that a function names."""
    parameters = inspect.signature(function).parameters.values()
    return [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]


def taking_old_names(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function accept the old names of its arguments.

    The function raises a FakeCudaError if an argument has both of its names, or is unknown. Type checkers know the new
    names only.
    """
    known = set(parameters_of(function))
    is_open = len(known) < len(inspect.signature(function).parameters)
    call = f"{function.__qualname__.removesuffix('.__init__').rpartition('.')[2]}()"

    @wraps(function)
    def taking(*args: P.args, **keywords: P.kwargs) -> T:
        __tracebackhide__ = True
        if known.issuperset(keywords) or (is_open and ARGUMENTS.keys().isdisjoint(keywords)):
            return function(*args, **keywords)
        new = () if is_open else [name for name in keywords if name not in ARGUMENTS]
        if problem := named_twice(keywords) or unknown(call, new, known):
            from fakecuda.errors import FakeCudaError  # noqa: PLC0415 - the plugin, which is always loaded, needs no errors

            raise FakeCudaError(problem)
        for text in warnings_of(keywords):
            warnings.warn(text, DeprecationWarning, stacklevel=2)
        return function(*args, **with_new_names(keywords))

    return taking
