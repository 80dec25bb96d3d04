"""The look-alike of ``cuda.bindings.runtime``: the same names, arguments, result tuples, classes and exceptions.

The modelled calls stand in ``generated/runtime.py``. Every other function of the API answers cudaErrorNotSupported
and warns, once per function and machine.
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
    """``process.runtime``: what ``cuda.bindings.runtime`` has, on a simulated process.

    A call answers ``(cudaError_t, *values)``, the values None after a failure.

    Args:
        callers: The threads that calling OS threads act as.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Return a call that is not modelled, or a class, enum, constant or helper of the binding."""
        return MODULE.find(name, Runtime, self._callers.find)

    def getLocalRuntimeVersion(self) -> tuple[Any, int | None]:
        """Return the version of the runtime library that is installed, which is the machine's: no other is looked for."""
        answer: tuple[Any, int | None] = self.cudaRuntimeGetVersion()
        return answer

    def __dir__(self) -> list[str]:
        """List every function, class, enum and constant of the binding."""
        return sorted(MODULE.names)


FUNCTIONS = Functions(
    {
        name: partial(runtime.CALLS.__getitem__, name)
        for name in runtime.CALLS
        if not INSTALLED or hasattr(runtime_binding, name)
    }
)
"""The functions of the binding that make calls."""
HELPERS = ("getLocalRuntimeVersion",)
"""Functions beside them that ask a library."""


def _nothing(_: Runtime) -> None:
    """Lead a look-up to what the module says of names that it does not have."""
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
        "cudaGraphGetEdges": 4,
        "cudaGraphGetNodes": 2,
        "cudaGraphGetRootNodes": 2,
        "cudaGraphNodeGetDependencies": 3,
        "cudaGraphNodeGetDependentNodes": 3,
        "cudaLogsDumpToFile": 1,
        "cudaLogsDumpToMemory": 2,
        "cudaThreadExchangeStreamCaptureMode": 1,
    },
    optional=frozenset(
        {
            "cudaGraphGetEdges",
            "cudaGraphGetNodes",
            "cudaGraphGetRootNodes",
            "cudaGraphNodeGetDependencies",
            "cudaGraphNodeGetDependentNodes",
        }
    ),
    remember=RUNTIME.remember,
    takes=TAKES,
)
"""The module and what it does."""
