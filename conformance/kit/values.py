"""Plain values as JSON and back.

Numbers, None and lists (structs) stand for themselves; bytes are ``{"hex": "00ff"}``, or ``{"fill": [byte, count]}``
when they are many and alike; a buffer that a call fills is ``{"room": count}``, a CUgraphNodeParams ``{"node": [type, numbers, clean]}``,
a cudaGraphNodeParams likewise ``{"cudaNode": …}``.
"""

from __future__ import annotations

from typing import Any

LONG = 32
"""The number of equal bytes from which they are stored as a fill."""


def encode(value: Any) -> Any:
    """Return a plain value as JSON.

    Raises:
        TypeError: It is no plain value.
    """
    if type(value) is tuple:
        return [item if item is None or type(item) is int else encode(item) for item in value]
    if value is None or type(value) is int or isinstance(value, (str, bool, float)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, bytearray):
        return {"room": len(value)}
    if isinstance(value, bytes):
        if len(value) >= LONG and value.count(value[0]) == len(value):
            return {"fill": [value[0], len(value)]}
        return {"hex": value.hex()}
    if isinstance(value, (tuple, list)):
        return [encode(item) for item in value]
    msg = f"{value!r} is not a plain value: use int, bytes, bytearray, None, or a tuple of these"
    raise TypeError(msg)


def decode(data: Any) -> Any:
    """Return the plain value that JSON represents.

    Raises:
        ValueError: The JSON stands for no plain value.
    """
    if isinstance(data, list):
        return tuple(decode(item) for item in data)
    if not isinstance(data, dict):
        return data
    match data:
        case {"hex": str(digits)}:
            return bytes.fromhex(digits)
        case {"fill": [int(byte), int(count)]}:
            return bytes([byte]) * count
        case {"room": int(count)}:
            return bytearray(count)
    msg = f"{data!r} does not stand for a plain value"
    raise ValueError(msg)
