"""What fatbins hold in compressed form: blocks of LZ4, which are read here, and frames of Zstandard.

Python reads those from 3.14 on; before that ``backports.zstd`` does, which the extra ``zstd`` brings.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fakecuda.model.code import BAD_IMAGE, PACKED, Refused

LZ4, ZSTD = 0x2000, 0x8000
"""Flags of what a fatbin holds."""
LONG, MATCH = 15, 4
"""A length of so many goes on in the next byte; and the least bytes of a match."""
MODULES = ("compression.zstd", "backports.zstd")


def unpacked(data: bytes, flags: int, size: int) -> bytes:
    """Return what was compressed.

    Args:
        data: The compressed bytes.
        flags: How.
        size: Bytes of what was compressed.

    Raises:
        Refused: It is damaged, or nothing here reads it.
    """
    try:
        found = _block(data, size) if flags & LZ4 else _frame(data)
    except (IndexError, ValueError) as error:
        raise Refused(BAD_IMAGE) from error
    if len(found) != size:
        raise Refused(BAD_IMAGE)
    return found


def _block(data: bytes, size: int) -> bytes:
    """Return the content of a block of LZ4: literal bytes and matches of what came before, in turn."""
    out, at = bytearray(), 0
    while at < len(data) and len(out) < size:
        token = data[at]
        count, at = _length(data, at + 1, token >> 4)
        out += data[at : at + count]
        at += count
        if at >= len(data):
            break
        offset = int.from_bytes(data[at : at + 2], "little")
        count, at = _length(data, at + 2, token & LONG)
        count += MATCH
        start = len(out) - offset
        if not offset or start < 0:
            raise IndexError(offset)
        if offset >= count:
            out += out[start : start + count]
        else:  # it repeats itself
            out += (bytes(out[start:]) * (count // offset + 1))[:count]
    return bytes(out)


def _length(data: bytes, at: int, length: int) -> tuple[int, int]:
    """Return a length that may go on in further bytes, and where those end."""
    if length == LONG:
        while True:
            more = data[at]
            length, at = length + more, at + 1
            if more != 0xFF:  # noqa: PLR2004 - the last byte is less
                break
    return length, at


def _frame(data: bytes) -> bytes:
    """Return the content of a frame of Zstandard."""
    for name in MODULES:
        try:
            module: Any = import_module(name)
        except ImportError:
            continue
        try:
            content: bytes = module.decompress(data)
        except module.ZstdError as error:
            raise Refused(BAD_IMAGE) from error
        return content
    raise Refused(PACKED)
