"""Memory pools: what stream-ordered allocations come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define

if TYPE_CHECKING:
    from fakecuda.model.context import Device


@define(eq=False)
class Pool:
    """A memory pool of a process.

    Attributes:
        handle: The CUmemoryPool.
        device: The device that its memory lies on.
    """

    handle: int
    device: Device

    def __repr__(self) -> str:
        return f"memory pool {self.handle:#x} on {self.device}"
