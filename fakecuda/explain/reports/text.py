"""Text layout: tables, sizes, values."""

from __future__ import annotations

import os
import shutil
import textwrap
import threading
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GAP = "  "
RIGHT = ">"
"""The prefix of the title of a right-aligned column."""
NARROWEST = 8
LONG = 10_000
SMALL = 0xFFFF
"""The largest int that is shown in decimal."""
LARGEST_SIZE = 1 << 40
"""The largest int that counts as a size."""
UNITS = tuple((unit, 1 << 10 * power) for power, unit in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")))
FEW_BYTES = 8


def columns() -> int:
    """Return the width of the terminal in columns."""
    return shutil.get_terminal_size().columns


def table(head: Sequence[str], rows: Iterable[Sequence[str] | str], width: int | None = None) -> str:
    """Return an aligned table that fits the terminal.

    Args:
        head: The columns' titles; a column whose title begins with ``>`` is justified to the right.
        rows: Cells by row, which may have several lines; a plain string is a line of its own.
        width: Columns of text at the most; the terminal's by default.
    """
    width = width or columns()
    justify = [str.rjust if title.startswith(RIGHT) else str.ljust for title in head]
    body = [[title.removeprefix(RIGHT) for title in head], *rows]
    lines = [[cell.split("\n") for cell in row] for row in body if not isinstance(row, str)]
    widths = [max(len(line) for row in lines for line in row[column]) for column in range(len(head))]
    while sum(widths) + len(GAP) * (len(widths) - 1) > width and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
    text = []
    for row in body:
        if isinstance(row, str):
            text.append(row)
            continue
        cells = [
            [part for line in cell.split("\n") for part in wrapped(line, size, whole=False)]
            for cell, size in zip(row, widths, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue=""):
            placed = (put(part, size) for put, part, size in zip(justify, parts, widths, strict=True))
            text.append(GAP.join(placed).rstrip())
    return "\n".join(text)


def wrapped(line: str, width: int, indent: str | None = None, *, whole: bool = True) -> list[str]:
    """Wrap a line to a width, with ``indent`` for following lines.

    A word that is longer, as an id or a path may be, stays ``whole``, but in the cells of a table.
    """
    if indent is None:
        indent = line[: len(line) - len(line.lstrip())]
    fits = max(width, len(indent) + 1)
    return textwrap.wrap(line, fits, subsequent_indent=indent, break_on_hyphens=False, break_long_words=not whole) or [
        ""
    ]


def times(count: int) -> str:
    """Return a count in words, such as once or twice."""
    return "once" if count == 1 else f"{count} times"


def size(count: int) -> str:
    """Return a size as text in the largest exact unit, or rounded."""
    for unit, many in reversed(UNITS):
        if count >= many and count % many == 0 and count // many < LONG:
            return f"{count // many} {unit}"
    unit, many = next(((unit, many) for unit, many in reversed(UNITS) if count >= many), UNITS[0])
    return f"~{count / many:.1f} {unit}" if count else "0"


def exactly(count: int) -> str:
    """Return a size as text in the largest exact unit, or in bytes."""
    unit, many = next(((unit, many) for unit, many in reversed(UNITS) if count and count % many == 0), UNITS[0])
    return str(count) if many == 1 else f"{count // many} {unit}"


def shown(value: Any) -> str:
    """Return a value as text: hexadecimal addresses, sizes with units."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "yes" if value else "no"
        case int() if value > SMALL:
            return f"{value:#x} ({size(value)})" if value < LARGEST_SIZE else hex(value)
        case bytes() if len(value) > FEW_BYTES:
            return f"{value[:FEW_BYTES].hex()}…"
        case frozenset() | set():
            return ", ".join(sorted(map(shown, value)))
        case list():
            return ", ".join(map(shown, value))
        case tuple():
            names = getattr(value, "_fields", ())
            return ", ".join(f"{name} {shown(one)}".lstrip() for name, one in zip_longest(names, value, fillvalue=""))
        case dict():
            return ", ".join(
                shown(key) + (f": {shown(item)}" if item is not None else "") for key, item in value.items()
            )
    return str(value)


def caller(process: str, thread: str) -> str:
    """Return a calling thread as text."""
    return f"{process}/{thread_name(thread)}"


def thread_name(name: str) -> str:
    """Return a thread's name as text: ``main`` for the interpreter's main thread."""
    # In a forked child Python keeps the number of the parent's main thread. Linux numbers a main thread as its process.
    return "main" if name in {str(threading.main_thread().native_id), str(os.getpid())} else name
