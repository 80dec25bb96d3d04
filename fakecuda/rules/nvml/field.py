"""Fields: ids of values that one call queries, or counters that it clears."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN, found, given_out, initialised
from fakecuda.rules.nvml.link import links_of
from fakecuda.rules.nvml.sample import energy_of
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FIELDS, CLEAR = "nvmlDeviceGetFieldValues", "nvmlDeviceClearFieldValues"
ENERGY_FIELD = 83
"""NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION."""
LINK_FIELDS = frozenset({*range(32, 74), *range(84, 92), *range(96, 142), *range(146, 169), 199, *range(201, 226)})
"""Fields of NVLink (NVML_FI_DEV_NVLINK_…)."""
OF_ONE_LINK = 164, 165, 166
"""Fields whose scope is a link number. Other scopes are unused or cover all links."""
OF_EVERY_LINK = 91, 165, 166
"""Fields of all links that are known without a recording: count, state, version."""
NOBODY_KNOWS: list[Any] = [int(Nvml.NOT_SUPPORTED), 0, ""]
"""Code, type and digits of a field without a recording."""
ACTIVE, UNSIGNED = 1, 1
"""NVML_FEATURE_ENABLED, and NVML_VALUE_TYPE_UNSIGNED_INT."""

FIELDS_ARE_GIVEN = Rule(
    "`values` is not null, and `valuesCount` is positive",
    Nvml.INVALID_ARGUMENT,
    manual(FIELDS, "NVML_ERROR_INVALID_ARGUMENT if device is invalid or values is NULL"),
    fix="pass at least one nvmlFieldValue_t, and their number",
)


@NVML.op(FIELDS)
def device_get_field_values(call: Call, device: int, count: int, fields: tuple[int, ...] | None) -> tuple[Any, ...]:
    """Return the status and the value of each field. A field is an id and a scope."""
    # CHECK
    card = found(call, device)
    if count <= 0 or fields is None:
        raise FIELDS_ARE_GIVEN.broken(count=count)
    # EFFECT
    links, facts = links_of(call, card), card.facts
    recorded = facts.answers.get(FIELDS, {})
    known = dict(zip(OF_EVERY_LINK, (links, ACTIVE, facts.link_version), strict=True))
    rows = []
    for one in fields:
        field, scope = one & 0xFFFFFFFF, one >> 32
        if field in LINK_FIELDS and (not links or (field in OF_ONE_LINK and scope >= links)):
            code, kind, value = int(Nvml.NOT_SUPPORTED), 0, 0
        elif field in known:
            code, kind, value = int(Nvml.SUCCESS), UNSIGNED, known[field]
        else:
            code, kind, digits = recorded.get(f"{field},{scope}") or recorded.get(f"{field},0") or NOBODY_KNOWS
            value = int.from_bytes(bytes.fromhex(digits), "little")
        if field == ENERGY_FIELD:
            value = energy_of(call, card)
        rows.append(_head(one, kind, code) + value.to_bytes(8, "little"))
    return tuple(rows)


@NVML.op(CLEAR)
def device_clear_field_values(call: Call, device: int, count: int, fields: tuple[int, ...] | None) -> tuple[bytes, ...]:
    """Return the status of clearing each field. A simulated card counts nothing, so no value changes.

    A null handle, and a count of 0 or less, are no error of the call, as a card has answered: each field has its own.
    """
    # CHECK
    initialised(call)
    table = given_out(call, device).facts.answers.get(CLEAR, {}) if device else None
    if count > 0 and fields is None:
        raise ARGUMENTS_ARE_GIVEN.broken(count=count)
    # EFFECT
    rows = []
    for one in fields or ():
        unknown = [int(Nvml.INVALID_ARGUMENT if table is None else Nvml.NOT_SUPPORTED)]
        [code] = (table or {}).get(str(one & 0xFFFFFFFF)) or unknown
        rows.append(_head(one, 0 if code else UNSIGNED, code))
    return tuple(rows)


def _head(one: int, kind: int, code: int) -> bytes:
    """Return the head of a nvmlFieldValue_t up to its value, with times of 0."""
    return one.to_bytes(8, "little") + bytes(16) + kind.to_bytes(4, "little") + code.to_bytes(4, "little")
