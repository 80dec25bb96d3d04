"""CUgraphNodeParams and cudaGraphNodeParams, unions that their types tell apart. Its plain value is its bytes; what is in them is told here.

A description is the tuple of the type, of what its member has, nested structs inline, and of whether all else is zero.
"""

from __future__ import annotations

import ctypes
from functools import cache
from struct import Struct
from typing import Any

from fakecuda.spec.driver import ENUMS

SIZE = 256
"""Bytes of the struct."""
TYPES = ENUMS["CUgraphNodeType"]
KERNEL, MEMCPY, MEMSET, HOST, CHILD, EMPTY, WAIT_EVENT, EVENT_RECORD = (
    TYPES[f"CU_GRAPH_NODE_TYPE_{name}"]
    for name in ("KERNEL", "MEMCPY", "MEMSET", "HOST", "GRAPH", "EMPTY", "WAIT_EVENT", "EVENT_RECORD")
)
MEM_ALLOC, MEM_FREE, BATCH_MEM_OP, CONDITIONAL = (
    TYPES[f"CU_GRAPH_NODE_TYPE_{name}"] for name in ("MEM_ALLOC", "MEM_FREE", "BATCH_MEM_OP", "CONDITIONAL")
)
_TYPE = Struct("<i12x")
_LOCATION = "QQQQi4xQQQQQQ"
"""One side of a CUDA_MEMCPY3D."""
LAYOUTS = {
    KERNEL: Struct("<Q7I4xQQQQ"),
    MEMCPY: Struct(f"<iiQ{_LOCATION}{_LOCATION}QQQ"),
    MEMSET: Struct("<QQIIQQQ"),
    HOST: Struct("<QQ"),
    CHILD: Struct("<Qi"),
    EMPTY: Struct(""),
    WAIT_EVENT: Struct("<Q"),
    EVENT_RECORD: Struct("<Q"),
    MEM_ALLOC: Struct("<4iQQHB53xQQQQ"),
    MEM_FREE: Struct("<Q"),
    BATCH_MEM_OP: Struct("<QI4xQI"),
    CONDITIONAL: Struct("<QiIQQ"),
}
"""How the member of a type lies in C, as far as drivers of 13.0 look at it."""
_BOX = "Q3Q4Q"
"""One side of a cudaMemcpy3DParms."""
RUNTIME_LAYOUTS = {
    **{kind: LAYOUTS[kind] for kind in (CHILD, EMPTY, MEM_ALLOC, MEM_FREE, CONDITIONAL)},
    KERNEL: Struct("<Q7I4xQQQi"),
    MEMCPY: Struct(f"<iiQ{_BOX}{_BOX}3Qi"),
    MEMSET: Struct("<QQIIQQQ"),
    HOST: Struct("<QQI4xQ"),
    WAIT_EVENT: Struct("<QQ"),
    EVENT_RECORD: Struct("<QQ"),
}
"""Likewise in the runtime API, of CUDA 13.1 and later: before that what nodes have of execution contexts was to be zero."""
ADDRESS, BODIES = 16 + 112, 16 + 16
"""Where a call says what it allocates, and where an array of the graphs of a conditional lies, as :func:`tell` has it."""
_WORD = Struct("<Q")


def unpack(data: bytes, layouts: dict[int, Struct] = LAYOUTS) -> tuple[int, tuple[int, ...], bool]:
    """Return a description from its bytes: the type, its numbers, and whether all else is zero."""
    (kind,) = _TYPE.unpack_from(data)
    layout = layouts.get(kind)
    if layout is None:
        return kind, (), True
    values = layout.unpack_from(data, _TYPE.size)
    rest = any(data[4 : _TYPE.size]) or any(data[_TYPE.size + layout.size :])
    return kind, values, not rest


def pack(
    kind: int,
    values: tuple[Any, ...],
    clean: bool = True,  # noqa: FBT001, FBT002 - as unpack returns it
    layouts: dict[int, Struct] = LAYOUTS,
) -> bytes:
    """Return the bytes of a description; if other bytes are not zero, the last byte is not zero."""
    data = bytearray(SIZE)
    _TYPE.pack_into(data, 0, kind)
    if kind in layouts:
        layouts[kind].pack_into(data, _TYPE.size, *values)
    data[-1] |= not clean
    return bytes(data)


def tell(memory: Any, place: int, told: tuple[int, ...] | None) -> None:
    """Write what a call has made for a node into the parameters that it was given.

    Args:
        memory: The memory of this OS process.
        place: The address of the parameters.
        told: The address of memory, or the graphs of a conditional; None for neither.
    """
    if told is not None:
        (kind,) = _TYPE.unpack_from(memory, place)
        at, value = (BODIES, ctypes.addressof(_array(told))) if kind == CONDITIONAL else (ADDRESS, told[0])
        _WORD.pack_into(memory, place + at, value)


@cache
def _array(numbers: tuple[int, ...]) -> Any:
    """Return an array that lives as long as its node, and longer."""
    return (ctypes.c_uint64 * len(numbers))(*numbers)
