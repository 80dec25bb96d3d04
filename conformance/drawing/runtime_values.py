"""Argument values of the runtime API that differ from those of the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.drawing.values import ATTRIBUTES, NO_POOLS, PAGE, POOLS
from conformance.kit.world import GRANULE

if TYPE_CHECKING:
    from conformance.drawing.values import Values

DEFAULT = 4
"""cudaMemcpyDefault: the addresses tell which side is the host's."""
VAST = 1 << 60
SIZES: Values = ((1, PAGE, GRANULE), (0, VAST))
DEVICES: Values = ((0, 0, 1), (-1, 99))
PITCHES: Values = ((16, 64), (0, 3))
EXTENT = ((16, 2, 2), (64, 1, 1), (0, 2, 2))
NO_EXTENT = ((1 << 40, 2, 2), (65, 5, 3), (16, 5, 2))

BY_NAME: dict[str, Values] = {
    "attr": ((1, 75, 86), (9999,)),
    "count": ((0, 1, 16), (1 << 40,)),
    "device": DEVICES,
    "deviceFlags": ((0, 4), (3, 256)),
    "dstDevice": DEVICES,
    "flags": ((0,), (1, 64)),
    "height": ((1, 2, 3), (0,)),
    "kind": ((DEFAULT,), (5, -1)),
    "limit": ((0, 5), (-1, 99)),
    "peerDevice": DEVICES,
    "pitch": ((16, 64), (0, 17)),
    "size": ((1, PAGE), (0, VAST)),
    "srcDevice": DEVICES,
    "value": ((0, 7, 0x107), (7,)),
    "width": ((1, 2, 4), (0,)),
}
"""Legal and illegal values by the parameter's name."""
BY_CALL: dict[tuple[str, str], Values] = {
    ("cudaChooseDevice", "prop"): ((None,), (None,)),
    ("cudaDeviceFlushGPUDirectRDMAWrites", "scope"): ((100, 200), (0,)),
    ("cudaDeviceGetP2PAttribute", "attr"): ((1, 2, 3), (99,)),
    ("cudaDeviceGetPCIBusId", "len"): ((20,), (3, 0)),
    ("cudaDeviceSetLimit", "value"): ((64, 128), (1 << 20,)),
    ("cudaEventCreateWithFlags", "flags"): ((0, 2, 6), (4, 8)),
    **{
        (call, name): values
        for call in ("cudaGetDriverEntryPoint", "cudaGetDriverEntryPointByVersion")
        for name, values in {
            "symbol": ((b"cuMemAlloc", b"cuInit"), (b"cuNone",)),
            "flags": ((0, 1, 2), (4,)),
        }.items()
    },
    ("cudaGetDriverEntryPointByVersion", "cudaVersion"): ((13000, 2000), (99999,)),
    ("cudaHostAlloc", "flags"): ((0, 1, 2), (64,)),
    ("cudaHostAlloc", "size"): ((1, PAGE, 0), (1 << 46,)),
    ("cudaHostRegister", "flags"): ((0,), (64,)),
    ("cudaHostRegister", "size"): ((PAGE, 100), (0,)),
    ("cudaLaunchHostFunc", "userData"): ((0,), (0,)),
    ("cudaMalloc", "size"): SIZES,
    ("cudaMalloc3D", "extent"): (((64, 4, 2), (1, 1, 1), (512, 2, 1)), ((0, 4, 2), (VAST, 1, 1))),
    ("cudaMallocAsync", "size"): SIZES,
    ("cudaMallocFromPoolAsync", "size"): SIZES,
    ("cudaMallocHost", "size"): ((1, PAGE, 0), (1 << 46,)),
    ("cudaMallocManaged", "flags"): ((1, 2), (0, 3)),
    ("cudaMallocPitch", "height"): ((7, 8), (0,)),
    ("cudaMallocPitch", "width"): ((1, 512, 1000), (0, 1 << 62)),
    **{(f"cudaMemcpy2D{how}", name): PITCHES for how in ("", "Async") for name in ("dpitch", "spitch")},
    ("cudaMemcpyWithAttributesAsync", "attr"): ((ATTRIBUTES,), ((0, *ATTRIBUTES[1:]),)),
    ("cudaMemPoolCreate", "poolProps"): (tuple(one[:6] for one in POOLS), (None, *(one[:6] for one in NO_POOLS))),
    ("cudaMemPoolSetAccess", "descList"): (
        ((((1, 0), 3),), (((1, 1), 3),)),
        (None, (((1, 99), 3),), (((1, 0), 1),), (((1, 0), 0),), (((2, 0), 3),)),
    ),
    ("cudaMemset3D", "extent"): (EXTENT, NO_EXTENT),
    ("cudaMemset3DAsync", "extent"): (EXTENT, NO_EXTENT),
    ("cudaSetDeviceFlags", "flags"): ((0, 4, 8), (3, 256)),
    ("cudaStreamCreateWithFlags", "flags"): ((0, 1), (2,)),
    ("cudaStreamGetAttribute", "attr"): ((1, 2, 3, 8), (0, 99)),
}
"""Legal and illegal values by call and parameter."""
FREES = {"cudaFree", "cudaFreeHost", "cudaFreeAsync"}
COPIES = frozenset({"cudaMemcpy", "cudaMemcpyPeer", "cudaMemset", "cudaMemset2D", "cudaMemsetAsync"})
"""Calls that take an unknown address as a host address, or crash on it."""
