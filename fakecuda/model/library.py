"""Where the functions of the driver library lie in this OS process."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from attrs import define

from fakecuda.api.symbols import symbols
from fakecuda.model.space import SPACE

if TYPE_CHECKING:
    from collections.abc import Callable


@cache
def _reserved() -> dict[str, int]:
    """Return an address for each function among those that nobody can touch."""
    return {symbol.name: SPACE.function(number) for number, symbol in enumerate(symbols())}


@define
class DriverLibrary:
    """The driver library as cuGetProcAddress knows it.

    Attributes:
        locate: Returns the address of a symbol: an address without memory until a library is loaded that has stubs.
    """

    locate: Callable[[str], int] = lambda symbol: _reserved()[symbol]


LIBRARY = DriverLibrary()
