"""The HIP runtime of a machine, by its differences from the rules.

A profile says it in ``[hip]``::

    [hip]
    name = "clr-2024"
    version = 60300000           # 10,000,000 * major + 100,000 * minor + patch
    keeps_every_answer = true    # optional
    ways = ["…"]                 # optional: names of what operations do otherwise
    lacks = ["hip…"]             # optional: functions that it does not have yet
    link_type = 4                # optional: hsa_amd_link_info_type_t of the links between devices
    hops = 1                     # optional: how many of them lead from one device to another
    [hip.rules]                  # optional, by the ids of rules:
    "hip.va.…" = "OUT_OF_MEMORY" # another code, or "unchecked"

and what the runtime tells of a device in ``[device.hip]``: members of hipDeviceProp_t, and those hipDeviceAttribute_t, without
``hipDeviceAttribute``, that no member tells. What is not named is 0.
"""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from fakecuda.near import nearest
from fakecuda.spec.codes import Error, Result

UNCHECKED = "unchecked"
ATTRIBUTE = "hipDeviceAttribute"


@frozen
class Hip:
    """A HIP runtime, by its differences from ``fakecuda/rules/hip``.

    Attributes:
        name: ``clr-2024``; empty on a machine without HIP.
        version: What hipRuntimeGetVersion returns.
        keeps_every_answer: Whether the last error is what the last call has answered, success and hipErrorNotReady too.
        ways: Names of what its operations do otherwise, each told where it is asked for.
        lacks: Functions that its library does not have.
        rules: By the ids of rules, the codes that it answers instead, None for those that it does not check.
        link_type: The kind of the links between devices, hsa_amd_link_info_type_t.
        hops: How many of them lead from one device to another.
    """

    name: str = ""
    version: int = 0
    keeps_every_answer: bool = False
    ways: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()
    rules: dict[str, int | None] = field(factory=dict)
    link_type: int = 0
    hops: int = 0


NO_HIP = Hip()


def hip_of(data: dict[str, Any]) -> Hip:
    """Return the HIP runtime from a profile's table."""
    return Hip(
        data["name"],
        data["version"],
        data.get("keeps_every_answer", False),
        frozenset(data.get("ways", ())),
        frozenset(data.get("lacks", ())),
        {rule: None if name == UNCHECKED else _code(name) for rule, name in data.get("rules", {}).items()},
        data.get("link_type", 0),
        data.get("hops", 0),
    )


def card_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return the HIP values of a device's table.

    Raises:
        ValueError: A name is neither a member of hipDeviceProp_t nor an attribute; the text has the nearest.
    """
    if not data:
        return {}
    from fakecuda.spec.hip import ENUMS, STRUCTS  # noqa: PLC0415 - many machines have no HIP

    known = {label.partition("[")[0] for _, label in STRUCTS["hipDeviceProp_t"]}
    known |= {name.removeprefix(ATTRIBUTE) for name in ENUMS["hipDeviceAttribute_t"]}
    for name in data:
        if name not in known:
            raise ValueError(nearest(name, sorted(known), "key of [device.hip]"))
    return {name: _plain(value) for name, value in data.items()}


def _plain(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


def _code(name: str) -> int:
    """Return the number of a code by its name in :mod:`fakecuda.spec.codes`."""
    return int(Result[name] if name in Result.__members__ else Error[name])
