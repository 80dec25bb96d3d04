"""The modelled symbols of the driver library, and replacements for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.registry import DRIVER, FORMS
from fakecuda.spec import forms
from fakecuda.spec.driver import DESCRIPTION
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from fakecuda.spec.symbols import Symbol

MODELLED = {
    row[kind]: name
    for api, rows in ((DRIVER, DESCRIPTION.rows), (FORMS, forms.DESCRIPTION.rows))
    for name, row in rows.items()
    if name in api.ops
    for kind in ("symbol", "ptds")
}
"""Modelled calls, older forms among them, by their symbols."""
FIXES = {
    "cuGetExportTable": (
        "it returns private tables for NVIDIA's static runtime library, which fakecuda does not have: link the "
        "shared libcudart (nvcc --cudart=shared), and do not import functions of cuda.bindings.runtime by name"
    )
}
"""Replacements for functions that will not be modelled."""


def fix_of(symbol: Symbol) -> str:
    """Return what to use instead of a function that is not modelled; empty if unknown.

    Of a function with several forms this is the next newer form that is modelled, else the newest.
    """
    served = [one for one in symbols() if one.base == symbol.base and one.name in MODELLED and not one.stream]
    if not served:
        return FIXES.get(symbol.name, "")
    newer = [one for one in served if one.version > symbol.version]
    other = min(newer, key=_version) if newer else max(served, key=_version)
    return f"use {other.name}"


def _version(symbol: Symbol) -> int:
    return symbol.version
