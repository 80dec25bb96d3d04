"""cuMemcpyAtoH and related calls: copy bytes of the first row of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.space import READ, WRITE
from fakecuda.rules.core import guard
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.memcpy import HOST_IS_GIVEN
from fakecuda.rules.driver.copy.plan import Plan, on_host, perform, queue
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, of_a_device, pieces, written
from fakecuda.rules.driver.copy.shape import alike, array_at, box
from fakecuda.rules.driver.stream.handle import ready_stream_of, using
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.driver.copy.range import Piece

    Place = tuple[int, int]
    """An array, and an offset in its first row."""
    End = tuple[tuple[int, int], list[Piece]]
    """One end of a copy: its first address and size, and its memory."""


@guard
def _in_array(call: Call, place: Place, count: int) -> End:
    """Return the memory of some bytes of an array's first row."""
    array, offset = place
    span, found, *_ = box(array_at(call, array), (offset, 0, 0), (count, 1, 1))
    return span, found


@guard
def _on_device(call: Call, context: Context, start: int, count: int, access: int) -> End:
    """Return the memory behind a device address."""
    found = written(call, context, start, count) if access == WRITE else pieces(call, context, start, count, access)
    if found[0][0].memory is call.machine.host.memory:
        of_a_device(call, start)
    return (start, count), found


@guard
def _on_host(call: Call, context: Context, start: int, count: int, access: int) -> End:
    """Return the memory behind a host address."""
    if not start:
        raise HOST_IS_GIVEN.broken()
    return (start, count), on_host(call, context, start, count, access)


def _plan(targets: End, sources: End) -> Plan:
    """Return the copy between two ends."""
    return Plan(targets[0], sources[0], targets[1], sources[1])


@DRIVER.op("cuMemcpyAtoH", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_atoh(call: Call, dst: int, array: int, offset: int, count: int) -> None:
    """Copy ``count`` bytes from an array to host address ``dst``."""
    # CHECK
    context = current(call)
    if not count:
        return
    plan = _plan(_on_host(call, context, dst, count, WRITE), _in_array(call, (array, offset), count))
    # EFFECT
    perform(call, context, plan)


@DRIVER.op("cuMemcpyHtoA", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_htoa(call: Call, array: int, offset: int, src: int, count: int) -> None:
    """Copy ``count`` bytes from host address ``src`` to an array."""
    # CHECK
    context = current(call)
    if not count:
        return
    plan = _plan(_in_array(call, (array, offset), count), _on_host(call, context, src, count, READ))
    # EFFECT
    perform(call, context, plan)


@DRIVER.op("cuMemcpyAtoD", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_atod(call: Call, dst: int, array: int, offset: int, count: int) -> None:
    """Copy ``count`` bytes from an array to device address ``dst``."""
    # CHECK
    context = current(call)
    if not count:
        return
    plan = _plan(_on_device(call, context, dst, count, WRITE), _in_array(call, (array, offset), count))
    # EFFECT
    perform(call, context, plan)


@DRIVER.op("cuMemcpyDtoA", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_dtoa(call: Call, array: int, offset: int, src: int, count: int) -> None:
    """Copy ``count`` bytes from device address ``src`` to an array."""
    # CHECK
    context = current(call)
    if not count:
        return
    plan = _plan(_in_array(call, (array, offset), count), _on_device(call, context, src, count, READ))
    # EFFECT
    perform(call, context, plan)


@DRIVER.op("cuMemcpyAtoA")
def memcpy_atoa(call: Call, dst: int, dst_offset: int, src: int, src_offset: int, count: int) -> None:
    """Copy ``count`` bytes from one array to another."""
    # CHECK
    context = current(call)
    if not count:
        return
    alike(array_at(call, dst), array_at(call, src))
    plan = _plan(_in_array(call, (dst, dst_offset), count), _in_array(call, (src, src_offset), count))
    # EFFECT
    perform(call, context, plan)


@DRIVER.op("cuMemcpyAtoHAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_atoh_async(call: Call, dst: int, array: int, offset: int, count: int, stream: int) -> None:
    """Have a stream copy ``count`` bytes from an array to host address ``dst``."""
    # CHECK
    working = ready_stream_of(call, stream, "cuMemcpyAtoHAsync")
    if not count:
        return
    context = using(call, working)
    plan = _plan(_on_host(call, context, dst, count, WRITE), _in_array(call, (array, offset), count))
    # EFFECT
    queue(call, working, "cuMemcpyAtoHAsync", plan)


@DRIVER.op("cuMemcpyHtoAAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_htoa_async(call: Call, array: int, offset: int, src: int, count: int, stream: int) -> None:
    """Have a stream copy ``count`` bytes from host address ``src`` to an array."""
    # CHECK
    working = ready_stream_of(call, stream, "cuMemcpyHtoAAsync")
    if not count:
        return
    context = using(call, working)
    plan = _plan(_in_array(call, (array, offset), count), _on_host(call, context, src, count, READ))
    # EFFECT
    queue(call, working, "cuMemcpyHtoAAsync", plan)
