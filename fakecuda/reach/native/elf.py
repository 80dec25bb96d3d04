"""ELF shared objects whose functions call through a table.

They are written with the standard library alone.
The object exports one *stub* per symbol. A stub calls the function in the symbol's slot of ``fakecuda_table``, with the
arguments of the stub's own call. If the function's answer is *tagged*, the stub returns it. A tagged answer has 64
bits: the upper half is :data:`fakecuda.reach.native.stubs.TAG`, the lower half the code. A callback that raised an
exception leaves an arbitrary answer; the stub then returns UNKNOWN. For an empty slot, it returns the word
``fakecuda_default``.

The object also exports these words:

- ``fakecuda_table``: a slot of 8 bytes per symbol, in the order of the symbols.
- ``fakecuda_default``: 4 bytes, the answer of a stub without a function.
- ``fakecuda_pending``: 4 bytes. If it is not 0, an untagged answer makes the stub clear it and ask Python to raise an
  exception in the main thread after the call.
- ``fakecuda_raise``: four words of 8 bytes for that: the addresses of Py_AddPendingCall and of PyErr_SetObject, the
  exception's type and the exception.
- ``fakecuda_python``: the addresses of Python's functions by which a stub saves a current exception while the function
  runs, and restores it: :data:`fakecuda.reach.native.stubs.PYTHON`. Zeros mean that there is no Python.
- ``fakecuda_frame``: with Python, the address of a word. While a function runs, the word has the frame of its stub.
- ``fakecuda_digest``: 8 bytes that identify the symbols of the table.
- ``fakecuda_forget``: a function that empties the table and resets the default. It needs no Python.
- ``fakecuda_unloads``: :data:`fakecuda.reach.native.stubs.UNLOADS`.

An object may need another one, the *client*, with a function for each slot. The dynamic loader then fills the table.
"""

from __future__ import annotations

import hashlib
import platform
import struct
from itertools import accumulate
from typing import TYPE_CHECKING

from fakecuda.reach.native.stubs import ARCHITECTURES, NOT_INITIALIZED, PYTHON, UNLOADS, Words
from fakecuda.reach.native.unwinding import HEADER as TABLE_SIZE
from fakecuda.reach.native.unwinding import information

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from fakecuda.reach.native.stubs import Architecture

LOAD, DYNAMIC, GNU_STACK, UNWINDING_TABLE = 1, 2, 0x6474E551, 0x6474E550
READ, WRITE, EXECUTE = 4, 2, 1
FUNCTION, OBJECT = 0x12, 0x11  # global symbols
BASE = 1  # flag of a version: the file's own name
VERSYM, VERDEF, VERDEFNUM = 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD
NEEDED, RUNPATH, RELA, RELASZ, RELAENT = 1, 29, 7, 8, 9
STAYS = 0x6FFFFFFB, 8
"""DT_FLAGS_1 with DF_1_NODELETE, so that dlclose does not unmap the library."""
BESIDE = "$ORIGIN"
"""The dynamic loader's name for the object's own directory ($ORIGIN)."""
UNVERSIONED, FIRST_VERSION = 1, 2
HEADER, PROGRAM, SECTION, SYMBOL, MOVE = 64, 56, 64, 24, 24  # sizes of the format's records


def digest(symbols: Sequence[str]) -> int:
    """Return 64 bits that identify the symbols of a table and the kind of its stubs."""
    return int.from_bytes(hashlib.sha256("\n".join(("4", *symbols)).encode()).digest()[:8], "little")


def shared_object(
    symbols: Sequence[str],
    *,
    soname: str = "libcuda.so.1",
    default: int = NOT_INITIALIZED,
    addresses: Collection[str] = (),
    routines: Mapping[str, Mapping[str, bytes]] | None = None,
    version: str = "",
    client: tuple[str, Sequence[str]] | None = None,
    machine: str | None = None,
) -> bytes:
    """Return the content of a shared object that exports a stub for each symbol.

    Args:
        symbols: The names of the functions.
        soname: The object's name for the dynamic loader.
        default: The code for an empty slot; less than 0x10000.
        addresses: The symbols whose functions return an address, without a tag. Without a function they return the
            address of an empty text.
        routines: Functions without slots, by name and processor, which are exported, too.
        version: The version of its symbols; empty for no version.
        client: The name of an object with functions for all slots, and their names in the order of the slots; None without
            one.
        machine: The processor, a key of :data:`fakecuda.reach.native.stubs.ARCHITECTURES`; by default this machine's.

    Raises:
        ValueError: There are no stubs for the processor.
    """
    arch = _architecture(machine)
    count, returning = len(symbols), [symbol in addresses for symbol in symbols]
    words = (
        "fakecuda_default",
        "fakecuda_pending",
        "fakecuda_digest",
        "fakecuda_raise",
        "fakecuda_python",
        "fakecuda_frame",
        "fakecuda_table",
    )
    written = {name: code[arch.name] for name, code in {"fakecuda_unloads": UNLOADS, **(routines or {})}.items()}
    exported = ["", *symbols, "fakecuda_forget", *written, *words]
    names = [*exported, *(client[1] if client else ())]
    texts = _Texts((*names, soname, *(client[:1] if client else ()), BESIDE, version))
    strings = texts.content

    # The file: headers and tables to read, code to execute, data to write. Each part starts at its own page.
    hashes_at, hashes = HEADER + 6 * PROGRAM, _hash_table(names)
    symbols_at = _up(hashes_at + len(hashes), 8)
    numbers_at = symbols_at + SYMBOL * len(names)
    numbers = _numbers(len(exported), len(names)) if version else b""
    definitions_at = _up(numbers_at + len(numbers), 4)
    definitions, defined = _definitions(soname, (version,), texts) if version else (b"", 0)
    moves_at = _up(definitions_at + len(definitions), 8)
    strings_at = moves_at + MOVE * (len(names) - len(exported))
    unwinding_at = _up(strings_at + len(strings), 8)
    text = _up(unwinding_at + 256, arch.page)
    sized = arch.code(Words.at(text), text, returning, default)
    unwinding = information(arch.name, unwinding_at, text + sized.framed[0], sized.framed[1])
    dynamic = _up(text + len(sized.code) + sum(map(len, written.values())), arch.page)
    tags = [
        (14, texts.at[soname]),
        (4, hashes_at),
        (5, strings_at),
        (6, symbols_at),
        (10, len(strings)),
        (11, SYMBOL),
        STAYS,
    ]
    if version:
        tags += [(VERSYM, numbers_at), (VERDEF, definitions_at), (VERDEFNUM, defined)]
    if client:
        tags += [(NEEDED, texts.at[client[0]]), (RUNPATH, texts.at[BESIDE])]
        tags += [(RELA, moves_at), (RELASZ, strings_at - moves_at), (RELAENT, MOVE)]
    dynamics = b"".join(struct.pack("<QQ", *tag) for tag in (*tags, (0, 0)))
    data = dynamic + len(dynamics)
    at = Words.at(data)
    moves = _moves(arch, at.table, range(len(exported), len(names)))
    code, (forget, forget_size), _ = arch.code(at, text, returning, default)
    starts = list(accumulate(map(len, written.values()), initial=text + len(code)))
    code += b"".join(written.values())
    content = struct.pack("<IIQ", default, 0, digest(symbols)) + bytes(32 + 8 * len(PYTHON) + 8 + 8 * count)

    stubs = [(FUNCTION, 4, text + arch.stub * number, arch.stub) for number in range(count)]
    objects = [
        (OBJECT, 6, place, width) for place, width in zip(at, (4, 4, 8, 32, 8 * len(PYTHON), 8, 8 * count), strict=True)
    ]
    others = [(FUNCTION, 4, start, len(one)) for start, one in zip(starts, written.values(), strict=False)]
    places = [(0, 0, 0, 0), *stubs, (FUNCTION, 4, text + forget, forget_size), *others, *objects]
    places += [(FUNCTION, 0, 0, 0)] * (len(names) - len(places))
    table = b"".join(
        struct.pack("<IBBHQQ", texts.at[name], kind, 0, section, place, width)
        for name, (kind, section, place, width) in zip(names, places, strict=True)
    )
    end = data + len(content)
    programs = [
        (LOAD, READ, 0, unwinding_at + len(unwinding), arch.page),
        (LOAD, READ | EXECUTE, text, len(code), arch.page),
        (LOAD, READ | WRITE, dynamic, end - dynamic, arch.page),
        (DYNAMIC, READ | WRITE, dynamic, len(dynamics), 8),
        (GNU_STACK, READ | WRITE, 0, 0, 16),
        (UNWINDING_TABLE, READ, unwinding_at, TABLE_SIZE, 4),
    ]
    sections = [
        ("", 0, 0, 0, 0, 0, 0, 0),
        (".hash", 5, 2, hashes_at, len(hashes), 2, 0, 4),
        (".dynsym", 11, 2, symbols_at, len(table), 3, 1, SYMBOL),
        (".dynstr", 3, 2, strings_at, len(strings), 0, 0, 0),
        (".text", 1, 6, text, len(code), 0, 0, 0),
        (".dynamic", 6, 3, dynamic, len(dynamics), 3, 0, 16),
        (".data", 1, 3, data, len(content), 0, 0, 0),
        (".eh_frame_hdr", 1, 2, unwinding_at, TABLE_SIZE, 0, 0, 0),
        (".eh_frame", 1, 2, unwinding_at + TABLE_SIZE, len(unwinding) - TABLE_SIZE, 0, 0, 0),
    ]
    if version:
        sections += [
            (".gnu.version", 0x6FFFFFFF, 2, numbers_at, len(numbers), 2, 0, 2),
            (".gnu.version_d", 0x6FFFFFFD, 2, definitions_at, len(definitions), 3, defined, 0),
        ]
    sections.append((".shstrtab", 3, 0, end, 0, 0, 0, 0))
    parts = {hashes_at: hashes, symbols_at: table, numbers_at: numbers, definitions_at: definitions}
    parts |= {moves_at: moves} if client else {}
    return _file(
        arch,
        programs,
        sections,
        parts | {strings_at: strings, unwinding_at: unwinding, text: code, dynamic: dynamics, data: content},
        end,
    )


def alias(soname: str, target: str, *, versions: Sequence[str] = (), machine: str | None = None) -> bytes:
    """Return an empty shared object that loads another one, under another name.

    The result is the content of the file.

    Args:
        soname: The object's name for the dynamic loader.
        target: The name of the other object, which the loader loads with it.
        versions: Versions of symbols that programs may require of the name. The other object's unversioned symbols
            satisfy all of them.
        machine: The processor, as for :func:`shared_object`.

    Raises:
        ValueError: There are no stubs for the processor.
    """
    arch = _architecture(machine)
    texts = _Texts(("", soname, target, *versions))
    strings = texts.content
    definitions, defined = _definitions(soname, versions, texts)
    # The file: tables to read, and the dynamic section, to which the loader writes.
    hashes = _hash_table([""])
    hashes_at = HEADER + 4 * PROGRAM
    symbols_at = _up(hashes_at + len(hashes), 8)
    numbers_at = symbols_at + SYMBOL
    definitions_at = _up(numbers_at + 2, 4)
    strings_at = definitions_at + len(definitions)
    dynamic = _up(strings_at + len(strings), arch.page)
    tags = [(NEEDED, texts.at[target]), (14, texts.at[soname]), (4, hashes_at), (5, strings_at), (6, symbols_at)]
    tags += [(10, len(strings)), (11, SYMBOL), (VERSYM, numbers_at), (VERDEF, definitions_at), (VERDEFNUM, defined)]
    tags += [STAYS, (0, 0)]
    dynamics = b"".join(struct.pack("<QQ", *tag) for tag in tags)
    end = dynamic + len(dynamics)
    programs = [
        (LOAD, READ, 0, strings_at + len(strings), arch.page),
        (LOAD, READ | WRITE, dynamic, len(dynamics), arch.page),
        (DYNAMIC, READ | WRITE, dynamic, len(dynamics), 8),
        (GNU_STACK, READ | WRITE, 0, 0, 16),
    ]
    sections = [
        ("", 0, 0, 0, 0, 0, 0, 0),
        (".hash", 5, 2, hashes_at, len(hashes), 2, 0, 4),
        (".dynsym", 11, 2, symbols_at, SYMBOL, 5, 1, SYMBOL),
        (".gnu.version", 0x6FFFFFFF, 2, numbers_at, 2, 2, 0, 2),
        (".gnu.version_d", 0x6FFFFFFD, 2, definitions_at, len(definitions), 5, defined, 0),
        (".dynstr", 3, 2, strings_at, len(strings), 0, 0, 0),
        (".dynamic", 6, 3, dynamic, len(dynamics), 5, 0, 16),
        (".shstrtab", 3, 0, end, 0, 0, 0, 0),
    ]
    parts = {hashes_at: hashes, definitions_at: definitions, strings_at: strings, dynamic: dynamics}
    return _file(arch, programs, sections, parts, end)


class _Texts:
    """The names in an object, each stored once.

    Args:
        names: The names.

    Attributes:
        at: The offset of each name in the content.
        content: All names, each with a terminating zero.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.at: dict[str, int] = {}
        end = 0
        for name in names:
            if name not in self.at:
                self.at[name] = end
                end += len(name) + 1
        self.content = b"".join(name.encode() + b"\0" for name in self.at)


def _definitions(soname: str, versions: Sequence[str], texts: _Texts) -> tuple[bytes, int]:
    """Return the definitions of an object's versions and their number.

    The first is the object's own name.
    """
    defined = [(BASE, soname), *((0, name) for name in versions)]
    return b"".join(
        struct.pack(
            "<HHHHIIIII", 1, flags, number, 1, _hashed(name), 20, 28 * (number < len(defined)), texts.at[name], 0
        )
        for number, (flags, name) in enumerate(defined, 1)
    ), len(defined)


def _numbers(exported: int, count: int) -> bytes:
    """Return the version numbers of an object's symbols.

    Exported symbols come first, then needed ones.
    """
    numbers = [0, *[FIRST_VERSION] * (exported - 1), *[UNVERSIONED] * (count - exported)]
    return struct.pack(f"<{count}H", *numbers)


def _moves(arch: Architecture, table: int, symbols: range) -> bytes:
    """Return relocations for a table of symbols' addresses.

    They make the dynamic loader fill the table.
    """
    return b"".join(
        struct.pack("<QQq", table + 8 * number, symbol << 32 | arch.absolute, 0)
        for number, symbol in enumerate(symbols)
    )


def _file(
    arch: Architecture,
    programs: Sequence[tuple[int, int, int, int, int]],
    sections: Sequence[tuple[str, int, int, int, int, int, int, int]],
    parts: dict[int, bytes],
    end: int,
) -> bytes:
    """Return a file with headers, from its parts by offset.

    Section names and headers are at the end.
    """
    labels, headers = _sections(sections, end)
    ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    where = _up(end + len(labels), 8)
    shape = (HEADER, PROGRAM, len(programs), SECTION, len(sections), len(sections) - 1)
    header = ident + struct.pack("<HHIQQQIHHHHHH", 3, arch.number, 1, 0, HEADER, where, 0, *shape)
    loaded = b"".join(struct.pack("<IIQQQQQQ", k, f, a, a, a, n, n, align) for k, f, a, n, align in programs)
    file = bytearray(where)
    for place, part in {0: header, HEADER: loaded, **parts, end: labels}.items():
        file[place : place + len(part)] = part
    return bytes(file + headers)


def _architecture(machine: str | None) -> Architecture:
    """Return a processor; by default this machine's.

    Raises:
        ValueError: There are no stubs for the processor.
    """
    machine = machine or platform.machine()
    if machine not in ARCHITECTURES:
        msg = f"fakecuda has no driver library for the processor {machine}: use a computer with one of {', '.join(ARCHITECTURES)}"
        raise ValueError(msg)
    return ARCHITECTURES[machine]


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def _hash_table(names: Sequence[str]) -> bytes:
    """Return a System V hash table of the symbols. The first symbol has no name."""
    buckets = [0] * len(names)
    chains = [0] * len(names)
    for index, name in enumerate(names[1:], 1):
        bucket = _hashed(name) % len(buckets)
        chains[index], buckets[bucket] = buckets[bucket], index
    return struct.pack(f"<{2 + 2 * len(names)}I", len(buckets), len(chains), *buckets, *chains)


def _hashed(name: str) -> int:
    """Return the System V hash of a name."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ high >> 24) & ~high
    return value


def _sections(sections: Sequence[tuple[str, int, int, int, int, int, int, int]], at: int) -> tuple[bytes, bytes]:
    """Return the names and headers of the sections.

    Linkers and ``nm`` read them, but the loader does not.
    The address of a section is its offset in the file. The last section has the names and is not loaded.
    """
    names = b"".join(section[0].encode() + b"\0" for section in sections)
    headers = b""
    offset = 0
    for name, kind, flags, place, size, link, info, each in sections:
        loaded = place if place != at or flags else 0
        width = len(names) if place == at and not flags else size
        align = 8 if kind else 0
        headers += struct.pack("<IIQQQQIIQQ", offset, kind, flags, loaded, place, width, link, info, align, each)
        offset += len(name) + 1
    return names, headers
