"""Arrays in the runtime API, with a cudaChannelFormatDesc for their elements. Freeing null does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.call import NO_NULLS
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.array.array_create import SHAPE_IS_POSSIBLE, array3d_create, mipmapped_array_create
from fakecuda.rules.driver.array.array_destroy import array_destroy, mipmapped_array_destroy
from fakecuda.rules.driver.array.array_get_descriptor import array3d_get_descriptor, mipmapped_array_get_level
from fakecuda.rules.driver.array.array_get_properties import (
    array_get_memory_requirements,
    array_get_plane,
    array_get_sparse_properties,
    mipmapped_array_get_memory_requirements,
    mipmapped_array_get_sparse_properties,
)
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_calls_permitted
from fakecuda.rules.driver.device.device_get_texture1d_linear_max_width import (
    bytes_of,
    device_get_texture1d_linear_max_width,
)
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active, given, initialised
from fakecuda.rules.runtime.through import through
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.runtime.box import Triple

    Channels = tuple[int, int, int, int, int]
    """A cudaChannelFormatDesc: bits of each component, and a cudaChannelFormatKind."""

SIGNED, UNSIGNED, FLOAT = range(3)
"""cudaChannelFormatKind values of plain numbers."""
PLAIN = {
    (UNSIGNED, 8): 1, (UNSIGNED, 16): 2, (UNSIGNED, 32): 3,
    (SIGNED, 8): 8, (SIGNED, 16): 9, (SIGNED, 32): 10,
    (FLOAT, 16): 16, (FLOAT, 32): 32,
}  # fmt: skip
"""CUarray_format by the kind and the bits of a component."""
NV12, UNORM8, BC1, UNORM1010102, PACKED = 4, 5, 17, 31, 32
"""cudaChannelFormatKind values with which ranges of named formats begin."""
NAMED = {
    NV12: 176,
    **{kind: 192 + kind - UNORM8 for kind in range(UNORM8, BC1)},
    **{kind: 145 + kind - BC1 for kind in range(BC1, UNORM1010102)},
    UNORM1010102: 80,
    **{kind: 81 + kind - PACKED for kind in range(PACKED, 46)},
}
"""CUarray_format by cudaChannelFormatKind, for kinds that name a format."""
BITS: dict[int, tuple[int, ...]] = {
    **{UNORM8 + number: (bits,) * count for number, (bits, count) in enumerate(
        (bits, count) for _ in range(2) for bits in (8, 16) for count in (1, 2, 4)
    )},
    **dict.fromkeys((*range(17, 23), 29, 30), (8, 8, 8, 8)),
    **dict.fromkeys((23, 24), (8,)),
    **dict.fromkeys((25, 26), (8, 8)),
    **dict.fromkeys((27, 28), (16, 16, 16)),
    UNORM1010102: (10, 10, 10, 2),
}  # fmt: skip
"""The bits of the components, by kinds that name a single-plane format."""
FORMATS = {form: key for key, form in PLAIN.items()}
KINDS = {form: kind for kind, form in NAMED.items()}

CHANNELS_ARE_GIVEN = Rule(
    "the channel format descriptor is not null",
    Result.INVALID_VALUE,
    manual("cudaMallocArray", "Requested channel format"),
    fix="pass the address of a cudaChannelFormatDesc",
)
CHANNELS_ARE_A_FORMAT = Rule(
    "the channel format has a known kind, and numbers of bits that are valid for this kind",
    Error.INVALID_CHANNEL_DESCRIPTOR,
    manual("cudaError_t", "This occurs if the format is not one of the formats specified by"),
    fix="use 1, 2 or 4 components of 8, 16 or 32 bits each, or the bits that the kind prescribes",
)


@guard
def format_of(channels: Channels | None) -> tuple[int, int]:
    """Return the CUarray_format and the channels of a descriptor; check for null."""
    if channels is None:
        raise CHANNELS_ARE_GIVEN.broken()
    return element_of(channels)


@guard
def element_of(channels: Channels) -> tuple[int, int]:
    """Return the CUarray_format and the channels of a descriptor."""
    *bits, kind = channels
    count = next((place for place, one in enumerate(bits) if not one), len(bits))
    told = tuple(bits[:count])
    if kind in NAMED:
        form = NAMED[kind] if told == BITS.get(kind, told) else None
    else:
        form = PLAIN.get((kind, bits[0])) if count in {1, 2, 4} and len(set(told)) == 1 else None
    if form is None or any(bits[count:]):
        raise CHANNELS_ARE_A_FORMAT.broken(channels=channels)
    return form, count


def channels_of(form: int, count: int) -> Channels:
    """Return the channel descriptor of a CUarray_format with several components."""
    kind = KINDS.get(form)
    bits: tuple[int, ...]
    if kind is None:
        kind, one = FORMATS[form]
        bits = (one,) * count
    else:
        bits = BITS[kind]
    x, y, z, w = (*bits, 0, 0, 0)[:4]
    return x, y, z, w, kind


@guard
def require_result_and_width(call: Call, width: int) -> None:
    """Check that the result pointer is not null and the width is not 0, before the channel format is checked."""
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not width:
        raise SHAPE_IS_POSSIBLE.broken(width=width)


@RUNTIME.op("cudaDeviceGetTexture1DLinearMaxWidth")
def get_texture1d_linear_max_width(call: Call, channels: Channels | None, device: int) -> int:
    """Return the maximum number of elements of a 1D linear texture with a channel format on a device."""
    initialised(call)
    form, count = format_of(channels)
    if not bytes_of(form, count):
        raise CHANNELS_ARE_A_FORMAT.broken(channels=channels)
    return device_get_texture1d_linear_max_width(call, form, count, device)


@RUNTIME.op("cudaMallocArray")
def malloc_array(call: Call, channels: Channels | None, width: int, height: int, flags: int) -> int:
    """Create an array of one or two dimensions, and return it.

    Args:
        call: The call.
        channels: What an element is, a cudaChannelFormatDesc.
        width: Elements of a row.
        height: Rows; 0 for one dimension.
        flags: cudaArraySurfaceLoadStore and its like.
    """
    active(call)
    require_result_and_width(call, width)
    form, count = format_of(channels)
    return array3d_create(call, (width, height, 0, form, count, flags))


@RUNTIME.op("cudaMalloc3DArray")
def malloc3d_array(call: Call, channels: Channels | None, extent: Triple, flags: int) -> int:
    """Create an array, with a cudaExtent in elements; see cudaMallocArray."""
    active(call)
    require_result_and_width(call, extent[0])
    form, count = format_of(channels)
    return array3d_create(call, (*extent, form, count, flags))


@RUNTIME.op("cudaMallocMipmappedArray")
def malloc_mipmapped_array(call: Call, channels: Channels | None, extent: Triple, levels: int, flags: int) -> int:
    """Create a mipmapped array; arguments as for an array, with the number of levels."""
    active(call)
    require_result_and_width(call, extent[0])
    form, count = format_of(channels)
    return mipmapped_array_create(call, (*extent, form, count, flags), levels)


@RUNTIME.op("cudaFreeArray")
def free_array(call: Call, array: int) -> None:
    """Destroy an array. Null does nothing."""
    active(call)
    if array:
        array_destroy(call, array)


@RUNTIME.op("cudaFreeMipmappedArray")
def free_mipmapped_array(call: Call, mipmapped: int) -> None:
    """Destroy a mipmapped array with its levels. Null does nothing."""
    active(call)
    if mipmapped:
        mipmapped_array_destroy(call, mipmapped)


@RUNTIME.op("cudaArrayGetInfo")
def array_get_info(call: Call, array: int) -> tuple[Channels, Triple, int]:
    """Return the channel format, the extent in elements and the flags of an array. Each result pointer may be null.

    No context is needed, and a host function may ask.
    """
    initialised(call)
    width, height, depth, form, count, flags = array3d_get_descriptor(call.without(NO_NULLS), array)
    return channels_of(form, count), (width, height, depth), flags


@RUNTIME.op("cudaGetChannelDesc")
def get_channel_desc(call: Call, array: int) -> Channels:
    """Return the channel descriptor of an array."""
    active(call)
    given(call)
    _, _, _, form, count, _ = array3d_get_descriptor(call, array)
    return channels_of(form, count)


@guard
def permitting(call: Call) -> None:
    """Check that the driver is initialised, and the caller is not a host function."""
    initialised(call)
    require_calls_permitted(call)


through("cudaArrayGetMemoryRequirements", array_get_memory_requirements, initialised)
through("cudaArrayGetPlane", array_get_plane, permitting)
through("cudaArrayGetSparseProperties", array_get_sparse_properties, initialised)
through("cudaGetMipmappedArrayLevel", mipmapped_array_get_level)
through("cudaMipmappedArrayGetMemoryRequirements", mipmapped_array_get_memory_requirements, initialised)
through("cudaMipmappedArrayGetSparseProperties", mipmapped_array_get_sparse_properties, initialised)
