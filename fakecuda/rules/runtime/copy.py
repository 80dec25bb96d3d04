"""Copies and memsets of the runtime API. The kind of a copy names the host side, or cudaMemcpyDefault detects it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.copy.memcpy import memcpy as memcpy_anywhere
from fakecuda.rules.driver.copy.memcpy import memcpy_async as memcpy_anywhere_async
from fakecuda.rules.driver.copy.memcpy import (
    memcpy_dtod,
    memcpy_dtod_async,
    memcpy_dtoh,
    memcpy_dtoh_async,
    memcpy_htod,
    memcpy_htod_async,
)
from fakecuda.rules.driver.copy.memcpy_peer import memcpy_peer, memcpy_peer_async
from fakecuda.rules.driver.copy.memcpy_rows import memcpy2d_async, memcpy2d_unaligned
from fakecuda.rules.driver.copy.memset import memset_d2d8, memset_d2d8_async, memset_d8, memset_d8_async
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.copy.shape import DEVICE, HOST, UNIFIED
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import acting, primary_at
from fakecuda.spec.codes import Error

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT = range(5)
"""cudaMemcpyKind."""
SIDES = {
    HOST_TO_HOST: (HOST, HOST),
    HOST_TO_DEVICE: (HOST, DEVICE),
    DEVICE_TO_HOST: (DEVICE, HOST),
    DEVICE_TO_DEVICE: (DEVICE, DEVICE),
    DEFAULT: (UNIFIED, UNIFIED),
}
"""The memory types (CUmemorytype) of source and destination, by copy kind."""

KIND_IS_KNOWN = Rule(
    "`kind` is a cudaMemcpyKind",
    Error.INVALID_MEMCPY_DIRECTION,
    manual("cudaMemcpy", "cudaErrorInvalidMemcpyDirection"),
    fix="pass a cudaMemcpyKind; cudaMemcpyDefault detects the direction",
)
PITCH_SPANS_THE_ROW = Rule(
    "each pitch is at least the width of a row if there are several rows",
    Error.INVALID_PITCH_VALUE,
    manual("cudaMemcpy2D", "cudaErrorInvalidPitchValue"),
    fix="pass a pitch that is at least the size of a row",
)


@guard
def kind_of(kind: int) -> int:
    """Check that a copy kind is known, and return it."""
    if kind not in SIDES:
        raise KIND_IS_KNOWN.broken(kind=kind)
    return kind


@RUNTIME.op("cudaMemcpy", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy(call: Call, dst: int, src: int, count: int, kind: int) -> None:
    """Copy ``count`` bytes from one address to another. The kind says which address is a host address."""
    acting(call)
    if not count:
        return
    kind_of(kind)
    if kind == HOST_TO_DEVICE:
        memcpy_htod(call, dst, src, count)
    elif kind == DEVICE_TO_HOST:
        memcpy_dtoh(call, dst, src, count)
    elif kind == DEVICE_TO_DEVICE:
        memcpy_dtod(call, dst, src, count)
    else:
        memcpy_anywhere(call, dst, src, count)


@RUNTIME.op("cudaMemcpyAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_async(call: Call, dst: int, src: int, count: int, kind: int, stream: int) -> None:
    """Have a stream copy bytes, as cudaMemcpy does."""
    acting(call)
    if not count:
        return
    kind_of(kind)
    if kind == HOST_TO_DEVICE:
        memcpy_htod_async(call, dst, src, count, stream)
    elif kind == DEVICE_TO_HOST:
        memcpy_dtoh_async(call, dst, src, count, stream)
    elif kind == DEVICE_TO_DEVICE:
        memcpy_dtod_async(call, dst, src, count, stream)
    else:
        memcpy_anywhere_async(call, dst, src, count, stream)


@guard
def flat(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> tuple[int, ...]:
    """Return the CUDA_MEMCPY2D of a copy of rows."""
    if height > 1 and (width > dpitch or width > spitch):
        raise PITCH_SPANS_THE_ROW.broken(dpitch=dpitch, spitch=spitch, width=width)
    source, target = SIDES[kind_of(kind)]
    ours, theirs = (0 if source == HOST else src), (0 if target == HOST else dst)
    return (0, 0, source, src - ours, ours, 0, spitch, 0, 0, target, dst - theirs, theirs, 0, dpitch, width, height)


@RUNTIME.op("cudaMemcpy2D", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d(call: Call, dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> None:
    """Copy ``height`` rows of ``width`` bytes, with pitches ``spitch`` and ``dpitch``."""
    acting(call)
    if width and height:
        memcpy2d_unaligned(call, flat(dst, dpitch, src, spitch, width, height, kind))


@RUNTIME.op("cudaMemcpy2DAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d_in_stream(
    call: Call, dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    """Have a stream copy rows, as cudaMemcpy2D does."""
    acting(call)
    if width and height:
        memcpy2d_async(call, flat(dst, dpitch, src, spitch, width, height, kind), stream)


@guard
def contexts_of(call: Call, one: int, other: int) -> tuple[Context, Context]:
    """Return the primary contexts of two devices."""
    found = primary_at(call, one)
    return found, found if one == other else primary_at(call, other)


@RUNTIME.op("cudaMemcpyPeer", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_between(call: Call, dst: int, dst_device: int, src: int, src_device: int, count: int) -> None:
    """Copy between the memory of two devices."""
    acting(call)
    if not count:
        return
    there, here = contexts_of(call, dst_device, src_device)
    memcpy_peer(call, dst, there.handle, src, here.handle, count)


@RUNTIME.op("cudaMemcpyPeerAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_between_async(
    call: Call, dst: int, dst_device: int, src: int, src_device: int, count: int, stream: int
) -> None:
    """Have a stream copy between the memory of two devices."""
    acting(call)
    if not count:
        return
    there, here = contexts_of(call, dst_device, src_device)
    memcpy_peer_async(call, dst, there.handle, src, here.handle, count, stream)


@RUNTIME.op("cudaMemset", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset(call: Call, dev_ptr: int, value: int, count: int) -> None:
    """Set ``count`` bytes to the lowest byte of ``value``."""
    if not acting(call).lost or count:
        memset_d8(call, dev_ptr, value & 0xFF, count)


@RUNTIME.op("cudaMemsetAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_async(call: Call, dev_ptr: int, value: int, count: int, stream: int) -> None:
    """Have a stream set bytes, as cudaMemset does."""
    if not acting(call).lost or count:
        memset_d8_async(call, dev_ptr, value & 0xFF, count, stream)


@RUNTIME.op("cudaMemset2D", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset2d(call: Call, dev_ptr: int, pitch: int, value: int, width: int, height: int) -> None:
    """Set ``height`` rows of ``width`` bytes, ``pitch`` bytes apart."""
    if not acting(call).lost or (width and height):
        memset_d2d8(call, dev_ptr, pitch, value & 0xFF, width, height)


@RUNTIME.op("cudaMemset2DAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset2d_async(call: Call, dev_ptr: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
    """Have a stream set rows, as cudaMemset2D does."""
    if not acting(call).lost or (width and height):
        memset_d2d8_async(call, dev_ptr, pitch, value & 0xFF, width, height, stream)
