"""The modelled symbols of the driver library, and replacements for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.registry import DRIVER
from fakecuda.spec.driver import DESCRIPTION

if TYPE_CHECKING:
    from fakecuda.spec.symbols import Symbol

MODELLED = {
    row[kind]: name for name, row in DESCRIPTION.rows.items() if name in DRIVER.ops for kind in ("symbol", "ptds")
}
"""Modelled calls, by their symbols."""
FIXES = {
    "cuGetExportTable": (
        "it returns private tables for NVIDIA's static runtime library, which fakecuda does not have: link the "
        "shared libcudart (nvcc --cudart=shared), and do not import functions of cuda.bindings.runtime by name"
    )
}
"""Replacements for functions that will not be modelled."""


def fix_of(symbol: Symbol) -> str:
    """Return what to use instead of a function that is not modelled; empty if unknown."""
    known = symbol.base in DRIVER.ops
    return f"use {DESCRIPTION.rows[symbol.base]['symbol']}" if known else FIXES.get(symbol.name, "")
