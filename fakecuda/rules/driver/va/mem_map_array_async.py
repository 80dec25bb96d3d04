"""cuMemMapArrayAsync: a stream maps memory to sparse or deferred-mapping arrays.

A list is looked at whole before anything is mapped. Memory stays with an array that it was mapped to, until the array ends.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fakecuda.errors import FakeCudaError
from fakecuda.model.memory import pages, tiling
from fakecuda.model.memory.array import DEFERRED, SPARSE, Array, Grid, Mipmapped, is_level, levels_of
from fakecuda.model.memory.pages import Change, Pages
from fakecuda.model.os.process import FORKED
from fakecuda.model.work import stream_scheduler
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.array.handle import followed
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.va.handle import held_handle_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.resources import ARRAY, MIPMAPPED

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.pages import Key

CALL = "cuMemMapArrayAsync"
MAP, UNMAP = (ENUMS["CUmemOperationType"][f"CU_MEM_OPERATION_TYPE_{name}"] for name in ("MAP", "UNMAP"))
LEVEL, TAIL = (
    ENUMS["CUarraySparseSubresourceType"][f"CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_{name}"]
    for name in ("SPARSE_LEVEL", "MIPTAIL")
)
HALF = 32
LOW = (1 << HALF) - 1
"""A mask for the lower 32 bits."""
WRAP = 1 << 64
"""The number at which driver values wrap."""
KINDS = {ARRAY: Array, MIPMAPPED: Mipmapped}


class Info(NamedTuple):
    """A CUarrayMapInfo.

    Attributes:
        kind: CUresourcetype.
        resource: The array.
        part: CUarraySparseSubresourceType.
        words: The subresource.
        operation: CUmemOperationType.
        form: CUmemHandleType.
        handle: The memory.
        offset: The offset in it.
        mask: A bit for each device.
        flags: 0.
        zeros: 0.
    """

    kind: int
    resource: int
    part: int
    words: tuple[int, int, int, int]
    operation: int
    form: int
    handle: int
    offset: int
    mask: int
    flags: int
    zeros: int


LIST_IS_GIVEN = Rule(
    "`mapInfoList` is not null, and `count` is not 0",
    Result.INVALID_VALUE,
    observed(CALL, "null and a count of 0 answer INVALID_VALUE, before the stream is looked at"),
    fix="pass an array of CUarrayMapInfo, and how many it has",
)
MAPS_ARE_PLAIN = Rule(
    "`flags` and `reserved` of each CUarrayMapInfo are 0",
    Result.INVALID_VALUE,
    manual(CALL, "are unused and must be set to zero"),
    fix="zero the CUarrayMapInfo before you set its members",
)
OPERATION_IS_KNOWN = Rule(
    "`memOperationType` is CU_MEM_OPERATION_TYPE_MAP or CU_MEM_OPERATION_TYPE_UNMAP",
    Result.INVALID_VALUE,
    manual(CALL, "CUarrayMapInfo.memOperationType specifies the type of operation"),
    fix="set memOperationType to CU_MEM_OPERATION_TYPE_MAP or _UNMAP",
)
MASK_IS_THE_DEVICE_S = Rule(
    "`deviceBitMask` has one bit, that of the device of `hStream`",
    Result.INVALID_VALUE,
    manual(CALL, "this mask must have exactly one bit set, and the corresponding device must match the device"),
    fix="set deviceBitMask to 1 shifted by the number of the stream's device",
)
ARRAY_IS_MAPPED_LATER = Rule(
    "`resource` is a sparse array or one with deferred mapping, mipmapped if `resourceType` says so, and not a level",
    Result.INVALID_VALUE,
    manual(CALL, "For CUDA arrays obtained using cuMipmappedArrayGetLevel, CUDA_ERROR_INVALID_VALUE will be returned"),
    fix="create the array with CUDA_ARRAY3D_SPARSE or CUDA_ARRAY3D_DEFERRED_MAPPING; of a level, map its mipmapped array",
)
LEVEL_HAS_TILES = Rule(
    "`subresource` of a sparse level names a level and a layer that the array has, and the level is not in the mip tail",
    Result.INVALID_VALUE,
    manual(CALL, "must specify a valid mip level index"),
    fix="map the levels below miptailFirstLevel of cuMipmappedArrayGetSparseProperties, and the others with the tail",
)
BOX_IS_OF_TILES = Rule(
    "offsets and extents of a sparse level are multiples of a tile or reach the level's end; extents are not 0",
    Result.INVALID_VALUE,
    manual(CALL, "These offsets and extents must be aligned to the corresponding tile dimension"),
    fix="align offsets and extents to tileExtent of the sparse properties; for 2D arrays set offsetZ to 0 and extentDepth to 1",
)
PART_IS_KNOWN = Rule(
    "`subresourceType` of a sparse array is a CUarraySparseSubresourceType",
    Result.INVALID_VALUE,
    manual(CALL, "CUarrayMapInfo.subresourceType specifies the type of subresource within the resource"),
    fix="set subresourceType to CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL or _MIPTAIL",
)
TAIL_IS_OF_PAGES = Rule(
    "`subresource` of a mip tail has a layer of the array, and an offset and a size within its tail, in whole tiles",
    Result.INVALID_VALUE,
    manual(CALL, "Both, mip tail offset and mip tail size must be aligned to the tile size"),
    fix="map at most miptailSize bytes of the sparse properties, in multiples of 64 KiB",
)
MEMORY_OF_AN_UNMAP_IS_NULL = Rule(
    "`memHandle` is null if memory is unmapped",
    Result.SUCCESS,
    undefined(CALL, "CUarrayMapInfo.memHandle must be NULL"),
    fix="set memHandle to 0 with CU_MEM_OPERATION_TYPE_UNMAP",
)
HANDLE_IS_GENERIC = Rule(
    "`memHandleType` is CU_MEM_HANDLE_TYPE_GENERIC if memory is mapped",
    Result.INVALID_VALUE,
    manual(CALL, "CUarrayMapInfo.memHandleType must be set to CUmemHandleType.CU_MEM_HANDLE_TYPE_GENERIC"),
    fix="set memHandleType to CU_MEM_HANDLE_TYPE_GENERIC",
)
MEMORY_IS_GIVEN = Rule(
    "`memHandle` is not null if memory is mapped",
    Result.INVALID_VALUE,
    undefined(CALL, "the manual says nothing about null; driver 580 follows it (segmentation fault)"),
    fix="set memHandle to the handle that cuMemCreate returned",
)
MEMORY_IS_FOR_TILES = Rule(
    "`memHandle` is memory with CU_MEM_CREATE_USAGE_TILE_POOL",
    Result.INVALID_VALUE,
    manual(CALL, "has to be created by specifying the CU_MEM_CREATE_USAGE_TILE_POOL flag when calling cuMemCreate"),
    fix="set allocFlags.usage to CU_MEM_CREATE_USAGE_TILE_POOL in cuMemCreate",
)
MEMORY_IS_THE_DEVICE_S = Rule(
    "`memHandle` is memory of the device of `deviceBitMask`",
    Result.INVALID_VALUE,
    manual(CALL, "the device must also match the device associated with the tile pool memory allocation"),
    fix="map memory of the stream's device",
)
MEMORY_SPANS_THE_PART = Rule(
    "`offset` is a multiple of 64 KiB, and the bytes to map, from `offset` on, end within the memory",
    Result.INVALID_VALUE,
    observed(CALL, "an offset of 1 or 4096, and one too near to the end, answer INVALID_VALUE"),
    fix="map at a multiple of 64 KiB, in memory with 64 KiB for each tile",
)
OFFSET_DOES_NOT_WRAP = Rule(
    "`offset` plus the mapped bytes is below 2**64",
    Result.SUCCESS,
    undefined(
        CALL,
        "the manual says nothing about it; driver 580 does not see that the sum wraps, and maps what is not the memory's",
    ),
    fix="pass an offset within the memory",
)


@DRIVER.op(CALL, several="each map is work of its own")
def mem_map_array_async(call: Call, infos: tuple[tuple[Any, ...], ...] | None, count: int, stream: int) -> None:
    """Have a stream map and unmap memory of arrays.

    Args:
        call: The call.
        infos: CUarrayMapInfo, in the order in which they are done.
        count: How many they are.
        stream: The stream.

    Raises:
        FakeCudaError: A fork makes the call, which is not modelled.
    """
    # CHECK
    require_driver_up(call)
    if infos is None or not count:
        raise LIST_IS_GIVEN.broken(maps=infos, count=count)
    working = stream_of(call, stream, CALL)
    if call.process.state == FORKED:
        msg = f"{CALL} is not modelled in a fork: map the array in the process that created it"
        raise FakeCudaError(msg)
    found = [_changed(call, working.context.device, Info(*info)) for info in infos[:count]]
    # EFFECT
    for grid, changes in found:
        later = _later(grid)
        pages.begin(later, [one.place[0] for one in changes if one.place is not None], _located(grid))
        stream_scheduler.submit(working, partial(_do, later, changes))
    stream_scheduler.occupy(working)


@guard
def _changed(call: Call, device: Device, info: Info) -> tuple[Grid, list[Change]]:
    """Return an array, and what an operation maps or unmaps in it."""
    if info.flags or info.zeros:
        raise MAPS_ARE_PLAIN.broken(flags=info.flags, reserved=info.zeros)
    if info.operation not in {MAP, UNMAP}:
        raise OPERATION_IS_KNOWN.broken(operation=info.operation)
    if info.mask != 1 << call.process.devices.index(device):
        raise MASK_IS_THE_DEVICE_S.broken(mask=info.mask, device=device)
    grid = _mapped_later(call, info)
    if grid.shape.flags & DEFERRED:
        keys: list[Key] = [()]
        size = tiling.requirement(grid.shape, grid.element, levels_of(grid))
    else:
        keys = _tiles(grid, info) if info.part == LEVEL else _tail(grid, info)
        size = len(keys) * tiling.PAGE
    if info.operation == UNMAP:
        if info.handle:
            call.undefined(MEMORY_OF_AN_UNMAP_IS_NULL, handle=info.handle)
        return grid, [Change(key, None) for key in keys]
    extent = _memory(call, device, info, size)
    if extent is None:
        return grid, [Change(key, None) for key in keys]
    return grid, [Change(key, (extent, info.offset + number * tiling.PAGE)) for number, key in enumerate(keys)]


@guard
def _mapped_later(call: Call, info: Info) -> Grid:
    """Return the array with deferred mapping that an operation maps."""
    grid = followed(call, info.resource, Grid) if info.resource else None
    if (
        grid is None
        or not isinstance(grid, KINDS.get(info.kind, ()))
        or is_level(grid)
        or not grid.shape.flags & (SPARSE | DEFERRED)
    ):
        raise ARRAY_IS_MAPPED_LATER.broken(array=grid or info.resource, kind=info.kind)
    return grid


@guard
def _tiles(grid: Grid, info: Info) -> list[Key]:
    """Return the pages of a box in a sparse level."""
    numbers = [half for word in info.words for half in (word & LOW, word >> HALF)]
    level, layer, x, y, z, *rest = numbers
    at, size = (x, y, z), (rest[0], rest[1], rest[2])
    shape, element, mipmapped = grid.shape, grid.element, isinstance(grid, Mipmapped)
    levels = levels_of(grid)
    tail = tiling.tail_of(shape, element, levels, mipmapped=mipmapped)
    tiled = 0 if tail.single else tail.first if mipmapped else levels
    layers = tiling.layers_of(shape)
    if level >= tiled or layer >= layers:
        raise LEVEL_HAS_TILES.broken(level=level, layer=layer, levels=tiled, layers=layers)
    tile, whole = tiling.tile_of(shape, element), shape.level(level)
    extents = whole.width, whole.height, whole.depth if tile[2] > 1 else 1
    for start, count, unit, most in zip(at, size, tile, extents, strict=True):
        end = start + count
        if start % unit or not count or end > most or (count % unit and end != most):
            raise BOX_IS_OF_TILES.broken(offset=at, size=size, tile=tile, extents=extents)
    return list(tiling.tiles_in(level, tile, (x, y, z + layer), size))


@guard
def _tail(grid: Grid, info: Info) -> list[Key]:
    """Return the pages in a part of a mip tail."""
    if info.part != TAIL:
        raise PART_IS_KNOWN.broken(part=info.part)
    layer, offset, size, _ = info.words
    shape, element = grid.shape, grid.element
    tail = tiling.tail_of(shape, element, levels_of(grid), mipmapped=isinstance(grid, Mipmapped))
    layers = 1 if tail.single else tiling.layers_of(shape)
    layer &= LOW
    if layer >= layers or offset % tiling.PAGE or size % tiling.PAGE or not size or offset + size > tail.size:
        raise TAIL_IS_OF_PAGES.broken(layer=layer, offset=offset, size=size, tail=tail.size)
    return list(tiling.pages_of_tail(layer, offset, size))


@guard
def _memory(call: Call, device: Device, info: Info, size: int) -> Extent | None:
    """Return the memory to map, with valid offset and size; None if unknown."""
    if info.form:
        raise HANDLE_IS_GENERIC.broken(form=info.form)
    if not info.handle:
        call.undefined(MEMORY_IS_GIVEN, handle=info.handle)
        raise MEMORY_IS_GIVEN.broken(handle=info.handle)
    physical = held_handle_of(call, info.handle).physical
    if not physical.tiles:
        raise MEMORY_IS_FOR_TILES.broken(memory=physical)
    if physical.device is not device:
        raise MEMORY_IS_THE_DEVICE_S.broken(memory=physical, device=device)
    end = info.offset + size
    if info.offset % tiling.PAGE or end % WRAP > physical.size:
        raise MEMORY_SPANS_THE_PART.broken(offset=info.offset, size=size, memory=physical)
    if end >= WRAP:
        call.undefined(OFFSET_DOES_NOT_WRAP, offset=info.offset, size=size)
        return None
    return physical.extent


def _do(later: Pages, changes: list[Change]) -> None:
    """Map and unmap pages when a stream reaches the operation."""
    pages.change(later, changes)


def _later(grid: Grid) -> Pages:
    """Return the bytes of an array with deferred mapping."""
    later = grid.block
    assert isinstance(later, Pages)
    return later


def _located(grid: Grid) -> pages.Located:
    """Return a function that locates a byte of an array."""
    if grid.shape.flags & DEFERRED:
        return tiling.located_whole
    return _later(grid).located or tiling.located_in(grid, levels_of(grid), mipmapped=isinstance(grid, Mipmapped))
