"""Random tensor maps, legal and nearly legal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.tensor.fixtures import BASE, FLOAT16

if TYPE_CHECKING:
    from random import Random

    from conformance.drawing.values import Values

SIZES = {0: 1, 1: 2, 2: 4, 3: 4, 4: 8, 5: 8, 6: 2, 7: 4, 8: 8, 9: 2, 10: 4, 11: 4, 12: 4}
"""Bytes of an element, by CUtensorMapDataType."""
NAMES: dict[str, Values] = {
    "tensorDataType": ((*SIZES, FLOAT16), (13, 15, 16, 99)),
    "tensorRank": ((1, 2, 3, 4, 5), (0, 6)),
    "globalAddress": ((BASE, BASE, BASE + 4096, BASE + 16), (0, BASE + 8, 1 << 57)),
    "interleave": ((0, 0, 0, 1, 2), (3, -1)),
    "swizzle": ((0, 0, 1, 2, 3), (4, 9, 99)),
    "l2Promotion": ((0, 1, 2, 3), (4,)),
    "oobFill": ((0, 0, 1), (2,)),
    "channelsPerPixel": ((16, 64), (0, 257, 7)),
    "pixelsPerColumn": ((32, 64), (0, 1025)),
    "pixelBoxLowerCornerWidth": ((0, -1, 1), (1 << 15, -(1 << 15) - 1)),
    "pixelBoxUpperCornerWidth": ((0, -1, 1), (1 << 15, -(1 << 15) - 1)),
    "mode": ((0, 1), (2, -1)),
    **dict.fromkeys(
        ("globalDim", "globalStrides", "boxDim", "elementStrides", "pixelBoxLowerCorner", "pixelBoxUpperCorner"),
        ((None,), (None,)),
    ),
}
"""Values by the parameter's name; :func:`fit` fits arrays to the rank."""
ODD: dict[str, tuple[int, ...]] = {
    "globalDim": (0, 1, (1 << 32) + 1),
    "globalStrides": (8, 0, 1 << 40),
    "boxDim": (0, 257, 7),
    "elementStrides": (0, 9),
    "pixelBoxLowerCorner": (1 << 15, -129),
    "pixelBoxUpperCorner": (1 << 15, -129),
}


def fit(random: Random, found: dict[str, Any], *, wrong: bool) -> None:
    """Give a tensor map arrays that fit its rank and elements, sometimes others.

    Args:
        random: Draws.
        found: The call's arguments by name.
        wrong: Whether the call is to fail.
    """
    if wrong and not random.randrange(3):
        found["tensorRank"] = random.choice((0, 6))
    elif "boxDim" not in found:
        found["tensorRank"] = random.choice((3, 4, 5))
    elif found["interleave"]:
        found["tensorRank"] = max(3, found["tensorRank"])
    rank = min(5, max(1, found["tensorRank"]))
    element = SIZES.get(found["tensorDataType"], 4)
    stride, strides = 64 * element, []
    for _ in range(rank - 1):
        strides.append(stride)
        stride *= 32
    inner = 16 // element * random.choice((1, 1, 2))
    arrays = {
        "globalDim": (64, *[32] * (rank - 1)),
        "globalStrides": tuple(strides),
        "boxDim": (inner, *[random.choice((1, 4, 8)) for _ in range(rank - 1)]),
        "elementStrides": (1,) * rank,
        "pixelBoxLowerCorner": (random.choice((0, 0, -1)),) * max(0, rank - 2),
        "pixelBoxUpperCorner": (random.choice((0, 0, -1)),) * max(0, rank - 2),
    }
    found.update({name: array for name, array in arrays.items() if name in found})
    if wrong and random.randrange(2):
        name = random.choice([one for one in arrays if one in found])
        array = list(found[name])
        if array and random.randrange(4):
            array[random.randrange(len(array))] = random.choice(ODD[name])
            found[name] = tuple(array)
        else:
            found[name] = None
