"""Where the functions of the driver library lie in this OS process."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from attrs import define

from fakecuda.api.symbols import symbols
from fakecuda.model.space import SPACE

if TYPE_CHECKING:
    from collections.abc import Callable

STEP = 16


@cache
def _reserved() -> dict[str, int]:
    """Return an address for each function among those that nobody can touch."""
    names = [symbol.name for symbol in symbols()]
    start, _ = SPACE.window(STEP * len(names)) or (SPACE.end, 0)
    return {name: start + STEP * number for number, name in enumerate(names)}


@define
class DriverLibrary:
    """The driver library as cuGetProcAddress knows it.

    Attributes:
        locate: Returns the address of a symbol: an address without memory until a library is loaded that has stubs.
    """

    locate: Callable[[str], int] = lambda symbol: _reserved()[symbol]


LIBRARY = DriverLibrary()
