"""Arguments of every kind, which most parameters refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Indexed:
    """Has ``__index__`` and no ``__int__``."""

    def __index__(self) -> int:
        return 1


class Worded:
    """Has an ``__int__`` that returns no int."""

    def __int__(self) -> int:
        return "x"  # type: ignore[return-value] # that is the point


class Raising:
    """Has an ``__int__`` that raises."""

    def __int__(self) -> int:
        msg = "mine"
        raise KeyError(msg)


class Valued:
    """Has a ``value`` like an enum, but is not an enum.

    Args:
        value: It.
    """

    def __init__(self, value: Any) -> None:
        self.value = value


WRONG: list[Callable[[Any], Any]] = [
    lambda _: None,
    lambda _: "x",
    lambda _: "5",
    # Calls write into it. The literal may be Python's only object for that byte, from which the parser reads the number 5.
    lambda _: bytes((53,)),
    lambda _: bytearray(b"x\0y"),
    lambda _: memoryview(b"ab"),
    lambda _: 1.0,
    lambda _: 2.5,
    lambda _: float("nan"),
    lambda _: float("inf"),
    lambda _: 1j,
    lambda _: True,
    lambda _: -1,
    lambda _: 300,
    lambda _: -(1 << 30),
    lambda _: 1 - (1 << 30),
    lambda _: -(1 << 31),
    lambda _: -(1 << 31) - 1,
    lambda _: -(1 << 63) - 1,
    lambda _: (1 << 31) - 1,
    lambda _: 1 << 31,
    lambda _: (1 << 32) - 1,
    lambda _: 1 << 32,
    lambda _: 1 << 63,
    lambda _: 1 << 64,
    lambda _: 1 << 200,
    lambda _: object(),
    lambda _: int,
    lambda _: [],
    lambda _: [1],
    lambda _: {"a": 1},
    lambda _: Indexed(),
    lambda _: Worded(),
    lambda _: Raising(),
    lambda _: Valued(1),
    lambda _: Valued(99),
    lambda _: Valued("x"),
    lambda d: d.CUcontext(5),
    lambda d: d.CUdevice(1),
    lambda d: d.CUdeviceptr(5),
    lambda d: d.CUmemGenericAllocationHandle(5),
    lambda d: d.CUdevice_attribute(1),
    lambda d: d.CUdevice_attribute(99),
    lambda d: d.CUresult(1),
    lambda d: d.CUuuid(),
    lambda d: d.CUmemLocation(),
    lambda d: d.CUmemPool_attribute(4),
    lambda d: d.CUmemPoolProps(),
    lambda d: d.CUmemPoolPtrExportData(),
    lambda d: d.CUmemoryPool(5),
    lambda d: d.cuuint64_t(5),
    lambda d: [d.CUmemAccessDesc()],
    lambda d: (d.CUmemAccessDesc(), d.CUmemAccessDesc()),
    lambda d: [d.CUmemAccessDesc(), None],
    lambda d: {d.CUmemAccessDesc(): 1},
    lambda d: {d.CUmemAccessDesc()},
    lambda d: [d.CUstreamBatchMemOpParams(), d.CUstreamBatchMemOpParams()],
    lambda d: d.CUhostFn(5),
]
"""Makers of arguments of every kind, which most parameters refuse."""
