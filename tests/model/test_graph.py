"""Graphs as objects: what they are called, and what is left of them."""

from __future__ import annotations

import ctypes
import re
from itertools import product
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.graph.fixtures import copy, launch, memset
from conformance.kit.kernels import PTX
from fakecuda.model.graph.graph import Graph
from fakecuda.model.leaks import leaks_on
from fakecuda.spec.codes import Result
from fakecuda.spec.node_params import MEM_FREE, pack
from tests.limits import LONG

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_left_of_graphs() -> None:
    """A graph and an executable graph have to be destroyed; nodes and graphs that are embedded in them go with their graph."""
    with fakecuda.Machine() as machine:
        d = machine.spawn().driver
        d.cuInit(0)
        d.cuCtxCreate(None, 0, 0)
        graph, inner = (d.cuGraphCreate(0)[1] for _ in range(2))
        d.cuGraphAddChildGraphNode(graph, None, 0, inner)
        executable = d.cuGraphInstantiate(graph, 0)[1]
        left = [leak for leak in leaks_on(machine) if leak.kind == "graph"]
        names = [f"graph {int(graph):#x}", f"graph {int(inner):#x}", f"executable graph {int(executable):#x}"]
        assert [leak.text for leak in left] == names
        node = d.cuGraphAddEmptyNode(graph, None, 0)[1]
        held = next(iter(machine.processes.values())).graphs[int(node)]
        assert repr(held) == f"node {int(node):#x} of graph {int(graph):#x}"
        for ended in (graph, inner):
            d.cuGraphDestroy(ended)
        d.cuGraphExecDestroy(executable)
        assert [leak for leak in leaks_on(machine) if leak.kind == "graph"] == []


def test_a_node_comes_after_all_that_it_depends_on() -> None:
    """Not after the first of them."""
    with fakecuda.Machine("h200") as machine:
        c = machine.spawn().c
        c.cuInit(0)
        graph = c.cuGraphCreate(0)[1]
        last, one, other = (c.cuGraphAddEmptyNode(graph, None, 0)[1] for _ in range(3))
        assert c.cuGraphAddDependencies(graph, (one, other), (last, last), None, 2) == (0,)
        assert c.cuGraphAddDependencies(graph, (one, other), (last,), None, 2) == (Result.INVALID_VALUE,)
        held = next(iter(machine.processes.values())).graphs[graph]
        assert isinstance(held, Graph)
        assert [node.handle for node in held.ordered() or ()] == [one, other, last]


def _spread(place: int, value: int) -> tuple[dict[str, int], Any]:
    """Return members of a launch with two arguments, and what holds them."""
    held = ctypes.c_uint64(place), ctypes.c_uint32(value)
    places = (ctypes.c_uint64 * 2)(*map(ctypes.addressof, held))
    return {"kernelParams": ctypes.addressof(places)}, (held, places)


def _packed(place: int, value: int) -> tuple[dict[str, int], Any]:
    """Return the same with one buffer."""
    buffer = ctypes.create_string_buffer(place.to_bytes(8, "little") + value.to_bytes(4, "little"), 12)
    size = ctypes.c_size_t(12)
    told = (ctypes.c_uint64 * 5)(1, ctypes.addressof(buffer), 2, ctypes.addressof(size), 0)
    return {"extra": ctypes.addressof(told)}, (buffer, size, told)


@pytest.mark.parametrize("given", [_spread, _packed])
def test_a_kernel_node_keeps_its_arguments(given: Any) -> None:
    """They are copied when it is added, told from memory of its own, and what a launch runs with."""
    with fakecuda.Machine("h200") as machine:
        c = machine.here.c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        place, graph = c.cuMemAlloc(64)[1], c.cuGraphCreate(0)[1]
        function = c.cuModuleGetFunction(c.cuModuleLoadData(PTX)[1], b"store")[1]
        members, held = given(place, 77)
        node = c.cuGraphAddKernelNode(graph, None, 0, launch(function, **members))[1]
        held_launch: Any = machine.here.graphs[node]
        assert repr(held_launch.params).startswith("launch of function store of module")
        ctypes.memset(ctypes.addressof(held[0] if given is _packed else held[0][1]), 0, 4)
        told = c.cuGraphKernelNodeGetParams(node)[1]
        assert told == c.cuGraphKernelNodeGetParams(node)[1]
        assert bool(told[8]) is (given is _spread)
        assert bool(told[9]) is (given is _packed)
        other = c.cuGraphAddKernelNode(graph, None, 0, told)[1]
        c.cuGraphDestroyNode(node)
        assert c.cuGraphNodeGetType(other) == (0, 0)
        assert c.cuGraphLaunch(c.cuGraphInstantiate(graph, 0)[1], 0) == (0,)
        data = bytearray(4)
        assert c.cuMemcpyDtoH(data, place, 4) == (0,)
        assert data == (77).to_bytes(4, "little")


def test_a_kernel_without_a_meaning_is_found_when_its_graph_is_launched() -> None:
    """Nothing of the graph is done."""
    with fakecuda.Machine("h200") as machine:
        c = machine.here.c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        code = PTX.replace(b"empty", b"what")
        function, graph = c.cuModuleGetFunction(c.cuModuleLoadData(code)[1], b"what")[1], c.cuGraphCreate(0)[1]
        c.cuGraphAddKernelNode(graph, None, 0, launch(function))
        executable = c.cuGraphInstantiate(graph, 0)[1]
        with pytest.raises(fakecuda.KernelNotDefined, match="kernel what has no Python function"):
            c.cuGraphLaunch(executable, 0)


def _machine() -> Any:
    """Return the calls of a process in a context."""
    c = fakecuda.Machine("h200").spawn().c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    return c


def test_what_an_update_tells_that_fails() -> None:
    """Which node it is about, and why; of what is invalid nothing but that."""
    c = _machine()
    whole, other = (c.cuGraphCreate(0)[1] for _ in range(2))
    c.cuGraphAddEmptyNode(whole, None, 0)
    executable = c.cuGraphInstantiate(whole, 0)[1]
    assert c.cuGraphExecUpdate(executable, other) == (Result.GRAPH_EXEC_UPDATE_FAILURE, (2, 0, 0))
    place = c.cuMemAlloc(64)[1]
    filling = c.cuGraphAddMemsetNode(other, None, 0, memset(place), 0)[1]
    assert c.cuGraphExecUpdate(executable, other) == (Result.GRAPH_EXEC_UPDATE_FAILURE, (3, filling, 0))
    first = c.cuGraphAddEmptyNode(whole, None, 0)[1]
    longer = c.cuGraphInstantiate(whole, 0)[1]
    second = next(iter(c.cuGraphGetNodes(whole, 1)[1]))
    c.cuGraphAddDependencies(whole, (second,), (first,), None, 1)
    assert c.cuGraphExecUpdate(longer, whole) == (Result.GRAPH_EXEC_UPDATE_FAILURE, (2, first, second))
    assert c.cuGraphExecUpdate(longer, 0) == (Result.INVALID_VALUE, (1, 0, 0))
    held = c.cuGraphInstantiate(other, 0)[1]
    c.cuGraphMemsetNodeSetParams(filling, memset(place, pitch=16, width=8, height=2))
    assert c.cuGraphExecUpdate(held, other) == (Result.GRAPH_EXEC_UPDATE_FAILURE, (5, filling, 0))
    assert c.cuGraphExecUpdate(held, other, null="resultInfo") == (Result.GRAPH_EXEC_UPDATE_FAILURE, None)


FLAGS = (0, 1, 2, 4, 5, 8, 16)
REFUSED = {
    "graph": {4: 3, 5: 1, 16: 1},
    "cycle": {**dict.fromkeys((0, 1, 2, 8), 2), 4: 3, 5: 1, 16: 1},
    "null": dict.fromkeys(FLAGS, 1),
}
"""Results of cuGraphInstantiateWithParams on an H200, by graph and flags."""


def test_an_instantiation_tells_why_it_failed() -> None:
    """By C and by Python, whatever the stream to upload in."""
    with fakecuda.Machine("h200") as machine:
        a = machine.spawn()
        d, c = a.driver, a.c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        stream, whole, cycle = c.cuStreamCreate(1)[1], *(c.cuGraphCreate(0)[1] for _ in range(2))
        nodes = [c.cuGraphAddEmptyNode(of, None, 0)[1] for of in (whole, cycle, cycle)]
        c.cuGraphAddDependencies(cycle, nodes[1:], nodes[:0:-1], None, 2)
        named = {"graph": nodes[:1], "cycle": nodes[1:]}
        graphs = {"graph": whole, "cycle": cycle, "null": 0}
        for name, flags, upload in product(graphs, FLAGS, (stream, 0)):
            params = d.CUDA_GRAPH_INSTANTIATE_PARAMS()
            params.flags, params.hUploadStream = flags, upload
            d.cuGraphInstantiateWithParams(graphs[name], params)
            told = c.cuGraphInstantiateWithParams(graphs[name], (flags, upload, 7, 7))[2]
            for node, result in ((int(params.hErrNode_out), int(params.result_out)), told[2:]):
                assert (name, flags, result) == (name, flags, REFUSED[name].get(flags, 0))
                assert node in (named[name] if result > 1 else [0])


DOT = """digraph dot {
subgraph cluster_3 {
label="graph_3" graph[style="dashed"];
"graph_3_node_0"[style="solid" shape="rectangle" label="0
EMPTY
"];

"graph_3_node_1"[style="solid" shape="invtrapezium"label="1
MEMSET
(7,16)
"];

"graph_3_node_0" -> "graph_3_node_1";
}
}
"""
"""The DOT text of a memset after an empty node on an H200."""


def test_a_graph_is_printed_as_a_card_prints_it(tmp_path: Path) -> None:
    """Line by line; with a flag that says more, and with one that is unknown."""
    c, path = _machine(), tmp_path / "graph.dot"
    _, _, graph = (c.cuGraphCreate(0)[1] for _ in range(3))
    empty = c.cuGraphAddEmptyNode(graph, None, 0)[1]
    c.cuGraphAddMemsetNode(graph, (empty,), 1, memset(c.cuMemAlloc(64)[1]), 0)
    for flags, lines in ((0, 15), (1, 14), (1 << 20, 15)):
        assert c.cuGraphDebugDotPrint(graph, str(path).encode(), flags) == (0,)
        assert (flags, len(path.read_text().splitlines())) == (flags, lines)
        assert flags or path.read_text() == DOT


@pytest.mark.parametrize("flags", [0, 1, 4, 8, 16, 32, 64, 1 << 10])
def test_a_graph_as_dot(flags: int, tmp_path: Path) -> None:
    """A file of a cluster for each graph, whose braces and quotation marks are closed."""
    c = _machine()
    graph, inner = (c.cuGraphCreate(0)[1] for _ in range(2))
    place, event = c.cuMemAlloc(64)[1], c.cuEventCreate(0)[1]
    function = c.cuModuleGetFunction(c.cuModuleLoadData(PTX)[1], b"empty")[1]
    first = c.cuGraphAddEmptyNode(graph, None, 0)[1]
    c.cuGraphAddMemsetNode(graph, (first,), 1, memset(place), 0)
    c.cuGraphAddMemcpyNode(graph, None, 0, copy(place, place), 0)
    c.cuGraphAddHostNode(graph, None, 0, (1 << 20, 5))
    c.cuGraphAddEventRecordNode(graph, None, 0, event)
    c.cuGraphAddEmptyNode(inner, None, 0)
    c.cuGraphAddChildGraphNode(graph, None, 0, inner)
    kernels = [c.cuGraphAddKernelNode(graph, None, 0, launch(function))[1] for _ in range(2)]
    c.cuGraphAddDependencies(graph, kernels[:1], kernels[1:], ((1, 0, 1),), 1)
    path = tmp_path / "graph.dot"
    assert c.cuGraphDebugDotPrint(graph, str(path).encode(), flags) == (0,)
    text = path.read_text()
    for one in ("digraph dot {", "subgraph cluster_1 {", "subgraph cluster_3 {", "MEMSET", "MEMCPY", "empty"):
        assert one in text
    if not flags:
        assert "(7,16)" in text
        assert "(DtoD,16)" in text
    assert '"graph_1_node_0" -> "graph_1_node_1";' in text
    assert '"graph_1_node_6" -> "graph_1_node_7"[label="ports 1 to 0, type 1"];' in text
    bare = re.sub(r'"[^"]*"', "", text)
    assert '"' not in bare
    assert bare.count("{") == bare.count("}") == 3
    told = {0: "", 1: "0x", 4: "grid", 8: "src", 16: "dptr", 32: "userData", 64: "event", 1 << 10: "node handle"}[flags]
    assert told in text
    assert flags or 'label="0\nEMPTY\n"' in text


DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Things:
    """Makes user objects, and notes destroyed ones."""

    def __init__(self, machine: fakecuda.Machine) -> None:
        self.c = machine.here.c
        self.gone: SimpleQueue[int] = SimpleQueue()
        self.function = DESTRUCTOR(self.gone.put)
        self.machine = machine
        self.c.cuInit(0)
        self.c.cuCtxCreate(None, 0, 0)

    def make(self, number: int, count: int = 1) -> int:
        address = ctypes.cast(self.function, ctypes.c_void_p).value
        made: int = self.c.cuUserObjectCreate(number, address, count, 1)[1]
        return made

    def left(self) -> list[str]:
        return [leak.kind for leak in leaks_on(self.machine) if leak.kind == "object"]


def test_a_user_object_is_destroyed_when_nobody_holds_it() -> None:
    """Neither the program, nor a graph, its clones, what it is embedded in, or what was made of them, nor a launch."""
    with fakecuda.Machine("h200") as machine:
        things = _Things(machine)
        c, thing = things.c, things.make(7)
        assert things.left() == ["object"]
        graph, whole = (c.cuGraphCreate(0)[1] for _ in range(2))
        assert c.cuGraphRetainUserObject(graph, thing, 1, 1) == (0,)
        assert things.left() == []
        clone = c.cuGraphClone(graph)[1]
        c.cuGraphAddChildGraphNode(whole, None, 0, graph)
        executable = c.cuGraphInstantiate(whole, 0)[1]
        for ended in (graph, clone, whole):
            assert c.cuGraphDestroy(ended) == (0,)
        place, stream = c.cuMemAlloc(4)[1], c.cuStreamCreate(1)[1]
        assert c.cuStreamWaitValue32(stream, place, 1, 1) == (0,)
        assert c.cuGraphLaunch(executable, stream) == (0,)
        assert c.cuGraphExecDestroy(executable) == (0,)
        assert things.gone.empty()
        assert c.cuUserObjectRetain(thing, 1) == (0,)
        assert c.cuUserObjectRelease(thing, 1) == (0,)
        assert things.gone.empty()
        assert c.cuMemsetD32(place, 1, 1) == (0,)
        assert c.cuStreamSynchronize(stream) == (0,)
        assert things.gone.get(timeout=LONG) == 7
        machine.strict = False
        assert c.cuUserObjectRetain(thing, 1) == (Result.INVALID_VALUE,)


def test_an_update_has_an_executable_graph_hold_what_the_other_graph_does() -> None:
    """What it held before is let go, that of its children too."""
    with fakecuda.Machine("h200") as machine:
        things = _Things(machine)
        c = things.c
        graphs = []
        for number in (1, 2):
            inner, outer = (c.cuGraphCreate(0)[1] for _ in range(2))
            c.cuGraphRetainUserObject(inner, things.make(number), 1, 1)
            c.cuGraphRetainUserObject(outer, things.make(number + 10), 1, 1)
            graphs.append((outer, c.cuGraphAddChildGraphNode(outer, None, 0, inner)[1], inner))
        (first, _, inner), (second, _, other) = graphs
        executable = c.cuGraphInstantiate(first, 0)[1]
        for ended in (inner, first):
            c.cuGraphDestroy(ended)
        assert c.cuGraphExecUpdate(executable, second) == (0, (0, 0, 0))
        assert {things.gone.get(timeout=LONG) for _ in range(2)} == {1, 11}
        for ended in (other, second):
            c.cuGraphDestroy(ended)
        assert things.gone.empty()
        c.cuGraphExecDestroy(executable)
        assert {things.gone.get(timeout=LONG) for _ in range(2)} == {2, 12}


@pytest.mark.parametrize(
    ("call", "params", "what"),
    [
        ("cuGraphAddNode", (8, ()), "nodes of type EXT_SEMAS_SIGNAL"),
        ("cuGraphNodeSetParams", (MEM_FREE, (0,)), "other parameters of nodes of type MEM_FREE"),
    ],
)
def test_nodes_that_are_not_modelled_say_so_by_name(call: str, params: tuple[int, tuple[int, ...]], what: str) -> None:
    """Of a type, and other parameters of memory nodes; each warns."""
    with fakecuda.Machine("h200") as machine:
        c = machine.spawn().c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        graph = c.cuGraphCreate(0)[1]
        _, first, told = c.cuGraphAddMemAllocNode(graph, None, 0, ((1, 0, (1, 0), 0, 0, 0, 0), 0, 0, 64, 0))
        place: tuple[Any, ...] = (graph, None, None, 0)
        if call != "cuGraphAddNode":
            place = (c.cuGraphAddMemFreeNode(graph, (first,), 1, told[-1])[1],)
        with pytest.warns(fakecuda.NotModelledWarning, match=what):
            assert getattr(c, call)(*place, pack(*params))[0] == Result.NOT_SUPPORTED
        assert machine.log[-1].facts == {"not_modelled": what}
