"""Rules of every call with a CUcontext: the context belongs to the calling process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, observed, undefined
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

USE_AFTER_DESTRUCTION = undefined(
    "cuCtxDestroy",
    "the context or its resources are not accessed or passed in subsequent API calls and doing so will result in "
    "undefined behavior",
)
"""The source of rules about destroyed contexts and the objects in them."""

CONTEXT_IS_KNOWN = Rule(
    "each context handle that the call uses is a context of this process",
    Result.INVALID_CONTEXT,
    undefined(
        "cuCtxSetCurrent",
        "the manual says nothing about any other value; driver 580 uses the value as a pointer (segmentation fault)",
    ),
    fix="pass a context that cuCtxCreate or cuDevicePrimaryCtxRetain returned in this process",
)
CONTEXT_IS_LIVE = Rule(
    "no context that is passed to the call has been destroyed",
    Result.CONTEXT_IS_DESTROYED,
    observed("cuCtxDestroy", "the driver answers CONTEXT_IS_DESTROYED if a destroyed context is passed again"),
    fix="call cuCtxDestroy once, after the last use of the context",
)
CONTEXT_IS_USABLE = Rule(
    "`ctx` has not been destroyed",
    Result.SUCCESS,
    USE_AFTER_DESTRUCTION,
    fix="call cuCtxDestroy after the last use of the context, and forget its handle after this call",
)


@guard
def context_of(call: Call, handle: int) -> Context:
    """Return the context of a handle, destroyed or not; any other value is undefined."""
    process = call.process
    context = process.contexts.get(handle) or process.dead_contexts.get(handle)
    if context is None:
        call.undefined(CONTEXT_IS_KNOWN, context=handle)
        raise CONTEXT_IS_KNOWN.broken(context=handle)
    return context


@guard
def live_context_of(call: Call, handle: int) -> Context:
    """Return the context of a handle, which must not be destroyed."""
    context = context_of(call, handle)
    if context.destroyed:
        raise CONTEXT_IS_LIVE.broken(context=context)
    return context


@guard
def usable_context_of(call: Call, handle: int) -> Context:
    """Return the context of a handle; a destroyed one is undefined, but succeeds."""
    context = context_of(call, handle)
    if context.destroyed:
        call.undefined(CONTEXT_IS_USABLE, context=context)
    return context
