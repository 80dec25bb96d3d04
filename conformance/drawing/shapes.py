"""Random descriptors of arrays, row copies, textures and surfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.copy.fixtures import struct
from conformance.cases.driver.texture.fixtures import SAMPLING
from conformance.drawing.rows import MEMBERS, ROW, WRONG_ROWS
from fakecuda.spec.resources import ARRAY, LINEAR, MIPMAPPED, PITCHED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from conformance.drawing.values import Values

FLAT = ((64, 16, 1, 1), (64, 0, 32, 4), (16, 16, 2, 2))
NOT_FLAT = ((0, 0, 1, 1), (64, 16, 1, 3), (64, 16, 99, 1), (1 << 20, 16, 1, 1))
"""CUDA_ARRAY_DESCRIPTOR: width, height, format, channels."""
SOLID = (
    (64, 16, 0, 1, 1, 0),
    (64, 16, 4, 1, 1, 0),
    (64, 16, 4, 1, 1, 1),
    (64, 64, 6, 1, 4, 4),
    (64, 16, 0, 32, 1, 2),
    (64, 0, 0, 1, 2, 0),
    (64, 0, 5, 8, 1, 1),
    (64, 64, 12, 32, 1, 5),
    (64, 64, 6, 32, 4, 6),
    (64, 16, 0, 145, 4, 0),
    (64, 64, 0, 32, 1, 8),
    (512, 512, 0, 32, 1, 64),
    (512, 512, 2, 1, 4, 65),
    (128, 128, 128, 32, 1, 64),
    (64, 64, 0, 1, 1, 128),
    (64, 64, 0, 176, 3, 0),
)
NOT_SOLID = (
    (0, 16, 0, 1, 1, 0),
    (64, 16, 0, 1, 1, 4),
    (64, 16, 0, 1, 3, 0),
    (64, 0, 4, 1, 1, 0),
    (64, 32, 6, 1, 4, 4),
    (64, 64, 5, 1, 4, 4),
    (64, 64, 7, 1, 4, 5),
    (64, 16, 0, 1, 1, 1),
    (64, 16, 4, 1, 1, 8),
    (64, 16, 0, 1, 1, 1 << 12),
    (64, 16, 0, 145, 1, 0),
    (63, 15, 0, 145, 4, 0),
    (64, 16, 0, 145, 4, 2),
    (64, 0, 0, 1, 1, 64),
    (1 << 20, 1 << 20, 0, 1, 1, 0),
    (1 << 15, 1 << 15, 1 << 15, 1, 1, 0),
    (64, 64, 3000, 1, 1, 1),
    (64, 16, 4, 1, 4, 192),
)
"""CUDA_ARRAY3D_DESCRIPTOR: width, height, depth, format, channels, flags."""
HOST, DEVICE, IN_ARRAY, UNIFIED = 1, 2, 3, 4
"""CUmemorytype."""
ODD: tuple[dict[str, int], ...] = (
    {"dstPitch": 9},
    {"srcPitch": 11, "dstPitch": 13},
    {"srcXInBytes": 1},
    {"dstXInBytes": 3, "dstY": 1},
    {"dstPitch": 0, "Height": 1},
    {"srcPitch": 0, "Height": 1},
    {"Height": 1, "WidthInBytes": 1},
    {"srcY": 1, "Height": 2},
    {"dstZ": 1, "Depth": 1},
    {"srcLOD": 1},
    {"Depth": 0},
    {"Height": 0},
    {"reserved0": 1},
)
"""Unusual members of row copies."""


def sampled(**changed: Any) -> tuple[Any, ...]:
    """Return a CUDA_TEXTURE_DESC with other members."""
    names = ("modes", "near", "flags", "anisotropy", "between")
    return tuple(changed.get(name, value) for name, value in zip(names, SAMPLING, strict=False)) + SAMPLING[5:]


SAMPLINGS = (
    SAMPLING,
    SAMPLING,
    sampled(modes=(0, 0, 0)),
    sampled(modes=(3, 2, 1), near=1),
    sampled(near=1, between=1),
    sampled(flags=1),
    sampled(flags=2),
    sampled(flags=2, modes=(0, 2, 0)),
    sampled(anisotropy=16),
)
NO_SAMPLINGS = (
    None,
    sampled(modes=(4, 1, 1)),
    sampled(modes=(1, 1, 4)),
    sampled(near=2),
    sampled(between=2),
    sampled(flags=16),
    sampled(flags=32),
    sampled(flags=64),
    sampled(flags=128),
    sampled(anisotropy=17),
    sampled(near=-1),
)
"""CUDA_TEXTURE_DESC."""
VIEWS = (None, None, (1, 64, 16, 0, 0, 0, 0, 0), (22, 64, 16, 0, 0, 0, 0, 0), (22, 64, 64, 0, 0, 2, 0, 0))
NO_VIEWS = (
    (0, 64, 16, 0, 0, 0, 0, 0),
    (99, 64, 16, 0, 0, 0, 0, 0),
    (1, 32, 16, 0, 0, 0, 0, 0),
    (22, 64, 64, 0, 0, 9, 0, 0),
    (22, 64, 64, 0, 2, 1, 0, 0),
    (22, 64, 64, 4, 0, 0, 0, 9),
)
"""CUDA_RESOURCE_VIEW_DESC: format, width, height, depth, the first and last level, the first and last layer."""


def resources(arrays: Sequence[int], levels: Sequence[int], memory: Sequence[int]) -> Values:
    """Return CUDA_RESOURCE_DESC structs for a process's memory and arrays.

    Args:
        arrays: Its arrays.
        levels: Its mipmapped arrays.
        memory: Addresses of memory that holds 512 bytes.
    """
    sound: list[Any] = [(ARRAY, (one,), 0) for one in arrays]
    sound += [(MIPMAPPED, (one,), 0) for one in levels]
    wrong: list[Any] = [None, (4, (), 0), (99, (), 0), (-1, (), 1), (ARRAY, (0,), 0), (MIPMAPPED, (0,), 0)]
    for one in (*arrays[:1], *levels[:1]):
        wrong += [(ARRAY, (one,), 1), (MIPMAPPED, (one,), 0), (ARRAY, (one,), 0)]
    for at in memory[:2]:
        sound += [(LINEAR, (at, form, channels, 256), 0) for form, channels in ((1, 1), (32, 4), (3, 2), (16, 1))]
        sound += [(PITCHED, (at, 32, 1, 8, height, 32), 0) for height in (1, 4)]
        wrong += [(LINEAR, values, 0) for values in ((at, 1, 3, 256), (at + 8, 1, 1, 256), (at, 99, 1, 256))]
        wrong += [(LINEAR, (at, 1, 1, size), 0) for size in (0, 1, 1 << 31, 1 << 40)]
        wrong += [(LINEAR, (0, 1, 1, 256), 0), (LINEAR, (at, 145, 1, 256), 0), (LINEAR, (at, 1, 1, 256), 1)]
        wrong += [
            (PITCHED, (at, 32, 1, *sizes), 0)
            for sizes in ((8, 4, 33), (8, 4, 16), (0, 4, 32), (8, 0, 32), (9, 4, 32), (1, 1, 0), (8, 1, 48), (8, 1, 7))
        ]
    return sound, wrong


def rows(
    random: Random,
    kind: str,
    places: tuple[int, int],
    arrays: Sequence[int],
    hosts: Sequence[int],
    contexts: Sequence[int],
) -> Values:
    """Return row copies between memory of a process.

    Args:
        random: Draws.
        kind: The struct.
        places: Memory of devices that is written, and that is read.
        arrays: The process's arrays.
        hosts: Addresses of its host memory of a page.
        contexts: Its contexts.
    """
    mine = MEMBERS[kind]
    members: dict[str, int] = dict(ROW)
    for side, place in zip(("dst", "src"), places, strict=True):
        ends: list[dict[str, int]] = [{f"{side}MemoryType": DEVICE, f"{side}Device": place}] * 2
        ends += [{f"{side}MemoryType": UNIFIED, f"{side}Device": place}]
        ends += [{f"{side}MemoryType": IN_ARRAY, f"{side}Array": one} for one in arrays]
        ends += [{f"{side}MemoryType": HOST, f"{side}Host": one} for one in hosts[:2]]
        members |= random.choice(ends)
        if contexts and f"{side}Context" in mine:
            members[f"{side}Context"] = random.choice(contexts)

    def made(wrong: dict[str, int]) -> tuple[Any, ...]:
        merged = {**members, **wrong}
        return struct(kind, **{name: value for name, value in merged.items() if name in mine})

    odd = random.choice(ODD)
    if any(members[f"{side}MemoryType"] == HOST for side in ("dst", "src")):
        odd = {"srcXInBytes": 1}  # a driver follows an address of the host wherever a copy leads it
        return [made({}), made(odd)], [made(odd | {"WidthInBytes": 0})]
    return [made({}), made({}), made(odd)], [made(wrong) for wrong in (*WRONG_ROWS, *ODD) if "pCopy" not in wrong]
