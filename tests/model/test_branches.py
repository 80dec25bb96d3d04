"""Nodes of one graph that no path of edges orders: what they share is found, and nothing else."""

from __future__ import annotations

import ctypes
import random
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.graph.fixtures import copy, launch, memset
from fakecuda import Machine, UndefinedBehaviour
from fakecuda.model.graph import branches
from fakecuda.spec.node_params import CONDITIONAL, MEM_ALLOC, pack
from tests.each import each
from tests.model.world import done, started

if TYPE_CHECKING:
    from collections.abc import Iterator

RULE = "graph.branches.BRANCHES_ARE_ORDERED"
SEEDS, NODES, PLACES, UNIT = 100, 6, 3, 16
IF, WHILE = 0, 1
PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry turn(.param .u64 condition, .param .u64 place, .param .u32 value) { ret; }
.visible .entry choose(.param .u64 loop, .param .u64 side) { ret; }
"""


class Bench:
    """A process with a context, a graph, and memory for its nodes.

    Args:
        machine: The machine.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.process = started(machine)
        self.c: Any = self.process.c
        self.ctx = done(self.c.cuCtxGetCurrent())
        self.graph = self.new()
        self.place = int(done(self.c.cuMemAlloc(4096)))

    def new(self) -> int:
        """Return a new graph."""
        return int(done(self.c.cuGraphCreate(0)))

    def fill(self, at: int, *after: int, of: int = 0, size: int = UNIT, **rows: int) -> int:
        """Return a new node that writes bytes at an offset of the memory, or at an address."""
        place = at if at > 1 << 32 else self.place + at
        params = memset(place, 7, size, **rows)
        return int(done(self.c.cuGraphAddMemsetNode(of or self.graph, after or None, len(after), params, self.ctx)))

    def move(self, to: int, source: int, *after: int) -> int:
        """Return a new node that copies bytes."""
        params = copy(self.place + to, self.place + source, UNIT)
        return int(done(self.c.cuGraphAddMemcpyNode(self.graph, after or None, len(after), params, self.ctx)))

    def run(self) -> list[str]:
        """Launch the graph; return the ids of the broken rules."""
        made = done(self.c.cuGraphInstantiate(self.graph, 0))
        before = len(self.machine.findings)
        try:
            done(self.c.cuGraphLaunch(made, 0))
        except UndefinedBehaviour:
            done(self.c.cuCtxSynchronize())
        return [one.rule.id for one in self.machine.findings[before:]]


@pytest.fixture
def bench() -> Iterator[Bench]:
    """Return a bench on a strict machine."""
    with Machine("h200", seed=0) as machine:
        yield Bench(machine)


def test_two_writes(bench: Bench) -> None:
    """The finding names both nodes and the memory."""
    nodes = [bench.fill(0), bench.fill(UNIT - 1)]
    assert bench.run() == [RULE]
    facts = bench.machine.findings[0].facts
    assert [facts["node"].handle, facts["other"].handle] == nodes
    assert facts["memory"].start == bench.place
    assert "writes" in facts["earlier"]


def test_two_writes_launched_through_c(bench: Bench) -> None:
    """The launch goes on, and the finding is kept."""
    for _ in range(2):
        bench.fill(0)
    thread = bench.process.current_thread()
    thread.call = thread.native
    assert bench.run() == [RULE]
    assert bench.c.cuCtxSynchronize() == (0,)


def test_reads_and_neighbours_need_no_path(bench: Bench) -> None:
    """Nodes that only read the same bytes, or write other bytes."""
    bench.move(256, 0)
    bench.move(512, 0)
    bench.fill(UNIT)
    assert bench.run() == []


def test_rows_lie_between_rows(bench: Bench) -> None:
    """Bytes between rows belong to none of them."""
    bench.fill(0, size=8, height=4, pitch=32)
    bench.fill(16, size=8, height=4, pitch=32)
    assert bench.run() == []
    bench.fill(36, size=8)
    assert bench.run() == [RULE]


def test_a_path_may_lead_over_other_nodes(bench: Bench) -> None:
    """And what an ordered write covers is found through that write."""
    first = bench.fill(0)
    between = bench.fill(256, first)
    bench.fill(0, between)
    bench.fill(512)
    assert bench.run() == []
    bench.fill(0)
    assert bench.run() == [RULE]


def test_each_launch_counts_by_itself(bench: Bench) -> None:
    """A second launch comes after the first one; its own nodes still need a path."""
    nodes = [bench.fill(0), bench.fill(256)]
    made = done(bench.c.cuGraphInstantiate(bench.graph, 0))
    for _ in range(2):
        done(bench.c.cuGraphLaunch(made, 0))
    params = memset(bench.place, 7, UNIT)
    done(bench.c.cuGraphExecMemsetNodeSetParams(made, nodes[1], params, bench.ctx))
    with pytest.raises(UndefinedBehaviour, match="a path of edges"):
        bench.c.cuGraphLaunch(made, 0)


def test_a_later_write_covers_a_part(bench: Bench) -> None:
    """The rest of the first write still counts."""
    bench.fill(0, bench.fill(0, size=2 * UNIT))
    bench.fill(UNIT)
    assert bench.run() == [RULE]


def test_edges_in_a_chain_cost_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """No record is made where edges order all nodes."""
    bench.fill(0, bench.fill(0, bench.fill(0)))
    monkeypatch.setattr(branches, "Branches", None)
    assert bench.run() == []


def test_child_graphs(bench: Bench) -> None:
    """The nodes of a child stand where it stands."""
    child = bench.new()
    bench.fill(0, of=child)
    bench.fill(512)
    first = bench.fill(0)
    inner = done(bench.c.cuGraphAddChildGraphNode(bench.graph, (first,), 1, child))
    bench.fill(0, inner)
    assert bench.run() == []
    bench.c.cuGraphAddChildGraphNode(bench.graph, None, 0, child)
    assert bench.run() == [RULE]


def allocation(bench: Bench, size: int, *after: int) -> tuple[int, int]:
    """Return a new node that allocates memory, and the address."""
    given = pack(MEM_ALLOC, (1, 0, 1, 0, *[0] * 4, 0, 0, size, 0))
    node, (at,) = done(bench.c.cuGraphAddNode(bench.graph, after or None, None, len(after), given))
    return node, at


def test_memory_of_the_graph(bench: Bench) -> None:
    """Its allocation comes before each use, and its free after."""
    node, at = allocation(bench, 256)
    other, _ = allocation(bench, 256)
    used = bench.fill(at, node)
    done(bench.c.cuGraphAddMemFreeNode(bench.graph, (used, other), 2, at))
    assert bench.run() == []


@pytest.mark.parametrize("early", ["allocation", "free"])
def test_memory_of_the_graph_out_of_order(bench: Bench, early: str) -> None:
    """A use beside the allocation, or beside the free."""
    node, at = allocation(bench, 256)
    last = bench.fill(at, node)
    if early == "free":
        done(bench.c.cuGraphAddMemFreeNode(bench.graph, (node,), 1, at))
    else:
        done(bench.c.cuGraphAddMemFreeNode(bench.graph, (last, bench.fill(at + 64)), 2, at))
    assert bench.run() == [RULE]
    assert ("frees" if early == "free" else "allocates") in str(bench.machine.findings[0].facts)


def test_a_node_whose_memory_is_gone(bench: Bench) -> None:
    """The launch says that, and no branch."""
    memory = int(done(bench.c.cuMemAlloc(64)))
    bench.fill(memory)
    bench.fill(0)
    made = done(bench.c.cuGraphInstantiate(bench.graph, 0))
    done(bench.c.cuMemFree(memory))
    with pytest.raises(UndefinedBehaviour) as raised:
        bench.c.cuGraphLaunch(made, 0)
    assert RULE not in str(raised.value)


def turning(bench: Bench, of: int, condition: int, at: int, value: int, *after: int) -> int:
    """Return a new node that runs a kernel, which may write memory and set a condition."""
    function = done(bench.c.cuModuleGetFunction(done(bench.c.cuModuleLoadData(PTX)), b"turn"))
    held = ctypes.c_uint64(condition), ctypes.c_uint64(bench.place + at), ctypes.c_uint32(value)
    places = (ctypes.c_uint64 * 3)(*map(ctypes.addressof, held))
    params = launch(function, kernelParams=ctypes.addressof(places))
    return int(done(bench.c.cuGraphAddKernelNode(of, after or None, len(after), params)))


def turn(_grid: object, _block: object, condition: int, place: Any, value: int) -> None:
    """Count down, and go on until nothing is left."""
    left = place[0] = place[0] - 1 if place[0] else value
    if condition:
        fakecuda.set_condition(condition, int(left > 0))


def test_kernels(bench: Bench) -> None:
    """What their functions use counts."""
    fakecuda.kernel("turn", "u64", "u32*", "u32")(turn)
    bench.fill(256)
    turning(bench, bench.graph, 0, 0, 1)
    assert bench.run() == []
    bench.fill(0)
    assert bench.run() == [RULE]


@pytest.mark.parametrize("fills", [1, 2])
def test_loops_run_their_body_whole(bench: Bench, fills: int) -> None:
    """Each turn comes after the turn before; nodes of one turn may still run at once."""
    fakecuda.kernel("turn", "u64", "u32*", "u32")(turn)
    done(bench.c.cuMemsetD8(bench.place, 0, 4096))
    condition = done(bench.c.cuGraphConditionalHandleCreate(bench.graph, bench.ctx, 1, 1))
    given = pack(CONDITIONAL, (condition, WHILE, 1, 0, bench.ctx))
    bench.fill(512)
    _, (body,) = done(bench.c.cuGraphAddNode(bench.graph, None, None, 0, given))
    turning(bench, body, condition, 0, 3)
    for _ in range(fills):
        bench.fill(256, of=body)
    assert bench.run() == [RULE] * (fills - 1)


def test_turns_of_a_loop_are_ordered(bench: Bench) -> None:
    """One turn takes one body of a condition and the next turn the other one."""
    sides = iter([1, 0])

    @fakecuda.kernel("choose", "u64", "u64")
    def _(_grid: object, _block: object, loop: int, side: int) -> None:
        chosen = next(sides)
        fakecuda.set_condition(side, chosen)
        fakecuda.set_condition(loop, chosen)

    loop, side = (done(bench.c.cuGraphConditionalHandleCreate(bench.graph, bench.ctx, 1, 1)) for _ in range(2))
    given = pack(CONDITIONAL, (loop, WHILE, 1, 0, bench.ctx))
    _, (body,) = done(bench.c.cuGraphAddNode(bench.graph, None, None, 0, given))
    function = done(bench.c.cuModuleGetFunction(done(bench.c.cuModuleLoadData(PTX)), b"choose"))
    held = ctypes.c_uint64(loop), ctypes.c_uint64(side)
    places = (ctypes.c_uint64 * 2)(*map(ctypes.addressof, held))
    params = launch(function, kernelParams=ctypes.addressof(places))
    first = done(bench.c.cuGraphAddKernelNode(body, None, 0, params))
    given = pack(CONDITIONAL, (side, IF, 2, 0, bench.ctx))
    _, bodies = done(bench.c.cuGraphAddNode(body, (first,), None, 1, given))
    for one in bodies:
        bench.fill(0, of=one)
    assert bench.run() == []
    assert next(sides, None) is None


def test_no_record_without_a_search_for_races() -> None:
    """Neither with ``races=False`` nor on a machine that answers as the driver does."""
    every: list[Any] = [{"races": False}, {"strict": False}]
    for options in every:
        with Machine("h200", seed=0, **options) as machine:
            bench = Bench(machine)
            bench.fill(0)
            bench.fill(0)
            assert bench.run() == []


@each("seed", range(SEEDS))
def test_graphs_by_chance(seed: int) -> None:
    """A finding is there if and only if two orders of a launch have two conflicting nodes in either order."""
    chance = random.Random(seed)  # noqa: S311 - a test
    with Machine("h200", seed=0) as machine:
        bench = Bench(machine)
        uses: list[tuple[set[int], set[int]]] = []
        edges: set[tuple[int, int]] = set()
        nodes: list[int] = []
        for number in range(chance.randint(2, NODES)):
            after = [one for one in range(number) if chance.random() < 0.5]
            edges |= {(one, number) for one in after}
            to, source = chance.sample(range(PLACES), 2)
            given = tuple(nodes[one] for one in after)
            if chance.random() < 0.5:
                units = chance.randint(1, PLACES - to)
                nodes.append(bench.fill(UNIT * to, *given, size=UNIT * units))
                uses.append(({*range(to, to + units)}, set()))
            else:
                nodes.append(bench.move(UNIT * to, UNIT * source, *given))
                uses.append(({to}, {source}))
        orders = [
            {one: place for place, one in enumerate(order)}
            for order in permutations(range(len(nodes)))
            if all(order.index(first) < order.index(second) for first, second in edges)
        ]
        expected = any(
            len({order[a] < order[b] for order in orders}) > 1
            for a, b in combinations(range(len(nodes)), 2)
            if uses[a][0] & (uses[b][0] | uses[b][1]) or uses[b][0] & uses[a][1]
        )
        assert bench.run() == [RULE] * expected
