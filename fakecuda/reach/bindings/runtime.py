"""The look-alike of ``cuda.bindings.runtime``.

The same names, arguments, results and exceptions.
``generated/runtime.py`` contains the modelled calls. All other functions of the API answer cudaErrorNotSupported and
warn, once per function and machine.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from fakecuda.reach.bindings.generated.runtime import TAKES, Calls
from fakecuda.reach.bindings.installed import INSTALLED, RUNTIME_MODULE
from fakecuda.reach.bindings.lookalike import FOREIGN, Module
from fakecuda.reach.bindings.runtime_classes import runtime_binding
from fakecuda.rules.registry import RUNTIME
from fakecuda.spec import runtime
from fakecuda.spec.codes import RUNTIME_NAMES, Result
from fakecuda.spec.description import Functions


class Runtime(Calls):
    """``process.runtime``: the look-alike of ``cuda.bindings.runtime``.

    It has the names of the module, on a simulated process.
    A call returns ``(cudaError_t, *values)``. After a failure the values are None.

    Args:
        callers: The simulated threads of the calling OS threads.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the binding that is not a modelled call.

        It is a call that is not modelled, a class, an enum, a constant or a helper.
        """
        return MODULE.find(name, Runtime, self._callers.find)

    def getLocalRuntimeVersion(self) -> tuple[Any, int | None]:
        """Return the version of the machine's runtime library.

        No installed library is looked for.
        """
        answer: tuple[Any, int | None] = self.cudaRuntimeGetVersion()
        return answer

    def __dir__(self) -> list[str]:
        """List all functions, classes, enums and constants of the binding."""
        return sorted(MODULE.names)


FUNCTIONS = Functions(
    {
        name: partial(runtime.CALLS.__getitem__, name)
        for name in runtime.CALLS
        if not INSTALLED or hasattr(runtime_binding, name)
    }
)
"""The functions of the binding that make calls."""


def _nothing(_: Runtime) -> None:
    """Hide a modelled call that the installed binding does not have."""
    raise AttributeError


for _name in RUNTIME.ops.keys() - FUNCTIONS.keys():
    setattr(Runtime, _name, property(_nothing))
MODULE = Module(
    name=RUNTIME_MODULE,
    binding=runtime_binding,
    functions=FUNCTIONS,
    names=frozenset(FUNCTIONS) | {name for name in dir(runtime_binding) if not name.startswith("_")} - FOREIGN,
    code=runtime_binding.cudaError_t,
    refusal=RUNTIME_NAMES[Result.NOT_SUPPORTED],
    results={
        "cudaDevSmResourceSplit": 2,
        "cudaDevSmResourceSplitByCount": 3,
        "cudaLogsDumpToFile": 1,
        "cudaLogsDumpToMemory": 2,
    },
    remember=RUNTIME.remember,
    takes=TAKES,
)
"""The look-alike's module."""
