"""The functions that read and make structs of a look-alike."""

from __future__ import annotations

import re
from struct import calcsize
from typing import TYPE_CHECKING

from fakecuda.spec.layouts import HIDDEN
from fakecuda.spec.sizes import BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.codegen.conventions import Conventions

CODES = {
    "float": "f",
    "int": "i",
    "unsigned int": "I",
    "unsigned char": "B",
    "unsigned short": "H",
    "size_t": "Q",
    "unsigned long long": "Q",
    "long": "q",
}


def layout(c: Conventions, kind: str) -> Iterator[str]:
    """Yield the formats of a struct's members in C order, with nested structs inline.

    The format of a hidden member is put before the next member, even if that belongs to the outer struct.
    """
    gap = ""
    for ctype, label in c.described.structs[kind]:
        if _hidden(label):
            gap += _bytes(ctype, label)
            continue
        codes = list(_codes(c, ctype, label))
        if codes:
            yield gap + codes[0]
            yield from codes[1:]
            gap = ""
        gap += _tail(c, ctype)  # the whole struct, if all its members are hidden


def _bytes(ctype: str, label: str) -> str:
    """Return the format of a hidden member."""
    return f"{_length(label) * calcsize(CODES.get(ctype, 'Q'))}x"


def _tail(c: Conventions, kind: str) -> str:
    """Return the format of the hidden members at the end of a struct.

    The result is empty for other types.
    """
    tail = ""
    for ctype, label in reversed(c.described.structs.get(kind, ()) if kind not in BYTES else ()):
        if not _hidden(label):
            return _tail(c, ctype) + tail
        tail = _bytes(ctype, label) + tail
    return tail


def _codes(c: Conventions, ctype: str, label: str) -> Iterator[str]:
    """Yield the formats of a member."""
    if ctype in c.described.structs and ctype not in BYTES:
        yield from layout(c, ctype)
    elif ctype in BYTES or ctype == "char":
        yield f"{BYTES.get(ctype) or _length(label)}s"
    else:
        yield from [CODES.get(ctype) or ("i" if ctype in c.described.enums else "Q")] * _length(label)


def nested(c: Conventions, kind: str, names: Iterator[str]) -> str:
    """Return the expression for a struct's plain value, from the names of its members."""
    parts = []
    for ctype, label in c.described.structs[kind]:
        if ctype in c.described.structs and ctype not in BYTES:
            parts.append(nested(c, ctype, names))
        elif ctype != "char" and "[" in label and not _hidden(label):
            parts.append(f"({', '.join(next(names) for _ in range(_length(label)))})")
        elif not _hidden(label):
            parts.append(next(names))
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def _hidden(label: str) -> bool:
    """Return whether a member is hidden: it takes part only in the layout."""
    return bool(HIDDEN.match(label.partition("[")[0]))


def _length(label: str) -> int:
    """Return the number of a member's values."""
    return int(label.partition("[")[2].rstrip("]") or 1)


def functions(c: Conventions, kind: str, methods: str) -> Iterator[str]:
    """Yield the functions that read or make a struct, if the methods use them."""
    if kind in c.packed:
        yield f"_{kind}_plain = _{c.packed[kind]}"
        return
    parts = [f"{BYTES[kind]}s"] if kind in BYTES else list(layout(c, kind))
    codes = "".join(parts)
    plain = "(m0,)" if kind in BYTES else nested(c, kind, iter([f"m{i}" for i in range(len(parts))]))
    flat = ", ".join(re.findall(r"m\d+", plain)) or "()"
    yield f'_{kind}_layout = Struct("@{codes}")'
    whole = "m0" if kind in BYTES else plain
    if f"_{kind}_plain(" in methods or f"_{kind}_plain)" in methods:
        yield f"""

def _{kind}_plain(item: Any) -> Any:
    {plain if len(parts) == 1 else flat} = _{kind}_layout.unpack_from(MEMORY, item.getPtr())
    return {whole}

"""
    if f"_{kind}_told(" in methods:
        yield f"""

def _{kind}_told(item: Any, plain: Any) -> None:
    {whole} = plain
    _{kind}_layout.pack_into(MEMORY, item.getPtr(), {flat})

"""
    if f"_{kind}_made(" in methods:
        yield f"""

def _{kind}_made(plain: Any) -> Any:
    {whole} = plain
    item = {kind}()
    _{kind}_layout.pack_into(MEMORY, item.getPtr(), {flat})
    return item

"""
