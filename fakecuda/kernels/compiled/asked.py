"""System functions for native code, as in :mod:`fakecuda.kernels.system`."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from attrs import define

from fakecuda.kernels import system
from fakecuda.kernels.compiled.layout import READABLE, Answer
from fakecuda.kernels.compiled.private import Unknown
from fakecuda.kernels.logic import RANKS
from fakecuda.kernels.program import RANK
from fakecuda.kernels.spaces import INSIDE, WINDOW, Flat, GlobalMemory
from fakecuda.model.memory.space import READ

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.grid import CompiledGrid

FUNCTIONS: list[Callable[..., int]] = list(system.FUNCTIONS.values())
"""The system functions by number."""


def _flat(name: str, address: int, size: int) -> Flat:
    """Return a small state space at an address of this OS process."""
    data: Any = (ctypes.c_char * size).from_address(address)
    return Flat(name, data)


@define(eq=False)
class AskingFrame:
    """A frame for system functions, which is also their thread and block.

    Attributes:
        grid: The launch.
        index: The block's place in the grid.
        rank: Its rank in its cluster.
        place: The thread's place in the block.
        shared: Where shared memory lies.
        local: Where the thread's local memory lies, and its bytes.
    """

    grid: CompiledGrid
    index: tuple[int, ...]
    rank: int
    place: tuple[int, int, int]
    shared: int
    local: int
    limit: int

    @property
    def lane(self) -> AskingFrame:
        """The thread of the frame."""
        return self

    @property
    def block(self) -> AskingFrame:
        """The block of the frame."""
        return self

    def resolve(self, address: int) -> tuple[AskingFrame | Flat, int]:
        """Return the state space of a generic address, and the address there.

        Raises:
            Unknown: It is the shared memory of another block, which the reference finds.
        """
        if self.grid.program.clustered and address >> WINDOW == 1:
            if address >> RANK & RANKS != self.rank:
                raise Unknown
            address -= self.rank << RANK
        spaces = {
            1: lambda: _flat("shared", self.shared, self.grid.shared),
            2: lambda: _flat("local", self.local, self.limit),
            3: lambda: Flat("parameter", bytearray(self.grid.arguments)),
        }
        workspace = self.grid.workspace
        if workspace is not None:
            spaces[4] = lambda: workspace
        space = spaces.get(address >> WINDOW)
        return (self, address) if space is None else (space(), address & INSIDE)

    def load(self, address: int, size: int) -> int:
        """Return the bytes at an address of global memory, which is aligned, as an integer.

        Raises:
            Fault: The kernel may not use the address so.
            Unknown: Only the reference knows.
        """
        private = self.grid.private
        data = private.read(address, size)
        if data is None:
            if self.grid.found(address, size, READABLE) == Answer.FAULT:
                GlobalMemory(private.run)._find(address, size, READ, {})  # noqa: SLF001 - the check itself
            data = private.read(address, size)
        if data is None:
            raise Unknown
        return int.from_bytes(data, "little")
