"""Rules of all tensor maps: a memory region, its layout, and its boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.model.memory.tensor import width_of
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.memory.tensor import TensorMap

    Extents = tuple[int, ...] | None

TILED = "cuTensorMapEncodeTiled"
SHARED_OF_ALL = 81
"""CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR."""
SUPPORTED = 127
"""CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED."""
FLOATS = frozenset(range(6, 13))
U4_8, U4_16, U6_16 = 13, 14, 15
"""Packed element types (CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B and so on)."""
PACKING = 100
"""The first architecture with packed elements and atom swizzles."""
RANKS, DEEP = 5, 3
"""The maximum rank, and the minimum rank of an interleaved layout."""
FARTHEST, LARGEST, WIDEST, MOST_STEPS = 1 << 57, 1 << 32, 1 << 40, 8
"""Upper limits of addresses, dimensions, strides and element strides."""
NARROW, WIDE = 16, 32
"""The normal and the strict alignment in bytes."""
INTERLEAVED = 2
"""CU_TENSOR_MAP_INTERLEAVE_32B."""
SWIZZLED = {1: 32, 2: 64}
"""The maximum bytes of a box row by CUtensorMapSwizzle; other swizzles have 128."""
WHOLE, PACKED_ROW = 128, 128
LAST_SWIZZLE = 3
"""The last CUtensorMapSwizzle that every architecture has."""
OF_U6 = frozenset({0, 3, 4, 6})
OF_U4 = frozenset({0, 3, 4})
"""Valid swizzles of packed 6-bit elements, and of 16-byte aligned 4-bit elements."""

TENSOR_MAPS_ARE_SUPPORTED = Rule(
    "the current device supports tensor maps",
    Result.INVALID_VALUE,
    manual(TILED, "Tensor map objects are only supported on devices of compute capability 9.0 or higher"),
    fix="use a device with CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED",
)
KIND_IS_KNOWN = Rule(
    "`tensorDataType` is a CUtensorMapDataType that the device supports",
    Result.INVALID_VALUE,
    manual(TILED, "tensorDataType has to be an enum from CUtensorMapDataType which is defined as:"),
    fix="pass a CUtensorMapDataType that the device supports",
)
RANK_IS_POSSIBLE = Rule(
    "`tensorRank` is 1 to 5, and at least 3 for im2col maps and interleaved layouts",
    Result.INVALID_VALUE,
    manual(TILED, "tensorRank must be non-zero and less than or equal to the maximum supported dimensionality of 5"),
    fix="pass 1 to 5 dimensions, and at least 3 for images and interleaved layouts",
)
ADDRESS_IS_ALIGNED = Rule(
    "`globalAddress` is below 2^57 and a multiple of 16, or of 32 for INTERLEAVE_32B or an _ALIGN16B data type",
    Result.INVALID_VALUE,
    manual(
        TILED,
        "globalAddress, which specifies the starting address of the memory region described, must be 16 byte aligned",
    ),
    fix="pass an address that is a multiple of 16, or of 32 if the layout requires that",
)
EXTENTS_ARE_GIVEN = Rule(
    "`globalDim`, `globalStrides`, `elementStrides` and, for tiled maps, `boxDim` are not null",
    Result.INVALID_VALUE,
    observed(
        TILED, "the driver answers INVALID_VALUE to a null array, even to null strides of a tensor with one dimension"
    ),
    fix="pass all arrays, also the strides of a tensor of one dimension",
)
DIMENSIONS_ARE_WITHIN_LIMITS = Rule(
    "each of `globalDim` is 1 to 2^32; the first is a multiple of 2 for an _ALIGN8B data type, of 128 for _ALIGN16B",
    Result.INVALID_VALUE,
    manual(TILED, "must be non-zero and less than or equal to 2^32"),
    fix="pass dimensions from 1 to 2^32",
)
STRIDES_ARE_ALIGNED = Rule(
    "each of `globalStrides` is below 2^40 and a multiple of 16, or of 32 for INTERLEAVE_32B or an _ALIGN16B data type",
    Result.INVALID_VALUE,
    manual(TILED, "must be a multiple of 16 and less than 2^40"),
    fix="pass strides that are less than 2^40 and multiples of 16, or of 32 if the layout requires that",
)
STEPS_ARE_WITHIN_LIMITS = Rule(
    "each of `elementStrides` is 1 to 8",
    Result.INVALID_VALUE,
    manual(TILED, "must be non-zero and less than or equal to 8"),
    fix="pass element strides from 1 to 8",
)
INTERLEAVE_IS_KNOWN = Rule(
    "`interleave` is a CUtensorMapInterleave, and NONE for packed 6-bit elements",
    Result.INVALID_VALUE,
    manual(TILED, "interleave specifies the interleaved layout of type CUtensorMapInterleave, which is defined as:"),
    fix="pass a CUtensorMapInterleave",
)
SWIZZLE_IS_KNOWN = Rule(
    "`swizzle` is a CUtensorMapSwizzle that the device supports for `tensorDataType`",
    Result.INVALID_VALUE,
    manual(
        TILED, "swizzle, which specifies the shared memory bank swizzling pattern, has to be of type CUtensorMapSwizzle"
    ),
    fix="pass a CUtensorMapSwizzle that the device supports",
)
ROW_IS_WHOLE = Rule(
    "a box row is a multiple of 16 bytes, at most the swizzle size if not interleaved; an _ALIGN16B type needs 128 "
    "elements",
    Result.INVALID_VALUE,
    manual(TILED, "must be a multiple of 16 bytes"),
    fix="choose a row that is a multiple of 16 bytes and not longer than the swizzle span",
)
PROMOTION_IS_KNOWN = Rule(
    "`l2Promotion` is a CUtensorMapL2promotion",
    Result.INVALID_VALUE,
    manual(TILED, "It must be of type CUtensorMapL2promotion, which is defined as:"),
    fix="pass a CUtensorMapL2promotion",
)
FILL_SUITS = Rule(
    "`oobFill` is a CUtensorMapFloatOOBfill, and NONE unless the elements are unpacked floating-point numbers",
    Result.INVALID_VALUE,
    manual(TILED, "can only be used when tensorDataType represents a floating-point data type"),
    fix="pass CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE for integer elements",
)
BOX_FITS = Rule(
    "the box fits into the shared memory of a multiprocessor",
    Result.INVALID_VALUE,
    observed(
        TILED,
        "the driver answers INVALID_VALUE to a box of 256 by 256 elements of 4 bytes, and accepts a box of 233472 bytes",
    ),
    fix="choose a box that fits into CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
)


@frozen
class Region:
    """A memory region and its boxes: the arguments that all tensor maps share.

    Attributes:
        context: The current context.
        kind: CUtensorMapDataType.
        address: Where it begins.
        dims: Elements along each dimension.
        strides: Bytes from one to the next along each dimension but the first.
        steps: Of how many elements one is taken, along each dimension.
        looks: CUtensorMapInterleave, _Swizzle, _L2promotion and _FloatOOBfill.
    """

    context: Context
    kind: int
    address: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    steps: tuple[int, ...]
    looks: tuple[int, int, int, int]

    @property
    def width(self) -> int:
        """The size of an element in bytes."""
        return width_of(self.kind)

    @property
    def aligned(self) -> int:
        """The alignment in bytes of addresses and strides."""
        return WIDE if self.looks[0] == INTERLEAVED or self.kind in {U4_16, U6_16} else NARROW


@guard
def mapping(call: Call) -> Context:
    """Return the current context, whose device must support tensor maps."""
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not context.device.profile.attributes.get(SUPPORTED):
        raise TENSOR_MAPS_ARE_SUPPORTED.broken(device=context.device)
    return context


@guard
def given(extents: Extents, count: int) -> tuple[int, ...]:
    """Return the first ``count`` members of an array argument of a tensor map."""
    if extents is None or len(extents) < count:
        raise EXTENTS_ARE_GIVEN.broken(extents=extents, count=count)
    return extents[:count]


@guard
def region_of(
    context: Context,
    what: tuple[int, int, int],
    extents: tuple[Extents, Extents, Extents],
    looks: tuple[int, int, int, int],
    fewest: int = 1,
) -> Region:
    """Return a region that a tensor map can describe.

    Args:
        context: The current context.
        what: CUtensorMapDataType, the rank, and the address.
        extents: Dimensions, strides and steps.
        looks: CUtensorMapInterleave, _Swizzle, _L2promotion and _FloatOOBfill.
        fewest: The fewest dimensions.
    """
    kind, rank, address = what
    interleave, swizzle, promotion, fill = looks
    packs = context.device.architecture >= PACKING
    if not 0 <= kind <= (U6_16 if packs else max(FLOATS)):
        raise KIND_IS_KNOWN.broken(kind=kind)
    if not 0 <= interleave <= INTERLEAVED or (interleave and kind == U6_16):
        raise INTERLEAVE_IS_KNOWN.broken(interleave=interleave)
    if not max(fewest, DEEP if interleave else 1) <= rank <= RANKS:
        raise RANK_IS_POSSIBLE.broken(rank=rank)
    dims, strides, steps = extents
    along = given(dims, rank), given(strides, rank - 1), given(steps, rank)
    region = Region(context, kind, address, *along, looks)
    if address % region.aligned or address >= FARTHEST:
        raise ADDRESS_IS_ALIGNED.broken(address=address, aligned=region.aligned)
    together = {U4_8: 2, U4_16: PACKED_ROW, U6_16: PACKED_ROW}.get(kind, 1)
    if not all(0 < one <= LARGEST for one in region.dims) or region.dims[0] % together:
        raise DIMENSIONS_ARE_WITHIN_LIMITS.broken(dims=region.dims)
    if not all(one < WIDEST and not one % region.aligned for one in region.strides):
        raise STRIDES_ARE_ALIGNED.broken(strides=region.strides, aligned=region.aligned)
    if not all(0 < one <= MOST_STEPS for one in region.steps):
        raise STEPS_ARE_WITHIN_LIMITS.broken(steps=region.steps)
    known = {U6_16: OF_U6, U4_16: OF_U4}.get(kind, range((max(OF_U6) if packs else LAST_SWIZZLE) + 1))
    if swizzle not in known:
        raise SWIZZLE_IS_KNOWN.broken(swizzle=swizzle)
    if promotion not in ENUMS["CUtensorMapL2promotion"].values():
        raise PROMOTION_IS_KNOWN.broken(promotion=promotion)
    if fill not in ENUMS["CUtensorMapFloatOOBfill"].values() or (fill and kind not in FLOATS):
        raise FILL_SUITS.broken(fill=fill, kind=kind)
    return region


@guard
def row_suits(region: Region, inner: int) -> None:
    """Check the elements in a row of a box."""
    if region.kind in {U4_16, U6_16}:
        if inner != PACKED_ROW:
            raise ROW_IS_WHOLE.broken(elements=inner)
        return
    interleave, swizzle, *_ = region.looks
    size = inner * region.width
    most = SWIZZLED.get(swizzle, WHOLE)
    limited = swizzle and not interleave
    if size % NARROW or (limited and size > most):
        raise ROW_IS_WHOLE.broken(bytes=size, most=most if limited else None)


@guard
def fitting(context: Context, made: TensorMap) -> tuple[tuple[int, ...]]:
    """Return the value of a tensor map, whose boxes must fit into shared memory."""
    most = context.device.profile.attributes[SHARED_OF_ALL]
    if made.size > most:
        raise BOX_FITS.broken(size=made.size, most=most)
    return (made.words(),)
