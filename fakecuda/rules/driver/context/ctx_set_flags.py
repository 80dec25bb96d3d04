"""cuCtxSetFlags: replace the changeable flags of the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, undefined
from fakecuda.rules.driver.context.ctx_create import FLAGS_ARE_KNOWN, known
from fakecuda.rules.driver.context.current import top
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FLAG = ENUMS["CUctx_flags"]
CHANGEABLE = FLAG["CU_CTX_SCHED_MASK"] | FLAG["CU_CTX_LMEM_RESIZE_TO_MAX"] | FLAG["CU_CTX_SYNC_MEMOPS"]
"""Flags that can change. Setting any other flag has no effect."""

CONTEXT_IS_THERE = Rule(
    "the current context has not been destroyed",
    Result.CONTEXT_IS_DESTROYED,
    undefined(
        "cuCtxSetFlags",
        "the manual says nothing about a destroyed context; driver 580 uses the value as a pointer (segmentation "
        "fault)",
    ),
    fix="call cuCtxSetFlags before the current context is destroyed, or make another context current first",
)


@DRIVER.op("cuCtxSetFlags")
def ctx_set_flags(call: Call, flags: int) -> None:
    """Replace the changeable flags of the current context. The stored flags of a primary context do not change."""
    # CHECK
    context = top(call)
    if context.destroyed:
        call.undefined(CONTEXT_IS_THERE, context=context)
        raise CONTEXT_IS_THERE.broken(context=context)
    if not known(call, flags):
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    # EFFECT
    context.set_flags(context.flags & ~CHANGEABLE | flags & CHANGEABLE)
