"""The older forms of the driver API's functions, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.explain.reports.text import GAP, columns, table, wrapped
from fakecuda.rules.registry import DRIVER, FORMS
from fakecuda.spec.forms import OUT
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from collections.abc import Sequence


def forms_of() -> list[dict[str, Any]]:
    """Return the older forms of modelled functions that libcuda exports.

    Each has its symbol, the function's name in the manual, the CUDA version that brought it, its name in fakecuda or None if
    it is not modelled, and why it is not modelled.
    """
    names = {call.symbol: call.name for call in map(FORMS.calls.__getitem__, FORMS.ops)}
    newest = {DRIVER.calls[name].symbol for name in DRIVER.ops}
    return [
        {
            "symbol": one.name,
            "function": one.base,
            "version": f"{one.version // 1000}.{one.version % 1000 // 10}",
            "call": names.get(one.name),
            "reason": OUT.get(one.name, ""),
        }
        for one in symbols()
        if not one.stream and one.base in DRIVER.ops and one.name not in newest
    ]


def forms_text(forms: list[dict[str, Any]], width: int | None = None) -> str:
    """Return the forms as a table, with a line of counts."""
    width = width or columns()
    body: list[Sequence[str] | str] = [
        (GAP + one["symbol"], one["version"], one["call"] or f"not modelled: {one['reason']}") for one in forms
    ]
    served = sum(one["call"] is not None for one in forms)
    total = (
        f"functions: {len({one['function'] for one in forms})}; other forms: {len(forms)}; modelled: {served}; not modelled: "
        f"{len(forms) - served}"
    )
    return "\n".join([table(("  symbol", "CUDA", "call"), body, width), "", *wrapped(total, width)])
