"""Drawn kernels by both engines: bytes, uses of memory, faults, errors and counts of instructions are the same."""

from __future__ import annotations

import pytest

from tests.rotation import part

from . import drawn_straight
from .drawn import compared

pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")


@pytest.mark.parametrize("seed", part(range(400), 25))
def test_drawn_kernels(seed: int) -> None:
    """``python -m tests.kernels.drawn 0 100000`` compares more of them."""
    assert compared(seed).compared == 1


@pytest.mark.parametrize("seed", part(range(600), 40))
def test_drawn_kernels_of_even_threads(seed: int) -> None:
    """``python -m tests.kernels.drawn_straight 0 10000`` compares more of them."""
    drawn_straight.compared(seed)
