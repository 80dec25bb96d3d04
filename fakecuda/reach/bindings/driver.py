"""The look-alike of ``cuda.bindings.driver``: the same names, arguments, result tuples, classes and exceptions.

The modelled calls stand in ``generated/driver.py``. Every other function of the API answers
CUDA_ERROR_NOT_SUPPORTED and warns, once per function and machine.
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
    """``process.driver``: what ``cuda.bindings.driver`` has, on a simulated process.

    A call answers ``(CUresult, *values)``, the values None after a failure.

    Args:
        callers: The threads that calling OS threads act as.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Return a call that is not modelled, or a class, enum or constant of the binding."""
        return LOOKALIKE.find(name, Driver, self._callers.find)

    def __dir__(self) -> list[str]:
        """List every function, class, enum and constant of the binding."""
        return sorted(LOOKALIKE.names)


def driver(callers: Callers, version: int) -> Driver:
    """Return the look-alike on a driver of a version: the calls that came later raise what the binding raises for them.

    Args:
        callers: The threads that calling OS threads act as.
        version: 1000 * major + 10 * minor.
    """
    return _of(version)(callers)


@cache
def _of(version: int) -> type[Driver]:
    """Return the class of the look-alike on a driver of a version, which lacks the modelled calls that came later."""
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
"""Functions that came after all that is known, in a release that is not in the table; cuuint32_t is a class."""
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
    optional=frozenset(
        name for name, one in FUNCTIONS.items() if any(p.role == "inout" and p.type == "size_t" for p in one.params)
    ),
)
"""The module and what it does."""
