"""The kernels of drawn programs, as PTX and as Python functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fakecuda import set_condition

KERNEL = "ordered_fill"
FILE = Path(__file__).with_suffix(".ptx")
CODE = FILE.read_bytes()
"""A kernel that fills bytes, as the Python function :func:`filled` does."""
VARIABLE = CODE + b".visible .global .align 16 .b8 variable[64];\n"
"""The same code with a variable."""
SETTERS = ("set", "turn")
"""Kernels that set conditions."""


def filled(_grid: object, _block: object, to: Any, count: int) -> None:
    """Fill bytes, as the kernel does."""
    for at in range(count):
        to[at] = 1


class Turns:
    """The behaviour of condition kernels.

    Attributes:
        left: The turns that are left of a loop, by its condition.
    """

    def __init__(self) -> None:
        self.left: dict[int, int] = {}

    def set(self, _grid: object, _block: object, condition: int, value: int) -> None:
        """Set a condition, as the kernel does."""
        set_condition(condition, value)

    def turn(self, _grid: object, _block: object, condition: int, turns: int) -> None:
        """Continue a loop until it has made its turns."""
        self.left[condition] = (self.left.get(condition) or turns) - 1
        set_condition(condition, int(self.left[condition] > 0))


def fills_by_kernel(args: tuple[Any, ...]) -> bool:
    """Return whether a memset step launches a kernel, by its arguments."""
    return len(args) == 3 and isinstance(args[2], int) and args[2] <= 2
