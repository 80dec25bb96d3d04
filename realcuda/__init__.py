"""The real CUDA driver, with fakecuda's ``Process`` interface.

The names are imported on first use. A child process imports this package, too, and starts faster without them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakecuda.spec.codes import CRASH, HANG
    from realcuda.machine import Machine, available
    from realcuda.process import Process, Thread

__all__ = ["CRASH", "HANG", "Machine", "Process", "Thread", "available"]

_HOMES = {
    "CRASH": "fakecuda.spec.codes",
    "HANG": "fakecuda.spec.codes",
    "Machine": "realcuda.machine",
    "available": "realcuda.machine",
    "Process": "realcuda.process",
    "Thread": "realcuda.process",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        msg = f"module {__name__} has no attribute {name}"
        raise AttributeError(msg)
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value
