"""Graphs as objects: what they are called, and what is left of them."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

import fakecuda
from conformance.cases.driver.graph.fixtures import copy, launch
from conformance.kit.kernels import PTX
from conformance.kit.world import GRANULE, access, pinned
from fakecuda.codes import Result
from fakecuda.model.graph import Graph
from fakecuda.model.left import left_on


def test_what_is_left_of_graphs() -> None:
    """A graph and an executable graph have to be destroyed; nodes and graphs that are embedded in them go with their graph."""
    with fakecuda.Machine() as machine:
        d = machine.spawn().driver
        d.cuInit(0)
        d.cuCtxCreate(None, 0, 0)
        graph, inner = (d.cuGraphCreate(0)[1] for _ in range(2))
        d.cuGraphAddChildGraphNode(graph, None, 0, inner)
        executable = d.cuGraphInstantiate(graph, 0)[1]
        left = [leak for leak in left_on(machine) if leak.kind == "graph"]
        names = [f"graph {int(graph):#x}", f"graph {int(inner):#x}", f"executable graph {int(executable):#x}"]
        assert [leak.text for leak in left] == names
        node = d.cuGraphAddEmptyNode(graph, None, 0)[1]
        held = next(iter(machine.processes.values())).graphs[int(node)]
        assert repr(held) == f"node {int(node):#x} of graph {int(graph):#x}"
        for ended in (graph, inner):
            d.cuGraphDestroy(ended)
        d.cuGraphExecDestroy(executable)
        assert [leak for leak in left_on(machine) if leak.kind == "graph"] == []


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


def test_a_copy_in_no_context_looks_at_no_access() -> None:
    """Its launch has a context, and a stream in which a copy without access fails."""
    with fakecuda.Machine("h200-x2") as machine:
        c = machine.spawn().c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        start = c.cuMemAddressReserve(GRANULE, 0, 0, 0)[1]
        c.cuMemMap(start, GRANULE, 0, c.cuMemCreate(GRANULE, pinned(1), 0)[1], 0)
        c.cuMemSetAccess(start, GRANULE, (access(1),), 1)
        memory = c.cuMemAlloc(4096)[1]
        graph, context = c.cuGraphCreate(0)[1], c.cuCtxGetCurrent()[1]
        for given, code in ((context, Result.INVALID_VALUE), (0, Result.INVALID_VALUE)):
            assert c.cuGraphAddMemcpyNode(graph, None, 0, copy(memory, start), given)[0] == code
        c.cuCtxPopCurrent()
        assert c.cuGraphAddMemcpyNode(graph, None, 0, copy(memory, start), 0)[0] == 0


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
def test_a_kernel_node_keeps_its_arguments(given: Any) -> None:  # noqa: ANN401 - makes arguments
    """They are copied when it is added, told from memory of its own, and what a launch runs with."""
    with fakecuda.Machine("h200") as machine:
        c = machine.here.c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        place, graph = c.cuMemAlloc(64)[1], c.cuGraphCreate(0)[1]
        function = c.cuModuleGetFunction(c.cuModuleLoadData(PTX)[1], b"store")[1]
        members, held = given(place, 77)
        node = c.cuGraphAddKernelNode(graph, None, 0, launch(function, **members))[1]
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
        with pytest.raises(fakecuda.NoMeaning, match="kernel what has no meaning"):
            c.cuGraphLaunch(executable, 0)
