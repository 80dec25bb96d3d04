"""Errors of calls that a driver reports before it checks captures, by call names.

Such a call breaks no capture. The table only finds the mistake: the call itself then says which rule it breaks. The answers are those
of a card, driver 580 (recorded programs ``questions/captured_calls``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.graph.capture import RELAXED
from fakecuda.model.work.stream import LEGACY
from fakecuda.rules.driver.memory.mem_alloc_pitch import ELEMENT_SIZES
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call

    Mistaken = Callable[[Call, tuple[Any, ...]], bool]

ADVICE = frozenset(ENUMS["CUmem_advise"].values())
ATTACHED = frozenset(
    {ENUMS["CUmemAttach_flags"]["CU_MEM_ATTACH_GLOBAL"], ENUMS["CUmemAttach_flags"]["CU_MEM_ATTACH_HOST"]}
)
ORDERS = (1, 2, 3)
"""Values of CUmemcpySrcAccessOrder, without the limits of the enumeration."""
INSTANTIATED, UPLOAD = 1 | 4 | 8, 2
"""Flags that cuGraphInstantiate accepts, and the upload flag, which has a stream."""


def _has_no_context(call: Call, _: tuple[Any, ...]) -> bool:
    return not call.thread.stack


def _has_no_result(call: Call, _: tuple[Any, ...]) -> bool:
    return bool(call.nulls)


def _is_null(_: Call, args: tuple[Any, ...]) -> bool:
    return not args[0]


def _is_empty(*places: int) -> Mistaken:
    """Return a test for sizes of 0, with which a runtime call makes no driver call."""
    return lambda _, args: not all(args[place] for place in places)


def _is_legacy(call: Call, stream: int) -> bool:
    return (stream or call.default_stream) == LEGACY


def _is_no_batch(call: Call, args: tuple[Any, ...]) -> bool:
    """Return whether a batch has invalid attributes, or uses the legacy stream."""
    count, attributes, indices, attributed, stream = args[3:]
    if _is_legacy(call, stream) or None in args[:3] or not attributes or not indices:
        return True
    known = all(one[0] in ORDERS for one in attributes)
    return not (0 < attributed <= count and known) or bool(indices[0])


MISTAKEN: dict[str, Mistaken] = {
    **dict.fromkeys(
        [
            *("cuMemAlloc", "cuMemAllocHost", "cuMemHostAlloc", "cuMemHostRegister", "cuCtxSetLimit"),
            *(
                "cuCtxSetCacheConfig",
                "cuCtxSetSharedMemConfig",
                "cuProfilerStart",
                "cuProfilerStop",
                *("cuTexObjectCreate", "cuTexObjectDestroy", "cuSurfObjectCreate", "cuSurfObjectDestroy"),
            ),
            *("cuArrayCreate", "cuArray3DCreate", "cuMipmappedArrayCreate"),
        ],
        _has_no_context,
    ),
    **dict.fromkeys(
        ["cuStreamGetPriority", "cuStreamGetFlags", "cuStreamGetId", "cuStreamGetCtx", "cuStreamGetDevice"],
        _has_no_result,
    ),
    **dict.fromkeys(
        [
            *("cuModuleUnload", "cuLibraryUnload", "cuArrayDestroy", "cuMipmappedArrayDestroy"),
            *("cuEventSynchronize", "cuEventQuery"),
        ],
        _is_null,
    ),
    "cuMemAllocPitch": lambda call, args: (
        bool(call.nulls) or not (call.thread.stack and args[0] and args[1]) or args[2] not in ELEMENT_SIZES
    ),
    "cuMemAllocManaged": lambda call, args: bool(call.nulls) or not args[0] or args[1] not in ATTACHED,
    "cuMemAdvise": lambda call, args: args[2] not in ADVICE or not call.thread.stack,
    "cuGraphInstantiate": lambda call, args: not call.thread.stack or bool(args[1] & ~INSTANTIATED),
    "cuGraphInstantiateWithParams": lambda call, args: (
        args[1] is None or not (call.thread.stack or args[1][0] & UPLOAD)
    ),
    "cuLaunchHostFunc": lambda _, args: not args[1],
    "cuLaunchKernelEx": lambda _, args: args[0] is None,
    "cuStreamBeginCapture": lambda _, args: not 0 <= args[1] <= RELAXED,
    "cuStreamBeginCaptureToGraph": lambda _, args: not args[1],
    "cuMemPrefetchAsync": lambda _, args: bool(args[3]),
    **dict.fromkeys(
        ["cuMemPrefetchBatchAsync", "cuMemDiscardBatchAsync", "cuMemDiscardAndPrefetchBatchAsync"],
        lambda call, args: bool(args[-2]) or _is_legacy(call, args[-1]),
    ),
    "cuMemMapArrayAsync": lambda _, args: not (args[0] and args[1]),
    "cuMemcpyBatchAsync": _is_no_batch,
    "cudaMemset": _is_empty(2),
    "cudaMemsetAsync": _is_empty(2),
    "cudaMemset2D": _is_empty(3, 4),
    "cudaMemset2DAsync": _is_empty(3, 4),
    "cudaMemset3D": lambda _, args: 0 in args[2],
    "cudaMemset3DAsync": lambda _, args: 0 in args[2],
}
"""Tests for errors of a call, or for a runtime call that does nothing."""
