"""Tiny ELF files and fatbins for the doctor."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from fakecuda.doctor.examine import examine
from fakecuda.model.code.cubin import SECTION, SYMBOL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from fakecuda.doctor.findings import Diagnosis

RUNTIME_TABLE = bytes.fromhex("6bd5fb6c5bf4e74a8987d93912fd9df9")


def library(
    *,
    soname: str = "",
    needed: Sequence[str] = (),
    runpath: str = "",
    wanted: Sequence[str] = (),
    texts: Sequence[str] = (),
    data: bytes = b"",
    sections: Mapping[str, bytes] | None = None,
    program: bool = False,
) -> bytes:
    """Return an ELF file whose addresses are its offsets.

    Args:
        soname: Its name for the dynamic loader.
        needed: The libraries that it needs.
        runpath: Where the loader looks for them.
        wanted: The symbols that it needs.
        texts: Its texts, each between NULs.
        data: More of its read-only data.
        sections: Further sections by name.
        program: Whether it can be started.
    """
    names = [name for name in (soname, *needed, runpath, *wanted) if name]
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in names)

    def at(name: str) -> int:
        return strings.index(b"\0" + name.encode() + b"\0") + 1

    symbols = SYMBOL.pack(0, 0, 0, 0, 0, 0) + b"".join(SYMBOL.pack(at(name), 0x12, 0, 0, 0, 0) for name in wanted)
    rodata = b"\0" + b"".join(text.encode() + b"\0" for text in texts) + data
    tags = [(1, at(name)) for name in needed]
    tags += [(14, at(soname))] if soname else []
    tags += [(29, at(runpath))] if runpath else []
    count = 3 if program else 2
    dynamic_at = 64 + 56 * count
    strings_at = dynamic_at + 16 * (len(tags) + 2)
    dynamic = b"".join(struct.pack("<QQ", *tag) for tag in (*tags, (5, strings_at), (0, 0)))
    parts = [(".dynamic", 6, dynamic, 0), (".dynstr", 3, strings, 0), (".dynsym", 11, symbols, 2)]
    parts += [(".rodata", 1, rodata, 0), *((name, 1, body, 0) for name, body in (sections or {}).items())]
    labels = b"\0" + b"".join(name.encode() + b"\0" for name, *_ in parts) + b".shstrtab\0"
    parts.append((".shstrtab", 3, labels, 0))
    body, rows = b"", [SECTION.pack(*[0] * 10)]
    for name, kind, content, link in parts:
        label = labels.index(b"\0" + name.encode() + b"\0") + 1
        start = dynamic_at + len(body)
        rows.append(SECTION.pack(label, kind, 2, start, start, len(content), link, 0, 1, 0))
        body += content
    end = dynamic_at + len(body)
    programs = [(1, 0, end), (2, dynamic_at, len(dynamic)), *([(3, 0, 0)] if program else [])]
    head = b"\x7fELF\2\1\1".ljust(16, b"\0")
    head += struct.pack("<HHIQQQI", 3, 62, 1, 0, 64, end, 0)
    head += struct.pack("<HHHHHH", 64, 56, count, 64, len(rows), len(rows) - 1)
    head += b"".join(struct.pack("<IIQQQQQQ", kind, 4, at, at, at, size, size, 1) for kind, at, size in programs)
    return head + body + b"".join(rows)


def image(kind: int, arch: int, data: bytes, version: tuple[int, int] = (8, 1), flags: int = 0) -> bytes:
    """Return an image of a fatbin: kind 1 is PTX, 2 a cubin."""
    head = struct.pack("<HHIQII", kind, 0x101, 64, len(data), len(data) if flags else 0, 0)
    return head + struct.pack("<HHI", version[1], version[0], arch) + bytes(8) + struct.pack("<QQQ", flags, 0, 0) + data


def fatbin(*images: bytes) -> bytes:
    """Return a fatbin of images."""
    body = b"".join(images)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def of(folder: Path, name: str, content: bytes | str) -> Diagnosis:
    """Return what the doctor finds in one file."""
    path = folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return examine(str(path))
