"""Kernels of clusters and bulk copies that nvcc 13.0 made of ``programs/cooperating.cu``, against Python."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .world import Bench

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = Path(__file__).parent / "programs" / "cooperating.ptx"
NUMBER = ctypes.c_uint32


@pytest.fixture
def bench() -> Iterator[Bench]:
    """Yield a process that has loaded the kernels, which native code runs."""
    with Bench(TEXT.read_bytes()) as made:
        yield made
        assert made.twins.refused == 0 or not made.twins.compared


def test_counts_in_all_blocks(bench: Bench) -> None:
    """Clusters of four blocks, a compiled size."""
    draw = random.Random(5)  # noqa: S311 - no secret
    values = [draw.randrange(1000) for _ in range(300)]
    bins, given = bench.array("c_uint32", *[0] * 64), bench.array("c_uint32", *values)
    assert bench.launch("spread", bins, given, NUMBER(len(values)), grid=(8, 1, 1), block=(32, 1, 1)) == 0
    assert bench.values(bins, "c_uint32", 64) == [sum(one % 64 == bin_ for one in values) for bin_ in range(64)]


@pytest.mark.parametrize("blocks", [1, 2, 3, 6])
def test_sums_of_clusters(bench: Bench, blocks: int) -> None:
    """Of a size that the launch chooses."""
    sums, given = bench.array("c_float", *[0.0] * 6), bench.array("c_float", *range(192))
    assert bench.launch("summed", sums, given, grid=(6, 1, 1), block=(32, 1, 1), cluster=(blocks, 1, 1)) == 0
    each = 32 * blocks
    wanted = [sum(range(each * one, each * one + each)) for one in range(6 // blocks)]
    assert bench.values(sums, "c_float", 6) == wanted + [0.0] * (6 - len(wanted))


def test_a_pipeline(bench: Bench) -> None:
    """Two stages, loaded and stored by one thread."""
    to, given = bench.array("c_uint32", *[0] * 320), bench.array("c_uint32", *range(320))
    assert bench.launch("doubled", to, given, NUMBER(5), block=(32, 1, 1)) == 0
    assert bench.values(to, "c_uint32", 320) == [2 * one for one in range(320)]
