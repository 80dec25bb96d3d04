"""The layout of CUcheckpointRestoreArgs and its GPU pairs.

The pairs are a tuple of (old uuid, new uuid), or 0 where there are none to be read: their number is 0, or greater than that
of the devices of any machine.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

HEAD = Struct("<QI4xQ40x")
"""The head: address of the pairs, their count, and caller storage."""
PAIR = Struct("<16s16s")
MOST = 1024
"""An upper bound of the devices of a machine."""


def read(content: bytes, memory: Callable[[int, int], bytes]) -> tuple[Any, ...]:
    """Return the plain value of arguments.

    Args:
        content: Their bytes.
        memory: Returns the bytes of an address, as many as the second argument says.
    """
    place, count, storage = HEAD.unpack(content)
    pairs = tuple(PAIR.iter_unpack(memory(place, count * PAIR.size))) if 0 < count <= MOST else 0
    return pairs, count, storage


def pack(plain: tuple[Any, ...], address: int) -> tuple[bytes, bytes]:
    """Return the bytes of the arguments and of their GPU pairs.

    Args:
        plain: The plain value.
        address: Where the pairs are to lie; not looked at where there are none.
    """
    pairs, count, storage = plain
    data = b"".join(PAIR.pack(*pair) for pair in pairs or ())
    return HEAD.pack(address if data else 0, count, storage), data
