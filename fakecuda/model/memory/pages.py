"""Memory of sparse arrays and of arrays with deferred mapping: bytes that lie nowhere.

An H200 reads zeros from a sparse array without memory, and ignores what is written there. A copy that uses an array
with deferred mapping before it has memory fails with ILLEGAL_ADDRESS, as any work on such addresses does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.model.memory.backing import Extent
from fakecuda.model.memory.scattered import Scattered
from fakecuda.model.work import stream_scheduler
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.os.process import Process

BEYOND = 1 << 64
"""An address that no memory has."""
MOST = 1 << 48
"""More bytes than an array has."""


@define(eq=False)
class Pages(Scattered):
    """The bytes of an array that has no memory of its own.

    Attributes:
        process: The process that has the array.
        start: The array's first address, which no call returns.
        size: How many bytes.
        faults: Whether work must not use the bytes: whether the array has deferred mapping.
        extent: Its bytes, without a place in any memory.
    """

    process: Process = field(repr=False)
    start: int
    size: int
    faults: bool
    extent: Extent = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        memory: Any = self
        self.extent = Extent(memory, 0, self.size)

    def parts(self, extent: Extent, offset: int, size: int) -> tuple[()]:  # noqa: ARG002 - as of other memory
        """Return no parts, because nothing is mapped. Work on an array with deferred mapping fails."""
        if self.faults:
            stream_scheduler.fail(self.process, Result.ILLEGAL_ADDRESS)
        return ()


def of_array(process: Process, size: int, *, faults: bool) -> Pages:
    """Return the bytes of a new array that is mapped later. Its addresses are beyond those of all memory."""
    return Pages(process, BEYOND + process.machine.territory.new_handle() * MOST, size, faults)
