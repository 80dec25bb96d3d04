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
    """A stream's later work comes when a value in memory is as it shall be.

    Attributes:
        piece: Where it stands.
        address: Its device address.
        wanted: What it shall be, in words with a place for a number.
        number: The number.
        holds: Whether a value is that.
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
        """Return whether it is so, as far as is known."""
        content = transfer.content(self.piece)
        return content is not None and self.holds(int.from_bytes(content, "little"))

    def __str__(self) -> str:
        return f"the {8 * self.piece[2]} bits at {self.address:#x}, which shall be {self.wanted.format(self.number)}"
