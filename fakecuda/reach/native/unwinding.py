"""Unwinding information, by which unwinders step from a stub to its caller.

It is the information that compilers write for each function: in DWARF's form, and a table to find it. Without it,
unwinders and debuggers end at a stub.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

RELATIVE, COUNT, TABLE = 0x1B, 0x03, 0x3B
"""DWARF pointer encodings: PC-relative, absolute and data-relative, in 4 bytes."""
HEADER = 20
"""The size of a table with one entry."""


class Unwinding(NamedTuple):
    """How to unwind the stubs of a processor.

    Attributes:
        unit: The size of an instruction, or 1.
        link: The number of the return address's register.
        entry: Where the caller's stack begins at the first instruction, in DWARF's instructions.
        framed: What the first instructions change.
    """

    unit: int
    link: int
    entry: bytes
    framed: bytes


UNWINDING = {
    "x86_64": Unwinding(
        1,
        16,
        bytes.fromhex("0c07089001"),  # it is rsp + 8, and the return address lies beneath
        bytes.fromhex(
            "410e108602430d06"
        ),  # behind push rbp: rsp + 16, rbp lies at its end; behind mov rbp, rsp: rbp + 16
    ),
    "aarch64": Unwinding(
        4,
        30,
        bytes.fromhex("0c1f00"),  # it is sp
        bytes.fromhex(
            "410e109d029e01410d1d"
        ),  # behind stp x29, x30: sp + 16, both lie there; behind mov x29, sp: x29 + 16
    ),
}
"""Unwinding by processor: framed code stores and sets the frame pointer first."""


def information(processor: str, at: int, start: int, size: int) -> bytes:
    """Return the table and the unwinding information of framed code.

    Args:
        processor: A key of ``UNWINDING``.
        at: Where the result will lie; a multiple of 4.
        start: Where the code lies.
        size: Its size.
    """
    how = UNWINDING[processor]
    common = _record(struct.pack("<IB", 0, 1) + b"zR\0" + bytes([how.unit, 0x78, how.link, 1, RELATIVE]) + how.entry)
    first = at + HEADER
    second = first + len(common)
    own = _record(struct.pack("<IiIB", second + 4 - first, start - (second + 8), size, 0) + how.framed)
    table = bytes([1, RELATIVE, COUNT, TABLE]) + struct.pack("<iIii", first - (at + 4), 1, start - at, second - at)
    return table + common + own + bytes(4)


def _record(content: bytes) -> bytes:
    """Return a record with its size, padded with no-op instructions."""
    content += bytes(-(4 + len(content)) % 8)
    return struct.pack("<I", len(content)) + content
