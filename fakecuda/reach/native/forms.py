"""Which symbols of the driver library are modelled, and what to do instead of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.registry import DRIVER
from fakecuda.spec.driver import DESCRIPTION

if TYPE_CHECKING:
    from fakecuda.spec.symbols import Symbol

MODELLED = {
    row[kind]: name for name, row in DESCRIPTION.rows.items() if name in DRIVER.ops for kind in ("symbol", "ptds")
}
"""Calls by their symbols."""
FIXES = {
    "cuGetExportTable": "it has private tables for NVIDIA's own runtime, which does not run on this driver: programs link the "
    "shared libcudart (nvcc --cudart=shared); cuda.bindings.runtime calls past the driver if its functions were imported by name"
}
"""What to do instead of functions that will not be modelled."""


def fix_of(symbol: Symbol) -> str:
    """Return what to do instead of calling a function that is not modelled; empty where that is not known."""
    known = symbol.base in DRIVER.ops
    return f"use {DESCRIPTION.rows[symbol.base]['symbol']}" if known else FIXES.get(symbol.name, "")
