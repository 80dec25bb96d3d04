"""The installed release of cuda.bindings and its behaviour.

Without the wheel, the described release is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fakecuda.spec.bindings import checked, rules
from fakecuda.spec.driver import DESCRIBED

PACKAGE = "cuda.bindings."
MODULE = f"{PACKAGE}driver"
RUNTIME_MODULE = f"{PACKAGE}runtime"


def _installed() -> Any:
    try:
        return import_module(MODULE)
    except ImportError:
        return None


INSTALLED: Any = _installed()
"""``cuda.bindings.driver``; None if it is not installed."""
RELEASE: str = checked(import_module("cuda.bindings").__version__) if INSTALLED else DESCRIBED
RULES = rules(RELEASE)
"""The behaviour of the look-alike in this process."""
