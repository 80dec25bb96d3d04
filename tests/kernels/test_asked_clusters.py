"""What a card is asked about clusters and bulk copies: the words by the manual, from both engines, and those of the card."""

from __future__ import annotations

from collections import Counter

import pytest

import fakecuda
from conformance.record import instructions
from fakecuda.kernels import grid

from .test_asynchronous import BYTES
from .test_card_values import RECORDED
from .world import Bench

THREADS, WORDS = instructions.THREADS, instructions.WORDS // 2
EACH = range(THREADS)
BINS = Counter(one * one & 127 for one in range(2 * THREADS))
SUMS = sum(EACH), sum(range(THREADS, 2 * THREADS))
REGISTERS = [(0, 1, rank, 0, 2, 1, 1, rank, 2, 1) for rank in range(2)]
ADDRESSES = [(1, rank, 1 - rank, 1 - rank, 1, 1, 0, 1, 1, 0, 0, 1) for rank in range(2)]
PROGRAMS: dict[str, list[list[int]]] = {
    "cluster_registers": [list(one) for one in REGISTERS],
    "cluster_addresses": [list(one) for one in ADDRESSES],
    "cluster_exchange": [
        [100000 * (1000 * rank + one) + 30000 + 1000 * rank + one & 0xFFFFFFFF for one in EACH] for rank in range(2)
    ],
    "cluster_histogram": [[BINS[THREADS * rank + one] for one in EACH] for rank in range(2)],
    "cluster_reduction": [[10000 * SUMS[1 - rank] + SUMS[rank]] * THREADS for rank in range(2)],
    "cluster_ended": [[0] * 40 + [7] * 24] * 2,
    "cluster_mbarrier": [[5] * THREADS] * 2,
    "bulk_load": [(BYTES * 2)[:THREADS], (BYTES * 2)[THREADS : 2 * THREADS]],
    "bulk_phases": [[0, BYTES[0], 0, BYTES[4], BYTES[8], BYTES[4]]] * 2,
    "bulk_store": [[*(1000 * rank + one for one in range(48)), *[0] * 12, 1000 * rank + 1] for rank in range(2)],
    "bulk_unwaited": [[1000 * rank + one for one in range(8)] for rank in range(2)],
    "bulk_cluster": [[1000 * (1 - rank) + one for one in EACH] for rank in range(2)],
    "bulk_multicast": [BYTES[:16] * 4] * 2,
    "bulk_reduce": [
        [
            *[6, 8, 1, 0, 0xFFFFFFFF, 0xFFFFFFFE, 3, 4, 2, 0, 0, 1, 0, 5, 5, 4, 2, 4, 1, 0],
            *[0x40600000, 0x00400000, 0x40400000, 0x80000000, 0x00024300, 0x40000001, 0x7C000002, 0x80000000],
            *[0x00024060, 0x40000001, 2, 0, 5, 0, 0, 0x80000000],
        ],
        [],
    ],
    "bulk_reduce_far": [[1000 * rank + 2 * one for one in EACH] for rank in range(2)],
}
"""The first words that each block writes by the manual; all others are 0."""
FAULTS = {
    "bulk_nowhere": 700,
    "bulk_store_nowhere": 700,
    "cluster_beyond": 700,
    "cluster_rank_beyond": 719,
    "cluster_misaligned": 716,
    "cluster_by_cta": 715,
    "bulk_misaligned_target": 716,
    "bulk_misaligned_source": 716,
    "bulk_misaligned_store": 716,
    "bulk_misaligned_barrier": 716,
}
UNDEFINED = {
    "bulk_size": "which is no multiple of 16",
    "bulk_beyond_shared": "beyond the shared memory",
    "bulk_own": "of its own block",
    "cluster_gone": "which has ended",
}
"""Kernels with behaviour that the manual leaves undefined or open."""
OPEN = {"cluster_layout"}
"""Kernels whose results the manual leaves open."""
REFERENCE = {"bulk_multicast", "bulk_reduce", "bulk_reduce_far"}
"""Kernels that native code does not support."""


def flat(blocks: list[list[int]]) -> list[int]:
    """Return the lower words that blocks write."""
    return [word for block in blocks for word in block + [0] * (THREADS - len(block))]


def run(name: str) -> tuple[list[int], int]:
    """Return the words of a kernel, and the context's code."""
    with Bench(instructions.CLUSTERS.read_bytes(), strict=False) as bench:
        memory = bench.memory(instructions.given_bytes())
        assert bench.launch(name, memory, grid=(2, 1, 1), block=(THREADS, 1, 1)) == 0
        code = bench.sync()
        assert bench.twins.refused == (name in REFERENCE) or not bench.twins.compared
        return [] if code else bench.values(memory, "c_uint32", WORDS), code


@pytest.mark.parametrize("turn", [7, grid.TURN])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both engines write the words of the manual, wherever turns end."""
    monkeypatch.setattr(grid, "TURN", turn)
    assert run(name) == (flat(PROGRAMS[name]), 0)


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str) -> None:
    """They fail the context."""
    assert run(name) == ([], FAULTS[name])


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_is_undefined(name: str) -> None:
    """It raises."""
    with pytest.raises(fakecuda.KernelError, match=UNDEFINED[name]):
        run(name)


def test_each_kernel_has_an_answer() -> None:
    """None is asked twice, and what a card has answered is what both engines do."""
    names = [one.split("(")[0] for one in instructions.CLUSTERS.read_text().split(".entry ")[1:]]
    assert sorted(names) == sorted([*PROGRAMS, *FAULTS, *UNDEFINED, *OPEN])
    wanted = {name: "".join(f"{word:08x}" for word in flat(blocks)) for name, blocks in PROGRAMS.items()}
    wanted |= {name: f"cuCtxSynchronize: {code}" for name, code in FAULTS.items()}
    recorded = {name: RECORDED["kernels"][name] for name in wanted if name in RECORDED["kernels"]}
    assert recorded == {name: wanted[name] for name in recorded}
    assert all(run(name)[1] == 0 for name in OPEN)
