"""Copies of contiguous bytes.

The name of a call says which side is the host's; cuMemcpy leaves it to the addresses. Each is there twice, one of them for a
stream. The operations of the calls stand at the end of the module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fakecuda.model.memory.space import READ, WRITE
from fakecuda.model.work import timed
from fakecuda.model.work.accesses import READS, WRITES
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.plan import Plan, begin_across, end_across, on_host, queue
from fakecuda.rules.driver.copy.range import (
    MAPPINGS_SHARE_A_DEVICE,
    POINTERS_ARE_GIVEN,
    is_device,
    of_a_device,
    pieces,
    wherever,
    written,
)
from fakecuda.rules.driver.execution import skipped
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.handle import ready_stream_of, using
from fakecuda.rules.driver.stream.order import launch
from fakecuda.rules.driver.unified.managed import is_managed
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.driver.copy.range import Piece

    Ends = tuple[list[Piece], list[Piece]]
    """The memory that a copy writes, and the memory that it reads."""

HOST_IS_GIVEN = Rule(
    "the pointer to the host memory of the copy is not null",
    Result.INVALID_VALUE,
    manual("cuMemcpyDtoH", "dstHost and srcDevice specify the base pointers of the destination and source"),
    fix="pass the address of a host buffer; cuMemcpyDtoD copies between devices",
)


@guard
def _anywhere(call: Call, context: Context, dst: int, src: int, count: int) -> Ends:
    """Return the memory behind two addresses, each of a device or of the host."""
    if not dst or not src:
        raise POINTERS_ARE_GIVEN.broken(dst=dst, src=src)
    targets = wherever(call, context, dst, count, WRITE)
    return targets, wherever(call, context, src, count, READ)


@guard
def _on_devices(call: Call, context: Context, dst: int, src: int, count: int) -> Ends:
    """Return the memory behind two device addresses, on any devices."""
    targets = written(call, context, dst, count)
    sources = pieces(call, context, src, count, READ)
    host = call.machine.host.memory
    if targets[0][0].memory is host or sources[0][0].memory is host:
        of_a_device(call, dst, src)
    return targets, sources


@guard
def _to_host(call: Call, context: Context, dst: int, src: int, count: int) -> Ends:
    """Return the memory behind a host address and the device address that is read."""
    if not dst:
        raise HOST_IS_GIVEN.broken()
    sources = pieces(call, context, src, count, READ)
    if sources[0][0].memory is call.machine.host.memory:
        of_a_device(call, src)
    return on_host(call, context, dst, count, WRITE), sources


@guard
def _from_host(call: Call, context: Context, dst: int, src: int, count: int) -> Ends:
    """Return the memory behind a device address and the host address that is read."""
    if not src:
        raise HOST_IS_GIVEN.broken()
    targets = written(call, context, dst, count)
    if targets[0][0].memory is call.machine.host.memory:
        of_a_device(call, dst)
    return targets, on_host(call, context, src, count, READ)


class Direction(NamedTuple):
    """The address kinds of a copy's source and destination.

    Attributes:
        ends: Returns the memory behind the two addresses.
        words: What the addresses are.
        host: Which of target and source is the host's as the call says, 0 or 1; None if neither is.
    """

    ends: Callable[[Call, Context, int, int, int], Ends]
    words: str
    host: int | None = None


ANYWHERE = Direction(_anywhere, "from address ``src`` to address ``dst``, each of a device or of the host")
ON_DEVICES = Direction(_on_devices, "from device address ``src`` to device address ``dst``, on any device")
TO_HOST = Direction(_to_host, "from device address ``src`` to host address ``dst``", host=0)
FROM_HOST = Direction(_from_host, "from host address ``src`` to device address ``dst``", host=1)


def _now(name: str, direction: Direction) -> Callable[[Call, int, int, int], None]:
    """Declare a synchronous copy call."""
    ends, words, host = direction

    @DRIVER.op(name, acts_before=(MAPPINGS_SHARE_A_DEVICE,), words=words)
    @orders.makes(orders.COPY)
    def memcpy(call: Call, dst: int, src: int, count: int) -> None:
        """Copy ``count`` bytes {words}."""
        # CHECK
        context = current(call)
        if not count:
            return
        targets, sources = ends(call, context, dst, src, count)
        # EFFECT
        beside = (
            begin_across(call, context, (targets, sources), (dst, src), orders.ACROSS_DEVICES) if host is None else ()
        )
        races = call.machine.races
        if races is not None and (host is None or races.streams or races.strict):
            uses = (WRITES, (dst, count), targets, None), (READS, (src, count), sources, None)
            race.at_once(call, context, *uses, as_host=host is not None)

        def act() -> None:
            if call.machine.unknown is not None:
                skipped.handed(call, targets, sources)
            timed.copy(call.machine, targets, sources)

        launch(call, context, act, (dst, count), (src, count), as_host=host is not None)
        end_across(call, context, beside, orders.ACROSS_DEVICES)

    return memcpy


def _queued(name: str, direction: Direction) -> Callable[[Call, int, int, int, int], None]:
    """Declare an asynchronous copy call."""
    ends, words, host = direction

    @DRIVER.op(name, acts_before=(MAPPINGS_SHARE_A_DEVICE,), words=words)
    def memcpy_async(call: Call, dst: int, src: int, count: int, stream: int) -> None:
        """Have a stream copy ``count`` bytes {words}."""
        # CHECK
        working = ready_stream_of(call, stream, name)
        if not count:
            return
        targets, sources = ends(call, using(call, working), dst, src, count)
        waits = host is not None and is_device(at := (dst, src)[host]) and is_managed(call.process.memory.at(at))
        # EFFECT
        queue(call, working, name, Plan((dst, count), (src, count), targets, sources, waits=waits))

    return memcpy_async


memcpy = _now("cuMemcpy", ANYWHERE)
memcpy_dtod = _now("cuMemcpyDtoD", ON_DEVICES)
memcpy_dtoh = _now("cuMemcpyDtoH", TO_HOST)
memcpy_htod = _now("cuMemcpyHtoD", FROM_HOST)
memcpy_async = _queued("cuMemcpyAsync", ANYWHERE)
memcpy_dtod_async = _queued("cuMemcpyDtoDAsync", ON_DEVICES)
memcpy_dtoh_async = _queued("cuMemcpyDtoHAsync", TO_HOST)
memcpy_htod_async = _queued("cuMemcpyHtoDAsync", FROM_HOST)
