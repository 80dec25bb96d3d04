"""What calls with a CUlinkState need: one that was not destroyed. No context need be current: it knows what it links for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model.linking import Linker
from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.core.initialized import ready

if TYPE_CHECKING:
    from fakecuda.model.call import Call

LINKER_IS_GIVEN = Rule(
    "the linker is not null",
    Result.INVALID_HANDLE,
    manual("cuLinkComplete", "CUDA_ERROR_INVALID_HANDLE"),
)
LINKER_IS_KNOWN = Rule(
    "the linker is one that the process was given",
    Result.INVALID_HANDLE,
    undefined("cuLinkComplete", "silent about other values: its CUDA_ERROR_INVALID_HANDLE need not be of each of them"),
)
LINKER_IS_LIVE = Rule(
    "the linker was not destroyed",
    Result.INVALID_HANDLE,
    undefined("cuLinkDestroy", "silent about a later use"),
)
LINKER_IS_PENDING = Rule(
    "the linker has made no image yet",
    Result.INVALID_VALUE,
    undefined(
        "cuLinkComplete", "silent about more inputs, and another image, once the linker has made one; no card was asked"
    ),
)


@guard
def linker_of(call: Call, handle: int) -> Linker:
    """Return the linker of that handle."""
    process = ready(call)
    if not handle:
        raise LINKER_IS_GIVEN.broken(linker=handle)
    linker = process.loaded.get(handle)
    if isinstance(linker, Linker):
        return linker
    ended = process.freed.get(handle)
    if isinstance(ended, Linker):
        call.undefined(LINKER_IS_LIVE, linker=ended)
        raise LINKER_IS_LIVE.broken(linker=ended)
    call.undefined(LINKER_IS_KNOWN, linker=handle)
    raise LINKER_IS_KNOWN.broken(linker=handle)


@guard
def pending(call: Call, handle: int) -> Linker:
    """Return the linker of that handle, which has made no image yet."""
    linker = linker_of(call, handle)
    if linker.completed:
        call.undefined(LINKER_IS_PENDING, linker=linker)
        raise LINKER_IS_PENDING.broken(linker=linker)
    return linker
