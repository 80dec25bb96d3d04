"""Sums over 65,536 results of each instruction: a card and the model agree on a part if their sums of the part are equal."""

from __future__ import annotations

import hashlib
import random
from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COUNT, PART = 1 << 16, 1 << 12
"""The results of an instruction, and those of a part."""
DIGITS = 8
"""The hexadecimal digits of a part's sum."""


class Question(NamedTuple):
    """An instruction on operands that are drawn by its text.

    Attributes:
        row: The instruction, as ``instructions.py`` has it.
        sets: The sets of operands at the edges, by name.
    """

    row: Any
    sets: dict[str, list[int]]

    @property
    def name(self) -> str:
        """The text of the instruction."""
        return str(self.row.text)


def questions(rows: Iterable[Any], sets: dict[str, list[int]]) -> list[Question]:
    """Return a question for each instruction that changes no memory."""
    return [Question(row, sets) for row in rows if not row.text.startswith("red")]


def operands(text: str, bits: Sequence[int], names: Sequence[str], sets: dict[str, list[int]]) -> list[Sequence[int]]:
    """Return a column of values for each operand: all values of a single one of 16 bits.

    A quarter of the values are those of the operand's set, a quarter is random, and the others are values of the set whose lower
    half or lower quarter is random.
    """
    if list(bits) == [16]:
        return [range(COUNT)]
    draw = random.Random(text)  # noqa: S311 - no secret
    columns: list[Sequence[int]] = []
    for size, name in zip(bits, names, strict=True):
        some, whole = sets[name], (1 << size) - 1
        masks = [0, whole, (1 << size // 2) - 1, (1 << size // 4) - 1]
        ways, words = draw.randbytes(COUNT), array("Q", draw.randbytes(8 * COUNT))
        picks = array("H", draw.randbytes(2 * COUNT))
        columns.append(
            [
                some[pick % len(some)] & ~mask | word & mask
                for pick, word, mask in zip(picks, words, [masks[way & 3] for way in ways], strict=True)
            ]
        )
    return columns


def digest(results: Iterable[int]) -> str:
    """Return the sum of some results."""
    return digest_of([results])


def digest_of(parts: Iterable[Iterable[int]]) -> str:
    """Return the sum of results that are made part by part."""
    made = hashlib.sha256()
    for one in parts:
        made.update(array("Q", one).tobytes())
    return made.hexdigest()[:DIGITS]


def sums(results: Sequence[int]) -> str:
    """Return the sums of all parts, one after another."""
    return "".join([digest(results[first : first + PART]) for first in range(0, COUNT, PART)])


def answer(card: Any, question: Question) -> str:
    """Return the sums of what a card computes."""
    row = question.row
    return sums(card.column(row, operands(row.text, row.bits, row.sets, question.sets), COUNT))
