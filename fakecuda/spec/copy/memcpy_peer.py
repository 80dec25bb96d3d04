"""cuMemcpyPeer: device memory to device memory, of two contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model import transfer
from fakecuda.model.pool import Pooled
from fakecuda.model.space import READ
from fakecuda.model.va import Mapping
from fakecuda.rule import Rule, guard, op, undefined
from fakecuda.spec.context.current import current
from fakecuda.spec.context.valid import context_of
from fakecuda.spec.copy.range import MAPPINGS_SHARE_A_DEVICE, POINTERS_ARE_GIVEN, accessible, pieces, written
from fakecuda.spec.stream.order import launch

if TYPE_CHECKING:
    from fakecuda.model.context import Context
    from fakecuda.model.process import Thread

CONTEXTS_ARE_LIVE = Rule(
    "neither context has been destroyed",
    Result.INVALID_CONTEXT,
    undefined(
        "cuCtxDestroy",
        "the context or its resources are not accessed or passed in subsequent API calls and doing so will result in "
        "undefined behavior",
    ),
)


@op("cuMemcpyPeer", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_peer(call: Thread, dst: int, dst_context: int, src: int, src_context: int, count: int) -> None:
    """Copy ``count`` bytes from device address ``src`` to device address ``dst``.

    Args:
        call: The calling thread.
        dst: Device address.
        dst_context: A context, or 0 for the current one; whose memory ``dst`` is decides its address alone, but what
            grants access only to the device of this context is reached through it.
        src: Device address.
        src_context: As ``dst_context``.
        count: Bytes.
    """
    # CHECK
    context = current(call)
    if not count:
        return
    if not dst or not src:
        raise POINTERS_ARE_GIVEN.broken(dst=dst, src=src)
    between(call, "cuMemcpyPeer", dst_context, src_context)
    targets = written(call, through(call, context, dst_context, dst), dst, count)
    sources = pieces(call, through(call, context, src_context, src), src, count, READ)
    # EFFECT
    launch(call, context, lambda: transfer.copy(targets, sources), (dst, count), (src, count))


def through(call: Thread, context: Context, handle: int, address: int) -> Context:
    """Return the context whose device reaches one side: the named one where that of the call has no access.

    Args:
        call: The calling thread.
        context: The context that copies.
        handle: The side's context, which exists, or 0 for the current one.
        address: The side's address.
    """
    item = call.process.memory.at(address)
    if not handle or not isinstance(item, Mapping | Pooled) or accessible(item, context):
        return context
    return call.process.contexts[handle]


@guard
def between(call: Thread, name: str, *handles: int) -> None:
    """Check the contexts that a copy names; which of them is whose makes no difference.

    Args:
        call: The calling thread.
        name: The call.
        handles: Contexts, or 0 for the current one.
    """
    for handle in handles:
        if handle and (given := context_of(call, handle, name)).destroyed:
            call.undefined(CONTEXTS_ARE_LIVE, name, context=given)
            raise CONTEXTS_ARE_LIVE.broken(context=given)
