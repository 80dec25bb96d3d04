"""The look-alike of ``rocm.bindings.hip``.

This is the module ``hip.hip`` of hip-python 10.
``generated/hip.py`` contains the modelled calls. All other functions answer hipErrorNotSupported and warn, once per
function and machine.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from fakecuda.reach.bindings.generated.hip import Calls
from fakecuda.reach.bindings.hip_classes import MODULE as NAME
from fakecuda.reach.bindings.hip_classes import hip_binding
from fakecuda.reach.bindings.lookalike import Module
from fakecuda.rules.registry import HIP
from fakecuda.spec.description import Functions
from fakecuda.spec.hip import CALLS, DESCRIPTION


class Hip(Calls):
    """``process.hip``: the names of ``rocm.bindings.hip``, on a simulated process.

    A call returns ``(hipError_t, *values)``. Null pointers among the values are None.

    Args:
        callers: The simulated threads of the calling OS threads.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Return a call that is not modelled, or a class, enum or constant of the binding."""
        return MODULE.find(name, Hip, self._callers.find)

    def __dir__(self) -> list[str]:
        """List all functions, classes, enums and constants of the binding."""
        return sorted(MODULE.names)


FUNCTIONS = Functions(
    {name: partial(CALLS.__getitem__, name) for name in CALLS}
    | {name: partial(DESCRIPTION.beyond.__getitem__, name) for name in DESCRIPTION.beyond}
)
"""The functions of the binding."""
MODULE = Module(
    name=NAME,
    binding=hip_binding,
    functions=FUNCTIONS,
    names=frozenset(FUNCTIONS) | {name for name in vars(hip_binding) if name.startswith(("hip", "ihip"))},
    code=hip_binding.hipError_t,
    refusal="hipErrorNotSupported",
    results={},
    remember=HIP.remember,
)
"""The look-alike's module."""
