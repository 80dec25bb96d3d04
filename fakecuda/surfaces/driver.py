"""The look-alike of ``cuda.bindings.driver``: the same names, arguments, result tuples, classes and exceptions.

The modelled calls stand in the generated ``_driver.py``. Every other function of the API answers
CUDA_ERROR_NOT_SUPPORTED and warns, once per function and machine.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from fakecuda.api import CALLS
from fakecuda.codes import Result
from fakecuda.errors import NotModelledWarning
from fakecuda.surfaces._driver import Calls
from fakecuda.surfaces.standins import MODULE, binding

if TYPE_CHECKING:
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
        call = CALLS.get(name)
        if call is not None:
            return partial(_not_modelled, call, self._find)
        if name not in NAMES:
            msg = f"module '{MODULE}' has no attribute '{name}'"
            raise AttributeError(msg)
        value = getattr(binding, name)
        # The next look-up finds it at once.
        setattr(Driver, name, value)
        return value

    def __dir__(self) -> list[str]:
        """List every function, class, enum and constant of the binding."""
        return sorted(NAMES)


NAMES = frozenset(CALLS) | frozenset(
    name for name in dir(binding) if name.startswith(("CU", "cu", "EGL", "GL", "Vdp", "MAX_", "anon_")) and name != "cuda"
)


def _not_modelled(call: Call, find: Any, *args: Any, **named: Any) -> tuple[Any, ...]:  # noqa: ANN401 - as the binding
    """Answer CUDA_ERROR_NOT_SUPPORTED for a call that fakecuda does not model."""
    _accept(call, args, named)
    thread: Thread = find()
    warned = _warned.setdefault(thread.machine, set())
    if call.name not in warned:
        warned.add(call.name)
        msg = f"{call.name} is not modelled: it answers CUDA_ERROR_NOT_SUPPORTED"
        warnings.warn(msg, NotModelledWarning, stacklevel=2)
    return (binding.CUresult(int(Result.NOT_SUPPORTED)), *[None] * len(call.outputs))


def _accept(call: Call, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Refuse arguments that do not fit the call's parameters, in the binding's words."""
    keywords = [param.keyword for param in call.params if param.keyword]
    for keyword in named:
        if keyword not in keywords:
            msg = f"{call.name}() got an unexpected keyword argument '{keyword}'"
            raise TypeError(msg)
        if keyword in keywords[: len(args)]:
            msg = f"{call.name}() got multiple values for keyword argument '{keyword}'"
            raise TypeError(msg)
    if len(args) + len(named) != len(keywords):
        takes = f"exactly {len(keywords)} positional argument{'s' * (len(keywords) != 1)}" if keywords else "no arguments"
        msg = f"{call.name}() takes {takes} ({len(args)} given)"
        raise TypeError(msg)
