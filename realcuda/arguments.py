"""Arguments of calls by symbol: what to pass, and what to return."""

from __future__ import annotations

import ctypes
import os
import resource
from typing import Any

SLACK = 64
ALIGNED = 64
KINDS: tuple[Any, ...] = (
    ctypes.c_ubyte,
    ctypes.c_short,
    ctypes.c_ushort,
    ctypes.c_int,
    ctypes.c_uint,
    ctypes.c_long,
    ctypes.c_ulong,
    ctypes.c_float,
    ctypes.c_double,
)
NUMBERS = {kind._type_: kind for kind in KINDS}
"""ctypes types of arguments by value, by their codes for :mod:`struct`."""


RESULTS = {"out", "inout", "node", "owned", "text", "string", "descriptor_out", "buffer", "cells", "returned"}
"""Tags of the arguments with contents to send back."""
MEM_ALLOC, CONDITIONAL = 10, 13
"""CUgraphNodeType of nodes for which the driver returns results."""


def owned(held: Any, size: Any, made: list[Any], code: int) -> bytes:
    """Return the contents of an array that the driver owns.

    Args:
        held: The pointer to the array.
        size: Bytes of an element, and the index of the argument that points to their number.
        made: The arguments.
        code: The code of the call.
    """
    width, place = size
    count = made[place][2][0]
    if code or count is None or not held.value:
        return b""
    return ctypes.string_at(held.value, width * int.from_bytes(bytes(count)[:8], "little"))


def _told(content: bytes, code: int) -> bytes | None:
    """Return the results of adding a node, as 64-bit numbers.

    They are the address of memory, or the graphs of a conditional node.
    """
    kind = int.from_bytes(content[:4], "little")
    if code or kind not in {MEM_ALLOC, CONDITIONAL}:
        return None
    if kind == MEM_ALLOC:
        return content[128:136]
    size, place = int.from_bytes(content[28:32], "little"), int.from_bytes(content[32:40], "little")
    return ctypes.string_at(place, 8 * size)


def argument_of(tag: str, content: Any, arriving: list[int]) -> tuple[Any, tuple[Any, int]]:
    """Return the value to pass to the function, and its memory with the size."""
    if tag in NUMBERS:
        return NUMBERS[tag](content), (None, 0)
    if tag in {"null", "returned"}:
        return ctypes.c_void_p(None), (None, 0)
    if tag == "struct":  # by value
        kind: Any = type("ByValue", (ctypes.Structure,), {"_fields_": [("bytes", ctypes.c_ubyte * len(content))]})
        return kind.from_buffer_copy(content), (None, 0)
    if tag == "descriptor":
        return ctypes.c_void_p(arriving[content]), (None, 0)
    if tag == "closed":
        return ctypes.c_void_p(_closed(content)), (None, 0)
    if tag in {"string", "owned"}:
        held: Any = ctypes.c_void_p()
        return ctypes.byref(held), (held, 8 if tag == "string" else content)
    if tag == "cells":
        count, size = content
        held = ctypes.create_string_buffer(count * size + SLACK)
        start = ctypes.addressof(held)
        return (ctypes.c_void_p * (count + SLACK))(*(start + size * n for n in range(count))), (held, count * size)
    if tag == "pointing":  # a struct, the memory that it points to, and the offset of the pointer
        content, behind, place = content
        inner = ctypes.create_string_buffer(behind, len(behind) + SLACK)
        whole = bytearray(content)
        if behind:
            whole[place : place + 8] = ctypes.addressof(inner).to_bytes(8, "little")
        held = ctypes.create_string_buffer(bytes(whole), len(whole) + SLACK)
        held.behind = inner
        return held, (held, len(whole))
    if tag == "in":
        held = ctypes.create_string_buffer(content, len(content) + SLACK)
        return held, (held, len(content))
    # Results: the memory's initial content or its size. A driver may write more, so there is some room after it.
    content, room = content if isinstance(content, tuple) else (content, 0)
    first = bytes(content) if isinstance(content, int) else content
    # A tensor map must be aligned.
    whole = (ctypes.c_char * (max(len(first), room) + SLACK + ALIGNED))()
    held = (ctypes.c_char * (len(whole) - ALIGNED)).from_buffer(whole, -ctypes.addressof(whole) % ALIGNED)
    ctypes.memmove(held, first, len(first))
    return held, (held, len(first))


def result_of(tag: str, held: Any, size: int, code: int, leaving: list[int]) -> Any:
    """Return the contents of a result argument after the call."""
    if tag == "string":
        return ctypes.string_at(held.value) if code == 0 and held.value else None
    content = ctypes.string_at(held, size)
    if tag == "node":
        return _told(content, code)
    if tag == "text":
        return content.partition(b"\0")[0] if size else None  # without room nothing is written
    if tag == "descriptor_out" and code == 0:
        leaving.append(int.from_bytes(content[:4], "little", signed=True))
        return None
    return content


def _closed(number: int) -> int:
    """Return a number that is not an open descriptor, if possible the given one."""
    if number < 0:
        return number
    try:
        os.fstat(number)
    except (OSError, OverflowError):
        return number
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] + 1
