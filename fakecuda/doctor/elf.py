"""The doctor's reader of 64-bit ELF files: libraries and programs.

Each part is read once, and a part that lies outside of the file is an error. So the time is linear in the file's size.
:mod:`fakecuda.reach.native.elf` writes such files.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.model.code.cubin import MAGIC, SECTION, SYMBOL, of_a_device
from fakecuda.model.code.host_files import FATBINS
from fakecuda.reach.native.elf import DYNAMIC, HEADER, LOAD, NEEDED, PROGRAM, RUNPATH

if TYPE_CHECKING:
    from collections.abc import Iterator
    from mmap import mmap

WIDE, LITTLE = 2, 1
"""ELFCLASS64 and ELFDATA2LSB."""
INTERPRETER, RPATH, SONAME, STRINGS = 3, 15, 14, 5
"""PT_INTERP, DT_RPATH, DT_SONAME and DT_STRTAB."""
STARTED = 2
"""ET_EXEC: a program at a fixed address."""
DYNSYM, NOBITS, ALLOCATED, CODE = 11, 8, 2, 4
"""SHT_DYNSYM, SHT_NOBITS, SHF_ALLOC and SHF_EXECINSTR."""
FUNCTION, INDIRECT = 2, 10
"""STT_FUNC and STT_GNU_IFUNC."""
UNREAD = (".eh_frame", ".gcc_except_table", ".dynsym", ".rela", ".gnu.hash", ".hash")
"""Prefixes of names of loaded sections without texts."""
WINDOW = 1 << 24
"""The number of bytes of a section to search at once."""
OVERLAP = 4096
"""The overlap of two windows in bytes; longer texts may be missed."""


class DamagedError(Exception):
    """An exception: the doctor cannot read the ELF file; the text says why."""


@frozen
class Elf:
    """A library or a program.

    Attributes:
        data: The file.
        is_program: Whether it can be started.
        of_a_device: Whether it is a cubin.
        soname: Its name for the dynamic loader; empty if it has no name.
        needed: The names of the libraries that the loader loads with it.
        paths: The folders in which the loader looks for them first.
        wanted: The symbols that it needs of libraries.
        sections: The offset and the bytes of each section, by name.
        texts: The offsets and bytes of the parts that may contain texts.
    """

    data: mmap | bytes
    is_program: bool
    of_a_device: bool
    soname: str = ""
    needed: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    wanted: frozenset[str] = frozenset()
    sections: tuple[tuple[str, int, int], ...] = ()
    texts: tuple[tuple[int, int], ...] = ()

    def texts_with(self, *literals: bytes) -> Iterator[bytes]:
        """Yield texts that contain one of some literals.

        Args:
            literals: What to look for. A literal that begins with a NUL stands at the beginning of a text.
        """
        for start, size in self.texts:
            for at in range(start, start + size, WINDOW):
                window = self.data[at : min(at + WINDOW + OVERLAP, start + size)]
                for literal in literals:
                    yield from _around(window, literal)


def _around(window: bytes, literal: bytes) -> Iterator[bytes]:
    """Yield the texts around a literal, of at most ``OVERLAP`` bytes on either side."""
    place = window.find(literal)
    while place >= 0:
        begin = window.rfind(b"\0", max(place - OVERLAP, 0), place + 1) + 1 or max(place - OVERLAP, 0)
        end = window.find(b"\0", place + 1, place + OVERLAP)
        yield window[begin : end if end >= 0 else place + OVERLAP]
        place = window.find(literal, place + 1)


def read(data: mmap | bytes) -> Elf:
    """Return the contents of an ELF file.

    Raises:
        DamagedError: It has another form, or a part lies outside of the file.
    """
    if len(data) < HEADER or data[:4] != MAGIC:
        msg = "it is shorter than the header of an ELF file"
        raise DamagedError(msg)
    if data[4] != WIDE or data[5] != LITTLE:
        msg = (
            "it is an ELF file of 32 bits or with the highest byte first: the doctor reads ELF files of x86-64 and "
            "aarch64"
        )
        raise DamagedError(msg)
    if of_a_device(data[:HEADER]):
        return Elf(data, is_program=False, of_a_device=True)
    try:
        return _read(data)
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        msg = f"its headers are damaged: {error}"
        raise DamagedError(msg) from error


def _read(data: mmap | bytes) -> Elf:
    (kind,) = struct.unpack_from("<H", data, 16)
    programs = list(_programs(data))
    dynamic = _dynamic(data, programs)
    strings = next((_offset(programs, value) for tag, value in dynamic if tag == STRINGS), None)

    def named(*tags: int) -> tuple[str, ...]:
        return tuple(_text(data, strings + value) for tag, value in dynamic if tag in tags and strings is not None)

    sections = _sections(data)
    texts = tuple(
        (at, size)
        for name, form, flags, at, size, _ in sections
        if flags & ALLOCATED and not flags & CODE and form != NOBITS and not _is_unread(name)
    )
    return Elf(
        data,
        kind == STARTED or any(form == INTERPRETER for form, *_ in programs),
        of_a_device=False,
        soname=next(iter(named(SONAME)), ""),
        needed=named(NEEDED),
        paths=tuple(place for paths in named(RPATH, RUNPATH) for place in paths.split(":") if place),
        wanted=_wanted(data, sections),
        sections=tuple((name, at, size) for name, form, _, at, size, _ in sections if form != NOBITS),
        texts=texts or ((0, len(data)),),
    )


def _is_unread(name: str) -> bool:
    return name.startswith(UNREAD) or name in FATBINS or name == ".hip_fatbin"


def _programs(data: mmap | bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield type, offset, address and size of each segment."""
    (start,), (each, count) = struct.unpack_from("<Q", data, 32), struct.unpack_from("<HH", data, 54)
    if count and each < PROGRAM:
        msg = f"a program header has {each} bytes"
        raise ValueError(msg)
    for number in range(count):
        form, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, start + number * each)
        yield form, offset, address, size


def _dynamic(data: mmap | bytes, programs: list[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """Return the tags and values of the dynamic segment; empty without one."""
    _, offset, _, size = next((one for one in programs if one[0] == DYNAMIC), (0, 0, 0, 0))
    _check(data, offset, size, "the dynamic segment")
    found = []
    for tag, value in struct.iter_unpack("<QQ", data[offset : offset + size - size % 16]):
        if not tag:
            break
        found.append((tag, value))
    return found


def _offset(programs: list[tuple[int, int, int, int]], address: int) -> int:
    """Return the file offset of an address."""
    for form, offset, start, size in programs:
        if form == LOAD and start <= address < start + size:
            return offset + address - start
    msg = f"no segment has the address {address:#x}"
    raise ValueError(msg)


def _check(data: mmap | bytes, offset: int, size: int, what: str) -> None:
    if offset + size > len(data):
        msg = f"{what} ends at byte {offset + size} of {len(data)}"
        raise ValueError(msg)


def _text(data: mmap | bytes, at: int) -> str:
    """Return the text at an offset, at most ``OVERLAP`` bytes."""
    if at >= len(data):
        msg = f"a name lies at byte {at} of {len(data)}"
        raise ValueError(msg)
    return data[at : at + OVERLAP].partition(b"\0")[0].decode("ascii", "replace")


def _sections(data: mmap | bytes) -> list[tuple[str, int, int, int, int, int]]:
    """Return the name, type, flags, offset, bytes and linked section of each section; empty without headers."""
    (start,), (each, count, names) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<HHH", data, 58)
    if not start or not count:
        return []
    if each < SECTION.size:
        msg = f"a section header has {each} bytes"
        raise ValueError(msg)
    rows = [SECTION.unpack_from(data, start + number * each) for number in range(count)]
    at = rows[names][4]
    found = []
    for name, form, flags, _, offset, size, link, *_ in rows:
        if form not in {0, NOBITS}:
            _check(data, offset, size, "a section")
        found.append((_text(data, at + name), form, flags, offset, size, link))
    return found


def functions(data: mmap | bytes) -> frozenset[str]:
    """Return the functions that an ELF file exports.

    Raises:
        DamagedError: As for :func:`read`.
    """
    read(data)
    return frozenset(
        name
        for name, kind, section in _symbols(data, _sections(data))
        if section and kind & 0xF in {FUNCTION, INDIRECT}
    )


def _symbols(data: mmap | bytes, sections: list[tuple[str, int, int, int, int, int]]) -> Iterator[tuple[str, int, int]]:
    """Yield the name, the kind and the section of each dynamic symbol with a name."""
    for _, form, _, offset, size, link in sections:
        if form != DYNSYM:
            continue
        at, length = sections[link][3:5]
        strings = data[at : at + length]
        for start, kind, _, section, _, _ in SYMBOL.iter_unpack(data[offset : offset + size - size % SYMBOL.size]):
            if name := strings[start : start + OVERLAP].partition(b"\0")[0].decode("ascii", "replace"):
                yield name, kind, section


def _wanted(data: mmap | bytes, sections: list[tuple[str, int, int, int, int, int]]) -> frozenset[str]:
    """Return the undefined dynamic symbols of a file."""
    return frozenset(name for name, _, section in _symbols(data, sections) if not section)
