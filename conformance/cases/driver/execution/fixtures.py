"""Refused settings of functions and kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.case import Entry
    from conformance.kit.world import Invocation

REGISTERS, DYNAMIC, CARVEOUT, WIDTH, WIDE, POLICY = 4, 8, 9, 11, 14, 15
"""CU_FUNC_ATTRIBUTE_* attributes."""


def refuse_settings(entry: Entry, value: str, handle: str, other: Callable[[Invocation], int]) -> None:
    """Add the cases of a call that sets an attribute.

    Args:
        entry: The entry.
        value: The C name of the value.
        handle: The C name of what has the attribute.
        other: Returns such a thing with a cluster of its own.
    """
    entry.breaks("ATTRIBUTE_CAN_BE_SET", attrib=REGISTERS)
    entry.breaks("SHARED_MEMORY_FITS", **{value: 232449})
    entry.breaks("SHARED_MEMORY_FITS", "negative", **{value: -1})
    entry.breaks("VALUE_IS_IN_RANGE", attrib=CARVEOUT, **{value: 101})
    entry.breaks("VALUE_IS_IN_RANGE", "of a cluster", attrib=WIDTH, **{value: -1})
    entry.breaks("CLUSTER_IS_OPEN", attrib=WIDTH, **{value: 4, handle: other})
    same: dict[str, Any] = {"attrib": WIDTH, value: 2, handle: other}
    entry.also("the width that was compiled", **same)
    for name, attribute, number in (
        ("a carve-out", CARVEOUT, 50),
        ("a width of clusters", WIDTH, 2),
        ("wide clusters", WIDE, 8),
        ("a policy", POLICY, 1),
    ):
        changed: dict[str, Any] = {"attrib": attribute, value: number}
        entry.also(name, **changed)
