"""What fatbins hold in compressed form: blocks of LZ4, which are read here, and frames of Zstandard.

Python reads those from 3.14 on; before that ``backports.zstd`` does, which the extra ``zstd`` brings. An image has no more
bytes than its fatbin claims, and no fatbin may claim more than ``LARGEST``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fakecuda.model.code import reading
from fakecuda.model.code.code import BAD_IMAGE, BOUND, PACKED, Refused
from fakecuda.model.code.cost import spent

LZ4, ZSTD = 0x2000, 0x8000
"""Flags of what a fatbin holds."""
LARGEST = 256 << 20
"""The most bytes that one compressed image may have."""
EXPANSION = 255
"""The most bytes that LZ4 makes of one byte: each byte of a long length stands for so many."""
LONG, MATCH = 15, 4
"""A length of so many goes on in the next byte; and the least bytes of a match."""
PIECE = 1 << 16
"""Bytes that are made between two pauses, or one match more."""
MODULES = ("compression.zstd", "backports.zstd")


def unpacked(data: bytes, flags: int, size: int) -> bytes:
    """Return what was compressed.

    Args:
        data: The compressed bytes.
        flags: How.
        size: Bytes of what was compressed.

    Raises:
        Refused: It is damaged, it is too large, or nothing here reads it.
    """
    if flags & LZ4 and size > EXPANSION * len(data):
        raise Refused(BAD_IMAGE)
    if size > LARGEST:
        text = (
            f"a compressed image of the fatbin has {size} bytes; fakecuda unpacks images of at most {LARGEST} bytes: compile it "
            "with --no-compress, or load its cubin"
        )
        raise Refused(BOUND, text)
    spent.bytes_read += len(data)
    try:
        found = _block(data, size) if flags & LZ4 else _frame(data, size)
    except (IndexError, ValueError) as error:
        raise Refused(BAD_IMAGE) from error
    spent.bytes_produced += len(found)
    if len(found) != size:
        raise Refused(BAD_IMAGE)
    return found


def _block(data: bytes, size: int) -> bytes:
    """Return the content of a block of LZ4: literal bytes and matches of what came before, in turn."""
    out, at, due = bytearray(), 0, PIECE
    while at < len(data) and len(out) < size:
        if len(out) >= due:
            reading.pause()
            due = len(out) + PIECE
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
        if not offset or start < 0 or count > size - len(out):
            raise IndexError(offset)
        if offset >= count:
            out += out[start : start + count]
        else:  # it repeats itself
            again = bytes(out[start:])
            out += again * (count // offset)
            out += again[: count % offset]
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


def _frame(data: bytes, size: int) -> bytes:
    """Return the content of a frame of Zstandard, at most one byte more than it is to have."""
    for name in MODULES:
        try:
            module: Any = import_module(name)
        except ImportError:
            continue
        reader = module.ZstdDecompressor()
        try:
            content: bytes = reader.decompress(data, max_length=size + 1)
        except module.ZstdError as error:
            raise Refused(BAD_IMAGE) from error
        if not reader.eof or reader.unused_data:
            raise Refused(BAD_IMAGE)
        return content
    raise Refused(PACKED)
