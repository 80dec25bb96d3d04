"""The layouts of CUgraphNodeParams and cudaGraphNodeParams.

A description is the tuple of the type, of what its member has, nested structs inline, and of whether all else is zero.
"""

from __future__ import annotations

import ctypes
from functools import cache
from struct import Struct
from typing import Any

from fakecuda.spec.driver import ENUMS

SIZE = 256
"""The size of the struct in bytes."""
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
"""The layout of each type's member, as drivers of CUDA 13.0 read it."""
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
"""The layouts in the runtime API since CUDA 13.1."""
ADDRESS, BODIES = 16 + 112, 16 + 16
"""The places of an allocation's address, and of a conditional's body graphs."""
_WORD = Struct("<Q")


def unpack(data: bytes, layouts: dict[int, Struct] = LAYOUTS) -> tuple[int, tuple[int, ...], bool]:
    """Return the type, the values, and whether all other bytes are zero."""
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
    """Return the bytes of parameters; a nonzero last byte marks other nonzero bytes."""
    data = bytearray(SIZE)
    _TYPE.pack_into(data, 0, kind)
    if kind in layouts:
        layouts[kind].pack_into(data, _TYPE.size, *values)
    data[-1] |= not clean
    return bytes(data)


def tell(memory: Any, place: int, told: tuple[int, ...] | None) -> None:
    """Write the results of adding a node into the given parameters.

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
    """Return an array that lives at least as long as its node."""
    return (ctypes.c_uint64 * len(numbers))(*numbers)
