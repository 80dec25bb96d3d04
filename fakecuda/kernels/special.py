"""Special registers: section 10 of the PTX ISA manual."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.kernels.spaces import WINDOWS

if TYPE_CHECKING:
    from collections.abc import Callable

WORD = 0xFFFFFFFF
AXES = ("x", "y", "z")
RANK_REGISTER, EXPLICIT = "%cluster_ctarank", "%is_explicit_cluster"
"""The rank of a block in its cluster, and the only register that is a predicate."""
FIXED: dict[str, Callable[[Any], int]] = {
    "%laneid": lambda lane: lane.lane,
    "%warpid": lambda lane: lane.warp,
    "%nwarpid": lambda lane: len(lane.block.masks),
    "%smid": lambda lane: lane.block.grid.number_of(lane.block.index) % lane.block.grid.multiprocessors,
    "%nsmid": lambda lane: lane.block.grid.multiprocessors,
    "%lanemask_eq": lambda lane: 1 << lane.lane,
    "%lanemask_le": lambda lane: (2 << lane.lane) - 1,
    "%lanemask_lt": lambda lane: (1 << lane.lane) - 1,
    "%lanemask_ge": lambda lane: WORD & -1 << lane.lane,
    "%lanemask_gt": lambda lane: WORD & -2 << lane.lane,
    "%dynamic_smem_size": lambda lane: lane.block.grid.dynamic,
    "%total_smem_size": lambda lane: lane.block.grid.shared,
    RANK_REGISTER: lambda lane: lane.block.rank,
    "%cluster_nctarank": lambda lane: lane.block.grid.many,
    EXPLICIT: lambda lane: int(lane.block.grid.explicit),
}
"""Registers with a constant value, with a function of the thread's lane."""


def _workspace(lane: Any, bit: int) -> int:
    """Return half of the workspace address for grid synchronization."""
    return WINDOWS["workspace"] >> bit & WORD if lane.block.grid.cooperative else 0


def _axis(number: int) -> dict[str, Callable[[Any], int]]:
    """Return the registers of a dimension."""
    axis = AXES[number]
    return {
        f"%tid.{axis}": lambda lane: lane.place[number],
        f"%ntid.{axis}": lambda lane: lane.block.grid.block[number],
        f"%ctaid.{axis}": lambda lane: lane.block.index[number],
        f"%nctaid.{axis}": lambda lane: lane.block.grid.size[number],
        f"%clusterid.{axis}": lambda lane: lane.block.index[number] // lane.block.grid.cluster[number],
        f"%nclusterid.{axis}": lambda lane: lane.block.grid.size[number] // lane.block.grid.cluster[number],
        f"%cluster_ctaid.{axis}": lambda lane: lane.block.index[number] % lane.block.grid.cluster[number],
        f"%cluster_nctaid.{axis}": lambda lane: lane.block.grid.cluster[number],
    }


for _number in range(len(AXES)):
    FIXED |= _axis(_number)
WORKSPACE = {"%envreg1": 32, "%envreg2": 0}
"""Registers with the workspace address of a cooperative launch, by lowest bit."""
for _name, _bit in WORKSPACE.items():
    FIXED[_name] = partial(_workspace, bit=_bit)
CHANGING = {"%clock": 0, "%clock64": 0, "%clock_hi": 32, "%globaltimer": 0, "%globaltimer_lo": 0, "%globaltimer_hi": 32}
"""Registers that count time (executed instructions), by lowest bit."""
NARROW = frozenset({"%clock", "%clock_hi", "%globaltimer_lo", "%globaltimer_hi"})


def read(target: int, name: str) -> Callable[[list[Any]], None]:
    """Return a function of slots that reads a changing register."""
    shift, mask = CHANGING[name], WORD if name in NARROW else (1 << 64) - 1

    def act(slots: list[Any]) -> None:
        slots[target] = slots[0].lane.block.grid.time() >> shift & mask

    return act
