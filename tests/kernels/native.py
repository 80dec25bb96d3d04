"""Single instructions as native code, executed on columns of operands."""

from __future__ import annotations

import ctypes
from array import array
from typing import TYPE_CHECKING, Any

from fakecuda.kernels.compiled import engine
from fakecuda.kernels.compiled.lines import Lines
from fakecuda.kernels.compiled.values import compiled_meaning
from fakecuda.kernels.row import CARRY, NotRun, Row, bits_of
from tests.rotation import part

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from fakecuda.kernels.row import Meaning

WORD, OPTIMISED = 8, 10


def native_meaning(text: str, *shapes: int) -> Meaning | None:
    """Return the meaning of an instruction, as ``add.sat.s32``, whose function writes code. None if it is not lowered."""
    name, *modifiers = text.split(".")
    try:
        return compiled_meaning(Row.of(name, tuple(f".{one}" for one in modifiers), shapes or (1, 1)))
    except NotRun:
        return None


def _bits(type_: str) -> int:
    return 1 if type_ == CARRY else bits_of(type_)


def _loop(meaning: Meaning, name: str, declared: set[str], constants: dict[int, int]) -> str:
    """Return a function that computes results for columns of operands: words of 64 bits, one operand after another."""
    o = Lines(declared=declared)
    values = []
    for number, type_ in enumerate(meaning.sources):
        if number in constants:
            values.append(str(constants[number]))
            continue
        at = o(f"mul i64 %count, {number}")
        at = o(f"add i64 {at}, %n")
        place = o(f"getelementptr i64, ptr %in, i64 {at}")
        word = o(f"load i64, ptr {place}, align 8")
        values.append(o.resize(word, 64, _bits(type_)))
    found = meaning.function(o, *values)
    for number, (value, type_) in enumerate(
        zip(found if isinstance(found, tuple) else (found,), meaning.results, strict=True)
    ):
        at = o(f"mul i64 %count, {number}")
        at = o(f"add i64 {at}, %n")
        place = o(f"getelementptr i64, ptr %out, i64 {at}")
        o.do(f"store i64 {o.resize(value, _bits(type_), 64)}, ptr {place}, align 8")
    lines = "\n".join(o.text)
    return f"""
define internal void @{name}.one(ptr %in, ptr %out, i64 %count, i64 %n) noinline {{
{lines}
  ret void
}}

define i64 @{name}(ptr %in, ptr %out, i64 %count, i64 %unused) {{
entry:
  br label %each
each:
  %n = phi i64 [ 0, %entry ], [ %more, %each ]
  call void @{name}.one(ptr %in, ptr %out, i64 %count, i64 %n)
  %more = add i64 %n, 1
  %end = icmp eq i64 %more, %count
  br i1 %end, label %over, label %each
over:
  ret i64 0
}}
"""


class Column:
    """Functions of native code, one for each instruction.

    Args:
        meanings: The instructions by name.
        constants: The values of operands that are constants, by the name of the instruction and the operand's place.
        level: How much LLVM optimises.
    """

    def __init__(
        self,
        meanings: dict[str, Meaning],
        constants: dict[str, dict[int, int]] | None = None,
        level: int = engine.FIRST,
    ) -> None:
        declared: set[str] = set()
        self.names = {text: f"f{number}" for number, text in enumerate(meanings)}
        self.meanings = meanings
        loops = [
            _loop(meaning, self.names[text], declared, (constants or {}).get(text, {}))
            for text, meaning in meanings.items()
        ]
        text = "\n".join([*sorted(declared), *loops])
        self.engine, _ = engine.compiled(text, level)

    def results(self, text: str, operands: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return the columns of results for rows of operands."""
        function = engine.FUNCTION(self.engine.get_function_address(self.names[text]))
        count, wide = len(operands), max(len(self.meanings[text].sources), 1)
        given = (ctypes.c_uint64 * (count * wide))()
        for number in range(wide):
            given[number * count : (number + 1) * count] = [row[number] for row in operands]
        made = len(self.meanings[text].results)
        found = (ctypes.c_uint64 * (count * made))()
        function(ctypes.addressof(given), ctypes.addressof(found), count, 0)
        return [list(found[number * count : (number + 1) * count]) for number in range(made)]

    def array(self, text: str, operands: array[int]) -> array[int]:
        """Return the results of an instruction with one operand."""
        function = engine.FUNCTION(self.engine.get_function_address(self.names[text]))
        found = array("Q", bytes(WORD * len(operands)))
        function(operands.buffer_info()[0], found.buffer_info()[0], len(operands), 0)
        return found


def columns(meanings: dict[str, Meaning], constants: dict[str, dict[int, int]] | None = None) -> list[Column]:
    """Return all instructions as new kernels have them, and some as LLVM optimises them for kernels that have executed much.

    To optimise an instruction takes ten times as long, so a run optimises a tenth, by the commit's number.
    """
    some = dict(part(meanings.items(), OPTIMISED))
    return [Column(meanings, constants), *([Column(some, constants, engine.LAST)] if some else [])]


def replaced(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, old: str, new: str) -> None:
    """Break the text that a function writes, and forget compiled kernels."""
    function = getattr(owner, name)

    def broken(*args: Any, **options: Any) -> str:
        made: str = function(*args, **options)
        if old not in made:
            raise LookupError(old)
        return made.replace(old, new)

    engine.native.cache_clear()
    monkeypatch.setattr(owner, name, broken)
