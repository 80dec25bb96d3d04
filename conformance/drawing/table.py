"""The table of parameter values, by call and name, driver call, name or type.

An older form has the values of the newest one, but for those that a parameter of 32 bits does not hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.drawing import objects, runtime_values
from conformance.drawing.values import BY_TYPE, CHOICES
from conformance.kit.kinds import newest
from fakecuda.rules.registry import RUNTIME
from fakecuda.spec.both import CALLS, ENUMS

if TYPE_CHECKING:
    from conformance.drawing.values import Values
    from fakecuda.spec.description import Param


def _fitting() -> dict[tuple[str, str], Values]:
    """Return the values of each parameter that do not depend on a process's state."""
    by_call = {**CHOICES, **objects.VALUES, **runtime_values.BY_CALL}
    folded = {(call, name.lower()): values for (call, name), values in by_call.items()}
    table = {}
    for call, description in CALLS.items():
        for param in description.inputs:
            base = call.replace("cuda", "cu", 1) if call in RUNTIME.ops else newest(call)
            twin = (base, param.name.lower()) if base != call else ("", "")
            named = runtime_values.BY_NAME if call in RUNTIME.ops and not _is_described(param) else {}
            known = by_call.get((call, param.name)) or folded.get(twin) or named.get(param.name)
            found = known or (None if _is_described(param) else _of_type(param))
            if found is not None:
                table[call, param.name] = _narrow(found) if newest(call) != call and param.type in NARROW else found
    return table


NARROW = {"CUdeviceptr_v1", "unsigned int"}
"""Types of 32-bit parameters of older forms."""


def _narrow(values: Values) -> Values:
    """Return the values cut to 32 bits."""
    sound, wrong = ([one & (1 << 32) - 1 if isinstance(one, int) else one for one in half] for half in values)
    return sound, wrong


def _is_described(param: Param) -> bool:
    """Return whether a parameter is an array or a struct."""
    return bool(param.array) or param.kind == "struct"


def _of_type(param: Param) -> Values | None:
    if param.type in ENUMS:
        return sorted(set(ENUMS[param.type].values())), (9999,)
    return BY_TYPE.get(param.type)


FITTING = _fitting()
"""The legal and the illegal values of parameters, by call and parameter."""
