"""Which HIP runtime a machine has: a table of what it does otherwise.

A profile says it in ``[hip]``::

    [hip]
    name = "clr-2024"
    version = 60300000           # 10,000,000 * major + 100,000 * minor + patch
    keeps_every_answer = true    # optional
    ways = ["…"]                 # optional: names of what operations do otherwise
    lacks = ["hip…"]             # optional: functions that it does not have yet
    [hip.rules]                  # optional, by the ids of rules:
    "hip.va.…" = "OUT_OF_MEMORY" # another code, or "unchecked"
"""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from fakecuda.codes import Error, Result

UNCHECKED = "unchecked"


@frozen
class Hip:
    """A HIP runtime, by what differs from the rules as they stand in ``fakecuda/spec/hip``.

    Attributes:
        name: ``clr-2024``; empty on a machine without HIP.
        version: What hipRuntimeGetVersion returns.
        keeps_every_answer: Whether the last error is what the last call has answered, success and hipErrorNotReady too.
        ways: Names of what its operations do otherwise, each told where it is asked for.
        lacks: Functions that its library does not have.
        rules: By the ids of rules, the codes that it answers instead, None for those that it does not check.
    """

    name: str = ""
    version: int = 0
    keeps_every_answer: bool = False
    ways: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()
    rules: dict[str, int | None] = field(factory=dict)


NO_HIP = Hip()


def hip_of(data: dict[str, Any]) -> Hip:
    """Return the HIP runtime that a profile's table describes."""
    return Hip(
        data["name"],
        data["version"],
        data.get("keeps_every_answer", False),
        frozenset(data.get("ways", ())),
        frozenset(data.get("lacks", ())),
        {rule: None if name == UNCHECKED else _code(name) for rule, name in data.get("rules", {}).items()},
    )


def _code(name: str) -> int:
    """Return the number of a code by its name in :mod:`fakecuda.codes`."""
    return int(Result[name] if name in Result.__members__ else Error[name])
