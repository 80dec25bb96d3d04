"""One table of what fits a parameter: by its call and name, else by the driver's call of the same name, its name or its type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.drawing import objects, runtime_values
from conformance.drawing.values import BY_TYPE, CHOICES
from fakecuda.rules.registry import RUNTIME
from fakecuda.spec.both import CALLS, ENUMS

if TYPE_CHECKING:
    from conformance.drawing.values import Values
    from fakecuda.spec.description import Param


def _fitting() -> dict[tuple[str, str], Values]:
    """Return the table: for each parameter whose values do not depend on what a process holds, which they are."""
    by_call = {**CHOICES, **objects.VALUES, **runtime_values.BY_CALL}
    folded = {(call, name.lower()): values for (call, name), values in by_call.items()}
    table = {}
    for call, description in CALLS.items():
        for param in description.inputs:
            twin = (call.replace("cuda", "cu", 1), param.name.lower()) if call in RUNTIME.ops else ("", "")
            named = runtime_values.BY_NAME if call in RUNTIME.ops and not _is_described(param) else {}
            known = by_call.get((call, param.name)) or folded.get(twin) or named.get(param.name)
            found = known or (None if _is_described(param) else _of_type(param))
            if found is not None:
                table[call, param.name] = found
    return table


def _is_described(param: Param) -> bool:
    """Return whether a parameter is an array or a struct."""
    return bool(param.array) or param.kind == "struct"


def _of_type(param: Param) -> Values | None:
    if param.type in ENUMS:
        return sorted(set(ENUMS[param.type].values())), (9999,)
    return BY_TYPE.get(param.type)


FITTING = _fitting()
"""The legal and the illegal values of parameters, by call and parameter."""
