"""Graph nodes that copy to and from variables of compiled programs.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import PAGE, graph, node
from conformance.cases.runtime.fixtures_of_programs import (
    MANAGED,
    TABLE,
)
from conformance.cases.runtime.test_graph import current, executable, launches
from conformance.cases.runtime.test_symbol import DEFAULT, HOST, TO_DEVICE, TO_HOST, refuse_symbol
from conformance.kit.case import Entry, suite
from fakecuda.spec.both import CALLS

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

TO, FROM = "cudaGraphAddMemcpyNodeToSymbol", "cudaGraphAddMemcpyNodeFromSymbol"
GIVEN = {"graph": "GRAPH_IS_GIVEN", "node": "NODE_IS_GIVEN", "hGraphExec": "EXECUTABLE_IS_GIVEN"}
"""Rules that a null handle breaks."""


def copy(call: str, a: Process, count: int = 16) -> tuple[Plain, ...]:
    """Return the arguments of a copy to or from a variable."""
    place = a.host_memory(PAGE)
    return (TABLE, place, count, 8, TO_DEVICE) if call.endswith("ToSymbol") else (place, TABLE, count, 8, TO_HOST)


def made(a: Process, call: str) -> tuple[int, int]:
    """Return a graph with a copy node, and the node."""
    of = graph(a)
    adding = TO if call.endswith("ToSymbol") else FROM
    return of, getattr(a.ok, adding)(of, None, 0, *copy(adding, a))


def stepping(a: Process, call: str) -> tuple[int, int]:
    """Return an executable graph, and its graph's node."""
    of, one = made(a, call)
    return executable(a, of), one


def entry_of(call: str) -> Entry:
    """Return the entry of a call."""
    if call in {TO, FROM}:
        return Entry.of(call, lambda a: (graph(a), None, 0, *copy(call, a)), then=launches)
    if "Exec" in call:
        return Entry.of(call, lambda a: (*stepping(a, call), *copy(call, a, 32)))
    return Entry.of(call, lambda a: (made(a, call)[1], *copy(call, a, 32)))


def refuse(one: Entry) -> None:
    """Add the common refusals."""
    to = one.call.endswith("ToSymbol")
    for param in CALLS[one.call].params:
        if param.name in GIVEN:
            one.breaks(GIVEN[param.name], **{param.name: 0})
    refuse_symbol(one)
    one.breaks("COPY_FITS_THE_SYMBOL", offset=250)
    one.breaks("SOMETHING_IS_COPIED", count=0)
    one.breaks("SYMBOL_IS_OF_A_DEVICE", kind=TO_HOST if to else TO_DEVICE)
    one.breaks("SYMBOL_IS_OF_A_DEVICE", "to the host alone", kind=HOST)
    if "Exec" in one.call:
        one.breaks("MEMORY_STAYS", kind=DEFAULT)
    else:
        one.also("in any direction", kind=DEFAULT)
    one.also("in a thread without a context", then=current)(lambda w, i: i.on_thread(w.thread_name()))


entries = {
    call: entry_of(call)
    for direction in ("ToSymbol", "FromSymbol")
    for call in (
        f"cudaGraphAddMemcpyNode{direction}",
        f"cudaGraphMemcpyNodeSetParams{direction}",
        f"cudaGraphExecMemcpyNodeSetParams{direction}",
    )
}
for each in entries.values():
    refuse(each)
for call in (TO, FROM):
    entries[call].null("pGraphNode", "RESULT_IS_GIVEN")
    entries[call].breaks("DEPENDENCIES_ARE_GIVEN", numDependencies=1)
    entries[call].also("of a managed variable", symbol=MANAGED)

    @entries[call].world("DEPENDENCIES_DIFFER", "", "pDependencies", "numDependencies")
    def twice(_w: World, i: Invocation) -> Invocation:
        same = node(i.process, i.args["graph"])
        return i.evolve(pDependencies=(same, same), numDependencies=2)


test_symbol_node = suite(*entries.values())
