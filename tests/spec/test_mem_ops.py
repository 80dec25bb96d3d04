"""The union of memory operations: its plain values, in the layout of the binding's class."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from fakecuda.reach.bindings.fallback_classes import StandIns
from fakecuda.spec import mem_ops
from fakecuda.spec.driver import STRUCTS

VALUES: list[tuple[tuple[int, ...], str, dict[str, int]]] = [
    ((1, 1 << 40, 7, 3), "waitValue", {"address": 1 << 40, "value": 7, "flags": 3}),
    ((4, 1 << 40, 1 << 63, 1), "waitValue", {"address": 1 << 40, "value64": 1 << 63, "flags": 1}),
    ((2, 8, 0xFFFF_FFFF, 1), "writeValue", {"address": 8, "value": 0xFFFF_FFFF, "flags": 1}),
    ((5, 8, 1 << 40, 0), "writeValue", {"address": 8, "value64": 1 << 40, "flags": 0}),
    ((3, 9), "flushRemoteWrites", {"flags": 9}),
    ((6, 1), "memoryBarrier", {"flags": 1}),
    (
        (8, 1, 5, 22, 1 << 40, 1 << 50),
        "atomicReduction",
        {"flags": 1, "reductionOp": 5, "dataType": 22, "address": 1 << 40, "value": 1 << 50},
    ),
]


def made(kinds: Any, plain: tuple[int, ...], member: str, values: dict[str, int]) -> Any:
    """Return an object of the union's class that was filled member by member."""
    union = kinds.CUstreamBatchMemOpParams()
    union.operation = kinds.CUstreamBatchMemOpType(plain[0])
    enums = {"reductionOp": "CUstreamAtomicReductionOpType", "dataType": "CUstreamAtomicReductionDataType"}
    for name, value in values.items():
        setattr(getattr(union, member), name, getattr(kinds, enums[name])(value) if name in enums else value)
    return union


@pytest.mark.parametrize(("plain", "member", "values"), VALUES, ids=str)
@pytest.mark.parametrize("own", [True, False])
def test_unions_are_read_as_the_classes_write_them(
    plain: tuple[int, ...], member: str, values: dict[str, int], *, own: bool
) -> None:
    """By the binding, and by what stands in for it; and written so."""
    kinds = StandIns() if own else pytest.importorskip("cuda.bindings.driver", reason="the real binding")
    union = made(kinds, plain, member, values)
    content = ctypes.string_at(union.getPtr(), mem_ops.SIZE)
    assert mem_ops.unpack(content) == plain
    assert mem_ops.unpack(mem_ops.pack(plain)) == plain
    assert len(mem_ops.pack(plain)) == mem_ops.SIZE


@pytest.mark.parametrize("operation", [0, 7, -1, 99])
def test_what_is_no_operation_is_its_number(operation: int) -> None:
    """Nobody knows what else there is."""
    content = mem_ops.pack((operation,))
    assert mem_ops.unpack(content[:4] + b"\xff" * 44) == (operation,)


def test_the_size_is_that_of_the_padding() -> None:
    """Six words."""
    assert ("cuuint64_t", f"pad[{mem_ops.SIZE // 8}]") in STRUCTS["CUstreamBatchMemOpParams"]
