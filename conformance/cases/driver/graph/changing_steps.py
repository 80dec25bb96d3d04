"""Cases of all calls that change a node of an executable graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.anywhere import anywhere, forked, inside
from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.fixtures import (
    ROOM,
    executable,
    graph,
    memset,
    node,
    of_the_maker_alone,
    refuse_executable,
    refuse_node,
)
from conformance.cases.driver.module.fixtures import GARBAGE
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


def waiting(a: Process, of: int) -> int:
    made: int = a.ok.cuGraphAddEventWaitNode(of, None, 0, a.ok.cuEventCreate(0))
    return made


def runs(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the graph can be launched."""
    i.process.ok.cuGraphLaunch(i.args["hGraphExec"], 0)
    i.process.ok.cuCtxSynchronize()


def entry_of(call: str, make: Callable[[Process, int], int], given: Callable[[Process], dict[str, Any]]) -> Entry:
    """Return the entry of a call, from a function for its node and other arguments."""

    def valid(w: World) -> Invocation:
        a, of = w.process(), 0
        of = graph(a)
        made = make(a, of)
        return a.call(call, hGraphExec=executable(a, of), hNode=made, **given(a))

    entry = Entry(call, valid, runs)
    refuse_executable(entry, "hGraphExec")
    refuse_node(entry, "hNode")
    entry.without("not_initialized")  # to such a process the executable graph is garbage, which the driver follows
    entry.breaks("NODE_IS_OF_THE_EXECUTABLE", hNode=lambda i: make(i.process, graph(i.process)))
    entry.breaks("NODE_IS_OF_ITS_KIND", hNode=lambda i: node(i.process, graph(i.process)))
    if call not in {
        "cuGraphExecKernelNodeSetParams",
        "cuGraphExecMemcpyNodeSetParams",
        "cuGraphExecMemsetNodeSetParams",
    }:
        entry.also("without a current context")(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)
    if "Mem" in call and "Batch" not in call:
        anywhere(entry, "SOME_CONTEXT_IS_THERE")
        for place, twist in (("a fork", forked), ("a function of the host", inside)):
            entry.also(f"with a context in {place}", rule="CALLER_HAS_THE_EXECUTABLE")(
                lambda w, i, twist=twist: twist(w, i.evolve(ctx=i.process.context))
            )
    else:
        of_the_maker_alone(entry)
    return entry


def refuse_context(entry: Entry) -> None:
    """Add the cases of a call with a context."""
    entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, ctx=GARBAGE)

    @entry.world("CONTEXT_IS_LIVE", "", "ctx")
    def destroyed(_w: World, i: Invocation) -> Invocation:
        gone = i.process.ok.cuCtxCreate(None, 0, i.process.device)
        i.process.ok.cuCtxDestroy(gone)
        i.process.ok.cuCtxSetCurrent(i.process.context)
        return i.evolve(ctx=gone)

    entry.without("no_context")
    entry.also("in no context", rule="SOME_CONTEXT_IS_THERE")(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)
    entry.also("the context that is given", ctx=lambda i: i.process.context)


def elsewhere(a: Process) -> int:
    """Return the address of new memory of another context on the device."""
    a.ok.cuCtxCreate(None, 0, a.device)
    other: int = a.ok.cuMemAlloc(ROOM)
    a.ok.cuCtxPopCurrent()
    return other


ROWS = {"pitch": 64, "height": 2}


def of_rows(a: Process, of: int) -> int:
    """Return a new memset node of two rows."""
    made: int = a.ok.cuGraphAddMemsetNode(of, None, 0, memset(filled(a, 0, ROOM), **ROWS), 0)
    return made


def pair(a: Process, of: int) -> tuple[int, int]:
    """Return two new nodes of a graph, the second dependent on the first."""
    first = node(a, of)
    return first, node(a, of, first)


def of_graph(make: Callable[[Process, int], object]) -> Callable[[Invocation], int]:
    """Return a function to a new graph with a node."""

    def made(i: Invocation) -> int:
        of = graph(i.process)
        make(i.process, of)
        return of

    return made
