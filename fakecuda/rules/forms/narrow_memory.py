"""Memory of contexts of CUDA 3.1: a call finds only memory of the context it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.memory.memory import OfContext, Pinned, Registered
from fakecuda.model.memory.memory_effects import PORTABLE
from fakecuda.model.work.stream import PER_THREAD
from fakecuda.rules.core import guard
from fakecuda.rules.forms.narrow_calls import QUEUED
from fakecuda.rules.narrowing import MEMORY_IS_OF_THE_CONTEXT

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

    Place = tuple[tuple[int, ...], tuple[int, ...]]

FLAT, SOLID = ((2, 4), (9, 11), 2), ((4, 6), (15, 17), 3)
"""For CUDA_MEMCPY2D and 3D: indices of type and address by side, number of sizes."""
DEVICE = 2
"""CU_MEMORYTYPE_DEVICE."""
FILLS = {f"cuMemsetD{bits}_v1": ((0,), (2,)) for bits in (8, 16, 32)}
ROWS = {f"cuMemsetD2D{bits}_v1": ((0,), (3, 4)) for bits in (8, 16, 32)}
OF_THE_CURRENT: dict[str, Place] = {
    **FILLS,
    **ROWS,
    **dict.fromkeys(("cuMemcpyDtoD_v1", "cuMemcpyDtoDAsync_v1"), ((0, 1), (2,))),
    **dict.fromkeys(("cuMemcpyHtoD_v1", "cuMemcpyHtoDAsync_v1"), ((0,), (2,))),
    **dict.fromkeys(("cuMemcpyDtoH_v1", "cuMemcpyDtoHAsync_v1"), ((1,), (2,))),
    "cuMemcpyAtoD_v1": ((0,), (3,)),
    "cuMemcpyDtoA_v1": ((2,), (3,)),
    **dict.fromkeys(("cuMemFree_v1", "cuIpcGetMemHandle", "cuMemHostGetDevicePointer_v1"), ((0,), ())),
    **dict.fromkeys(("cuMemFreeHost", "cuMemHostGetFlags"), ((0,), ())),
}
"""Indices of addresses and of sizes, for calls on the current context's memory.

If a size is 0, nothing is checked.
"""
COPIES = {
    **dict.fromkeys(("cuMemcpy2D_v1", "cuMemcpy2DAsync_v1", "cuMemcpy2DUnaligned_v1"), FLAT),
    **dict.fromkeys(("cuMemcpy3D_v1", "cuMemcpy3DAsync_v1"), SOLID),
}
OF_THE_STREAM = {
    **{f"cuStream{does}Value{bits}": (0, 1) for does in ("Wait", "Write") for bits in (32, 64)},
    "cuMemFreeAsync": (1, 0),
}
"""Indices of stream and address, for calls on memory of the stream's context."""
OF_THE_NODE = {"cuGraphAddMemsetNode", "cuGraphAddMemcpyNode"}
"""Calls on memory of the context that is their last argument."""
SHARED = {"cuMemFreeHost", "cuMemHostGetFlags"}
"""Calls that accept portable memory in every context."""


@guard
def owned(call: Call, name: str, args: tuple[Any, ...]) -> None:
    """Check that a call's memory belongs to the context that it uses."""
    stack = call.thread.stack
    current = stack[-1] if stack else None
    if name in QUEUED and args[-1] > PER_THREAD and args[-1] not in call.process.streams:
        return  # the operation reports the stream
    if name in OF_THE_CURRENT:
        places, sizes = OF_THE_CURRENT[name]
        if all(args[size] for size in sizes):
            _found(call, current, [args[place] for place in places], shared=name in SHARED)
    elif name in COPIES:
        _copied(call, current, args[0], COPIES[name])
    elif name in OF_THE_STREAM:
        stream, place = OF_THE_STREAM[name]
        known = call.process.streams.get(args[stream])
        if known is not None or args[stream] <= PER_THREAD:
            _found(call, known.context if known is not None else current, [args[place]])
    elif name in OF_THE_NODE:
        context = call.process.contexts.get(args[-1])
        if name == "cuGraphAddMemcpyNode":
            _copied(call, context, args[-2], SOLID)
        elif args[-2] is not None:
            _found(call, context, [args[-2][0]])


def _copied(
    call: Call, context: Context | None, copy: Any, where: tuple[tuple[int, int], tuple[int, int], int]
) -> None:
    """Check the owner of the memory in a copy struct, unless the copy is empty."""
    *sides, sizes = where
    if copy is not None and all(copy[-sizes:]):
        _found(call, context, [copy[address] for kind, address in sides if copy[kind] == DEVICE])


def _found(call: Call, context: Context | None, pointers: list[int], *, shared: bool = False) -> None:
    """Check that a context owns the memory at some addresses.

    Args:
        call: The call.
        context: The context. None without one.
        pointers: The addresses.
        shared: Whether portable memory of another context is found, too.
    """
    for pointer in pointers:
        item = call.process.memory.at(pointer)
        if not isinstance(item, OfContext) or item.context is context:
            continue
        if not (shared and context and isinstance(item, Pinned | Registered) and item.flags & PORTABLE):
            raise MEMORY_IS_OF_THE_CONTEXT.broken(memory=item, context=context)
