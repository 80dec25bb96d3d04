"""Drawn kernels by both engines: bytes, uses of memory, faults, errors and counts of instructions are the same."""

from __future__ import annotations

import os
import re
import signal

import pytest

from fakecuda.kernels.compiled import body, ends, logic
from fakecuda.kernels.lower import ARITHMETIC
from tests.rotation import part

from . import drawn_straight
from .children import wrong
from .drawn import Drawn, compared

pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")
INSTRUCTION = re.compile(r"(?:^|[;{}:])\s*(?:@!?%\w+\s+)?([a-z]\w*)(?=[.; ])", re.MULTILINE)
"""The name of an instruction of PTX."""


@pytest.mark.parametrize("seed", part(range(400), 25))
def test_drawn_kernels(seed: int) -> None:
    """``python -m tests.kernels.drawn 0 100000`` compares more of them."""
    assert compared(seed).compared


@pytest.mark.parametrize("seed", part(range(600), 40))
def test_drawn_kernels_of_even_threads(seed: int) -> None:
    """``python -m tests.kernels.drawn_straight 0 10000`` compares more of them."""
    drawn_straight.compared(seed)


def test_a_kernel_that_ends_its_process() -> None:
    """A child runs it, and the kernels after it are judged all the same."""

    def judge(seed: int) -> str:
        if seed == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        assert seed != 7, "of an assertion"
        return "slow" if seed == 9 else ""

    killed, differing, slow = wrong(range(12), judge)
    assert killed == "seed 5: its process ended with status 9"
    assert differing.startswith("seed 7: Traceback")
    assert "AssertionError: of an assertion" in differing
    assert slow == "seed 9: slow"


def test_each_instruction_is_drawn() -> None:
    """Kernels have all names that native code knows."""
    left = {*body.OPS, *ends.ENDS, *logic.MEANINGS, *ARITHMETIC}
    for seed in range(2000):
        if left:
            left -= {*INSTRUCTION.findall(Drawn(seed, faults=bool(seed % 2)).text)}
    assert left == set()
