"""The addresses of driver and HIP library functions in this OS process."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from attrs import define

from fakecuda.model.memory.space import SPACE
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_OF_HIP = 1 << 20
"""The number of HIP's first function."""


def reserved(symbol: str) -> int:
    """Return an inaccessible address for a function of the driver library."""
    return _reserved()[symbol]


@cache
def _reserved() -> dict[str, int]:
    return {symbol.name: SPACE.function(number) for number, symbol in enumerate(symbols())}


def reserved_of_hip(symbol: str) -> int:
    """Return an inaccessible address for a function of HIP's library."""
    return _reserved_of_hip()[symbol]


@cache
def _reserved_of_hip() -> dict[str, int]:
    from fakecuda.spec.hip import DESCRIPTION  # noqa: PLC0415 - few machines have HIP

    return {symbol: SPACE.function(FIRST_OF_HIP + number) for number, symbol in enumerate(DESCRIPTION.library.symbols)}


@define
class Located:
    """The driver or HIP library, for cuGetProcAddress or hipGetProcAddress."""

    locate: Callable[[str], int]
    """Hook: returns the address of a symbol. Set by the native door when it has loaded the library, before addresses without memory.

    Called with the symbol, with the lock held. It must return the same address each time.
    """


LIBRARY = Located(reserved)
"""The driver library."""
HIP_LIBRARY = Located(reserved_of_hip)
"""HIP's library."""
