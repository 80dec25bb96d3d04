"""Values in memory that streams wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define

from fakecuda.model.memory import transfer

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.memory.backing import DeviceMemory
    from fakecuda.model.memory.host_memory import HostMemory
    from fakecuda.model.memory.multicast import Fabric
    from fakecuda.model.memory.transfer import Piece

WRITE = "cuStreamWriteValue32"
EVERY = -1
"""A mask of all bits."""


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
        mask: The bits that are compared; ``EVERY`` for all.
    """

    piece: Piece
    address: int
    wanted: str
    number: int
    holds: Callable[[int], bool]
    write: str = WRITE
    mask: int = EVERY

    @property
    def memory(self) -> DeviceMemory | HostMemory | Fabric:
        """The memory that contains the value."""
        return self.piece[0].memory

    def __call__(self) -> bool:
        """Return whether the condition is known to hold."""
        found = self.current
        return found is not None and self.holds(found)

    @property
    def current(self) -> int | None:
        """The value in memory; None if another OS process has not sent it yet."""
        content = transfer.content(self.piece)
        return None if content is None else int.from_bytes(content, "little")

    @property
    def is_masked(self) -> bool:
        """Whether the condition compares only some bits."""
        return self.mask != EVERY

    @property
    def endless(self) -> str:
        """The reason why no value meets the condition; empty if one does.

        If any value meets it, then one of these does: no bit, all bits, the number itself. So does each condition of
        CUstreamWaitValue_flags and of HIP.
        """
        every = (1 << 8 * self.piece[2]) - 1
        if any(self.holds(one) for one in (0, every, self.number & every)):
            return ""
        number, seen = self.number, self.mask & every
        if outside := number & ~seen:
            return f"it compares the bits {seen:#x} alone, and {number:#x} has the bits {outside:#x} beside them"
        return f"{number:#x} has " + ("every bit, so none is left that both lack" if number else "no bit to share")

    def __str__(self) -> str:
        current = "" if (found := self.current) is None else f"are {found:#x} and "
        wanted = self.wanted.format(self.number)
        return f"the {8 * self.piece[2]} bits at {self.address:#x}, which {current}must become {wanted}"
