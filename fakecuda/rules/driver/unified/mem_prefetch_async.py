"""cuMemPrefetchAsync: move pages of managed memory to where they will be used.

No answer shows where pages are, and every access works as before. A query returns where they were last sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.va import Location
from fakecuda.model.os.process import FORKED
from fakecuda.model.work import stream_scheduler
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.stream.stream_destroy import PROCESS_IS_NOT_FORKED
from fakecuda.rules.driver.unified.managed import (
    RANGE_IS_MANAGED,
    RANGE_IS_NOT_EMPTY,
    advice_at,
    concurrent,
    known_place,
    node_at,
)
from fakecuda.rules.driver.va.properties import DEVICE, HOST, HOST_NUMA
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.work.stream import Stream

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    manual("cuMemPrefetchAsync", "flags for future use, must be zero now"),
    fix="pass 0 for the flags of cuMemPrefetchAsync",
)
DEVICE_IS_THERE = Rule(
    "each device in a location is a device that the process sees",
    Result.INVALID_DEVICE,
    manual(
        "cuMemPrefetchAsync",
        "will prefetch memory to GPU specified",
    ),
    fix="pass a device number below the count that cuDeviceGetCount returns, or prefetch to the host",
)


@DRIVER.op("cuMemPrefetchAsync", several="what is asked for counts at once, the stream's work takes its time")
def mem_prefetch_async(
    call: Call, dev_ptr: int, count: int, location: tuple[int, int], flags: int, stream: int
) -> None:
    """Have a stream prefetch the pages of a range.

    Args:
        call: The call.
        dev_ptr: The range's first address.
        count: Its bytes; whole pages are prefetched.
        location: Where to: CUmemLocation, (type, id).
        flags: 0.
        stream: The stream.
    """
    # CHECK
    require_driver_up(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    known_place(location)
    if location[0] == HOST_NUMA:
        node_at(call, location[1])
    working = stream_of(call, stream, "cuMemPrefetchAsync")
    prefetch = sent(call, working, dev_ptr, count, location)
    # EFFECT
    prefetch()
    stream_scheduler.occupy(working)


@guard
def sent(call: Call, working: Stream, dev_ptr: int, count: int, location: tuple[int, int]) -> Callable[[], None]:
    """Return a function that moves the pages of a range to a location.

    The prefetch counts at once, whether the stream has started it or not.
    """
    if not count:
        raise RANGE_IS_NOT_EMPTY.broken(pointer=dev_ptr)
    if not dev_ptr:
        raise RANGE_IS_MANAGED.broken(pointer=dev_ptr, size=count)
    place = place_of(call, location)
    known, end = advice_at(call, dev_ptr, count)
    concurrent(working.context.device)
    if call.process.state == FORKED:
        call.undefined(PROCESS_IS_NOT_FORKED, stream=working)
        raise PROCESS_IS_NOT_FORKED.broken(stream=working)

    def send() -> None:
        if dev_ptr < end:
            known.change(dev_ptr, end, lambda state: state._replace(prefetched=place))

    return send


@guard
def place_of(call: Call, location: tuple[int, int]) -> Location:
    """Return the place of a location; some location types ignore the id."""
    kind, number = location
    if kind == DEVICE:
        devices = call.process.devices
        if not 0 <= number < len(devices):
            raise DEVICE_IS_THERE.broken(device=number)
        concurrent(devices[number])
    elif kind == HOST:
        number = 0
    return Location(kind, number)
