"""Which cuda.bindings is installed, and what that release does; without the wheel, the one that is described."""

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
"""``cuda.bindings.driver``, or None."""
RELEASE: str = checked(import_module("cuda.bindings").__version__) if INSTALLED else DESCRIBED
RULES = rules(RELEASE)
"""What the look-alike does in this process."""
