"""Values for the arguments of calls of the runtime API that are drawn: legal ones and illegal ones, in tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.fuzz.choices import PAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT = 4
"""cudaMemcpyDefault: the addresses tell which side is the host's."""
VAST = 1 << 60
DEVICES = ((0, 0, 1), (-1, 99))
HERE = (1, 0)

BY_NAME: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
    "attr": ((1, 75, 86), (9999,)),
    "count": ((0, 1, 16), (1 << 40,)),
    "device": DEVICES,
    "deviceFlags": ((0, 4), (3, 256)),
    "dstDevice": DEVICES,
    "error": ((0, 1, 700), (12345,)),
    "flags": ((0,), (1, 64)),
    "height": ((1, 2, 3), (0,)),
    "kind": ((DEFAULT,), (5, -1)),
    "limit": ((0, 5), (-1, 99)),
    "peerDevice": DEVICES,
    "pitch": ((16, 64), (0, 17)),
    "prop": ((None,), (None,)),
    "size": ((1, PAGE), (0, VAST)),
    "srcDevice": DEVICES,
    "value": ((0, 7, 0x107), (7,)),
    "width": ((1, 2, 4), (0,)),
}
"""Legal and illegal values by the parameter's name."""
BY_CALL: dict[tuple[str, str], tuple[Sequence[Any], Sequence[Any]]] = {
    ("cudaDeviceSetLimit", "value"): ((64, 128), (1 << 20,)),
    ("cudaDeviceGetP2PAttribute", "attr"): ((1, 2, 3), (99,)),
    ("cudaEventCreateWithFlags", "flags"): ((0, 2, 6), (4, 8)),
    ("cudaHostAlloc", "flags"): ((0, 1, 2), (64,)),
    ("cudaHostAlloc", "size"): ((1, PAGE, 0), (1 << 46,)),
    ("cudaHostRegister", "flags"): ((0,), (64,)),
    ("cudaHostRegister", "size"): ((PAGE, 100), (0,)),
    ("cudaIpcOpenMemHandle", "flags"): ((1,), (0, 2)),
    ("cudaMallocAsync", "size"): ((1, PAGE), (0, VAST)),
    ("cudaMallocHost", "size"): ((1, PAGE, 0), (1 << 46,)),
    ("cudaMallocManaged", "flags"): ((1, 2), (0, 3)),
    ("cudaMallocPitch", "height"): ((7, 8), (0,)),
    ("cudaMallocPitch", "width"): ((1, 512, 1000), (0, 1 << 62)),
    ("cudaMemPoolTrimTo", "minBytesToKeep"): ((0, 1), (VAST,)),
    ("cudaMemcpy", "kind"): ((DEFAULT, DEFAULT, DEFAULT, 5), (5, -1)),  # seldom is all else legal
    ("cudaMemGetDefaultMemPool", "location"): ((HERE, (1, 1)), (None, (1, 99))),
    ("cudaMemGetDefaultMemPool", "type"): ((1,), (0, 99)),
    ("cudaMemPoolCreate", "poolProps"): (((1, 0, HERE, 0, 0, 0),), (None, (1, 0, (1, 99), 0, 0, 0))),
    ("cudaMemPoolGetAttribute", "attr"): ((1, 2, 3, 4, 5, 6), (0, 99)),
    ("cudaSetDeviceFlags", "flags"): ((0, 4, 8), (3, 256)),
    ("cudaStreamCreateWithFlags", "flags"): ((0, 1), (2,)),
    ("cudaStreamCreateWithPriority", "flags"): ((0, 1), (2,)),
    ("cudaStreamCreateWithPriority", "priority"): ((0, -1, 1000), (0,)),
}
FREES = {"cudaFree", "cudaFreeHost", "cudaFreeAsync"}
COPIES = frozenset({"cudaMemcpy", "cudaMemcpyPeer", "cudaMemset", "cudaMemset2D", "cudaMemsetAsync"})
"""Calls that take an address which is none of a device's for one of the host, or fault on it."""
