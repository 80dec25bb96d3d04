"""The look-alike of ``cuda.bindings.driver``: the same names, arguments, result tuples, classes and exceptions.

The modelled calls stand in the generated ``_driver.py``. Every other function of the API answers
CUDA_ERROR_NOT_SUPPORTED and warns, once per function and machine.
"""

from __future__ import annotations

import re
import warnings
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from fakecuda.api import CALLS
from fakecuda.api.bindings import functions
from fakecuda.api.versions import missing
from fakecuda.codes import Result
from fakecuda.errors import NotModelledWarning
from fakecuda.rule import OPS
from fakecuda.surfaces._driver import Calls
from fakecuda.surfaces.installed import MODULE, RELEASE
from fakecuda.surfaces.standins import binding, not_found

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.api import Call
    from fakecuda.model.machine import Machine
    from fakecuda.model.process import Thread

_warned: WeakKeyDictionary[Machine, set[str]] = WeakKeyDictionary()


class Driver(Calls):
    """``process.driver``: what ``cuda.bindings.driver`` has, on a simulated process.

    A call answers ``(CUresult, *values)``, the values None after a failure.

    Args:
        find: Returns the calling thread.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a function, class or constant
        """Return a call that is not modelled, or a class, enum or constant of the binding."""
        call = FUNCTIONS.get(name)
        if call is not None:
            return partial(_not_modelled, call, self._find)
        if name not in NAMES:
            msg = f"module '{MODULE}' has no attribute '{name}'"
            raise AttributeError(msg)
        value = getattr(binding, name)
        if isinstance(value, type | int):
            # The next look-up finds it at once.
            setattr(Driver, name, value)
        return value

    def __dir__(self) -> list[str]:
        """List every function, class, enum and constant of the binding."""
        return sorted(NAMES)


def driver(find: Callable[[], Thread], version: int) -> Driver:
    """Return the look-alike on a driver of a version: the calls that came later raise what the binding raises for them.

    Args:
        find: Returns the calling thread.
        version: 1000 * major + 10 * minor.
    """
    return _without(frozenset(missing(version) & OPS.keys()))(find)


@cache
def _without(lacking: frozenset[str]) -> type[Driver]:
    """Return the class of a look-alike that lacks some modelled calls."""
    if not lacking:
        return Driver

    def absent(name: str) -> Callable[..., Any]:
        def call(_self: Driver, *_args: object, **_named: object) -> Any:  # noqa: ANN401 - it returns nothing
            raise not_found(CALLS[name].symbol)

        call.__name__ = call.__qualname__ = name
        return call

    return type("Driver", (Driver,), {"__slots__": (), **{name: absent(name) for name in lacking}})


FUNCTIONS = functions(RELEASE)
"""The functions of the binding."""
FOREIGN = frozenset({"Any", "IntEnum", "List", "Optional", "Tuple", "ctypes", "cuda"})
"""Names of the binding that it has imported itself."""
OTHER_FUNCTIONS = re.compile("cu(?!u|da)")
"""Functions that came after all that is known, in a release that is not in the table; cuuint32_t is a class."""
NAMES = (
    frozenset(FUNCTIONS)
    | {name for name in dir(binding) if not name.startswith("_") and not OTHER_FUNCTIONS.match(name)} - FOREIGN
)
"""Every public name of the binding."""


RESULTS = {
    "cuCoredumpGetAttribute": 1,
    "cuCoredumpGetAttributeGlobal": 1,
    "cuCoredumpSetAttribute": 0,
    "cuCoredumpSetAttributeGlobal": 0,
    "cuDevSmResourceSplit": 2,
    "cuDevSmResourceSplitByCount": 3,
    "cuDeviceGetCliqueInfo": 2,
    "cuGraphGetEdges": 4,
    "cuGraphGetNodes": 2,
    "cuGraphGetRootNodes": 2,
    "cuGraphNodeGetDependencies": 3,
    "cuGraphNodeGetDependentNodes": 3,
    "cuLogsDumpToMemory": 1,
    "cuThreadExchangeStreamCaptureMode": 1,
}
"""How many values the binding returns where that does not follow from the C prototype: sizes that go in and out."""
LAST_IS_OPTIONAL = frozenset(
    {
        "cuGraphGetEdges",
        "cuGraphGetNodes",
        "cuGraphGetRootNodes",
        "cuGraphNodeGetDependencies",
        "cuGraphNodeGetDependentNodes",
    }
)
"""Calls whose last argument has a default."""


def _keywords(call: Call) -> list[str]:
    """Return the keywords of a call that is not modelled."""
    found = [param.keyword for param in call.params if param.keyword]
    if call.name.startswith("cuDevSmResourceSplit"):
        found.insert(1, "input_")
    return found


def _not_modelled(call: Call, find: Callable[[], Thread], *args: object, **named: object) -> tuple[Any, ...]:
    """Answer CUDA_ERROR_NOT_SUPPORTED for a call that fakecuda does not model."""
    _accept(call, args, named)
    warned = _warned.setdefault(find().machine, set())
    if call.name not in warned:
        warned.add(call.name)
        msg = f"{call.name} is not modelled: it answers CUDA_ERROR_NOT_SUPPORTED"
        warnings.warn(msg, NotModelledWarning, stacklevel=2)
    count = RESULTS.get(call.name, len(call.outputs))
    return (binding.CUresult(int(Result.NOT_SUPPORTED)), *[None] * count)


def _accept(call: Call, args: tuple[object, ...], named: dict[str, object]) -> None:
    """Refuse arguments that do not fit the call's parameters, in the binding's words."""
    keywords = _keywords(call)
    for keyword in named:
        if keyword not in keywords:
            msg = f"{call.name}() got an unexpected keyword argument '{keyword}'"
            raise TypeError(msg)
        if keyword in keywords[: len(args)]:
            msg = f"{call.name}() got multiple values for keyword argument '{keyword}'"
            raise TypeError(msg)
    most = len(keywords)
    least = most - (call.name in LAST_IS_OPTIONAL)
    if not least <= len(args) + len(named) <= most:
        bound, wanted = (
            ("exactly", most) if least == most else ("at least", least) if len(args) < least else ("at most", most)
        )
        takes = f"{bound} {wanted} positional argument{'s' * (wanted != 1)}" if most else "no arguments"
        msg = f"{call.name}() takes {takes} ({len(args)} given)"
        raise TypeError(msg)
