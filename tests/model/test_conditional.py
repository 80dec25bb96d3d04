"""Conditions of graphs and nodes that follow them, where programs of the suite do not come: findings, forks, files, bindings."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.graph.fixtures import copy as copied
from conformance.cases.driver.graph.fixtures import launch, memset
from fakecuda import FakeCudaError, Machine, set_condition
from fakecuda.model.graph.in_fork import in_fork
from fakecuda.model.leaks import leaks_on
from fakecuda.model.snapshot import check, snapshot
from fakecuda.reach.bindings.installed import INSTALLED
from fakecuda.spec.codes import Result
from fakecuda.spec.node_params import CHILD, CONDITIONAL, MEM_ALLOC, pack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

IF, WHILE, SWITCH = range(3)
ROOM = 4096


class Bench:
    """A process with a context, and what it makes of graphs."""

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


def test_a_condition_without_a_default_is_zero(bench: Bench) -> None:
    """Whatever default it was given, as a card showed."""
    c, of, places = bench.c, bench.graph(), [bench.c.cuMemAlloc(64)[1] for _ in range(2)]
    _, _, first, second = bench.conditional(of, size=2, flags=0)
    for place, inner in zip(places, (first, second), strict=True):
        c.cuMemsetD8(place, 0, 64)
        bench.filling(inner, place)
    assert c.cuGraphLaunch(c.cuGraphInstantiate(of, 0)[1], 0) == (0,)
    assert [counted(bench, place) & 0xFF for place in places] == [0, 7]


def test_handles_count_within_a_graph_and_what_is_around_it(bench: Bench) -> None:
    """As a card has them; so that one of another graph may be taken for one of this."""
    c, of, other = bench.c, bench.graph(), bench.graph()
    _, first, inner = bench.conditional(of)
    assert [first, *(c.cuGraphConditionalHandleCreate(one, bench.ctx, 0, 1)[1] for one in (inner, of, other))] == [
        1,
        2,
        3,
        1,
    ]


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
    """Where a kernel has left it as it is that has set it before; and a loop that does not end."""
    values = [1]

    def once(_grid: object, _block: object, condition: int, *_: object) -> None:
        if values:
            set_condition(condition, values.pop())

    fakecuda.kernel("set", "u64", "u32*", "u32")(once)
    c, of, counter = bench.c, bench.graph(), bench.c.cuMemAlloc(64)[1]
    condition = c.cuGraphConditionalHandleCreate(of, bench.ctx, 0, 0)[1]
    first = setting(bench, of, condition, counter, 1)
    assert c.cuGraphAddNode(of, (first,), None, 1, pack(CONDITIONAL, (condition, IF, 1, 0, bench.ctx)))[0] == 0
    made = c.cuGraphInstantiate(of, 0)[1]
    assert c.cuGraphLaunch(made, 0) == (0,)
    with pytest.raises(FakeCudaError, match="no kernel of this launch has set"):
        c.cuGraphLaunch(made, 0)
    of = bench.graph()
    _, condition, body = bench.conditional(of, WHILE, 1, 1)
    setting(bench, body, condition, counter, 1)
    with pytest.raises(FakeCudaError, match="has run 65536 times"):
        c.cuGraphLaunch(c.cuGraphInstantiate(of, 0)[1], 0)


def waiting(bench: Bench, stream: int) -> Callable[[], None]:
    """Have a stream wait for a value, and return what writes it."""
    c, value = bench.c, bench.c.cuMemAlloc(64)[1]
    assert c.cuMemsetD8(value, 0, 64) == (0,)
    assert c.cuStreamWaitValue32(stream, value, 1, 0) == (0,)
    other = c.cuStreamCreate(1)[1]
    return lambda: c.cuStreamWriteValue32(other, value, 1, 0) and None


@pytest.mark.parametrize("completion", ["eager", "manual"])
@pytest.mark.parametrize(("value", "seen"), [(1, 0), (3, 7)])
def test_a_stream_that_waits_looks_at_a_condition_when_it_comes_there(value: int, seen: int, completion: str) -> None:
    """What kernels have set by then counts; what the graph does and what the stream was given since come in order."""
    fakecuda.kernel("set", "u64", "u32*", "u32")(sets)
    with Machine("h200", strict=False, completion=completion) as machine:
        bench = Bench(machine)
        c, of, stream = bench.c, bench.graph(), bench.c.cuStreamCreate(1)[1]
        counter, place, copy = (c.cuMemAlloc(64)[1] for _ in range(3))
        for memory in (counter, place, copy):
            c.cuMemsetD8(memory, 0, 64)
        condition = c.cuGraphConditionalHandleCreate(of, bench.ctx, 0, 0)[1]
        first = setting(bench, of, condition, counter, value)
        params = pack(CONDITIONAL, (condition, IF, 1, 0, bench.ctx))
        body = c.cuGraphAddNode(of, (first,), None, 1, params)[2][0]
        filled = c.cuGraphAddMemsetNode(body, None, 0, memset(place, 7), bench.ctx)[1]
        c.cuGraphAddMemcpyNode(body, (filled,), 1, copied(copy, place), bench.ctx)
        release = waiting(bench, stream)
        made = c.cuGraphInstantiate(of, 0)[1]
        assert c.cuGraphLaunch(made, stream) == (0,)
        assert c.cuMemsetD8Async(place, 5, 1, stream) == (0,)
        c.cuGraphExecMemsetNodeSetParams(made, filled, memset(place, 9), bench.ctx)  # for later launches
        assert counted(bench, counter) == 0
        release()
        assert c.cuStreamSynchronize(stream) == (0,)
        assert counted(bench, counter) == 1
        assert counted(bench, place) == 5 + seen * 0x01010100
        assert counted(bench, copy) == seen * 0x01010101
        check(machine)


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize(("default", "flags", "seen"), [(0, 1, 5), (1, 1, 7), (2, 1, 0), (1, 0, 5)])
def test_a_stream_that_waits_takes_the_default_of_a_condition(
    default: int,
    flags: int,
    seen: int,
    waits: bool,  # noqa: FBT001 - a case
) -> None:
    """No kernel sets the condition, so the launch knows the body, whether the stream has come there or not."""
    with Machine("h200", strict=False, completion="eager" if waits else "manual") as machine:
        bench = Bench(machine)
        c, of, stream = bench.c, bench.graph(), bench.c.cuStreamCreate(1)[1]
        place = c.cuMemAlloc(64)[1]
        c.cuMemsetD8(place, 0, 64)
        c.cuCtxSynchronize()
        _, _, *bodies = bench.conditional(of, SWITCH, 2, default, flags)
        for value, body in zip((5, 7), bodies, strict=True):
            c.cuGraphAddMemsetNode(body, None, 0, memset(place, value), bench.ctx)
        made = c.cuGraphInstantiate(of, 0)[1]
        release = waiting(bench, stream) if waits else None
        assert c.cuGraphLaunch(made, stream) == (0,)
        if release:
            assert counted(bench, place) == 0
            release()
        assert c.cuStreamSynchronize(stream) == (0,)
        assert counted(bench, place) == seen * 0x01010101
        check(machine)


def test_a_loop_behind_a_host_node_runs_when_the_stream_comes_there(bench: Bench) -> None:
    """A nested one in each turn; a second launch begins with the default when the first has ended."""
    fakecuda.kernel("set", "u64", "u32*", "u32")(sets)
    c, of, counter, inner_counter = bench.c, bench.graph(), *(bench.c.cuMemAlloc(64)[1] for _ in range(2))
    for memory in (counter, inner_counter):
        c.cuMemsetD8(memory, 0, 64)
    called = c.cuGraphAddHostNode(of, None, 0, (ctypes.cast(ctypes.CDLL(None).abs, ctypes.c_void_p).value, 0))[1]
    condition = c.cuGraphConditionalHandleCreate(of, bench.ctx, 1, 1)[1]
    body = c.cuGraphAddNode(of, (called,), None, 1, pack(CONDITIONAL, (condition, WHILE, 1, 0, bench.ctx)))[2][0]
    kernel = setting(bench, body, condition, counter, 3)
    child = bench.graph()
    setting(bench, child, 0, inner_counter, 0)
    c.cuGraphAddChildGraphNode(body, (kernel,), 1, child)
    made = c.cuGraphInstantiate(of, 0)[1]
    fakecuda.kernel("set", "u64", "u32*", "u32")(
        lambda grid, block, number, turns, value: sets(grid, block, number, turns, value) if number else count(turns)
    )
    assert c.cuGraphLaunch(made, 0) == (0,)
    assert c.cuCtxSynchronize() == (0,)
    assert (counted(bench, counter), counted(bench, inner_counter)) == (3, 3)
    c.cuMemsetD8(counter, 0, 4)
    assert c.cuGraphLaunch(made, 0) == (0,)
    assert c.cuCtxSynchronize() == (0,)
    assert (counted(bench, counter), counted(bench, inner_counter)) == (3, 6)


def count(turns: Any) -> None:
    """Count a turn."""
    turns[0] = turns[0] + 1


@pytest.mark.parametrize("strict", [True, False])
def test_what_goes_wrong_when_a_stream_comes_there(strict: bool) -> None:  # noqa: FBT001 - a parameter
    """A condition that nobody has set, memory that was freed, a kernel that raises: the context fails, and a strict machine says why."""
    broken = {
        "freed": "pool.handle.MEMORY_IS_NOT_FREED",
        "unset": "graph.choice.CONDITION_IS_KNOWN",
        "raises": "execution.submitted.KERNEL_RETURNS",
    }
    for what, rule in broken.items():
        fakecuda.kernel("set", "u64", "u32*", "u32")(
            lambda _grid, _block, condition, _counter, value, unset=what == "unset": (
                None if unset else set_condition(condition, value) if value else 1 / 0
            )
        )
        with Machine("h200", strict=strict) as machine:
            bench = Bench(machine)
            c, of, stream, place = (
                bench.c,
                bench.graph(),
                bench.c.cuStreamCreate(1)[1],
                bench.c.cuMemAllocAsync(ROOM, 0)[1],
            )
            c.cuCtxSynchronize()
            condition = c.cuGraphConditionalHandleCreate(of, bench.ctx, 0, 0)[1]
            first = setting(bench, of, condition, place, 1)
            params = pack(CONDITIONAL, (condition, IF, 1, 0, bench.ctx))
            body = c.cuGraphAddNode(of, (first,), None, 1, params)[2][0]
            bench.filling(body, place)
            setting(bench, body, 0, place, 0, tuple(c.cuGraphGetNodes(body, 1)[1][:1]))
            made = c.cuGraphInstantiate(of, 0)[1]
            whole: Any = bench.process.graphs[of]
            whole.conditions[condition].was_set = what == "unset"
            release = waiting(bench, stream)
            assert c.cuGraphLaunch(made, stream) == (0,)
            if what == "freed":
                c.cuMemFreeAsync(place, c.cuStreamCreate(1)[1])
            release()
            assert c.cuStreamSynchronize(stream) == (Result.LAUNCH_FAILED,)
            found = [one.rule.id for one in machine.findings]
            assert found == ([rule] if strict or what == "raises" else [])
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


@pytest.mark.parametrize("call", ["allocates", "frees"])
def test_a_graph_that_was_taken_over_captures_no_memory(bench: Bench, call: str) -> None:
    """It gets no nodes that allocate or free."""
    c, inner, of = bench.c, bench.graph(), bench.graph()
    memory = c.cuGraphAddNode(of, None, None, 0, pack(MEM_ALLOC, (1, 0, 1, 0, 0, 0, 0, 0, 0, 0, ROOM, 0)))[2][0]
    assert c.cuGraphAddNode(of, None, None, 0, pack(CHILD, (inner, 1)))[0] == 0
    stream = c.cuStreamCreate(1)[1]
    assert c.cuStreamBeginCaptureToGraph(stream, inner, None, None, 0, 2) == (0,)
    made = c.cuMemAllocAsync(ROOM, stream) if call == "allocates" else c.cuMemFreeAsync(memory, stream)
    assert made[0] == Result.NOT_SUPPORTED


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
