"""The memory behind a kernel's pointers, for the kernel's Python function."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.model.code.kernel_run import Run


class Array:
    """The memory behind a kernel's pointer: ``a[i]``, ``a[i] = v``, ``a[i:j]``.

    It has no length. An index outside the memory is an illegal address, as on a device.

    Args:
        run: The run.
        address: The pointer.
        code: The code of :mod:`struct` of the values.

    Attributes:
        address: The pointer.
    """

    __slots__ = ("_code", "_run", "_size", "address")

    def __init__(self, run: Run, address: int, code: str) -> None:
        self._run = run
        self._code = code
        self._size = struct.calcsize(code)
        self.address = address

    def __getitem__(self, index: int | slice) -> Any:
        start, count = _range(index)
        data = self._run.get(self.address + start * self._size, count * self._size)
        values = struct.unpack(f"<{count}{self._code}", data)
        return list(values) if isinstance(index, slice) else values[0]

    def __setitem__(self, index: int | slice, value: Any) -> None:
        start, count = _range(index)
        values: Sequence[Any] = list(value) if isinstance(index, slice) else [value]
        if len(values) != count:
            msg = f"{len(values)} values cannot fill {count} places of a kernel's array: assign {count} values"
            raise ValueError(msg)
        self._run.put(self.address + start * self._size, struct.pack(f"<{count}{self._code}", *values))

    def __repr__(self) -> str:
        return f"Array({self.address:#x}, {self._code!r})"


def _range(index: int | slice) -> tuple[int, int]:
    """Return the first index of an index or a slice, and the number of elements."""
    if not isinstance(index, slice):
        return index, 1
    if index.stop is None or index.step not in {None, 1}:
        msg = f"a kernel's array cannot be indexed by {index}: write a slice with an end and without a step, a[i:j]"
        raise ValueError(msg)
    start = index.start or 0
    return start, max(index.stop - start, 0)
