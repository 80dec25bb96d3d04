"""Page-locked host memory: how it is allocated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.memory_effects import PORTABLE
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
def page_locked(context: Context, bytesize: int, flags: int) -> int:
    """Return the address of new page-locked memory that dies with the context; that of no bytes is null."""
    if not bytesize:
        return 0
    told = None if context.narrow is None else flags & ~PORTABLE
    pinned = memory_effects.pin(context, bytesize, flags, history.here(), told=told)
    if pinned is None:
        raise MEMORY_SUFFICES.broken(size=bytesize)
    return pinned.start
