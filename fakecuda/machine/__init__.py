"""The machine for its users: the model, its bindings, and controls for tests.

The package is callable for one release: ``fakecuda.machine(…)`` is the old name of :func:`fakecuda.simulate`.
"""

from __future__ import annotations

import sys
import warnings
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fakecuda.machine.simulation import Simulation


class _Callable(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Simulation:
        """Call :func:`fakecuda.simulate`, and warn that this is its old name."""
        from fakecuda.machine.simulating import simulate  # noqa: PLC0415 - it imports this package

        warnings.warn("fakecuda.machine is now fakecuda.simulate", DeprecationWarning, stacklevel=2)
        return simulate(*args, **options)


sys.modules[__name__].__class__ = _Callable
