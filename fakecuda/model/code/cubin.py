"""What a cubin holds: an ELF file, with what is known of each kernel in sections ``.nv.info``."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from fakecuda.model.code import reading
from fakecuda.model.code.code import (
    BAD_IMAGE,
    BOUND,
    CONSTANT,
    GLOBAL,
    GRAPH_LAUNCH,
    MANAGED,
    OTHER_DEVICE,
    SYSTEM,
    Entry,
    Image,
    Names,
    Refused,
    Variable,
)
from fakecuda.model.code.cost import spent

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 4096
"""Symbols that are read between two pauses."""
MAGIC = b"\x7fELF"
CUDA_MACHINE, EXECUTABLE = 190, 2
"""EM_CUDA and ET_EXEC."""
NEW_FLAGS = 8
"""The ABI version from which on the architecture stands in the second byte of the flags."""
ENTRY, MANAGED_OBJECT = 0x10, 0x04
"""STO_CUDA_ENTRY and STO_CUDA_MANAGED, of a symbol's st_other."""
OBJECT, FUNCTION = 1, 2
OWN_NAMES = (".", "$", "__nv_reservedSMEM")
"""How names begin that are the compiler's own."""
GLOBAL_SYMBOL, WEAK_SYMBOL = 1, 2
"""STB_GLOBAL and STB_WEAK: what files know of each other."""
NOBITS = 8
HEADER, SECTION, SYMBOL = 64, struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")
REGISTERS, FRAME, PARAM, MOST, REQUIRED, CLUSTER, CLUSTERED, RANK = 0x2F, 0x11, 0x17, 0x05, 0x10, 0x3D, 0x3E, 0x3F
EXTERNS = 0x0F
"""Numbers of attributes in ``.nv.info``: EIATTR_REGCOUNT, _FRAME_SIZE, _KPARAM_INFO, _MAX_THREADS, _REQNTID,
_CTA_PER_CLUSTER, _EXPLICIT_CLUSTER, _MAX_CLUSTER_RANK and _EXTERNS."""
SIZED = 4
"""EIFMT_SVAL: the attribute's bytes stand behind its header; of other formats they stand in it."""
RESERVED = dict.fromkeys((80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121), 1024)
"""Bytes of a block's shared memory that the system takes, which a section counts, by architecture."""


TIMES, SLACK = 4, 4096
"""How many times its own bytes a reader looks at of a cubin, and how many bytes besides. A compiler's cubin takes less than twice."""


@frozen
class Section:
    """A section: its name and where its bytes lie.

    Attributes:
        name: Its name.
        kind: sh_type.
        offset: Where its bytes begin in the file.
        size: Bytes in memory.
    """

    name: str
    kind: int
    offset: int
    size: int


@define
class File:
    """A cubin that is read.

    Attributes:
        data: Its bytes.
        left: How many more bytes are looked at: parts of a file may overlap, and a reader of all would take time without bounds.
        sections: Its sections.
        named: The first section of each name.
    """

    data: bytes
    left: int
    sections: list[Section] = field(factory=list)
    named: dict[str, Section] = field(factory=dict)

    def note(self, size: int) -> None:
        """Note that some bytes are looked at.

        Raises:
            Refused: They are too many.
        """
        spent.bytes_read += size
        self.left -= size
        if self.left < 0:
            text = (
                f"names and sections of a cubin of {len(self.data)} bytes overlap: fakecuda reads at most {TIMES} times a cubin's bytes; "
                "load a cubin in which each part stands once, as nvcc makes it"
            )
            raise Refused(BOUND, text)

    def part(self, start: int, end: int) -> bytes:
        """Return some bytes, as far as they are in the file."""
        size = max(min(end, len(self.data)) - start, 0)
        self.note(size)
        return self.data[start : start + size]

    def of(self, name: str) -> bytes:
        """Return the bytes of a section, as far as they are in the file; none if it has none there."""
        section = self.named.get(name)
        if section is None or section.kind == NOBITS:
            return b""
        return self.part(section.offset, section.offset + section.size)

    def size_of(self, name: str) -> int:
        """Return the bytes that a section takes in memory; 0 if there is no such section."""
        section = self.named.get(name)
        return 0 if section is None else section.size


@define
class Texts:
    """The names in a part of a file. Each is read once, and equal ones are one object.

    Attributes:
        file: The file.
        start: Where the part begins.
        end: Where it ends.
    """

    file: File
    start: int
    end: int
    _by_place: dict[int, str] = field(factory=dict)
    _equal: dict[str, str] = field(factory=dict)

    def at(self, place: int) -> str:
        """Return the name that begins at a place of the part.

        Raises:
            ValueError: It does not end within the part.
        """
        found = self._by_place.get(place)
        if found is None:
            start = self.start + place
            end = self.file.data.index(b"\0", start, self.end)
            found = self.file.part(start, end + 1)[:-1].decode(errors="replace")
            found = self._by_place[place] = self._equal.setdefault(found, found)
            spent.bytes_produced += len(found)
        return found


def arch_of(data: bytes) -> int:
    """Return the architecture that a cubin was compiled for: 90 of sm_90."""
    flags: int = struct.unpack_from("<I", data, 0x30)[0]
    return (flags >> 8 if data[8] >= NEW_FLAGS else flags) & 0xFF


def length(header: bytes) -> int:
    """Return the bytes of a cubin by its header, behind which tables follow its sections."""
    segments, table = struct.unpack_from("<QQ", header, 0x20)
    size, count, row, rows = struct.unpack_from("<HHHH", header, 0x36)
    return int(max(HEADER, segments + size * count, table + row * rows))


def of_a_device(data: bytes) -> bool:
    """Return whether a file is for a device, and not for another machine."""
    return data[0x12:0x14] == CUDA_MACHINE.to_bytes(2, "little")


def linked(data: bytes) -> bool:
    """Return whether a cubin is linked already, so that no linker takes it."""
    return data[0x10:0x12] == EXECUTABLE.to_bytes(2, "little")


def runs(of: int, arch: int) -> bool:
    """Return whether a device runs a cubin of an architecture: the same major one, and a minor one that is not newer."""
    return of // 10 == arch // 10 and of <= arch


def parsed(data: bytes, arch: int) -> Image:
    """Return what a cubin holds for a device of an architecture.

    Raises:
        Refused: It is none, or none for that device.
    """
    try:
        machine, own = struct.unpack_from("<H", data, 0x12)[0], arch_of(data)
        if machine != CUDA_MACHINE:
            raise Refused(BAD_IMAGE)
        if not runs(own, arch):
            raise Refused(OTHER_DEVICE)
        return _read(_opened(data), own)
    except (struct.error, IndexError, ValueError) as error:
        raise Refused(BAD_IMAGE) from error


def _table(data: bytes) -> tuple[list[tuple[int, ...]], int]:
    """Return the rows of the table of sections, and the number of the section that has their names.

    Raises:
        ValueError: The table is not in the file.
    """
    (table,) = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    end = table + count * SECTION.size
    if end > len(data):
        raise ValueError(table)
    spent.bytes_read += HEADER + end - table
    return list(SECTION.iter_unpack(data[table:end])), names


def _opened(data: bytes) -> File:
    rows, names = _table(data)
    file = File(data, TIMES * len(data) + SLACK)
    texts = Texts(file, rows[names][4], len(data))
    for place, kind, _, _, offset, size, *_ in rows:
        section = Section(texts.at(place), kind, offset, size)
        file.sections.append(section)
        file.named.setdefault(section.name, section)
    return file


def _read(file: File, arch: int) -> Image:
    strings = file.named.get(".strtab")
    start, size = (0, 0) if strings is None or strings.kind == NOBITS else (strings.offset, strings.size)
    texts = Texts(file, start, start + size)
    entries: dict[str, int] = {}
    found: dict[str, tuple[Section, str, int, int]] = {}
    known: dict[tuple[int, bool], list[str]] = {}
    launchers = set()
    for number, (at, info, other, place, first, amount) in enumerate(SYMBOL.iter_unpack(file.of(".symtab"))):
        if number % ROWS == ROWS - 1:
            reading.pause()
        name = texts.at(at)
        if name == GRAPH_LAUNCH:
            launchers.add(number)
        if info & 0xF == FUNCTION and other & ENTRY:
            entries[name] = number
        elif info & 0xF == OBJECT and 0 < place < len(file.sections):
            section = file.sections[place]
            kind = MANAGED if other & MANAGED_OBJECT else _kind(section.name)
            if kind:
                found[name] = section, kind, first, amount
        if not name.startswith(OWN_NAMES) and (not place or info & 0xF == FUNCTION or name in found):
            known.setdefault((info >> 4, place > 0), []).append(name)
    told: dict[tuple[int, int], int] = {}
    for attribute, value in _attributes(file.of(".nv.info")):
        if attribute in {FRAME, REGISTERS}:
            number, amount = struct.unpack("<II", value)
            told[attribute, number] = amount
    whole = {
        name: _whole(file, name, told.get((REGISTERS, number), 0), told.get((FRAME, number), 0), arch, launchers)
        for name, number in entries.items()
    }
    own, weak, needed = (
        known.get(key, []) for key in ((GLOBAL_SYMBOL, True), (WEAK_SYMBOL, True), (GLOBAL_SYMBOL, False))
    )
    names = Names(tuple(own), tuple(weak), tuple(name for name in needed if name not in SYSTEM))
    return Image(whole, {name: _variable(file, name, *place) for name, place in found.items()}, names)


def _variable(file: File, name: str, section: Section, kind: str, start: int, size: int) -> Variable:
    """Return a variable that has so many bytes from a place of a section on."""
    first, end = section.offset + start, section.offset + min(start + size, section.size)
    data = b"" if section.kind == NOBITS else file.part(first, end)
    spent.bytes_produced += len(data)
    return Variable(name, size, kind, data)


def _kind(section: str) -> str:
    """Return where a variable of a section lies, or nothing for what is no variable of the image."""
    if section in {".nv.global", ".nv.global.init"}:
        return GLOBAL
    return CONSTANT if section == ".nv.constant3" else ""


def _whole(file: File, name: str, registers: int, local: int, arch: int, launchers: set[int]) -> Entry:
    """Return a kernel with all that its sections tell of it; the last are the symbols of functions that launch graphs."""
    facts: dict[str, Any] = {}
    params: dict[int, tuple[int, int]] = {}
    for attribute, value in _attributes(file.of(f".nv.info.{name}")):
        if attribute == PARAM:
            _, ordinal, offset, packed = struct.unpack("<IHHI", value)
            params[ordinal] = offset, packed >> 18
        elif attribute == MOST:
            x, y, z = struct.unpack("<III", value)
            facts["most"] = x * y * z
        elif attribute == REQUIRED:
            facts["block"] = struct.unpack("<III", value)
        elif attribute == CLUSTER:
            facts["cluster"] = struct.unpack("<III", value)
        elif attribute == CLUSTERED:
            facts["clustered"] = True
        elif attribute == RANK:
            (facts["rank"],) = struct.unpack("<I", value)
        elif attribute == EXTERNS:
            facts["launches"] = any(number in launchers for (number,) in struct.iter_unpack("<I", value))
    facts["clustered"] = "clustered" in facts and "cluster" not in facts
    return Entry(
        name,
        ptx=arch,
        binary=arch,
        params=tuple(params[ordinal] for ordinal in sorted(params)),
        registers=registers,
        local=local,
        shared=max(file.size_of(f".nv.shared.{name}") - RESERVED.get(arch, 0), 0),
        constant=file.size_of(".nv.constant3"),
        **facts,
    )


def _attributes(section: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the attributes of a section ``.nv.info``: number and bytes."""
    at = 0
    while at + 4 <= len(section):
        kind, attribute, size = struct.unpack_from("<BBH", section, at)
        at += 4
        value = section[at : at + size] if kind == SIZED else section[at - 2 : at]
        at += size if kind == SIZED else 0
        yield attribute, value


def is_cut(data: bytes) -> bool:
    """Return whether a cubin does not have the sections that its header tells of."""
    if len(data) < HEADER:
        return True
    try:
        return of_a_device(data) and bool(rows := _table(data)[0]) and not any(kind for _, kind, *_ in rows)
    except ValueError:
        return True
