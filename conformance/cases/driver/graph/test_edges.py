"""cuGraphAddDependencies, cuGraphRemoveDependencies: edges of a graph.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.graph.fixtures import executable, graph, node, refuse_graph
from conformance.cases.driver.graph.memory import allocating
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

PROGRAMMATIC = (0, 0, 1)
"""A CUgraphEdgeData."""


def valid(call: str, w: World) -> Invocation:
    """Return a call for two nodes, with an existing edge if it is to be removed."""
    a = w.process()
    of = graph(a)
    first = node(a, of)
    second = node(a, of, *([first] if call == "cuGraphRemoveDependencies" else []))
    return a.call(call, hGraph=of, from_=(first,), to=(second,), edgeData=None, numDependencies=1)


def entry_of(call: str) -> Entry:
    """Return the entry of either call, with the common cases."""
    entry = Entry(call, partial(valid, call))
    refuse_graph(entry, "hGraph")
    entry.without("not_initialized")  # to such a process the graph is garbage, which the driver follows
    for end in ("from_", "to"):
        entry.breaks("ENDS_ARE_GIVEN", end, **{end: None})
        entry.breaks("ENDS_ARE_OF_THE_GRAPH", end, **{end: lambda i: (node(i.process, graph(i.process)),)})
        entry.breaks("ENDS_ARE_OF_THE_GRAPH", f"{end} null", **{end: (0,)})
    entry.breaks("ENDS_DIFFER", to=lambda i: i.args["from_"])
    entry.also("with default data", edgeData=((0, 0, 0),))
    entry.also("of no edges", numDependencies=0, from_=None, to=None)
    return entry


adding = entry_of("cuGraphAddDependencies")
adding.breaks("DATA_ARE_DEFAULT", edgeData=(PROGRAMMATIC,))


BEGUN = (2, 0, 0)
"""A CUgraphEdgeData from the point where all blocks of a kernel have begun."""


def between(first: Any, second: Any) -> Any:
    """Return a function to two nodes of some kinds."""

    def made(_w: World, i: Invocation) -> Invocation:
        of = i.args["hGraph"]
        return i.evolve(from_=(first(i.process, of),), to=(second(i.process, of),))

    return made


for label, first, second, data, fits in (
    ("a programmatic edge", of_kernel, of_kernel, (1, 0, 1), True),
    ("a programmatic edge from the begin", of_kernel, of_kernel, (2, 0, 1), True),
    ("an edge from the begin", of_kernel, of_kernel, BEGUN, True),
    ("an edge from the begin to an empty node", of_kernel, node, BEGUN, True),
    ("a programmatic edge from the end", of_kernel, of_kernel, (0, 0, 1), False),
    ("a programmatic edge to an empty node", of_kernel, node, (1, 0, 1), False),
    ("a programmatic port", of_kernel, of_kernel, (1, 0, 0), False),
    ("an edge to a port", of_kernel, of_kernel, (0, 1, 0), False),
    ("an unknown port", of_kernel, of_kernel, (3, 0, 0), False),
    ("an unknown type", of_kernel, of_kernel, (0, 0, 2), False),
    ("an edge from the begin of an empty node", node, of_kernel, BEGUN, False),
):
    adding.also(label, rule="" if fits else "DATA_ARE_DEFAULT")(
        lambda w, i, first=first, second=second, data=data: between(first, second)(w, i).evolve(edgeData=(data,))
    )


@adding.world("EDGE_IS_NEW")
def there(_w: World, i: Invocation) -> None:
    assert i.run() == (0,)


@adding.also("a cycle, which cannot be made executable")
def cycle(_w: World, i: Invocation) -> None:
    a = i.process
    assert i.run() == (0,)
    assert i.evolve(from_=i.args["to"], to=i.args["from_"]).run() == (0,)
    assert a.c.cuGraphInstantiate(i.args["hGraph"], 0)[0] == Result.INVALID_VALUE
    a.ok.cuGraphRemoveDependencies(i.args["hGraph"], i.args["from_"], i.args["to"], None, 1)
    executable(a, i.args["hGraph"])


@adding.also("the edges before one that is refused are added")
def some(_w: World, i: Invocation) -> Invocation:
    twice = i.evolve(from_=i.args["from_"] * 2, to=i.args["to"] * 2, numDependencies=2)
    assert twice.run() == (Result.INVALID_VALUE,)
    assert i.run() == (Result.INVALID_VALUE,)
    return i.evolve(numDependencies=0)


removing = entry_of("cuGraphRemoveDependencies")
removing.also("whatever the data say", edgeData=(PROGRAMMATIC,))


@removing.world("EDGE_IS_THERE")
def gone(_w: World, i: Invocation) -> None:
    assert i.run() == (0,)


@removing.also("the edges before one that is refused are removed")
def part(_w: World, i: Invocation) -> None:
    twice = i.evolve(from_=i.args["from_"] * 2, to=i.args["to"] * 2, numDependencies=2)
    assert twice.run() == (Result.INVALID_VALUE,)
    i.process.ok.cuGraphAddDependencies(i.args["hGraph"], i.args["from_"], i.args["to"], None, 1)


@removing.world("GRAPH_HAS_NO_MEMORY", "", "hGraph", "from_", "to")
def with_memory(_w: World, i: Invocation) -> Invocation:
    a, (of, _) = i.process, allocating(i.process)
    first = node(a, of)
    return i.evolve(hGraph=of, from_=(first,), to=(node(a, of, first),))


test_graph_add_dependencies = adding.test()
test_graph_remove_dependencies = removing.test()
