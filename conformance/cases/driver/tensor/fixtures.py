"""Common refusals of tensor maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conformance.kit.case import Entry

BASE = 1 << 30
"""The address of tensors, which needs no memory."""
FLOAT32, FLOAT16, PACKED = 7, 6, 15
"""CUtensorMapDataType."""
INTERLEAVED = 2
"""CU_TENSOR_MAP_INTERLEAVE_32B."""
LOOKS: dict[str, Any] = {"interleave": 0, "swizzle": 0, "l2Promotion": 0, "oobFill": 0}


def refuse(entry: Entry, rank: int, inner: str) -> None:
    """Add the cases of a call that encodes a tensor map.

    Args:
        entry: The entry, whose valid call has FLOAT16 elements.
        rank: How many dimensions its tensor has.
        inner: The argument that says how many elements a row of a box has.
    """
    entry.null("tensorMap", "RESULT_IS_GIVEN")
    for kind in (PACKED, 16, 99):
        entry.breaks("KIND_IS_KNOWN", f"{kind}", tensorDataType=kind)
    for count in (0, 6):
        entry.breaks("RANK_IS_POSSIBLE", f"{count}", tensorRank=count)
    entry.breaks("ADDRESS_IS_ALIGNED", globalAddress=BASE + 8)
    entry.breaks("ADDRESS_IS_ALIGNED", "far", globalAddress=1 << 57)
    for name in ("globalDim", "globalStrides", "elementStrides"):
        entry.breaks("EXTENTS_ARE_GIVEN", name, **{name: None})
    ones = (1,) * (rank - 1)
    for extent in (0, (1 << 32) + 1):
        entry.breaks("DIMENSIONS_ARE_WITHIN_LIMITS", f"{extent}", globalDim=(extent, *[64] * (rank - 1)))
    for stride in (8, 1 << 40):
        entry.breaks("STRIDES_ARE_ALIGNED", f"{stride}", globalStrides=(stride, *[4096] * (rank - 2)))
    for step in (0, 9):
        entry.breaks("STEPS_ARE_WITHIN_LIMITS", f"{step}", elementStrides=(step, *ones))
        entry.breaks("STEPS_ARE_WITHIN_LIMITS", f"{step} of the last", elementStrides=(*ones, step))
    entry.breaks("INTERLEAVE_IS_KNOWN", interleave=3)
    for swizzle in (4, 9):
        entry.breaks("SWIZZLE_IS_KNOWN", f"{swizzle}", swizzle=swizzle)
    entry.breaks("PROMOTION_IS_KNOWN", l2Promotion=4)
    entry.breaks("FILL_SUITS", oobFill=2)
    entry.breaks("FILL_SUITS", "whole numbers", tensorDataType=1, oobFill=1)
    for name, value in {"swizzle": 3, "l2Promotion": 3, "oobFill": 1, "globalAddress": 0}.items():
        changed: dict[str, Any] = {name: value}
        entry.also(f"{name} {value}", **changed)
    width = {inner: (7, *[1] * (rank - 1)) if inner == "boxDim" else 7}
    entry.breaks("ROW_IS_WHOLE", "7", **width)
    entry.breaks("ROW_IS_WHOLE", "swizzled", swizzle=1)
    if rank >= 3:
        entry.breaks("ROW_IS_WHOLE", "7, interleaved", **width, interleave=1)
        entry.also("interleaved, beyond the swizzle size", interleave=1, swizzle=1)
    # What is checked first where two things are wrong.
    entry.also("an unknown type and no rank", rule="KIND_IS_KNOWN", tensorDataType=99, tensorRank=0)
    entry.also("no rank and an unknown swizzle", rule="RANK_IS_POSSIBLE", tensorRank=0, swizzle=99)
