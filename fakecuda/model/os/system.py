"""The system that a process runs on: memory that is not the driver's, and functions that streams call.

Where the process is one of this OS process it is all at hand. A process of another one is reached otherwise: see
:mod:`fakecuda.reach.remote`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.memory import pointers
from fakecuda.model.memory.backing import Extent, HostMemory
from fakecuda.model.memory.space import access_of
from fakecuda.model.memory.transfer import UNPLACED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.model.memory.transfer import Pieces, Shape

    Staging = tuple[Pieces, Shape | None]


class Whole(Extent):
    """All of a host's memory: offsets in it are addresses.

    Args:
        memory: The memory.
    """

    __slots__ = ()

    def __init__(self, memory: HostMemory) -> None:
        super().__init__(memory, 0, 0)
        self.written = True


class System:
    """What the processes of this OS process run on.

    Attributes:
        whole: Its memory.
    """

    __slots__ = ("whole",)

    def __init__(self, memory: HostMemory = UNPLACED) -> None:
        self.whole = Whole(memory)

    def pieces(self, address: int, size: int) -> Pieces:
        """Return memory of the host as a piece."""
        return [(self.whole, address, size)]

    def access_of(self, start: int, size: int) -> int:
        """Return how the host may use a range; see :func:`fakecuda.model.memory.space.access_of`."""
        return access_of(start, size)

    def reaches(self, start: int, size: int, access: int) -> bool:
        """Return whether the process may use all of a range of memory of its own.

        Args:
            start: The first address.
            size: Bytes.
            access: ``READ`` or ``WRITE``.
        """
        near = self.whole.memory.near
        return pointers.reaches(start, size, access) if near else self.access_of(start, size) >= access

    def can_be_followed(self, start: int, size: int, access: int) -> bool:
        """Return that, too, but ask nobody: what another OS process has is found when it is asked for the bytes."""
        return not self.whole.memory.near or pointers.reaches(start, size, access)

    def stage(self, place: tuple[int, int], shape: Shape | None, stage: Callable[[], Staging]) -> Staging:  # noqa: ARG002
        """Return a copy of what memory of the process's own holds now.

        Args:
            place: Its first address and its bytes.
            shape: Its rows, or None for all of it.
            stage: Makes the copy: :func:`fakecuda.model.memory.transfer.stage`.
        """
        return stage()

    def collect(self, act: Callable[[], None]) -> Callable[[], None] | None:
        """Have a stream's work act; return what is left to do then without the machine's lock, or None for nothing."""
        act()
        return None

    def use(
        self, owned: Iterable[tuple[int, int, int]], act: Callable[[], None], fail: Callable[[int, int], None]
    ) -> None:
        """Act if some memory of the process's own is there.

        Args:
            owned: The memory: first addresses, bytes and how it has to be accessible.
            act: Acts.
            fail: Is called instead with what is not there: its first address and its bytes.
        """
        gone = [place for place in owned if self.access_of(*place[:2]) < place[2]]
        if gone:
            fail(*gone[0][:2])
        else:
            act()

    def registered(self, known: HostMemory, address: int, size: int) -> Extent:
        """Return the extent of memory that the caller owns.

        Args:
            known: The page-locked memory of the machine.
            address: The memory's address.
            size: Bytes.
        """
        return known.registered(address, size)

    def function(self, prototype: Any, address: int) -> Callable[..., None]:
        """Return what calls a function of the host.

        Args:
            prototype: The ctypes class of its prototype.
            address: Its address.
        """
        made: Callable[..., None] = prototype(address)
        return made


CALLS_NULL = (1 << 64) - 1
"""What stands for the address of a function that calls null: cuda.bindings wrap each function that they are given, and null."""
OWN = System()
"""That of this OS process."""
