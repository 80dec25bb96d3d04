"""Sums over the results of approximate functions for all fractions of an exponent, from which the pieces were derived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from conformance.record.sums import COUNT, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator

FRACTIONS = 1 << 23
"""The operands of an exponent."""
EXPONENTS = {
    "rcp.approx.ftz.f32": [127],
    "rsqrt.approx.ftz.f32": [127, 128],
    "sqrt.approx.ftz.f32": [127, 128],
    "ex2.approx.ftz.f32": [126, 127, 256 + 126],
    "lg2.approx.ftz.f32": [126, 127, 130],
    "sin.approx.ftz.f32": [126, 127, 128, 129],
    "cos.approx.ftz.f32": [126, 127, 129],
    "tanh.approx.f32": [*range(116, 131)],
}
"""The exponents of each function; those of negative operands with 256 more."""


class Question(NamedTuple):
    """An instruction on all operands of an exponent.

    Attributes:
        row: The instruction, as ``instructions.py`` has it.
        first: The first operand.
    """

    row: Any
    first: int

    @property
    def name(self) -> str:
        """The text of the instruction, and the first operand."""
        return f"{self.row.text} {self.first:08x}"


def questions(rows: dict[str, Any]) -> list[Question]:
    """Return a question for each exponent, with the rows of their instructions."""
    return [Question(rows[text], one << 23) for text, exponents in EXPONENTS.items() for one in exponents]


def parts(first: int) -> Iterator[range]:
    """Return the operands of an exponent in parts."""
    return (range(start, start + COUNT) for start in range(first, first + FRACTIONS, COUNT))


def answer(card: Any, question: Question) -> str:
    """Return the sum of what a card computes."""
    return digest_of(card.column(question.row, [part], len(part)) for part in parts(question.first))
