"""The functions that the driver library exports, in all versions."""

from __future__ import annotations

import json
from functools import cache
from typing import NamedTuple

from fakecuda.spec.description import HERE


class Symbol(NamedTuple):
    """A function that the driver library exports.

    Attributes:
        name: The symbol, ``cuMemAlloc_v2``.
        base: The function's name in the manual, ``cuMemAlloc``.
        version: The CUDA version that brought it, 1000 * major + 10 * minor.
        stream: ``ptds`` or ``ptsz`` for a per-thread-default-stream variant, else empty.
        args: The kinds of its arguments: the keys of :data:`fakecuda.reach.native.library.INTEGERS`, ``S64`` and ``S8`` for
            structs by value. A per-thread variant takes what its like takes.
    """

    name: str
    base: str
    version: int
    stream: str
    args: tuple[str, ...]


@cache
def symbols() -> tuple[Symbol, ...]:
    """Return the functions of the driver library, in table order."""
    rows = json.loads((HERE / "symbols.json").read_text(encoding="utf-8"))
    taken = {r["symbol"]: tuple(r["args"]) for r in rows}
    return tuple(
        Symbol(r["symbol"], r["base"], r["version"], r["stream"], taken[r["symbol"].removesuffix(f"_{r['stream']}")])
        for r in rows
    )
