"""Allocation of page-locked host memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.memory_effects import DEVICE_MAP
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.context import Context

MEMORY_SUFFICES = Rule(
    "the host has enough free memory, and the process has enough free addresses",
    Result.OUT_OF_MEMORY,
    manual("cuMemHostAlloc", "CUDA_ERROR_OUT_OF_MEMORY"),
    fix="free page-locked memory with cuMemFreeHost first, or allocate less",
)


@guard
def addressable(context: Context, bytesize: int, flags: int, inside: int = 0) -> None:
    """Check that a context of CUDA 3.1 has addresses left for mapped host memory.

    Args:
        context: The context.
        bytesize: Bytes.
        flags: ``DEVICE_MAP`` and others.
        inside: Where the memory begins in its page.
    """
    narrow = context.narrow
    if narrow is not None and flags & DEVICE_MAP and not narrow.fits(inside + bytesize):
        raise MEMORY_SUFFICES.broken(size=bytesize)


@guard
def page_locked(context: Context, bytesize: int, flags: int) -> int:
    """Allocate page-locked memory in a context; return its address, null if empty."""
    if not bytesize:
        return 0
    addressable(context, bytesize, flags)
    told = None if context.narrow is None else flags & memory_effects.known_flags(context.narrow)
    pinned = memory_effects.pin(context, bytesize, flags, history.here(), told=told)
    if pinned is None:
        raise MEMORY_SUFFICES.broken(size=bytesize)
    return pinned.start
