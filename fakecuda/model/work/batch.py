"""Batches of memory operations that are kept: what a node of a graph waits for and writes, and how that lies in memory."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.spec import mem_ops

if TYPE_CHECKING:
    from fakecuda.model.context import Context


@define(eq=False)
class Batch:
    """Operations, in their order.

    Attributes:
        operations: They, as :mod:`fakecuda.spec.mem_ops` has them.
        context: The context whose device does them.
        laid: Their memory, where somebody has asked for it.
    """

    operations: tuple[tuple[int, ...], ...]
    context: Context
    laid: Any = field(default=None, repr=False)

    def place(self) -> int:
        """Return the address of an array of them; 0 for none."""
        if not self.operations:
            return 0
        if self.laid is None:
            self.laid = ctypes.create_string_buffer(b"".join(map(mem_ops.pack, self.operations)))
        return ctypes.addressof(self.laid)
