"""The layouts of structs in C, in the client's notation: see ``values.c``."""

from __future__ import annotations

import re
from functools import cache
from struct import calcsize

from fakecuda.spec import both
from fakecuda.spec.layouts import CODES, HIDDEN
from fakecuda.spec.sizes import BYTES


def code_of(ctype: str) -> str:
    """Return the code of a number's type; for other types, the code of an address."""
    return CODES.get(ctype) or ("i" if ctype in both.ENUMS else "Q")


@cache
def shape_of(name: str) -> str:
    """Return the shape of a struct or of opaque bytes, padded to its size."""
    if name in BYTES:
        return f"{BYTES[name]}s"
    return _struct(name)[0]


def _struct(name: str) -> tuple[str, int, int]:
    """Return a struct's shape, size and alignment, also for use within another struct."""
    text, at, widest = "(", 0, 1
    for ctype, label in both.STRUCTS[name]:
        part, width, align = _member(ctype, label)
        padding = -at % align
        text += f"{padding}x" * bool(padding) + part
        at, widest = at + padding + width, max(widest, align)
    tail = -at % widest
    return f"{text}{f'{tail}x' * bool(tail)})", at + tail, widest


def _member(ctype: str, label: str) -> tuple[str, int, int]:
    """Return a member's shape, size and alignment."""
    member, _, digits = label.rstrip("]").partition("[")
    hidden, count = HIDDEN.match(member) is not None, int(digits or 1)
    if ctype in BYTES:
        return f"{BYTES[ctype]}s", BYTES[ctype], 1
    if ctype in both.STRUCTS and not digits:
        return _struct(ctype)
    code = code_of(ctype)
    align = calcsize(f"<{code}")
    if hidden:
        return f"{align * count}x", align * count, align
    if digits and ctype == "char":
        return f"{count}{'z' if member == 'name' else 's'}", count, align
    return (f"({code * count})" if digits else code), align * count, align


def spelt(layout: str) -> str:
    """Return the format of a struct with repeated numbers written out."""
    return re.sub(r"(\d+)([iIQ])", lambda found: found[2] * int(found[1]), layout.removeprefix("<"))
