"""How findings tell of a call: by the names of its arguments, and by the lines that made it."""

from __future__ import annotations

import sysconfig
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.model.history import lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fakecuda.api.description import Param
    from fakecuda.model.history import Stack
    from fakecuda.rules.dispatch import Op

SMALL = 0xFFFF
"""The largest number that is told in decimal digits; addresses and handles lie above it."""
FEW = 8
"""Bytes of a handle that are told."""
BENEATH = 3
"""Lines of a library beneath the user's that are told."""
FOLDED = ("_pytest", "pluggy", "fakecuda", "cuda/bindings", "hypothesis")
"""Packages whose lines say nothing of the bug."""


def called(op: Op, args: tuple[Any, ...]) -> str:
    """Return a call as text, each argument with its name, enums by theirs.

    Args:
        op: The operation.
        args: Its arguments, plain values.
    """
    described = op.api.calls.get(op.name)  # a test's own operation is not
    inputs: tuple[Param, ...] = described.inputs if described else ()
    enums: Mapping[str, Mapping[str, int]] = op.api.description.ENUMS
    told = [
        f"{param.name}={_told(value, enums.get(param.type, {}))}"
        for param, value in zip(inputs, args, strict=False)  # a call may be told before it has its arguments
    ]
    return f"{op.name}({', '.join(told)})"


def _told(value: Any, enum: Mapping[str, int]) -> str:  # noqa: ANN401 - a plain value
    if value is None:
        return "null"
    if isinstance(value, int):
        named = next((name for name, number in enum.items() if number == value), "")
        return named or (hex(value) if value > SMALL else str(value))
    if isinstance(value, bytes):
        return value[:FEW].hex() + "…" * (len(value) > FEW)
    if isinstance(value, tuple):
        return f"({', '.join(_told(one, {}) for one in value)})"
    return str(value)


def places(stack: Stack) -> list[str]:
    """Return the user's line that made a call, then the lines of libraries beneath it, the nearest ones first.

    Where no line is the user's, the innermost ones are told.
    """
    told = [(code.co_filename, line) for (code, line) in zip(stack[::2], lines(stack), strict=False)]
    kept = [(file, line) for file, line in told if not _is_folded(file)]
    own = next((number for number, (file, _) in enumerate(kept) if not _is_library(file)), None)
    if own is None:
        return [line for _, line in kept[: 1 + BENEATH]]
    return [line for _, line in (kept[own], *kept[max(own - BENEATH, 0) : own][::-1])]


@cache
def _is_folded(file: str) -> bool:
    """Return whether a file is of a package that is folded."""
    return any(f"/{name}/" in file and _is_library(file) for name in FOLDED) or file.startswith("<")


@cache
def _is_library(file: str) -> bool:
    """Return whether a file is of an installed package, or of Python."""
    return any(file.startswith(place) for place in _libraries())


@cache
def _libraries() -> tuple[str, ...]:
    """Return the folders of Python's own modules and of installed packages."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple(
        {f"{Path(sysconfig.get_path(name)).resolve()}/" for name in names}
        | {f"{Path(sysconfig.get_path(name))}/" for name in names}
    )
