"""Registrations of a program with the runtime library, in frames.

A process sends all of it before its next call once something has changed. A note has one part of it: whether the part is
the first one, and rows ``(kind, image's number, its address, that of what it was linked from, host address, name)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.code.program import Binary, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.code.program import Program

FUNCTION, VARIABLE = 0, 1
"""The kinds of rows."""
ROWS = 1000
"""The maximum number of rows of a note."""
SHAPE = (int, int, int, int, int, bytes)


def fits(value: Any) -> bool:
    """Return whether a value is a part of a program's registrations."""
    if type(value) is not tuple or len(value) != 2 or type(value[0]) is not int or type(value[1]) is not tuple:  # noqa: PLR2004 - see above
        return False
    return all(
        type(row) is tuple and tuple(map(type, row)) == SHAPE and all(0 <= one < 1 << 64 for one in row[:-1])
        for row in value[1]
    )


def keep(program: Program, binaries: dict[int, Binary], value: tuple[int, tuple[Any, ...]]) -> None:
    """Add a part to a process's registrations.

    Args:
        program: What it has registered. The first part replaces all.
        binaries: Its images by number. An image stays the same, so that its code is loaded once.
        value: The part.
    """
    first, rows = value
    if first:
        program.functions.clear()
        program.variables.clear()
    for kind, number, address, others, host, name in rows:
        binary = binaries.setdefault(number, Binary(number, address, others=others))
        symbol = Symbol(binary, name.decode(errors="replace"))
        (program.variables if kind == VARIABLE else program.functions)[host] = symbol


def parts(program: Program) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield the parts of a program's registrations."""
    rows = [
        (kind, symbol.binary.number, symbol.binary.address, symbol.binary.others, host, symbol.name.encode())
        for kind, table in ((FUNCTION, program.functions), (VARIABLE, program.variables))
        for host, symbol in table.copy().items()
    ]
    for at in range(0, max(len(rows), 1), ROWS):
        yield int(not at), tuple(rows[at : at + ROWS])
