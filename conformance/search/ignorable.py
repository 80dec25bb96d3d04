"""What differs and says nothing: where memory lies, and what outlasts a program in a process that is used again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.compare import Difference
    from conformance.kit.program import Recorder, Step

MAPPING_BASE = ENUMS["CUpointer_attribute"]["CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR"]
HIGH_MARKS = frozenset(
    ENUMS["CUmemPool_attribute"][f"CU_MEMPOOL_ATTR_{name}_MEM_HIGH"] for name in ("RESERVED", "USED")
)
COUNTED = frozenset({"cuCtxGetId", "cuStreamGetId", "cudaStreamGetId"})
"""Calls that return how many contexts or streams came before."""
ACCESS = 1
"""The place of the address of the access descriptors in the parameters of an allocation node; their number comes next."""


def counts(one: Difference, step: Step, model: Recorder, *, fresh: bool) -> bool:
    """Return whether a difference is one.

    Args:
        one: The difference.
        step: The step that differs.
        model: The recorder of the model.
        fresh: Whether no process was used before: one that was has made more contexts and streams, and its pools keep blocks.
    """
    if one.kind == "code":
        return not (_runs_behind(step, model) or _is_the_linker_s(one))
    if _named(one.expected, ".dptr") and _named(one.got, ".dptr") and _is_base(step):
        return False
    if one.call.endswith("GraphMemAllocNodeGetParams") and _is_access_of_none(one):
        return False
    if one.call == "cuGraphAddMemAllocNode" and one.out == "nodeParams" and one.expected[:-1] == one.got[:-1]:
        return False  # a card gives the addresses of an ended graph to the next one, whatever its size
    lasting = one.call in COUNTED or (_named(one.expected, ".block") and _named(one.got, ".block"))
    return fresh or not (lasting or _is_high_mark(step, model))


def _runs_behind(step: Step, model: Recorder) -> bool:
    """Return whether a step unmaps a range that runs on behind its reservation, where a card may have anything."""
    if step["call"] != "cuMemUnmap":
        return False
    start, size = (model.value(data) for data in step["args"])
    found = model.processes[step["process"]].reservations.at(start)
    return found is not None and bool(found.end < start + size)


def _is_the_linker_s(one: Difference) -> bool:
    """Return whether a linker that cannot link its inputs says UNKNOWN, as a card does now and then about the same inputs."""
    return one.call.startswith("cuLink") and (one.expected, one.got) == (Result.UNKNOWN, Result.INVALID_SOURCE)


def _is_base(step: Step) -> bool:
    """Return whether a step asks where the block begins that memory lies in."""
    return bool(step["call"] == "cuPointerGetAttribute" and step["args"][0] == MAPPING_BASE)


def _is_access_of_none(one: Difference) -> bool:
    """Return whether parameters of an allocation node differ only in the address of no descriptors: a driver's own memory."""
    expected, got = list(one.expected), list(one.got)
    if not got[ACCESS + 1]:
        got[ACCESS] = expected[ACCESS]
    return expected == got


def _is_high_mark(step: Step, model: Recorder) -> bool:
    """Return whether a step asks how much of a default pool was ever used."""
    if not step["call"].endswith("MemPoolGetAttribute") or step["args"][1] not in HIGH_MARKS:
        return False
    pool = model.processes[step["process"]].pools.live.get(model.value(step["args"][0]))
    return pool is not None and bool(pool.default)


def _named(result: Any, kind: str) -> bool:
    return isinstance(result, dict) and kind in (result.get("new") or result.get("name") or "")
