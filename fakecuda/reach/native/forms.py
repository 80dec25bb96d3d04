"""The modelled symbols of the driver library, and replacements for the others."""

from __future__ import annotations

from functools import cache
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
"""Modelled calls and older forms, by symbol."""
EXPORT_TABLE = "cuGetExportTable"
"""The function that fakecuda will never model (see ``spec.export_tables``)."""


@cache
def _served() -> dict[str, list[Symbol]]:
    """Return the modelled symbols of each function, oldest first."""
    found: dict[str, list[Symbol]] = {}
    for one in sorted(symbols(), key=lambda one: one.version):
        if one.name in MODELLED and not one.stream:
            found.setdefault(one.base, []).append(one)
    return found


def fix_of(symbol: Symbol) -> str:
    """Return what to use instead of a function that is not modelled; empty if unknown.

    Of a function with several forms this is the next newer form that is modelled, else the newest.
    """
    served = _served().get(symbol.base)
    if served is None:
        return ""
    return f"use {next((one for one in served if one.version > symbol.version), served[-1]).name}"
