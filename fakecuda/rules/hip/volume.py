"""Copies of rows and slices, and memory for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.memory import Allocation
from fakecuda.rules.core import Rule, guard, source, undefined
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.hip.active import answering, arrived, does, entered
from fakecuda.rules.hip.copy import devices_seen, direction_fits, kind_known
from fakecuda.rules.hip.memory import pitched
from fakecuda.rules.hip.shape import SIDES, WRAP, Side, moved, no_array
from fakecuda.rules.hip.stream import stream_of
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

    Triple = tuple[int, int, int]
    Pitched = tuple[int, int, int, int]
    Parms = tuple[int, Triple, Pitched, int, Triple, Pitched, Triple, int]
    PeerParms = tuple[int, Triple, Pitched, int, int, Triple, Pitched, int, Triple]

DEVICE_TO_DEVICE = 3
LARGEST_PITCH = (1 << 31) - 1
TARGET = 7
"""The number of hip_Memcpy2D members before those of the destination."""
SOLID_TARGET = 10
"""The number of HIP_MEMCPY3D members before those of the destination."""
LOOKS_AT_PITCHES_OF_0 = "hipMemcpy3D.looks-at-pitches-of-0"

DESCRIPTION_IS_GIVEN = Rule(
    "the pointer to the parameters of the copy is not null",
    Result.INVALID_VALUE,
    source("hipMemcpy3D", "clr answers hipErrorInvalidValue to null, also in hipDrvMemcpy3D and hipMemcpy3DPeer"),
    fix="pass the hipMemcpy3DParms, HIP_MEMCPY3D or hipMemcpy3DPeerParms that the call takes",
)
DESCRIPTION_IS_READ = Rule(
    "`pCopy` is not null",
    Result.INVALID_VALUE,
    undefined(
        "hipMemcpyParam2D",
        "the manual says nothing about this; clr reads from the null pointer before every check (segmentation fault)",
    ),
    fix="pass the address of a hip_Memcpy2D",
)
EACH_SIDE_IS_ONE = Rule(
    "source and destination each have either an array or an address, but not both",
    Result.INVALID_VALUE,
    source("hipMemcpy3D", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="set either srcArray or srcPtr, and either dstArray or dstPtr, and zero the other two members",
)
PITCH_SPANS_XSIZE = Rule(
    "each pitch is at least the size of a row of its side (xsize of a hipPitchedPtr)",
    Error.INVALID_PITCH_VALUE,
    source("hipMemcpy3D", "clr answers hipErrorInvalidPitchValue to any other pitch"),
    fix="set pitch of srcPtr and dstPtr to at least their xsize, as hipMalloc3D returns it",
)
PITCH_IS_SMALL = Rule(
    "each pitch is less than 2^31 - 1",
    Result.INVALID_VALUE,
    source("hipMemcpy3D", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="set pitch of srcPtr and dstPtr below 2147483647 bytes",
)
PITCH_SPANS_THE_ROW = Rule(
    "each pitch is at least x of that side's position plus the width; HIP 7.2 does not check a pitch of 0",
    Result.INVALID_VALUE,
    source("hipMemcpy3D", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="set pitch to at least x of the side's position plus extent.width",
)
EXTENT_FITS = Rule(
    "if xsize and ysize are not 0, each side's memory from row y and slice z on is at least as large as the copied "
    "bytes",
    Result.INVALID_VALUE,
    source("hipMemcpy3D", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="lower the extent or the positions, or set xsize and ysize as hipMalloc3D returned them",
)


@HIP.op("hipMalloc3D")
def malloc3d(call: Call, extent: Triple) -> Pitched:
    """Allocate memory for slices of rows. Return its address, its pitch, and the requested width and height."""
    answering(call)
    width, height, depth = extent
    ptr, pitch = pitched(call, width, height, depth)
    return ptr, pitch, width, height


@guard
def flat_moved(call: Call, copy: tuple[int, ...] | None, handle: int, *, name: str, asynchronous: bool) -> None:
    """Have a stream make the copy of a hip_Memcpy2D; pitch 0 means x plus width."""
    entered(call)
    if copy is None:
        call.undefined(DESCRIPTION_IS_READ)
        raise DESCRIPTION_IS_READ.broken()
    width, height = copy[-2:]
    sides = []
    for x, y, kind, host, device, array, pitch in (copy[TARGET : 2 * TARGET], copy[:TARGET]):
        sides.append(Side(kind, host, device, array, x, y, 0, pitch or (x + width) % WRAP, 0))
    moved(call, sides[0], sides[1], (width, height, 1), stream_of(call, handle), name=name, asynchronous=asynchronous)


@HIP.op("hipMemcpyParam2D", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_param2d(call: Call, copy: tuple[int, ...] | None) -> None:
    """Copy the rows of a hip_Memcpy2D."""
    flat_moved(call, copy, 0, name="hipMemcpyParam2D", asynchronous=False)


@HIP.op("hipMemcpyParam2DAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_param2d_async(call: Call, copy: tuple[int, ...] | None, stream: int) -> None:
    """Have a stream copy the rows of a hip_Memcpy2D."""
    flat_moved(call, copy, stream, name="hipMemcpyParam2DAsync", asynchronous=True)


@HIP.op("hipDrvMemcpy2DUnaligned", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d_unaligned(call: Call, copy: tuple[int, ...] | None) -> None:
    """Copy the rows of a hip_Memcpy2D, of any alignment."""
    flat_moved(call, copy, 0, name="hipDrvMemcpy2DUnaligned", asynchronous=False)


@guard
def solid_moved(call: Call, copy: tuple[int, ...] | None, handle: int, *, name: str, asynchronous: bool) -> None:
    """Have a stream make the copy of a HIP_MEMCPY3D; LOD members are ignored."""
    entered(call)
    if copy is None:
        raise DESCRIPTION_IS_GIVEN.broken()
    sides = []
    for x, y, z, _, kind, host, device, array, pitch, rows in (
        copy[SOLID_TARGET : 2 * SOLID_TARGET],
        copy[:SOLID_TARGET],
    ):
        sides.append(Side(kind, host, device, array, x, y, z, pitch, rows))
    width, height, depth = copy[-3:]
    moved(
        call, sides[0], sides[1], (width, height, depth), stream_of(call, handle), name=name, asynchronous=asynchronous
    )


@HIP.op("hipDrvMemcpy3D", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def drv_memcpy3d(call: Call, copy: tuple[int, ...] | None) -> None:
    """Copy the slices of a HIP_MEMCPY3D."""
    solid_moved(call, copy, 0, name="hipDrvMemcpy3D", asynchronous=False)


@HIP.op("hipDrvMemcpy3DAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def drv_memcpy3d_async(call: Call, copy: tuple[int, ...] | None, stream: int) -> None:
    """Have a stream copy the slices of a HIP_MEMCPY3D."""
    solid_moved(call, copy, stream, name="hipDrvMemcpy3DAsync", asynchronous=True)


@guard
def extent_fits(call: Call, place: Pitched, position: Triple, total: int) -> None:
    """Check that a copy's extent fits behind its position, for known memory."""
    ptr, _, xsize, ysize = place
    item = call.process.memory.at(ptr)
    if item is None or not xsize or not ysize:
        return
    pitch, height, depth = item.rows if isinstance(item, Allocation) else (0, 0, 0)
    if not (pitch and height and depth):
        pitch, height, depth = xsize, ysize, item.size // (xsize * ysize)
    if pitch * ((height - position[1]) % WRAP) * ((depth - position[2]) % WRAP) % WRAP < total:
        raise EXTENT_FITS.broken(pointer=ptr, position=position, bytes=total, found=item)


@guard
def parms_checked(call: Call, parms: Parms | None) -> tuple[Side, Side, Triple]:
    """Return destination, source and extent of a hipMemcpy3DParms."""
    if parms is None:
        raise DESCRIPTION_IS_GIVEN.broken()
    src_array, src_at, src, dst_array, dst_at, dst, extent, kind = parms
    for array, place in ((src_array, src), (dst_array, dst)):
        if bool(array) == bool(place[0]):
            raise EACH_SIDE_IS_ONE.broken(array=array, pointer=place[0])
    for array in (src_array, dst_array):
        if array:
            no_array(call, array)
    if src[1] < src[2] or dst[1] < dst[2]:
        raise PITCH_SPANS_XSIZE.broken(src=src, dst=dst)
    if max(src[1], dst[1]) >= LARGEST_PITCH:
        raise PITCH_IS_SMALL.broken(src=src[1], dst=dst[1])
    for place, position in ((dst, dst_at), (src, src_at)):
        if (place[1] or does(call, LOOKS_AT_PITCHES_OF_0)) and extent[0] + position[0] > place[1]:
            raise PITCH_SPANS_THE_ROW.broken(pitch=place[1], x=position[0], width=extent[0])
    total = extent[0] * extent[1] * extent[2] % WRAP
    extent_fits(call, dst, dst_at, total)
    extent_fits(call, src, src_at, total)
    kind_known(kind)
    direction_fits(call, dst[0], src[0], kind)
    types = SIDES[kind]
    into = Side(types[1], dst[0], dst[0], 0, *dst_at, dst[1], dst[3])
    out_of = Side(types[0], src[0], src[0], 0, *src_at, src[1], src[3])
    return into, out_of, extent


@guard
def parms_moved(call: Call, parms: Parms | None, handle: int, *, name: str, asynchronous: bool) -> None:
    """Have a stream make the copy of a hipMemcpy3DParms, checked before the stream."""
    checked = parms_checked(call, parms)
    moved(call, *checked, stream_of(call, handle), name=name, asynchronous=asynchronous)


@HIP.op("hipMemcpy3D", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy3d(call: Call, parms: Parms | None) -> None:
    """Copy the slices of a hipMemcpy3DParms."""
    entered(call)
    parms_moved(call, parms, 0, name="hipMemcpy3D", asynchronous=False)


@HIP.op("hipMemcpy3DAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy3d_async(call: Call, parms: Parms | None, stream: int) -> None:
    """Have a stream copy the slices of a hipMemcpy3DParms."""
    entered(call)
    parms_moved(call, parms, stream, name="hipMemcpy3DAsync", asynchronous=True)


@guard
def between_devices(call: Call, parms: PeerParms | None) -> Parms:
    """Return the device-to-device copy of a hipMemcpy3DPeerParms."""
    if parms is None:
        raise DESCRIPTION_IS_GIVEN.broken()
    src_array, src_at, src, src_device, dst_array, dst_at, dst, dst_device, extent = parms
    devices_seen(call, src_device, dst_device)
    return src_array, src_at, src, dst_array, dst_at, dst, extent, DEVICE_TO_DEVICE


@HIP.op("hipMemcpy3DPeer", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy3d_peer(call: Call, parms: PeerParms | None) -> None:
    """Copy slices of rows between devices. The copy needs no peer access."""
    arrived(call, "hipMemcpy3DPeer")
    parms_moved(call, between_devices(call, parms), 0, name="hipMemcpy3DPeer", asynchronous=False)


@HIP.op("hipMemcpy3DPeerAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy3d_peer_async(call: Call, parms: PeerParms | None, stream: int) -> None:
    """Copy slices of rows between devices in the null stream, after a check of the given stream."""
    arrived(call, "hipMemcpy3DPeerAsync")
    between = between_devices(call, parms)
    stream_of(call, stream)
    parms_moved(call, between, 0, name="hipMemcpy3DPeerAsync", asynchronous=False)
