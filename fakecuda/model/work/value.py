"""Values in memory that streams wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.memory import transfer
from fakecuda.model.work.deadlock import WRITE

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.memory.backing import DeviceMemory
    from fakecuda.model.memory.host_memory import HostMemory
    from fakecuda.model.memory.multicast import Fabric
    from fakecuda.model.memory.transfer import Piece


@define(eq=False)
class Value:
    """A condition on a value in memory, which a stream's later work waits for.

    Attributes:
        piece: The memory of the value.
        address: Its device address.
        wanted: The condition in words, with a placeholder for a number.
        number: The number.
        holds: Returns whether a value meets the condition.
        write: The call that writes such a value.
        queued: The stack of the call that has the stream wait.
    """

    piece: Piece
    address: int
    wanted: str
    number: int
    holds: Callable[[int], bool]
    write: str = WRITE
    queued: history.Stack = field(factory=lambda: history.here(history.OURS), repr=False)

    @property
    def memory(self) -> DeviceMemory | HostMemory | Fabric:
        """The memory that it is part of."""
        return self.piece[0].memory

    def __call__(self) -> bool:
        """Return whether the condition is known to hold."""
        found = self.current
        return found is not None and self.holds(found)

    @property
    def current(self) -> int | None:
        """The value in memory. None if another OS process has it and has not sent it yet."""
        content = transfer.content(self.piece)
        return None if content is None else int.from_bytes(content, "little")

    def __str__(self) -> str:
        current = "" if (found := self.current) is None else f"are {found:#x} and "
        wanted = self.wanted.format(self.number)
        return f"the {8 * self.piece[2]} bits at {self.address:#x}, which {current}must become {wanted}"
