"""What a cubin holds: an ELF file, with what is known of each kernel in sections ``.nv.info``."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from fakecuda.model.code import (
    BAD_IMAGE,
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

if TYPE_CHECKING:
    from collections.abc import Iterator

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


@frozen
class Section:
    """A section: its name, what it links to, and its bytes.

    Attributes:
        name: Its name.
        kind: sh_type.
        offset: Where its bytes begin in the file.
        size: How many they are, in memory.
        info: sh_info.
    """

    name: str
    kind: int
    offset: int
    size: int
    info: int


@frozen
class File:
    """A cubin.

    Attributes:
        data: Its bytes.
        sections: Its sections.
    """

    data: bytes
    sections: list[Section]

    def of(self, section: Section) -> bytes:
        """Return the bytes of a section; those that are not in the file are zeros."""
        return b"" if section.kind == NOBITS else self.data[section.offset : section.offset + section.size]

    def named(self, name: str) -> bytes:
        """Return the bytes of the section of that name, none where there is none."""
        return next((self.of(section) for section in self.sections if section.name == name), b"")

    def size_of(self, name: str) -> int:
        """Return the bytes that a section takes in memory."""
        return next((section.size for section in self.sections if section.name == name), 0)


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
        return _read(File(data, list(_sections(data))), own)
    except (struct.error, IndexError, ValueError) as error:
        raise Refused(BAD_IMAGE) from error


def _sections(data: bytes) -> Iterator[Section]:
    (table,) = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    rows = [SECTION.unpack_from(data, table + number * SECTION.size) for number in range(count)]
    at = rows[names][4]
    for row in rows:
        yield Section(_text(data, at + row[0]), row[1], row[4], row[5], row[7])


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode(errors="replace")


def _read(file: File, arch: int) -> Image:
    symbols = file.named(".symtab")
    strings = file.named(".strtab")
    entries: dict[int, Entry] = {}
    variables: dict[str, Variable] = {}
    known: dict[tuple[int, bool], list[str]] = {}
    launchers = set()
    for number, (at, info, other, place, start, size) in enumerate(SYMBOL.iter_unpack(symbols)):
        name = _text(strings, at)
        if name == GRAPH_LAUNCH:
            launchers.add(number)
        if info & 0xF == FUNCTION and other & ENTRY:
            entries[number] = Entry(name, ptx=arch, binary=arch)
        elif info & 0xF == OBJECT and 0 < place < len(file.sections):
            section = file.sections[place]
            kind = MANAGED if other & MANAGED_OBJECT else _kind(section.name)
            if kind:
                variables[name] = Variable(name, size, kind, file.of(section)[start : start + size])
        if not name.startswith(OWN_NAMES) and (not place or info & 0xF == FUNCTION or name in variables):
            known.setdefault((info >> 4, place > 0), []).append(name)
    told: dict[tuple[int, int], int] = {}
    for attribute, value in _attributes(file.named(".nv.info")):
        if attribute in {FRAME, REGISTERS}:
            number, amount = struct.unpack("<II", value)
            told[attribute, number] = amount
    whole = [
        _whole(file, entry, told.get((REGISTERS, number), 0), told.get((FRAME, number), 0), arch, launchers)
        for number, entry in entries.items()
    ]
    own, weak, needed = (
        known.get(key, []) for key in ((GLOBAL_SYMBOL, True), (WEAK_SYMBOL, True), (GLOBAL_SYMBOL, False))
    )
    names = Names(tuple(own), tuple(weak), tuple(name for name in needed if name not in SYSTEM))
    return Image({entry.name: entry for entry in whole}, variables, names)


def _kind(section: str) -> str:
    """Return where a variable of a section lies, or nothing for what is no variable of the image."""
    if section in {".nv.global", ".nv.global.init"}:
        return GLOBAL
    return CONSTANT if section == ".nv.constant3" else ""


def _whole(file: File, entry: Entry, registers: int, local: int, arch: int, launchers: set[int]) -> Entry:
    """Return a kernel with all that its sections tell of it; the last are the symbols of functions that launch graphs."""
    facts: dict[str, Any] = {}
    params: dict[int, tuple[int, int]] = {}
    for attribute, value in _attributes(file.named(f".nv.info.{entry.name}")):
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
    return evolve(
        entry,
        params=tuple(params[ordinal] for ordinal in sorted(params)),
        registers=registers,
        local=local,
        shared=max(file.size_of(f".nv.shared.{entry.name}") - RESERVED.get(arch, 0), 0),
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
    try:
        machine = struct.unpack_from("<H", data, 0x12)[0]
        (told,) = struct.unpack_from("<H", data, 0x3C)
        return machine == CUDA_MACHINE and told > 0 and not any(section.kind for section in _sections(data))
    except (struct.error, IndexError, ValueError):
        return True
