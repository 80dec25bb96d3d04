"""Calls whose names end with ``_spt``: a null stream stands for the per-thread default stream.

Their rules are those of the calls without the ending.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.work.stream import PER_THREAD
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.hip.active import active, answering, entered
from fakecuda.rules.hip.copy import memcpy_async as in_stream
from fakecuda.rules.hip.copy import memcpy_with_stream, rows_copied, settled
from fakecuda.rules.hip.event import record
from fakecuda.rules.hip.fill import slices_set, values_set
from fakecuda.rules.hip.stream import (
    get_priority,
    is_capturing,
    require_stream_to_ask,
    stream_of,
    stream_query,
    stream_synchronize,
    stream_wait_event,
)
from fakecuda.rules.hip.volume import parms_moved
from fakecuda.rules.registry import HIP

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.hip.fill import Extent, Pitched
    from fakecuda.rules.hip.volume import Parms


@HIP.op("hipMemcpy_spt", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy(call: Call, dst: int, src: int, size: int, kind: int) -> None:
    """Copy between any addresses."""
    memcpy_with_stream(call, dst, src, size, kind, PER_THREAD)


@HIP.op("hipMemcpyAsync_spt", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_async(call: Call, dst: int, src: int, size: int, kind: int, stream: int) -> None:
    """Have a stream copy bytes, as hipMemcpy does."""
    in_stream(call, dst, src, size, kind, stream or PER_THREAD)


@HIP.op("hipMemcpy2D_spt", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d(call: Call, dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> None:
    """Copy ``height`` rows of ``width`` bytes, with pitches ``spitch`` and ``dpitch``."""
    rows_copied(call, (dst, dpitch), (src, spitch), (width, height), kind, PER_THREAD)
    settled(call, stream_of(call, PER_THREAD))


@HIP.op("hipMemcpy2DAsync_spt", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d_async(
    call: Call, dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    """Have a stream copy rows, as hipMemcpy2D does."""
    rows_copied(call, (dst, dpitch), (src, spitch), (width, height), kind, stream or PER_THREAD)


@HIP.op("hipMemcpy3D_spt", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy3d(call: Call, parms: Parms | None) -> None:
    """Copy slices of rows."""
    entered(call)
    parms_moved(call, parms, PER_THREAD, name="hipMemcpy3D_spt", asynchronous=False)


@HIP.op("hipMemcpy3DAsync_spt", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy3d_async(call: Call, parms: Parms | None, stream: int) -> None:
    """Have a stream copy slices of rows, as hipMemcpy3D does."""
    entered(call)
    parms_moved(call, parms, stream or PER_THREAD, name="hipMemcpy3DAsync_spt", asynchronous=True)


@HIP.op("hipMemset_spt", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset(call: Call, dst: int, value: int, size: int) -> None:
    """Set bytes to the lowest byte of a value."""
    values_set(call, dst, value, 1, size, PER_THREAD)


@HIP.op("hipMemsetAsync_spt", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_async(call: Call, dst: int, value: int, size: int, stream: int) -> None:
    """Have a stream set bytes, as hipMemset does."""
    values_set(call, dst, value, 1, size, stream or PER_THREAD)


@HIP.op("hipMemset2D_spt", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset2d(call: Call, dst: int, pitch: int, value: int, width: int, height: int) -> None:
    """Set ``height`` rows of ``width`` bytes, ``pitch`` bytes apart."""
    entered(call)
    slices_set(call, (dst, pitch, width, height), value, 1, (width, height, 1), PER_THREAD)


@HIP.op("hipMemset2DAsync_spt", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset2d_async(call: Call, dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
    """Have a stream set rows, as hipMemset2D does."""
    entered(call)
    slices_set(call, (dst, pitch, width, height), value, 1, (width, height, 1), stream or PER_THREAD)


@HIP.op("hipMemset3D_spt", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset3d(call: Call, place: Pitched, value: int, extent: Extent) -> None:
    """Set the bytes in slices of rows."""
    entered(call)
    slices_set(call, place, value, 1, extent, PER_THREAD)


@HIP.op("hipMemset3DAsync_spt", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset3d_async(call: Call, place: Pitched, value: int, extent: Extent, stream: int) -> None:
    """Have a stream set slices of rows, as hipMemset3D does."""
    entered(call)
    slices_set(call, place, value, 1, extent, stream or PER_THREAD)


@HIP.op("hipEventRecord_spt")
def event_record(call: Call, event: int, stream: int) -> None:
    """Record a stream's work so far in an event."""
    active(call)
    record(call, event, stream or PER_THREAD)


@HIP.op("hipStreamQuery_spt")
def query(call: Call, stream: int) -> None:
    """Succeed if all work of a stream is complete."""
    stream_query(call, stream or PER_THREAD)


@HIP.op("hipStreamSynchronize_spt")
def synchronize(call: Call, stream: int) -> None:
    """Wait for a stream's work."""
    stream_synchronize(call, stream or PER_THREAD)


@HIP.op("hipStreamWaitEvent_spt")
def wait_event(call: Call, stream: int, event: int, flags: int) -> None:
    """Have later work of a stream wait for the work that an event has recorded."""
    stream_wait_event(call, stream or PER_THREAD, event, flags)


@HIP.op("hipStreamGetFlags_spt")
def flags_of(call: Call, stream: int) -> int:
    """Return the flags with which a stream was created."""
    answering(call)
    return require_stream_to_ask(call, stream or PER_THREAD).flags


@HIP.op("hipStreamGetPriority_spt")
def priority_of(call: Call, stream: int) -> int:
    """Return a stream's priority."""
    return get_priority(call, stream or PER_THREAD)


@HIP.op("hipStreamIsCapturing_spt")
def capturing(call: Call, stream: int) -> int:
    """Return hipStreamCaptureStatusNone: no modelled call captures a stream."""
    return is_capturing(call, stream or PER_THREAD)
