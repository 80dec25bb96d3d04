"""Differences to ignore: addresses, and what outlives a program in its process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.kit.kinds import ADDRESSES
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.compare import Difference
    from conformance.kit.names import Names
    from conformance.kit.program import Recorder, Step

MAPPING_BASE = ENUMS["CUpointer_attribute"]["CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR"]
HIGH_MARKS = frozenset(
    ENUMS["CUmemPool_attribute"][f"CU_MEMPOOL_ATTR_{name}_MEM_HIGH"] for name in ("RESERVED", "USED")
)
COUNTED = frozenset({"cuCtxGetId", "cuStreamGetId", "cudaStreamGetId"})
"""Calls that return the number of earlier contexts or streams."""
ACCESS = 1
"""The index of the access descriptors' address in allocation node parameters."""


def counts(one: Difference, step: Step, model: Recorder, *, fresh: bool) -> bool:
    """Return whether a difference counts.

    Args:
        one: The difference.
        step: The step that differs.
        model: The recorder of the model.
        fresh: Whether no process was used before: one that was has made more contexts and streams, and its pools keep blocks.
    """
    if one.kind == "code":
        return not (_runs_behind(step, model) or _is_the_linker_s(one) or _is_beyond(step.get("args"), model.names))
    if _named(one.expected, ".dptr") and _named(one.got, ".dptr") and _is_base(step):
        return False
    if one.call.endswith("GraphMemAllocNodeGetParams") and _is_access_of_none(one):
        return False
    if one.call == "cuGraphAddMemAllocNode" and one.out == "nodeParams" and one.expected[:-1] == one.got[:-1]:
        return False  # a card gives the addresses of an ended graph to the next one, whatever its size
    lasting = one.call in COUNTED or (_named(one.expected, ".block") and _named(one.got, ".block"))
    return fresh or not (lasting or _is_high_mark(step, model))


def _runs_behind(step: Step, model: Recorder) -> bool:
    """Return whether a step unmaps a range beyond its reservation."""
    if step["call"] != "cuMemUnmap":
        return False
    start, size = (model.value(data) for data in step["args"])
    found = model.processes[step["process"]].reservations.at(start)
    return found is not None and bool(found.end < start + size)


def _is_beyond(data: Any, names: Names) -> bool:
    """Return whether arguments have an address outside of the memory that it is named by.

    A card has other memory there than the model.
    """
    if isinstance(data, list):
        return any(_is_beyond(one, names) for one in data)
    if not isinstance(data, dict) or "ref" not in data:
        return isinstance(data, dict) and any(_is_beyond(one, names) for one in data.values())
    name, plus = names.by_text[data["ref"]], data.get("plus", 0)
    return name.kind in ADDRESSES and bool(name.size) and not 0 <= plus <= name.size


def _is_the_linker_s(one: Difference) -> bool:
    """Return whether a linker fails with UNKNOWN, as a card sometimes does."""
    return one.call.startswith("cuLink") and (one.expected, one.got) == (Result.UNKNOWN, Result.INVALID_SOURCE)


def _is_base(step: Step) -> bool:
    """Return whether a step queries the base address of memory."""
    return bool(step["call"] == "cuPointerGetAttribute" and step["args"][0] == MAPPING_BASE)


def _is_access_of_none(one: Difference) -> bool:
    """Return whether allocation nodes differ only in the address of 0 descriptors."""
    expected, got = list(one.expected), list(one.got)
    if not got[ACCESS + 1]:
        got[ACCESS] = expected[ACCESS]
    return expected == got


def _is_high_mark(step: Step, model: Recorder) -> bool:
    """Return whether a step queries the high-water mark of a default pool."""
    if not step["call"].endswith("MemPoolGetAttribute") or step["args"][1] not in HIGH_MARKS:
        return False
    pool = model.processes[step["process"]].pools.live.get(model.value(step["args"][0]))
    return pool is not None and bool(pool.default)


def _named(result: Any, kind: str) -> bool:
    return isinstance(result, dict) and kind in (result.get("new") or result.get("name") or "")
