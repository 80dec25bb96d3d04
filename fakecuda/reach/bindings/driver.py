"""The look-alike of ``cuda.bindings.driver``.

The same names, arguments, results and exceptions.
``generated/driver.py`` contains the modelled calls. All other functions of the API answer CUDA_ERROR_NOT_SUPPORTED and
warn, once per function and machine.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from fakecuda.reach.bindings.fallback_classes import binding, not_found
from fakecuda.reach.bindings.generated.driver import Calls
from fakecuda.reach.bindings.installed import MODULE, RELEASE
from fakecuda.reach.bindings.lookalike import FOREIGN, Module
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.bindings import functions
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import CALLS
from fakecuda.spec.versions import missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.os.threads import Callers


class Driver(Calls):
    """``process.driver``: the look-alike of ``cuda.bindings.driver``.

    It has the names of the module, on a simulated process.
    A call returns ``(CUresult, *values)``. After a failure the values are None.

    Args:
        callers: The simulated threads of the calling OS threads.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Return a call that is not modelled, or a class, enum or constant of the binding."""
        return LOOKALIKE.find(name, Driver, self._callers.find)

    def __dir__(self) -> list[str]:
        """List all functions, classes, enums and constants of the binding."""
        return sorted(LOOKALIKE.names)


def driver(callers: Callers, version: int) -> Driver:
    """Return the look-alike for a driver version.

    Newer calls raise what the binding raises for them.

    Args:
        callers: The simulated threads of the calling OS threads.
        version: 1000 * major + 10 * minor.
    """
    return _of(version)(callers)


@cache
def _of(version: int) -> type[Driver]:
    """Return the look-alike's class for a driver version.

    The class lacks newer modelled calls.
    """
    lacking = missing(version) & DRIVER.ops.keys()
    if not lacking:
        return Driver

    def absent(name: str) -> Callable[..., Any]:
        def call(_self: Driver, *_args: object, **_named: object) -> Any:
            raise not_found(CALLS[name].symbol)

        call.__name__ = call.__qualname__ = name
        return call

    return type("Driver", (Driver,), {"__slots__": (), **{name: absent(name) for name in lacking}})


FUNCTIONS = functions(RELEASE)
"""The functions of the binding."""
OTHER_FUNCTIONS = re.compile("cu(?!u|da)")
"""Matches functions that are newer than all known ones. ``cuuint32_t`` is a class."""
LOOKALIKE = Module(
    name=MODULE,
    binding=binding,
    functions=FUNCTIONS,
    names=frozenset(FUNCTIONS)
    | {name for name in dir(binding) if not name.startswith("_") and not OTHER_FUNCTIONS.match(name)} - FOREIGN,
    code=binding.CUresult,
    refusal=Result.NOT_SUPPORTED.cname,
    results={
        "cuCoredumpGetAttribute": 1,
        "cuCoredumpGetAttributeGlobal": 1,
        "cuCoredumpSetAttribute": 0,
        "cuCoredumpSetAttributeGlobal": 0,
        "cuDevSmResourceSplit": 2,
        "cuDevSmResourceSplitByCount": 3,
        "cuDeviceGetCliqueInfo": 2,
        "cuLogsDumpToMemory": 1,
    },
)
"""The look-alike's module."""
