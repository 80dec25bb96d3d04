"""Conditions of graphs and nodes that follow them, where programs of the suite do not come: findings, forks, files, bindings."""

from __future__ import annotations

import ctypes
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.graph.fixtures import launch, memset
from fakecuda import FakeCudaError, Machine, UndefinedBehaviour, set_condition
from fakecuda.model.graph.in_fork import in_fork
from fakecuda.model.invariants import check
from fakecuda.model.leaks import leaks_on
from fakecuda.model.snapshot import snapshot
from fakecuda.reach.bindings.installed import INSTALLED
from fakecuda.spec.codes import Result
from fakecuda.spec.node_params import CONDITIONAL, MEM_ALLOC, pack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

IF, WHILE, SWITCH = range(3)
ROOM = 4096


class Bench:
    """A process with a context and its graphs."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.process = machine.spawn()
        self.c: Any = self.process.c
        self.c.cuInit(0)
        self.ctx = self.c.cuCtxCreate(None, 0, 0)[1]

    def graph(self) -> int:
        """Return a new graph."""
        made: int = self.c.cuGraphCreate(0)[1]
        return made

    def conditional(self, of: int, kind: int = IF, size: int = 1, default: int = 1, flags: int = 1) -> tuple[Any, ...]:
        """Return a new node of a graph, its condition, and its graphs."""
        code, condition = self.c.cuGraphConditionalHandleCreate(of, self.ctx, default, flags)
        assert code == 0
        code, node, bodies = self.c.cuGraphAddNode(
            of, None, None, 0, pack(CONDITIONAL, (condition, kind, size, 0, self.ctx))
        )
        assert code == 0
        return node, condition, *bodies

    def filling(self, of: int, place: int) -> None:
        """Add a node that fills memory with sevens."""
        assert self.c.cuGraphAddMemsetNode(of, None, 0, memset(place, 7), self.ctx)[0] == 0


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A machine that answers whatever a driver does."""
    with Machine("h200", strict=False, seed=0) as machine:
        yield Bench(machine)


def test_a_loop_that_no_kernel_ends_is_refused(bench: Bench) -> None:
    """Where none is given the condition; nothing is launched then."""
    of = bench.graph()
    bench.conditional(of, WHILE, 1, 2)
    made = bench.c.cuGraphInstantiate(of, 0)[1]
    before = snapshot(bench.machine)
    with pytest.raises(FakeCudaError, match="begins with 2, and no kernel gets its handle, so the loop of node"):
        bench.c.cuGraphLaunch(made, 0)
    assert snapshot(bench.machine) == before


PTX_OF_KERNELS = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry set(.param .u64 condition, .param .u64 counter, .param .u32 value) { ret; }
"""


def setting(bench: Bench, of: int, condition: int, counter: int, value: int, after: tuple[int, ...] = ()) -> int:
    """Return a new node that runs a kernel which is given a condition."""
    c = bench.c
    function = c.cuModuleGetFunction(c.cuModuleLoadData(PTX_OF_KERNELS)[1], b"set")[1]
    held = ctypes.c_uint64(condition), ctypes.c_uint64(counter), ctypes.c_uint32(value)
    places = (ctypes.c_uint64 * 3)(*map(ctypes.addressof, held))
    params = launch(function, kernelParams=ctypes.addressof(places))
    made: int = c.cuGraphAddKernelNode(of, after or None, len(after), params)[1]
    return made


def sets(_grid: object, _block: object, condition: int, counter: Any, value: int) -> None:
    """Count a turn, and set the condition to what is left of the value."""
    counter[0] = counter[0] + 1
    set_condition(condition, max(value - counter[0], 0))


def counted(bench: Bench, counter: int) -> int:
    """Return how often the kernel has run."""
    data = bytearray(4)
    assert bench.c.cuMemcpyDtoH(data, counter, 4) == (0,)
    return int.from_bytes(data, "little")


def test_a_loop_runs_until_a_kernel_sets_its_condition_to_zero(bench: Bench) -> None:
    """The next launch begins with the default again."""
    fakecuda.kernel("set", "u64", "u32*", "u32")(sets)
    of, counter = bench.graph(), bench.c.cuMemAlloc(64)[1]
    _, condition, body = bench.conditional(of, WHILE, 1, 1)
    setting(bench, body, condition, counter, 5)
    made = bench.c.cuGraphInstantiate(of, 0)[1]
    for _ in range(2):
        assert bench.c.cuMemsetD8(counter, 0, 4) == (0,)
        assert bench.c.cuGraphLaunch(made, 0) == (0,)
        assert counted(bench, counter) == 5


@pytest.mark.parametrize(("value", "seen"), [(1, 0), (3, 7)])
def test_a_kernel_before_a_conditional_sets_its_condition(bench: Bench, value: int, seen: int) -> None:
    """Which needs no default then."""
    fakecuda.kernel("set", "u64", "u32*", "u32")(sets)
    c, of = bench.c, bench.graph()
    counter, place = (c.cuMemAlloc(64)[1] for _ in range(2))
    condition = c.cuGraphConditionalHandleCreate(of, bench.ctx, 0, 0)[1]
    for memory in (counter, place):
        c.cuMemsetD8(memory, 0, 64)
    first = setting(bench, of, condition, counter, value)
    params = pack(CONDITIONAL, (condition, IF, 1, 0, bench.ctx))
    body = c.cuGraphAddNode(of, (first,), None, 1, params)[2][0]
    bench.filling(body, place)
    assert c.cuGraphLaunch(c.cuGraphInstantiate(of, 0)[1], 0) == (0,)
    assert counted(bench, place) & 0xFF == seen


def test_a_condition_that_nobody_has_set_in_time_is_refused(bench: Bench) -> None:
    """Where the kernel that gets the handle has left it as it is, at first or later; and a loop that does not end."""
    values = [None, 1, None]

    def once(_grid: object, _block: object, condition: int, *_: object) -> None:
        value = values.pop(0) if values else None
        if value is not None:
            set_condition(condition, value)

    fakecuda.kernel("set", "u64", "u32*", "u32")(once)
    c, of, counter = bench.c, bench.graph(), bench.c.cuMemAlloc(64)[1]
    condition = c.cuGraphConditionalHandleCreate(of, bench.ctx, 0, 0)[1]
    first = setting(bench, of, condition, counter, 1)
    assert c.cuGraphAddNode(of, (first,), None, 1, pack(CONDITIONAL, (condition, IF, 1, 0, bench.ctx)))[0] == 0
    made = c.cuGraphInstantiate(of, 0)[1]
    for fails in (True, False, True):
        with pytest.raises(FakeCudaError, match="no kernel of this launch has set") if fails else nullcontext():
            assert c.cuGraphLaunch(made, 0) == (0,)
    of = bench.graph()
    _, condition, body = bench.conditional(of, WHILE, 1, 1)
    setting(bench, body, condition, counter, 1)
    with pytest.raises(FakeCudaError, match="has run 65536 times"):
        c.cuGraphLaunch(c.cuGraphInstantiate(of, 0)[1], 0)


@pytest.mark.parametrize("strict", [True, False])
def test_a_condition_that_nothing_gives_a_value_is_a_finding(strict: bool) -> None:  # noqa: FBT001 - a parameter
    """In each launch; a lax machine reads 0 as cards mostly do, whatever the default that is not assigned."""
    with Machine("h200", strict=strict, seed=0) as machine:
        bench = Bench(machine)
        of, place = bench.graph(), bench.c.cuMemAlloc(64)[1]
        bench.c.cuMemsetD8(place, 0, 64)
        _, _, body = bench.conditional(of, default=1, flags=0)
        bench.filling(body, place)
        made = bench.c.cuGraphInstantiate(of, 0)[1]
        for _ in range(2):
            with pytest.raises(UndefinedBehaviour, match="CONDITION_HAS_A_VALUE") if strict else nullcontext():
                assert bench.c.cuGraphLaunch(made, 0) == (0,)
            assert counted(bench, place) == 0
        found = [one.rule.id for one in machine.findings]
        assert found == ["graph.conditional.CONDITION_HAS_A_VALUE"] * 2 * strict
        machine.findings.clear()


def test_a_condition_is_set_by_kernels_alone(bench: Bench) -> None:
    """By one that runs, of the context that the condition is of."""
    with pytest.raises(FakeCudaError, match="was called outside a kernel"):
        set_condition(1, 1)
    fakecuda.kernel("set", "u64", "u32*", "u32")(lambda _grid, _block, condition, *_: set_condition(condition, 1))
    of = bench.graph()
    setting(bench, of, 77, bench.c.cuMemAlloc(64)[1], 1)
    with pytest.raises(FakeCudaError, match=r"77 is not the handle of a condition of this kernel's graph in .*context"):
        bench.c.cuGraphLaunch(bench.c.cuGraphInstantiate(of, 0)[1], 0)


def test_a_body_whose_capture_breaks_ends_once(bench: Bench) -> None:
    """The node that it is of ends later."""
    c, of = bench.c, bench.graph()
    node, _, inner = bench.conditional(of)
    stream = c.cuStreamCreate(1)[1]
    assert c.cuStreamBeginCaptureToGraph(stream, inner, None, None, 0, 2) == (0,)
    c.cuStreamSynchronize(stream)
    assert c.cuStreamEndCapture(stream)[0] == Result.STREAM_CAPTURE_INVALIDATED
    assert c.cuGraphDestroyNode(node) == (0,)
    assert c.cuGraphDestroy(of) == (0,)
    assert not {node, inner, of} & bench.process.graphs.keys()
    check(bench.machine)


def test_a_condition_is_no_graph_and_is_left_by_nobody(bench: Bench) -> None:
    """It goes with its graph, as nodes and graphs of conditionals do."""
    of = bench.graph()
    bench.conditional(of)
    assert bench.c.cuGraphLaunch(bench.c.cuGraphInstantiate(of, 0)[1], 0) == (0,)
    assert [leak.text for leak in leaks_on(bench.machine) if leak.kind == "graph" and f"{of:#x}" in leak.text] == [
        f"graph {of:#x}"
    ]
    assert not any("condition" in leak.text for leak in leaks_on(bench.machine))


def test_a_fork_has_copies_of_conditionals(bench: Bench) -> None:
    """Under the same handles; what it adds to them its parent has not."""
    c, of = bench.c, bench.graph()
    _, condition, first, second = bench.conditional(of, size=2)
    bench.filling(first, c.cuMemAlloc(ROOM)[1])
    made = c.cuGraphInstantiate(of, 0)[1]
    twins: Any = in_fork(bench.machine.spawn(), bench.process.graphs, {})
    assert twins.keys() == bench.process.graphs.keys()
    whole: Any = bench.process.graphs[of]
    copy = twins[of].conditions[condition]
    assert copy is not whole.conditions[condition]
    assert (copy.graph, copy.node) == (twins[of], twins[copy.node.handle])
    assert copy.node.params.condition is copy
    assert copy.node.params.bodies == (twins[first], twins[second])
    step = twins[made].body.steps[0]
    assert step.params.condition is copy
    assert step.params.bodies[0].steps[0].node.graph is twins[first]
    fork = bench.process.forked
    assert fork.cuGraphAddEmptyNode(second, None, 0)[0] == 0
    assert c.cuGraphGetNodes(second, 1, null="nodes")[-1] == 0


@pytest.mark.skipif(not INSTALLED, reason="no stand-in has the struct: pip install 'fakecuda[cuda]'")
def test_the_graphs_stand_in_the_parameters(bench: Bench) -> None:
    """Where a program finds them, as the address of memory does."""
    d = bench.process.driver
    params = d.CUgraphNodeParams()
    params.type = d.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
    of = d.cuGraphCreate(0)[1]
    member = params.conditional
    member.handle = d.cuGraphConditionalHandleCreate(of, bench.ctx, 0, 1)[1]
    member.type = d.CUgraphConditionalNodeType.CU_GRAPH_COND_TYPE_SWITCH
    member.size, member.ctx = 3, d.CUcontext(bench.ctx)
    assert d.cuGraphAddNode(of, None, None, 0, params)[0] == 0
    bodies = [int(one) for one in params.conditional.phGraph_out]
    assert len(set(bodies)) == 3
    assert all(d.cuGraphAddEmptyNode(one, None, 0)[0] == 0 for one in bodies)
    memory = d.CUgraphNodeParams()
    memory.type = d.CUgraphNodeType.CU_GRAPH_NODE_TYPE_MEM_ALLOC
    memory.alloc.poolProps.allocType = d.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    memory.alloc.poolProps.location.type = d.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    memory.alloc.bytesize = ROOM
    code, node = d.cuGraphAddNode(of, None, None, 0, memory)
    assert code == 0
    assert int(d.cuGraphMemAllocNodeGetParams(node)[1].dptr) == int(memory.alloc.dptr)
    assert int(memory.alloc.dptr)


@pytest.mark.parametrize("flags", [0, 1])
def test_as_dot(bench: Bench, flags: int, tmp_path: Path) -> None:
    """The graphs of a conditional are clusters beside its node; nodes of memory have names."""
    c, of = bench.c, bench.graph()
    _, _, first, second = bench.conditional(of, size=2)
    c.cuGraphAddEmptyNode(first, None, 0)
    memory = c.cuGraphAddNode(of, None, None, 0, pack(MEM_ALLOC, (1, 0, 1, 0, 0, 0, 0, 0, 0, 0, ROOM, 0)))[2][0]
    c.cuGraphAddMemFreeNode(of, None, 0, memory)
    path = tmp_path / "graph.dot"
    assert c.cuGraphDebugDotPrint(of, str(path).encode(), flags) == (0,)
    text = path.read_text()
    numbers = [bench.process.graphs[one].number for one in (of, first, second)]
    assert all(f"subgraph cluster_{number} {{" in text for number in numbers)
    assert all(name in text for name in ("CONDITIONAL", "MEM_ALLOC", "MEM_FREE", "EMPTY"))
