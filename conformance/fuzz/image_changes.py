"""Changes of an image: bits, bytes, chunks, header fields, and splices."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from fakecuda.model.code.cubin import SECTION, SYMBOL
from fakecuda.model.code.image import FATBIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    Change = Callable[[Random, bytes, bytes], bytes]
    Field = tuple[int, int]
    """The offset and the size of a field."""

HEADER = ((0x10, 2), (0x12, 2), (0x20, 8), (0x28, 8), (0x30, 4), (0x36, 2), (0x38, 2), (0x3A, 2), (0x3C, 2), (0x3E, 2))
SECTIONS = ((0, 4), (4, 4), (16, 8), (24, 8), (32, 8), (40, 4), (44, 4), (56, 8))
SYMBOLS = ((0, 4), (4, 1), (5, 1), (6, 2), (8, 8), (16, 8))
CONTAINER = ((4, 2), (6, 2), (8, 8))
PARTS = ((0, 2), (2, 2), (4, 4), (8, 8), (16, 4), (28, 4), (40, 8), (56, 8))
"""Fields of headers: ELF files, sections, symbols, fatbins and their parts."""
SYMTAB = 2
ROWS = 64
"""The maximum number of sections, symbols and parts to look at."""
CHUNK = 256
"""The usual maximum size of a chunk to change."""


def fields(data: bytes, at: int = 0) -> Iterator[Field]:
    """Yield the fields of an image at an offset, as far as they exist."""
    for start, size in _told(data, at):
        if start + size <= len(data):
            yield start, size


def _told(data: bytes, at: int) -> Iterator[Field]:
    if data.startswith(b"\x7fELF", at) and at + 64 <= len(data):
        yield from ((at + start, size) for start, size in HEADER)
        (table,) = struct.unpack_from("<Q", data, at + 0x28)
        (count,) = struct.unpack_from("<H", data, at + 0x3C)
        for row in range(at + table, min(at + table + min(count, ROWS) * SECTION.size, len(data) - 63), SECTION.size):
            yield from ((row + start, size) for start, size in SECTIONS)
            _, kind, _, _, offset, length, *_ = SECTION.unpack_from(data, row)
            if kind == SYMTAB:
                end = at + min(offset + min(length, ROWS * SYMBOL.size), len(data))
                for symbol in range(at + offset, end, SYMBOL.size):
                    yield from ((symbol + start, size) for start, size in SYMBOLS)
    elif data.startswith(FATBIN.to_bytes(4, "little"), at) and at + 16 <= len(data):
        yield from ((at + start, size) for start, size in CONTAINER)
        place = at + 16
        for _ in range(ROWS):
            if place + 64 > len(data):
                return
            yield from ((place + start, size) for start, size in PARTS)
            _, _, header, length = struct.unpack_from("<HHIQ", data, place)
            if not at:
                yield from _told(data, place + header)
            place += max(header + length, 1)


def _field(random: Random, data: bytes, _: bytes) -> bytes:
    found = list(fields(data)) or [(random.randrange(max(len(data) - 8, 0) + 1), random.choice((1, 2, 4, 8)))]
    start, size = random.choice(found)
    most = (1 << 8 * size) - 1
    before = int.from_bytes(data[start : start + size], "little")
    values = (0, 1, most, most >> 1, (most >> 1) + 1, before + 1, before - 1, len(data), len(data) + 1, len(data) - 1)
    value = random.choice((*values, random.randrange(len(data) + 1), random.getrandbits(8 * size)))
    return data[:start] + (value & most).to_bytes(size, "little") + data[start + size :]


def _bits(random: Random, data: bytes, _: bytes) -> bytes:
    made = bytearray(data)
    for _count in range(random.choice((1, 1, 2, 8))):
        made[random.randrange(len(made))] ^= 1 << random.randrange(8)
    return bytes(made)


def _bytes(random: Random, data: bytes, _: bytes) -> bytes:
    made = bytearray(data)
    for _count in range(random.choice((1, 1, 4, 16))):
        made[random.randrange(len(made))] = random.choice(b"\0\xff\x7f\x80 {}();,.=[]/*09aA\n")
    return bytes(made)


def _truncate(random: Random, data: bytes, _: bytes) -> bytes:
    return data[: random.randrange(len(data))]


def _extend(random: Random, data: bytes, _: bytes) -> bytes:
    return data + random.choice((bytes(64), b"\xff" * 64, data[-64:], random.randbytes(64))) * random.choice((1, 1, 16))


def _chunk(random: Random, data: bytes) -> tuple[int, int]:
    start = random.randrange(len(data))
    return start, min(start + random.randrange(1, CHUNK), len(data))


def _duplicate(random: Random, data: bytes, _: bytes) -> bytes:
    start, end = _chunk(random, data)
    return data[:end] + data[start:end] * random.choice((1, 1, 2, 32)) + data[end:]


def _delete(random: Random, data: bytes, _: bytes) -> bytes:
    start, end = _chunk(random, data)
    return data[:start] + data[end:]


def _move(random: Random, data: bytes, _: bytes) -> bytes:
    start, end = _chunk(random, data)
    chunk, rest = data[start:end], data[:start] + data[end:]
    place = random.randrange(len(rest) + 1)
    return rest[:place] + chunk + rest[place:]


def _splice(random: Random, data: bytes, other: bytes) -> bytes:
    if not other:
        return data
    return data[: random.randrange(len(data))] + other[random.randrange(len(other)) :]


CHANGES: dict[str, Change] = {
    "field": _field,
    "bits": _bits,
    "bytes": _bytes,
    "truncate": _truncate,
    "extend": _extend,
    "duplicate": _duplicate,
    "delete": _delete,
    "move": _move,
    "splice": _splice,
}
"""Functions that return changed bytes, from one image or two."""
NAMES = [*CHANGES, "field", "field", "field"]
"""Names of changes to draw from, with more weight for fields."""


def changed(random: Random, data: bytes, other: bytes, longest: int) -> tuple[bytes, list[str]]:
    """Return an image with some changes up to a size, and the changes' names."""
    done = []
    for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
        if data:
            name = random.choice(NAMES)
            data = CHANGES[name](random, data, other)
            done.append(name)
    return data[:longest], done
