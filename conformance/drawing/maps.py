"""Random CUarrayMapInfo structs, legal and nearly legal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.va.fixtures import LEVEL, MAP, MEMBERS, PAGE, TAIL, UNMAP, box
from fakecuda.model.memory import tiling
from fakecuda.model.memory.array import DEFERRED, SPARSE, Mipmapped, is_level, levels_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from conformance.drawing.values import Values
    from fakecuda.model.memory.array import Grid
    from fakecuda.reach.process import Process

WRONG: tuple[dict[str, Any], ...] = (
    {"kind": 2},
    {"resource": 0},
    {"part": 2},
    {"words": box(level=9)},
    {"words": box(layer=99)},
    {"words": box(at=(1, 0, 0))},
    {"words": box(size=(1, 0, 1))},
    {"words": (0, PAGE // 2, PAGE, 0), "part": TAIL},
    {"words": (0, 0, 1 << 30, 0), "part": TAIL},
    {"operation": 0},
    {"operation": 3},
    {"form": 1},
    {"offset": 1},
    {"offset": 1 << 40},
    {"mask": 0},
    {"mask": 3},
    {"mask": 1 << 31},
    {"flags": 1},
    {"zeros": 1},
)
"""Invalid members of any map."""


def maps(random: Random, state: Process, arrays: Sequence[int], handles: Sequence[int]) -> Values:
    """Return lists of maps.

    Args:
        random: Draws.
        state: The process.
        arrays: Its arrays and mipmapped arrays.
        handles: Its allocation handles.
    """
    grids = [state.arrays[one] for one in arrays]
    later = [one for one in grids if one.shape.flags & (SPARSE | DEFERRED) and not is_level(one)]
    pools = {one: state.handles[one].physical.size for one in handles if state.handles[one].physical.tiles}
    if not later:
        return (), (None,)
    grid, pool = random.choice(later), random.choice([*pools] or [0])
    given = {
        "kind": int(isinstance(grid, Mipmapped)),
        "resource": grid.handle,
        "part": LEVEL,
        "words": (0, 0, 0, 0),
        "operation": MAP,
        "form": 0,
        "handle": pool,
        "offset": 0,
        "mask": 1 << state.devices.index(grid.context.device),
        "flags": 0,
        "zeros": 0,
    }
    parts = [(part, words, size) for part, words, size in _parts(grid) if not pool or size <= pools[pool]]
    sound = [{**given, "part": part, "words": words} for part, words, _ in parts]
    taken = [{**one, "operation": UNMAP, "handle": 0} for one in sound]
    unread = {"part", "words"} if grid.shape.flags & DEFERRED else set()
    unread |= set() if pool else {"form", "handle", "offset"}
    unread |= {"kind"} if given["kind"] else set()  # a program names a mipmapped array by its kind
    others = [one for one in grids if one not in later and isinstance(one, Mipmapped) == isinstance(grid, Mipmapped)]
    changes = [*WRONG, *({"resource": one.handle} for one in others)]
    changes += [{"handle": one} for one in handles if one not in pools]
    bases = sound if pool else taken
    wrong: list[Any] = [None]
    wrong += [({**random.choice(bases), **one},) for one in changes if bases and not unread & one.keys()]
    lists: list[Sequence[dict[str, Any]]] = [(one,) for one in (*(sound if pool else ()), *taken)]
    if len(bases) > 1:
        lists.append((bases[0], bases[-1]))
    return [_listed(one) for one in lists], [one and _listed(one) for one in wrong]


def _listed(infos: Sequence[dict[str, Any]]) -> tuple[tuple[Any, ...], ...]:
    """Return a list in the form that a call takes."""
    return tuple(tuple(one[name] for name in MEMBERS) for one in infos)


def _parts(grid: Grid) -> Iterator[tuple[int, tuple[int, int, int, int], int]]:
    """Yield parts of an array that can be mapped, with their sizes in bytes."""
    shape, element, levels = grid.shape, grid.element, levels_of(grid)
    if shape.flags & DEFERRED:
        yield LEVEL, (0, 0, 0, 0), tiling.requirement(shape, element, levels)
        return
    tail = tiling.tail_of(shape, element, levels, mipmapped=isinstance(grid, Mipmapped))
    layers = range(1 if tail.single else tiling.layers_of(shape))
    tile = tiling.tile_of(shape, element)
    for layer in layers:
        if not tail.single:
            sizes = shape.width, shape.height, shape.depth if tile[2] > 1 else 1
            yield LEVEL, box(size=tile, layer=layer), PAGE
            yield LEVEL, box(size=sizes, layer=layer), len([*tiling.tiles_in(0, tile, (0, 0, 0), sizes)]) * PAGE
        if tail.size:
            yield TAIL, (layer, 0, PAGE, 0), PAGE
            yield TAIL, (layer, 0, tail.size, 0), tail.size
