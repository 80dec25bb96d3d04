"""Copies and memsets. Copies: the addresses determine where memory lies, and the kind of a copy makes no difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.memory import Allocation
from fakecuda.model.memory.space import READ, WRITE
from fakecuda.model.work import timed
from fakecuda.model.work.accesses import READS, WRITES
from fakecuda.model.work.stream import LEGACY, PER_THREAD, Stream
from fakecuda.rules.core import Rule, guard, hip_tests, source
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import enqueue, waited
from fakecuda.rules.driver.unified.mem_advise import PAGEABLE
from fakecuda.rules.hip.active import active, does, entered
from fakecuda.rules.hip.fill import slices_set, values_set
from fakecuda.rules.hip.reach import reached
from fakecuda.rules.hip.shape import SIDES, Side, moved
from fakecuda.rules.hip.stream import found, stream_of
from fakecuda.rules.registry import HIP
from fakecuda.spec import orders
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.driver.copy.range import Piece

KINDS = frozenset({0, 1, 2, 3, 4, 1024})
"""hipMemcpyKind."""
REFUSES_STREAMS = "hipMemcpy2DAsync.refuses-streams"
HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT = range(5)

KIND_IS_KNOWN = Rule(
    "the kind of the copy is a hipMemcpyKind",
    Error.INVALID_MEMCPY_DIRECTION,
    source("hipMemcpy", "clr answers hipErrorInvalidMemcpyDirection if this rule is broken"),
    fix="pass a hipMemcpyKind; hipMemcpyDefault detects the direction",
)
POINTERS_ARE_GIVEN = Rule(
    "no source or destination pointer is null",
    Result.INVALID_VALUE,
    hip_tests("hipMemcpyPeer", "HIP answers hipErrorInvalidValue to null, also in the other copies"),
    fix="pass an address for both the source and the destination",
)
SIZES_SUFFICE = Rule(
    "the source and destination ranges end in the allocation they begin in, or in adjoining allocations or mappings",
    Result.INVALID_VALUE,
    hip_tests(
        "hipMemcpyPeer",
        "HIP answers hipErrorInvalidValue to one byte more than was allocated, also in the other copies",
    ),
    fix="copy at most the bytes from the address to the end of its allocation",
)
DIRECTION_FITS = Rule(
    "if both sides are pageable host memory, the kind is host-to-host or default, or device 0 has pageableMemoryAccess",
    Result.INVALID_VALUE,
    source(
        "hipMemcpy", "clr answers hipErrorInvalidValue to any other kind, unless devices can access pageable memory"
    ),
    fix="pass hipMemcpyHostToHost or hipMemcpyDefault: both addresses are host addresses",
)
STREAM_OF_ROWS_IS_LIVE = Rule(
    "the stream of a 2D copy is a default stream or a created stream that has not been destroyed",
    Result.INVALID_VALUE,
    source(
        "hipMemcpy2DAsync", "clr of 2024 answers hipErrorInvalidValue to any other stream, before it checks the rows"
    ),
    fix="call hipMemcpy2DAsync before hipStreamDestroy, or pass a default stream",
)
DEVICE_IS_THERE = Rule(
    "both devices are devices that the process sees",
    Result.INVALID_DEVICE,
    hip_tests("hipMemcpyPeer", "HIP answers hipErrorInvalidDevice to the number of devices, whatever the pointers are"),
    fix="pass numbers below the count that hipGetDeviceCount returns for both devices",
)
PITCH_SPANS_THE_ROW = Rule(
    "`dpitch` and `spitch` are at least `width`",
    Error.INVALID_PITCH_VALUE,
    hip_tests("hipMemcpy2DAsync", "HIP answers hipErrorInvalidPitchValue to a smaller pitch"),
    fix="pass pitches that are at least the width in bytes",
)


@guard
@orders.makes(orders.COPY)
def copied(call: Call, dst: int, src: int, size: int, stream: Stream, *, asynchronous: bool, kind: int) -> None:
    """Have a stream copy between any addresses, and wait unless it is asynchronous."""
    if not size:
        return
    if not dst or not src:
        raise POINTERS_ARE_GIVEN.broken(dst=dst, src=src)
    kind_known(kind)
    if stream.handle > PER_THREAD:  # the others have looked it up
        active(call)
    at = call.process.memory.at
    read, written = at(src), at(dst)
    if type(read) is Allocation is type(written) and src + size <= read.end and dst + size <= written.end:
        # Memory that every device may read and write.
        targets: list[Piece] = [(written.extent, dst - written.origin, size)]
        sources: list[Piece] = [(read.extent, src - read.origin, size)]
    else:
        for start, item in ((src, read), (dst, written)):
            if item is not None and start + size > item.end and at(item.end) is None:
                raise SIZES_SUFFICE.broken(pointer=start, size=size, found=item)
        if read is None and written is None:
            direction_fits(call, dst, src, kind)
        targets = reached(call, stream.context, dst, size, WRITE)
        sources = reached(call, stream.context, src, size, READ)
    written_to, read_from = (dst, size), (src, size)
    uses = (WRITES, written_to, targets, None), (READS, read_from, sources, None)
    race.in_stream(call, stream, uses, waits=not asynchronous)
    enqueue(call, stream, lambda: timed.copy(call.machine, targets, sources), written_to, read_from, copies=1)
    if not asynchronous:
        settled(call, stream)


def beyond(call: Call, start: int, size: int) -> object:
    """Return the memory that a range starts in and overruns; None without overrun."""
    memory = call.process.memory
    item = memory.at(start)
    return item if item is not None and start + size > item.end and memory.at(item.end) is None else None


@guard
def direction_fits(call: Call, dst: int, src: int, kind: int) -> None:
    """Check that the copy kind suits two host addresses."""
    memory, devices = call.process.memory, call.process.devices
    if kind in {HOST_TO_HOST, DEFAULT} or memory.at(src) is not None or memory.at(dst) is not None:
        return
    if not devices[0].profile.attributes.get(PAGEABLE):
        raise DIRECTION_FITS.broken(dst=dst, src=src, kind=kind)


@guard
def settled(call: Call, stream: Stream) -> None:
    """Wait for a stream's work."""
    if call.machine.scheduler.pending:
        waited(stream.context, stream, by=orders.COPIED_BY_HIP, last=True)
    race.seen(call, stream, orders.COPIED_BY_HIP)


@guard
def kind_known(kind: int) -> None:
    """Check the kind of a copy."""
    if kind not in KINDS:
        raise KIND_IS_KNOWN.broken(kind=kind)


@HIP.op("hipMemcpy", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy(call: Call, dst: int, src: int, size: int, kind: int) -> None:
    """Copy between any addresses."""
    entered(call)
    null = stream_of(call, LEGACY)
    copied(call, dst, src, size, null, asynchronous=False, kind=kind)


@HIP.op("hipMemcpyAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_async(call: Call, dst: int, src: int, size: int, kind: int, stream: int) -> None:
    """Have a stream copy bytes. The kind is checked even for 0 bytes."""
    entered(call)
    working = stream_of(call, stream)
    kind_known(kind)
    copied(call, dst, src, size, working, asynchronous=True, kind=kind)


@HIP.op("hipMemcpyWithStream", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_with_stream(call: Call, dst: int, src: int, size: int, kind: int, stream: int) -> None:
    """Have a stream copy bytes, and wait for the copy."""
    entered(call)
    working = stream_of(call, stream)
    copied(call, dst, src, size, working, asynchronous=False, kind=kind)


@HIP.op("hipMemcpyHtoD", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_htod(call: Call, dst: int, src: int, size: int) -> None:
    """Copy from the host to a device."""
    entered(call)
    null = stream_of(call, LEGACY)
    copied(call, dst, src, size, null, asynchronous=False, kind=HOST_TO_DEVICE)


@HIP.op("hipMemcpyDtoH", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_dtoh(call: Call, dst: int, src: int, size: int) -> None:
    """Copy from a device to the host."""
    entered(call)
    null = stream_of(call, LEGACY)
    copied(call, dst, src, size, null, asynchronous=False, kind=DEVICE_TO_HOST)


@HIP.op("hipMemcpyDtoD", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_dtod(call: Call, dst: int, src: int, size: int) -> None:
    """Copy between two devices, or within one device."""
    entered(call)
    null = stream_of(call, LEGACY)
    copied(call, dst, src, size, null, asynchronous=False, kind=DEVICE_TO_DEVICE)


@HIP.op("hipMemcpyHtoDAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_htod_async(call: Call, dst: int, src: int, size: int, stream: int) -> None:
    """Have a stream copy from the host to a device."""
    entered(call)
    working = stream_of(call, stream)
    copied(call, dst, src, size, working, asynchronous=True, kind=HOST_TO_DEVICE)


@HIP.op("hipMemcpyDtoHAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_dtoh_async(call: Call, dst: int, src: int, size: int, stream: int) -> None:
    """Have a stream copy from a device to the host."""
    entered(call)
    working = stream_of(call, stream)
    copied(call, dst, src, size, working, asynchronous=True, kind=DEVICE_TO_HOST)


@HIP.op("hipMemcpyDtoDAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_dtod_async(call: Call, dst: int, src: int, size: int, stream: int) -> None:
    """Have a stream copy between two devices, or within one device."""
    entered(call)
    working = stream_of(call, stream)
    copied(call, dst, src, size, working, asynchronous=True, kind=DEVICE_TO_DEVICE)


@guard
def devices_seen(call: Call, *numbers: int) -> None:
    """Check the device numbers of a copy, which otherwise do not matter."""
    devices = entered(call).devices
    for number in numbers:
        if not 0 <= number < len(devices):
            raise DEVICE_IS_THERE.broken(device=number)


@HIP.op("hipMemcpyPeer", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_peer(call: Call, dst: int, dst_device: int, src: int, src_device: int, size: int) -> None:
    """Have the null stream copy between devices. The copy needs no peer access, and the host does not wait for it."""
    devices_seen(call, dst_device, src_device)
    null = stream_of(call, LEGACY)
    copied(call, dst, src, size, null, asynchronous=True, kind=DEVICE_TO_DEVICE)


@HIP.op("hipMemcpyPeerAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_peer_async(call: Call, dst: int, dst_device: int, src: int, src_device: int, size: int, stream: int) -> None:
    """Have a stream copy between devices."""
    devices_seen(call, dst_device, src_device)
    working = stream_of(call, stream)
    copied(call, dst, src, size, working, asynchronous=True, kind=DEVICE_TO_DEVICE)


@HIP.op("hipMemset", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset(call: Call, dst: int, value: int, size: int) -> None:
    """Set bytes to the lowest byte of a value."""
    values_set(call, dst, value, 1, size, 0)


@HIP.op("hipMemsetAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_async(call: Call, dst: int, value: int, size: int, stream: int) -> None:
    """Have a stream set bytes, as hipMemset does."""
    values_set(call, dst, value, 1, size, stream)


@HIP.op("hipMemsetD8", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d8(call: Call, dst: int, value: int, count: int) -> None:
    """Set bytes."""
    values_set(call, dst, value, 1, count, 0)


@HIP.op("hipMemsetD8Async", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d8_in_stream(call: Call, dst: int, value: int, count: int, stream: int) -> None:
    """Have a stream set bytes to the lowest byte of a value."""
    values_set(call, dst, value, 1, count, stream)


@HIP.op("hipMemset2D", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset2d(call: Call, dst: int, pitch: int, value: int, width: int, height: int) -> None:
    """Set ``height`` rows of ``width`` bytes, ``pitch`` bytes apart."""
    entered(call)
    slices_set(call, (dst, pitch, width, height), value, 1, (width, height, 1), 0)


@HIP.op("hipMemset2DAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset2d_async(call: Call, dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
    """Have a stream set rows, as hipMemset2D does."""
    entered(call)
    slices_set(call, (dst, pitch, width, height), value, 1, (width, height, 1), stream)


@guard
def rows_copied(
    call: Call, dst: tuple[int, int], src: tuple[int, int], area: tuple[int, int], kind: int, handle: int
) -> None:
    """Have a stream copy rows; each side is an address and a pitch."""
    entered(call)
    kind_known(kind)
    if does(call, REFUSES_STREAMS) and found(call, handle) is None:
        raise STREAM_OF_ROWS_IS_LIVE.broken(stream=handle, found=call.process.freed.get(handle))
    stream = stream_of(call, handle)
    width, height = area
    if not width or not height:
        return
    if width > dst[1] or width > src[1]:
        raise PITCH_SPANS_THE_ROW.broken(dpitch=dst[1], spitch=src[1], width=width)
    types = SIDES[kind]
    into = Side(types[1], dst[0], dst[0], 0, 0, 0, 0, dst[1], 0)
    out_of = Side(types[0], src[0], src[0], 0, 0, 0, 0, src[1], 0)
    moved(call, into, out_of, (width, height, 1), stream, name="hipMemcpy2D", asynchronous=True)


@HIP.op("hipMemcpy2D", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d(call: Call, dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> None:
    """Copy ``height`` rows of ``width`` bytes, with pitches ``spitch`` and ``dpitch``."""
    rows_copied(call, (dst, dpitch), (src, spitch), (width, height), kind, 0)
    settled(call, stream_of(call, 0))


@HIP.op("hipMemcpy2DAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d_async(
    call: Call, dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    """Have a stream copy rows, as hipMemcpy2D does."""
    rows_copied(call, (dst, dpitch), (src, spitch), (width, height), kind, stream)
