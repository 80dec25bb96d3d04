"""Compressed images of fatbins, as LZ4 blocks or Zstandard frames.

This module decompresses LZ4. Python reads Zstandard from 3.14 on, and ``backports.zstd`` before that; the extra
``zstd`` installs it. An image has no more bytes than its fatbin claims, and no fatbin may claim more than ``LARGEST``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fakecuda.model.code import reading
from fakecuda.model.code.code import BAD_IMAGE, BOUND, PACKED, Refused
from fakecuda.model.code.cost import spent

LZ4, ZSTD = 0x2000, 0x8000
"""Flags of compressed images in a fatbin."""
LARGEST = 256 << 20
"""The maximum size of a compressed image."""
EXPANSION = 255
"""The maximum expansion of LZ4: bytes from one byte that continues a length."""
LONG, MATCH = 15, 4
"""The length that continues in the next byte, and the minimum match length."""
PIECE = 1 << 16
"""The number of bytes to produce between two pauses, without the last match."""
MODULES = ("compression.zstd", "backports.zstd")


def unpacked(data: bytes, flags: int, size: int) -> bytes:
    """Return the decompressed image.

    Args:
        data: The compressed bytes.
        flags: The flag of the compression.
        size: Bytes of the decompressed image, as the fatbin claims.

    Raises:
        Refused: It is damaged or too large, or no installed package reads it.
    """
    if flags & LZ4 and size > EXPANSION * len(data):
        raise Refused(BAD_IMAGE)
    if size > LARGEST:
        text = (
            f"a compressed image in the fatbin has {size} bytes unpacked, but fakecuda unpacks at most {LARGEST} "
            "bytes: compile the fatbin with --no-compress, or load the cubin itself"
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
    """Return the content of an LZ4 block: literal bytes and matches, in turn."""
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
        else:  # the match overlaps itself
            again = bytes(out[start:])
            out += again * (count // offset)
            out += again[: count % offset]
    return bytes(out)


def _length(data: bytes, at: int, length: int) -> tuple[int, int]:
    """Return a length that may continue in further bytes, and the offset after it."""
    if length == LONG:
        while True:
            more = data[at]
            length, at = length + more, at + 1
            if more != 0xFF:  # noqa: PLR2004 - the last byte is less
                break
    return length, at


UNREAD = (
    "the fatbin is compressed by Zstandard, which this Python does not read: pip install 'fakecuda[zstd]', or compile "
    "with --no-compress"
)


def _frame(data: bytes, size: int) -> bytes:
    """Return the content of a Zstandard frame, cut one byte after its claimed size."""
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
    raise Refused(PACKED, UNREAD)
