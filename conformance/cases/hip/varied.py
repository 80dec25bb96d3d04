"""Calls of HIP on memory that are valid but for one argument, or for one member of a struct."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.hip.side import SIZE

if TYPE_CHECKING:
    from conformance.cases.hip.side import Side

DEVICE, HOST = (1, 0), (2, 0)
"""Locations."""


def operation(
    w: Side,
    src: int | None = None,
    kind: int = 1,
    extent: tuple[int, int, int] = (64, 2, 2),
    row: int = 0,
    height: int = 0,
) -> tuple[Any, ...]:
    """Return a hipMemcpy3DBatchOp from a device to another place of it, with one member that differs."""
    return (
        (kind, ((w.ptr if src is None else src, row, height, (0, 0)),)),
        (1, ((w.ptr, 0, 0, (0, 0)),)),
        extent,
        1,
        0,
    )


def batch3d(w: Side, *operations: Any, flags: int = 0, stream: int = 0, null: int | None = None) -> int:
    """Make copies of slices in one call, with one argument that differs."""
    return w("Memcpy3DBatchAsync", len(operations), operations or None, flags, stream, null=null)


def managed(w: Side, size: int = 2 * SIZE) -> int:
    """Return new managed memory."""
    return int(w.get("MallocManaged", size, 1))
