"""Findings about threads of a kernel that use the same bytes of shared memory without an order: see docs/kernels.md.

It is not a guard of a call: a kernel breaks it when its PTX runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.finding import Finding
from fakecuda.rules.core import TOGETHER, Rule, undefined
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.code.kernel_run import SharedRace
    from fakecuda.model.code.module import Function

THREADS_ARE_ORDERED = Rule(
    "threads of a block that use the same bytes of shared memory are ordered if one of them writes",
    Result.SUCCESS,
    undefined(
        "cuLaunchKernel",
        "the manual says nothing about it; by the CUDA C++ Programming Guide, threads that use the same shared "
        "memory without a synchronization have data hazards",
    ),
    fix="call __syncthreads() between the two accesses, or __syncwarp() if both threads are of one warp",
)
"""No operation breaks the rule: the kernel does."""
TOGETHER.append(THREADS_ARE_ORDERED)


def facts_of(function: Function, race: SharedRace) -> dict[str, Any]:
    """Return the facts about a race."""
    return {
        "kernel": function.entry.name,
        "block": race.block,
        "memory": race.memory,
        "earlier": race.earlier,
        "later": race.later,
        "missing": race.missing,
    }


def keep(function: Function, race: SharedRace) -> None:
    """Keep a finding about a race in a kernel that a stream has run."""
    process = function.module.context.process
    process.machine.keep(Finding(THREADS_ARE_ORDERED, "cuLaunchKernel", process.name, facts_of(function, race)))
