"""Copies between the memory of two contexts, on one device or on two devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.space import READ
from fakecuda.model.memory.va import Mapping
from fakecuda.rules.core import Rule, guard, undefined
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.context.handle import USE_AFTER_DESTRUCTION, context_of
from fakecuda.rules.driver.copy.plan import Plan, perform, queue
from fakecuda.rules.driver.copy.range import (
    MAPPINGS_SHARE_A_DEVICE,
    POINTERS_ARE_GIVEN,
    accessible,
    of_a_device,
    pieces,
    written,
)
from fakecuda.rules.driver.stream.handle import ready_stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.driver.copy.range import Piece

CONTEXTS_ARE_LIVE = Rule(
    "neither the source nor the destination context has been destroyed",
    Result.INVALID_CONTEXT,
    USE_AFTER_DESTRUCTION,
    fix="copy before either context is destroyed",
)
CONTEXT_OF_THE_SIDE_IS_GIVEN = Rule(
    "if a side is memory of a pool that gives the current device no access, the context of that side is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuMemcpyPeer", "the manual says nothing about this; driver 580 crashes (segmentation fault), or makes the copy"
    ),
    fix="pass the context of the device that the pool's memory lies on",
)


@guard
def _ends(
    call: Call, context: Context, dst: int, dst_context: int, src: int, src_context: int, count: int
) -> tuple[list[Piece], list[Piece]]:
    """Return the memory behind two device addresses, each as its context reaches it; arguments as for cuMemcpyPeer."""
    if not dst or not src:
        raise POINTERS_ARE_GIVEN.broken(dst=dst, src=src)
    between(call, dst_context, src_context)
    targets = written(call, across(call, context, dst, dst_context, src_context), dst, count)
    sources = pieces(call, across(call, context, src, src_context, dst_context), src, count, READ)
    host = call.machine.host.memory
    if targets[0][0].memory is host or sources[0][0].memory is host:
        of_a_device(call, dst, src)
    return targets, sources


@guard
def between(call: Call, *handles: int) -> None:
    """Check the contexts that a copy names, in either order.

    Args:
        call: The call.
        handles: Contexts, or 0 for the current one.
    """
    for handle in handles:
        if handle and (given := context_of(call, handle)).destroyed:
            call.undefined(CONTEXTS_ARE_LIVE, context=given)
            raise CONTEXTS_ARE_LIVE.broken(context=given)


@guard
def across(call: Call, context: Context, address: int, handle: int, other: int) -> Context:
    """Return the context whose device reaches one side of a copy between contexts; arguments as for :func:`through`."""
    if not handle:
        item = call.process.memory.at(address)
        if isinstance(item, Pooled) and not accessible(item, context):
            call.undefined(CONTEXT_OF_THE_SIDE_IS_GIVEN, memory=item)
            raise CONTEXT_OF_THE_SIDE_IS_GIVEN.broken(memory=item)
    return through(call, context, address, handle, other)


def through(call: Call, context: Context, address: int, handle: int, other: int) -> Context:
    """Return the context whose device reaches one side of a copy.

    Args:
        call: The call.
        context: The context that copies.
        address: The side's address.
        handle: The side's context, which exists, or 0.
        other: The other side's context, which exists, or 0.
    """
    item = call.process.memory.at(address)
    if not isinstance(item, Mapping | Pooled) or (not handle and accessible(item, context)):
        return context
    return call.process.contexts.get(handle or other, context)


@DRIVER.op("cuMemcpyPeer", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_peer(call: Call, dst: int, dst_context: int, src: int, src_context: int, count: int) -> None:
    """Copy ``count`` bytes from device address ``src`` to device address ``dst``.

    Args:
        call: The call.
        dst: Device address.
        dst_context: A context, or 0; whose memory ``dst`` is decides its address alone, but a mapping and memory of a
            pool are reached through it, so that they must grant its device access. Without one they are reached through
            the current context or that of the other side.
        src: Device address.
        src_context: As ``dst_context``.
        count: Bytes.
    """
    # CHECK
    context = current(call)
    if not count:
        return
    targets, sources = _ends(call, context, dst, dst_context, src, src_context, count)
    # EFFECT
    perform(call, context, Plan((dst, count), (src, count), targets, sources), orders.BETWEEN_DEVICES)


@DRIVER.op("cuMemcpyPeerAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_peer_async(
    call: Call, dst: int, dst_context: int, src: int, src_context: int, count: int, stream: int
) -> None:
    """Have a stream copy ``count`` bytes from device address ``src`` to device address ``dst``.

    The context of the stream stands for the current one; arguments as for :func:`memcpy_peer`.
    """
    # CHECK
    working = ready_stream_of(call, stream, "cuMemcpyPeerAsync")
    if not count:
        return
    targets, sources = _ends(call, working.context, dst, dst_context, src, src_context, count)
    # EFFECT
    queue(call, working, "cuMemcpyPeerAsync", Plan((dst, count), (src, count), targets, sources))
