"""Batches of stream memory operations in graph nodes, and their layout in memory."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.model import history
from fakecuda.spec import mem_ops

if TYPE_CHECKING:
    from fakecuda.model.context import Context


@define(eq=False)
class Batch:
    """Stream memory operations of a graph node, in order.

    Attributes:
        operations: The operations, in the form of :mod:`fakecuda.spec.mem_ops`.
        context: The context whose device executes them.
        laid: The memory of the array of operations. None before a call has asked for its address.
    """

    operations: tuple[tuple[int, ...], ...]
    context: Context
    laid: Any = field(default=None, repr=False)

    def __repr__(self) -> str:
        return history.counted(len(self.operations), "stream memory operation")

    def place(self) -> int:
        """Return the address of the operation array, which even an empty node has."""
        if self.laid is None:
            self.laid = ctypes.create_string_buffer(b"".join(map(mem_ops.pack, self.operations)))
        return ctypes.addressof(self.laid)
