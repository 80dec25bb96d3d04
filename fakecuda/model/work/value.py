"""Values in memory that streams wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define

from fakecuda.model.memory import transfer

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.memory.backing import DeviceMemory, HostMemory
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
    """

    piece: Piece
    address: int
    wanted: str
    number: int
    holds: Callable[[int], bool]

    @property
    def memory(self) -> DeviceMemory | HostMemory | Fabric:
        """The memory that it is part of."""
        return self.piece[0].memory

    def __call__(self) -> bool:
        """Return whether the condition is known to hold."""
        content = transfer.content(self.piece)
        return content is not None and self.holds(int.from_bytes(content, "little"))

    def __str__(self) -> str:
        return f"the {8 * self.piece[2]} bits at {self.address:#x}, which must become {self.wanted.format(self.number)}"
