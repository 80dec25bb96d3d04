"""The layout of CUstreamBatchMemOpParams, a union by its first member.

================  ==================================================================
operation         plain value
================  ==================================================================
wait, write       (operation, address, value, flags); the value has 32 or 64 bits
flush, barrier    (operation, flags)
reduction         (operation, flags, reductionOp, dataType, address, value)
any other         (operation,)
================  ==================================================================
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from fakecuda.spec.driver import ENUMS

SIZE = 48
"""The size of the union in bytes."""
MOST = 256
"""The upper bound of a call's operations."""
_OPERATIONS = ENUMS["CUstreamBatchMemOpType"]
WAIT_32, WRITE_32, FLUSH, WAIT_64, WRITE_64, BARRIER, REDUCTION = (
    _OPERATIONS[f"CU_STREAM_MEM_OP_{name}"]
    for name in (
        "WAIT_VALUE_32",
        "WRITE_VALUE_32",
        "FLUSH_REMOTE_WRITES",
        "WAIT_VALUE_64",
        "WRITE_VALUE_64",
        "BARRIER",
        "ATOMIC_REDUCTION",
    )
)
WAITS = frozenset({WAIT_32, WAIT_64})
WRITES = frozenset({WRITE_32, WRITE_64})
VALUES = WAITS | WRITES
_UNKNOWN = Struct("<i")
LAYOUTS = {
    **dict.fromkeys((WAIT_32, WRITE_32), Struct("<i4xQI4xI")),
    **dict.fromkeys((WAIT_64, WRITE_64), Struct("<i4xQQI")),
    **dict.fromkeys((FLUSH, BARRIER), Struct("<iI")),
    REDUCTION: Struct("<iIiiQQ"),
}


def unpack(content: Any) -> tuple[int, ...]:
    """Return the plain value of a union from its bytes."""
    (operation,) = _UNKNOWN.unpack_from(content)
    return LAYOUTS.get(operation, _UNKNOWN).unpack_from(content)


def pack(plain: tuple[Any, ...]) -> bytes:
    """Return the bytes of a union from its plain value."""
    return LAYOUTS.get(plain[0], _UNKNOWN).pack(*plain).ljust(SIZE, b"\0")
