"""Reading of cubins: ELF files that describe each kernel in sections ``.nv.info``."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field, frozen

from fakecuda.model.code import reading
from fakecuda.model.code.code import (
    BAD_IMAGE,
    BOUND,
    CONSTANT,
    GLOBAL,
    GRAPH_LAUNCH,
    KERNEL,
    MANAGED,
    OTHER_DEVICE,
    OWN,
    SYSTEM,
    WEAK,
    Address,
    Entry,
    Image,
    Names,
    Refused,
    Symbol,
    Variable,
)
from fakecuda.model.code.code import FUNCTION as CALLED
from fakecuda.model.code.cost import spent

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 4096
"""The number of symbols to read between two pauses."""
MAGIC = b"\x7fELF"
CUDA_MACHINE, EXECUTABLE = 190, 2
"""EM_CUDA and ET_EXEC."""
NEW_FLAGS = 8
"""The first ABI version whose second flag byte is the architecture."""
ENTRY, MANAGED_OBJECT = 0x10, 0x04
"""STO_CUDA_ENTRY and STO_CUDA_MANAGED, values of a symbol's st_other."""
OBJECT, FUNCTION = 1, 2
OWN_NAMES = (".", "$", "__nv_reservedSMEM")
"""Prefixes of names that the compiler generates."""
GLOBAL_SYMBOL, WEAK_SYMBOL = 1, 2
"""STB_GLOBAL and STB_WEAK, the bindings of symbols that other files see."""
NOBITS = 8
INPUT = ".fakecuda.input."
"""The prefix of sections that hold the inputs of fakecuda's linker."""
ADDRESSES = ".fakecuda.addresses"
"""The section of fakecuda's cubins with the addresses in initial values."""
HEADER, SECTION, SYMBOL = 64, struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")
REGISTERS, FRAME, PARAM, MOST, REQUIRED, CLUSTER, CLUSTERED, RANK = 0x2F, 0x11, 0x17, 0x05, 0x10, 0x3D, 0x3E, 0x3F
EXTERNS = 0x0F
"""Numbers of attributes in ``.nv.info``: EIATTR_REGCOUNT, _FRAME_SIZE, _KPARAM_INFO, _MAX_THREADS, _REQNTID,
_CTA_PER_CLUSTER, _EXPLICIT_CLUSTER, _MAX_CLUSTER_RANK and _EXTERNS."""
SIZED = 4
"""EIFMT_SVAL: the bytes of the attribute follow its header. In other formats the header contains them."""
RESERVED = dict.fromkeys((80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121), 1024)
"""Shared memory per block that the system reserves, by architecture.
Sections include these bytes.
"""


TIMES, SLACK = 4, 4096
"""A reader examines at most this many times the bytes of a cubin, and this many more. Cubins of compilers need less
than twice."""


@frozen
class Section:
    """A section of an ELF file.

    Attributes:
        name: Its name.
        kind: sh_type.
        offset: The offset of its bytes in the file.
        size: Bytes in memory.
    """

    name: str
    kind: int
    offset: int
    size: int


@define
class File:
    """A cubin that is being read.

    Attributes:
        data: Its bytes.
        left: How many more bytes may be examined. Parts of a file may overlap, so reading all of them could take
            unbounded time.
        sections: Its sections.
        named: The first section of each name.
    """

    data: bytes
    left: int
    sections: list[Section] = field(factory=list)
    named: dict[str, Section] = field(factory=dict)

    def note(self, size: int) -> None:
        """Count examined bytes.

        Raises:
            Refused: Too many bytes were examined.
        """
        spent.bytes_read += size
        self.left -= size
        if self.left < 0:
            text = (
                f"the names and sections of the cubin ({len(self.data)} bytes) overlap so much that fakecuda would "
                f"read more than {TIMES} times its size: load the cubin as nvcc wrote it"
            )
            raise Refused(BOUND, text)

    def part(self, start: int, end: int) -> bytes:
        """Return a range of bytes, cut at the end of the file."""
        size = max(min(end, len(self.data)) - start, 0)
        self.note(size)
        return self.data[start : start + size]

    def of(self, name: str) -> bytes:
        """Return the bytes of a section, cut at the end of the file.

        Empty if it has none in the file.
        """
        section = self.named.get(name)
        if section is None or section.kind == NOBITS:
            return b""
        return self.part(section.offset, section.offset + section.size)

    def size_of(self, name: str) -> int:
        """Return the size of a section in memory; 0 without such a section."""
        section = self.named.get(name)
        return 0 if section is None else section.size


@define
class Texts:
    """The names in a part of a file.

    Each is read once, and equal names are one object.

    Attributes:
        file: The file.
        start: The offset of the part.
        end: The offset after it.
    """

    file: File
    start: int
    end: int
    _by_place: dict[int, str] = field(factory=dict)
    _equal: dict[str, str] = field(factory=dict)

    def at(self, place: int) -> str:
        """Return the name that begins at an offset of the part.

        Raises:
            ValueError: The name does not end in the part.
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
    """Return the architecture that a cubin was compiled for, such as 90 for sm_90."""
    flags: int = struct.unpack_from("<I", data, 0x30)[0]
    return (flags >> 8 if data[8] >= NEW_FLAGS else flags) & 0xFF


def length(header: bytes) -> int:
    """Return the size of a cubin, by the tables in its header."""
    segments, table = struct.unpack_from("<QQ", header, 0x20)
    size, count, row, rows = struct.unpack_from("<HHHH", header, 0x36)
    return int(max(HEADER, segments + size * count, table + row * rows))


def of_a_device(data: bytes) -> bool:
    """Return whether an ELF file is for CUDA devices."""
    return data[0x12:0x14] == CUDA_MACHINE.to_bytes(2, "little")


def linked(data: bytes) -> bool:
    """Return whether a cubin is already linked."""
    return data[0x10:0x12] == EXECUTABLE.to_bytes(2, "little")


def runs(of: int, arch: int) -> bool:
    """Return whether a device of an architecture runs a cubin of another.

    The major versions must be equal, and the cubin's minor version must not be newer.
    """
    return of // 10 == arch // 10 and of <= arch


def parsed(data: bytes, arch: int) -> Image:
    """Return the contents of a cubin for a device of an architecture.

    Raises:
        Refused: It is not a cubin, or not for that device.
    """
    try:
        machine, own = struct.unpack_from("<H", data, 0x12)[0], arch_of(data)
        if machine != CUDA_MACHINE:
            raise Refused(BAD_IMAGE)
        if not runs(own, arch):
            raise Refused(OTHER_DEVICE)
        return _read(opened(data), own)
    except (struct.error, LookupError, ValueError) as error:
        raise Refused(BAD_IMAGE) from error


def _table(data: bytes) -> tuple[list[tuple[int, ...]], int]:
    """Return the rows of the section table, and the index of the names' section.

    Raises:
        ValueError: The file does not contain the table.
    """
    (table,) = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    end = table + count * SECTION.size
    if end > len(data):
        raise ValueError(table)
    spent.bytes_read += HEADER + end - table
    return list(SECTION.iter_unpack(data[table:end])), names


def opened(data: bytes) -> File:
    """Return a cubin with its sections.

    Raises:
        ValueError: The file is damaged.
    """
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
    symbols = file.named.get(".symtab")
    if symbols is not None and not symbols.size:  # a compiler always writes a first symbol
        raise ValueError(symbols)
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
    numbers: dict[tuple[int, int], int] = {}
    for attribute, value in _attributes(file.of(".nv.info")):
        if attribute in {FRAME, REGISTERS}:
            number, amount = struct.unpack("<II", value)
            numbers[attribute, number] = amount
    whole = {
        name: _whole(file, name, numbers.get((REGISTERS, number), 0), numbers.get((FRAME, number), 0), arch, launchers)
        for name, number in entries.items()
    }
    own, weak, needed = (
        known.get(key, []) for key in ((GLOBAL_SYMBOL, True), (WEAK_SYMBOL, True), (GLOBAL_SYMBOL, False))
    )
    names = Names(tuple(own), tuple(weak), tuple(name for name in needed if name not in SYSTEM))
    variables = {name: _variable(file, name, *place) for name, place in found.items()}
    compared = _symbols(names, whole, variables)
    for line in file.of(ADDRESSES).decode().splitlines():
        holder, name, *said = line.split()
        offset, byte, at, function = (int(one) for one in said)
        address = Address(name, offset, None if byte < 0 else byte, at, function=bool(function))
        one = variables[holder]
        variables[holder] = evolve(one, addresses=(*one.addresses, address))
    return Image(whole, variables, evolve(names, symbols=compared))


def _symbols(names: Names, entries: dict[str, Entry], variables: dict[str, Variable]) -> tuple[Symbol, ...]:
    """Return the symbols that a linker compares: kernels from the last to the first, then the rest."""
    how = {**dict.fromkeys(names.weak, WEAK), **dict.fromkeys(names.own, OWN)}
    kernels = [Symbol(name, KERNEL, how[name], entries[name].bytes_of_params) for name in how if name in entries]
    rest = []
    for name, one in how.items():
        held = variables.get(name)
        if held is not None:
            space = "const" if held.kind == CONSTANT else "global"
            rest.append(Symbol(name, space, one, held.size, held.kind == MANAGED))
        elif name not in entries:
            rest.append(Symbol(name, CALLED, one))
    return (*reversed(kernels), *rest)


def _variable(file: File, name: str, section: Section, kind: str, start: int, size: int) -> Variable:
    """Return a variable with its initial bytes, from an offset of a section."""
    first, end = section.offset + start, section.offset + min(start + size, section.size)
    data = b"" if section.kind == NOBITS else file.part(first, end)
    spent.bytes_produced += len(data)
    return Variable(name, size, kind, data)


def _kind(section: str) -> str:
    """Return the memory kind of the variables in a section.

    Empty if they are not the image's.
    """
    if section in {".nv.global", ".nv.global.init"}:
        return GLOBAL
    return CONSTANT if section == ".nv.constant3" else ""


def _whole(file: File, name: str, registers: int, local: int, arch: int, launchers: set[int]) -> Entry:
    """Return a kernel with the facts from its sections.

    ``launchers`` are symbols of functions that launch graphs.
    """
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
    """Yield the attributes of a section ``.nv.info``, as number and bytes."""
    at = 0
    while at + 4 <= len(section):
        kind, attribute, size = struct.unpack_from("<BBH", section, at)
        at += 4
        value = section[at : at + size] if kind == SIZED else section[at - 2 : at]
        at += size if kind == SIZED else 0
        yield attribute, value


def is_cut(data: bytes) -> bool:
    """Return whether a cubin is truncated."""
    if len(data) < HEADER:
        return True
    try:
        return of_a_device(data) and bool(rows := _table(data)[0]) and not any(kind for _, kind, *_ in rows)
    except ValueError:
        return True
