"""Rotating samples of long loops: the commit number selects a part of each."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from conformance.runner.sampling import draw

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")
ROOT = Path(__file__).parents[1]
whole = False
"""Whether ``--long`` was given, so that a run takes all items."""


def part(items: Iterable[T], parts: int, number: int | None = None) -> list[T]:
    """Return each so many-th item, or all with ``--long``. As many commits in a row take all of them.

    Args:
        items: The items, in an order that does not change from run to run.
        parts: How many parts there are.
        number: Which part, counted beyond their number; None for the commit's number.
    """
    if whole and number is None:
        return list(items)
    return list(items)[(_commit() if number is None else number) % parts :: parts]


@cache
def _commit() -> int:
    return draw(ROOT).number
