"""Kernel launches in graph nodes, and the layout of their arguments in memory."""

from __future__ import annotations

import ctypes
from struct import Struct
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

if TYPE_CHECKING:
    from fakecuda.model.code.kernels import Config, Dim
    from fakecuda.model.code.module import Function

COOPERATIVE, CLUSTER, UPDATABLE = 2, 4, 13
"""CU_LAUNCH_ATTRIBUTE_COOPERATIVE, _CLUSTER_DIMENSION and _DEVICE_UPDATABLE_KERNEL_NODE."""
AT_ONCE = (1).to_bytes(64, "little")
"""The CUkernelNodeAttrValue of a cooperative launch."""
_DIM = Struct("<III")
END, BUFFER, SIZE = 0, 1, 2
"""CU_LAUNCH_PARAM_END, _BUFFER_POINTER and _BUFFER_SIZE."""


@define(eq=False)
class Launch:
    """A kernel launch of a graph node.

    Attributes:
        function: The kernel.
        config: How it is launched.
        args: The bytes of each parameter.
        kernel: The CUkernel that was passed. 0 if a CUfunction was passed.
        packed: Whether its arguments were passed as one buffer.
        attributes: The attributes that were set, by CUkernelNodeAttrID, as the bytes of a CUkernelNodeAttrValue.
        laid: The memory of its arguments. None before a call has asked for their address.
    """

    function: Function
    config: Config
    args: tuple[bytes, ...]
    kernel: int = 0
    packed: bool = False
    attributes: dict[int, bytes] = field(factory=dict, repr=False)
    laid: Any = field(default=None, repr=False)

    @property
    def cooperative(self) -> bool:
        """Whether all blocks of the launch must run at once."""
        return any(self.attributes.get(COOPERATIVE, b""))

    @property
    def updatable(self) -> bool:
        """Whether kernels can update the node."""
        return any(self.attributes.get(UPDATABLE, b""))

    @property
    def run_as(self) -> Config:
        """How the kernel runs, by the launch attributes."""
        return self.config._replace(cooperative=self.cooperative, cluster=self.function.cluster(self.cluster))

    @property
    def cluster(self) -> Dim | None:
        """The cluster size of the launch, or None."""
        value = self.attributes.get(CLUSTER)
        return None if value is None or not any(value) else _DIM.unpack_from(value)

    def like(self, other: Launch) -> Launch:
        """Return the launch with another launch's attributes."""
        return evolve(self, attributes=other.attributes)

    def places(self) -> tuple[int, int]:
        """Return the addresses of kernelParams and of extra.

        The one that was not used is 0.
        """
        if not self.args:
            return 0, 0
        if self.laid is None:
            self.laid = self._packed() if self.packed else self._spread()
        place = ctypes.addressof(self.laid[0])
        return (0, place) if self.packed else (place, 0)

    def _spread(self) -> tuple[Any, ...]:
        values = [ctypes.create_string_buffer(value, len(value)) for value in self.args]
        return (ctypes.c_uint64 * len(values))(*map(ctypes.addressof, values)), values

    def _packed(self) -> tuple[Any, ...]:
        entry = self.function.entry
        data = bytearray(entry.bytes_of_params)
        for (offset, size), value in zip(entry.params, self.args, strict=True):
            data[offset : offset + size] = value
        buffer = ctypes.create_string_buffer(bytes(data), len(data))
        length = ctypes.c_uint64(len(buffer))
        extra = (BUFFER, ctypes.addressof(buffer), SIZE, ctypes.addressof(length), END)
        return (ctypes.c_uint64 * len(extra))(*extra), buffer, length

    def __repr__(self) -> str:
        return f"launch of {self.function}"
