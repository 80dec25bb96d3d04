"""Graphs that kernels launch: what a test may do with them, and what is refused."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.graph.fixtures import copy, launch, memset
from conformance.kit.kernels import HEAD, LAUNCHERS, PTX
from fakecuda import (
    FakeCudaError,
    GraphLaunch,
    KernelError,
    KernelNotDefined,
    Machine,
    current_graph,
    launch_graph,
)
from fakecuda.model.graph.in_fork import in_fork
from fakecuda.rules.driver.graph import by_device
from fakecuda.spec.codes import Result
from fakecuda.spec.node_params import CONDITIONAL, pack
from tests.limits import until
from tests.model import test_conditional as conditional

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


DEVICE, ROOM = 4, 4096
CODE = (HEAD + ".visible .entry go(.param .u64 graph, .param .u64 how, .param .u64 place) { ret; }\n").encode()


class Bench(conditional.Bench):
    """A process with a context and graphs, whose kernels run Python functions."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.stream = self.c.cuStreamCreate(1)[1]
        self.place = self.c.cuMemAlloc(ROOM)[1]
        self.c.cuMemsetD8(self.place, 0, ROOM)
        self._functions: dict[bytes, int] = {}

    def function(self, name: bytes = b"go", image: bytes = CODE) -> int:
        """Return a kernel."""
        if name not in self._functions:
            self._functions[name] = self.c.cuModuleGetFunction(self.c.cuModuleLoadData(image)[1], name)[1]
        return self._functions[name]

    def arguments(self, graph: int, how: int, place: int = 0) -> tuple[Any, ...]:
        """Return where pointers to the arguments of a kernel lie, behind them what they point to, which is to be kept."""
        held = ctypes.c_uint64(graph), ctypes.c_uint64(how), ctypes.c_uint64(place or self.place)
        places = (ctypes.c_uint64 * 3)(*map(ctypes.addressof, held))
        return ctypes.addressof(places), places, held

    def alone(self, graph: int) -> Any:
        """Launch a kernel by itself."""
        params, *_kept = self.arguments(graph, 0)
        return self.c.cuLaunchKernel(self.function(), 1, 1, 1, 1, 1, 1, 0, self.stream, params, 0)

    def node(self, of: int, graph: int, how: int = GraphLaunch.TAIL, place: int = 0) -> int:
        """Return a new node behind all others of a graph, a kernel with those arguments."""
        count = self.c.cuGraphGetNodes(of, 0, null="nodes")[-1]
        others = self.c.cuGraphGetNodes(of, count)[1] if count else ()
        params, *_kept = self.arguments(graph, how, place)
        what = launch(self.function(), kernelParams=params)
        made: int = self.c.cuGraphAddKernelNode(of, others[-1:] or None, len(others[-1:]), what)[1]
        return made

    def made(self, *graphs: int, flags: int = 0, how: int = GraphLaunch.TAIL) -> int:
        """Return an executable graph of kernels that are given those graphs."""
        of = self.c.cuGraphCreate(0)[1]
        for graph in graphs:
            self.node(of, graph, how)
        executable: int = self.c.cuGraphInstantiate(of, flags)[1]
        if flags & DEVICE:
            assert self.c.cuGraphUpload(executable, self.stream) == (0,)
        return executable

    def filled(self, value: int) -> int:
        """Return a graph for devices that fills some memory."""
        of = self.c.cuGraphCreate(0)[1]
        assert self.c.cuGraphAddMemsetNode(of, None, 0, memset(self.place, value), 0)[0] == 0
        executable: int = self.c.cuGraphInstantiate(of, DEVICE)[1]
        assert self.c.cuGraphUpload(executable, self.stream) == (0,)
        return executable

    def told(self, offset: int = 0) -> int:
        """Return a byte of the memory."""
        data = bytearray(1)
        assert self.c.cuMemcpyDtoH(data, self.place + offset, 1) == (0,)
        return data[0]


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A machine that answers whatever a driver does."""
    with Machine("h200", strict=False, seed=0) as machine:
        yield Bench(machine)


def does(function: Callable[[int, int, Any], object]) -> None:
    """Have the kernel do something with a graph, how it is launched, and memory."""
    fakecuda.kernel("go", "u64", "u64", "u8*")(lambda _grid, _block, graph, how, place: function(graph, how, place))


@pytest.mark.parametrize("how", list(GraphLaunch))
def test_a_graph_of_copies_and_memsets_is_launched(bench: Bench, how: int) -> None:
    """What it does is done with the one that launches it, whenever; a graph for devices that the host launches knows itself."""
    codes: list[int] = []
    does(lambda graph, how, _: codes.append(launch_graph(graph, how)))
    c, of = bench.c, bench.c.cuGraphCreate(0)[1]
    first = c.cuGraphAddMemsetNode(of, None, 0, memset(bench.place, 7), 0)[1]
    assert c.cuGraphAddMemcpyNode(of, (first,), 1, copy(bench.place + 64, bench.place), 0)[0] == 0
    inner = c.cuGraphInstantiate(of, DEVICE)[1]
    assert c.cuGraphUpload(inner, bench.stream) == (0,)
    outer = bench.made(inner, how=how)
    for _ in range(2):
        c.cuMemsetD8(bench.place, 0, ROOM)
        assert c.cuGraphLaunch(outer, bench.stream) == (0,)
        assert (bench.told(), bench.told(64)) == (7, 7)
    assert codes == [0, 0]
    bench.machine.check_invariants()


def test_copies_of_other_os_processes_are_launched_by_nobody(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their memory cannot be followed when a stream comes there; memsets can."""
    does(lambda graph, how, _: launch_graph(graph, how))
    monkeypatch.setattr("fakecuda.model.graph.graph_run.OWN", object())
    assert bench.c.cuGraphLaunch(bench.made(bench.filled(7)), bench.stream) == (0,)
    assert bench.told() == 7
    of = bench.c.cuGraphCreate(0)[1]
    assert bench.c.cuGraphAddMemcpyNode(of, None, 0, copy(bench.place + 64, bench.place), 0)[0] == 0
    inner = bench.c.cuGraphInstantiate(of, DEVICE)[1]
    assert bench.c.cuGraphUpload(inner, bench.stream) == (0,)
    with pytest.raises(
        KernelError, match=r"has memcpy nodes.*: launch the graph in the OS process that made the machine"
    ):
        bench.c.cuGraphLaunch(bench.made(inner), bench.stream)


def test_a_kernel_knows_its_graph(bench: Bench) -> None:
    """If that is made for devices."""
    known: list[int] = []
    does(lambda *_: known.append(current_graph()))
    plain, own = bench.made(0), bench.made(0, flags=DEVICE)
    c = bench.c
    assert bench.alone(0) == (0,)
    for one in (plain, own):
        assert c.cuGraphLaunch(one, bench.stream) == (0,)
    assert known == [0, 0, own]
    with pytest.raises(KernelError, match=r"current_graph\(\) was called outside a kernel"):
        current_graph()


def test_a_kernel_by_itself_launches_nothing(bench: Bench) -> None:
    """The card refuses a kernel that launches graphs; of one whose code does not tell, the function is told."""
    does(lambda graph, how, _: launch_graph(graph, how))
    fill = bench.filled(7)
    with pytest.raises(KernelError, match="only a kernel node of a graph can launch graphs: add the kernel to a graph"):
        bench.alone(fill)


def test_a_kernel_beside_conditionals_launches_nothing(bench: Bench) -> None:
    """A card waits for ever there."""
    does(lambda graph, how, _: launch_graph(graph, how))
    c, of, context = bench.c, bench.c.cuGraphCreate(0)[1], bench.c.cuCtxGetCurrent()[1]
    condition = c.cuGraphConditionalHandleCreate(of, context, 0, 1)[1]
    assert c.cuGraphAddNode(of, None, None, 0, pack(CONDITIONAL, (condition, 0, 1, 0, context)))[0] == 0
    bench.node(of, bench.filled(7))
    with pytest.raises(KernelError, match="has conditional nodes, and a device would wait forever"):
        c.cuGraphLaunch(c.cuGraphInstantiate(of, 0)[1], bench.stream)


def test_what_is_no_graph_for_devices_is_no_address(bench: Bench) -> None:
    """A device reads there what a driver keeps for it."""
    does(lambda graph, how, _: launch_graph(graph, how))
    assert bench.c.cuGraphLaunch(bench.made(bench.made(0)), bench.stream) == (0,)
    assert bench.c.cuStreamSynchronize(bench.stream) == (Result.ILLEGAL_ADDRESS,)


def test_a_graph_without_a_meaning_is_launched_by_nobody(bench: Bench) -> None:
    """The launch is refused that the kernel is part of; nothing is left of it."""
    codes: list[int] = []
    does(lambda graph, how, _: codes.append(launch_graph(graph, how)))
    c, of = bench.c, bench.c.cuGraphCreate(0)[1]
    function = bench.function(b"unknown", (HEAD + ".visible .entry unknown() { ret; }\n").encode())
    c.cuGraphAddKernelNode(of, None, 0, launch(function))
    unknown = c.cuGraphInstantiate(of, DEVICE)[1]
    c.cuGraphUpload(unknown, bench.stream)
    fill = bench.filled(7)
    with pytest.raises(KernelNotDefined, match="kernel unknown has no Python function"):
        c.cuGraphLaunch(bench.made(fill, unknown), bench.stream)
    assert bench.told() == 0
    assert c.cuGraphLaunch(bench.made(fill), bench.stream) == (0,)
    assert codes == [0, 0]
    assert bench.told() == 7


def test_a_context_that_fails_launches_no_more(bench: Bench) -> None:
    """Neither what was launched behind, nor the rest of its graph."""

    def go(graph: int, how: int, place: Any) -> None:
        if graph:
            launch_graph(graph, how)
        else:
            place[1 << 40] = 1

    does(go)
    stray, fill = bench.made(0, flags=DEVICE), bench.filled(7)
    outer = bench.made(stray, fill)
    assert bench.c.cuGraphLaunch(outer, bench.stream) == (0,)
    assert bench.c.cuStreamSynchronize(bench.stream) == (Result.ILLEGAL_ADDRESS,)
    graphs: Any = bench.process.graphs
    assert not graphs[fill].waits
    bench.machine.check_invariants()


def test_a_kernel_behind_one_that_fails_does_not_run(bench: Bench) -> None:
    """In the same graph, as memory tells that is the host's, too."""

    def go(graph: int, _: int, place: Any) -> None:
        place[1 << 40 if graph else 0] = 7

    does(go)
    pinned = bench.c.cuMemAllocHost(ROOM)[1]
    for first, seen, answer in ((0, 7, Result.SUCCESS), (1, 0, Result.ILLEGAL_ADDRESS)):
        ctypes.memset(pinned, 0, ROOM)
        of = bench.c.cuGraphCreate(0)[1]
        for graph in (first, 0):
            bench.node(of, graph, place=pinned)
        assert bench.c.cuGraphLaunch(bench.c.cuGraphInstantiate(of, 0)[1], bench.stream) == (0,)
        assert bench.c.cuStreamSynchronize(bench.stream) == (answer,)
        assert ctypes.string_at(pinned, 1)[0] == seen


@pytest.mark.parametrize("strict", [True, False])
def test_graphs_that_never_end_fail(monkeypatch: pytest.MonkeyPatch, strict: bool) -> None:  # noqa: FBT001 - a parameter
    """A device would run them for ever."""
    monkeypatch.setattr(by_device, "MOST", 100)
    does(lambda *_: launch_graph(current_graph()))
    with Machine("h200", strict=strict) as machine:
        bench = Bench(machine)
        assert bench.c.cuGraphLaunch(bench.made(bench.made(0, flags=DEVICE), flags=DEVICE), bench.stream) == (0,)
        assert bench.c.cuStreamSynchronize(bench.stream) == (Result.LAUNCH_FAILED,)
        assert [one.rule.id for one in machine.findings] == ["graph.by_device.LAUNCHES_END"] * strict
        machine.findings.clear()


def test_graphs_launch_each_other_often(bench: Bench) -> None:
    """However deep: what is behind a run needs no room."""
    left = [5000]

    def go(_graph: int, how: int, _: object) -> None:
        left[0] -= 1
        if left[0] > 0:
            assert launch_graph(current_graph(), how) == 0

    does(go)
    assert bench.c.cuGraphLaunch(bench.made(0, flags=DEVICE), bench.stream) == (0,)
    assert left == [0]


def held_up(bench: Bench, stream: int) -> Callable[[], None]:
    """Have a stream wait for a flag, and return what writes it. The kernel is loaded before, for a load would wait."""
    bench.function()
    flag = bench.c.cuMemAllocHost(64)[1]
    assert bench.c.cuStreamWaitValue32(stream, flag, 1, 0) == (0,)

    def release() -> None:
        assert bench.c.cuStreamWriteValue32(bench.c.cuStreamCreate(1)[1], flag, 1, 0) == (0,)

    return release


def test_the_host_does_not_launch_what_a_kernel_has_launched(bench: Bench) -> None:
    """A card waits for ever; it can, once that is done. What the host has launched no kernel launches before it is done."""
    codes: list[int] = []
    does(lambda graph, how, _: codes.append(launch_graph(graph, how)))
    c, other = bench.c, bench.c.cuStreamCreate(1)[1]
    fill, of, event = bench.filled(7), c.cuGraphCreate(0)[1], c.cuEventCreate(0)[1]
    release = held_up(bench, other)
    assert c.cuEventRecord(event, other) == (0,)
    node = bench.node(of, fill)
    assert c.cuGraphAddEventWaitNode(of, (node,), 1, event)[0] == 0
    outer = c.cuGraphInstantiate(of, 0)[1]
    assert c.cuGraphLaunch(outer, bench.stream) == (0,)
    with pytest.raises(FakeCudaError, match="launch of it has not run yet, so a device would wait forever"):
        c.cuGraphLaunch(fill, bench.stream)
    release()
    assert c.cuStreamSynchronize(bench.stream) == (0,)
    assert (codes, bench.told()) == ([0], 7)
    release = held_up(bench, other)
    assert c.cuGraphLaunch(fill, other) == (0,)
    assert c.cuGraphLaunch(bench.made(fill), bench.stream) == (0,)
    assert codes == [0, 1]
    release()
    assert c.cuStreamSynchronize(other) == (0,)


@pytest.mark.parametrize("launches", [False, True])
def test_the_end_of_a_graph_for_devices_waits_for_its_context(launches: bool) -> None:  # noqa: FBT001 - a parameter
    """Or of one whose kernels launch graphs; that of others does not wait. Where the context is no more a driver never returns."""
    with Machine("h200", strict=False) as machine:
        bench = Bench(machine)
        c = bench.c
        function = bench.function(b"launcher" if launches else b"empty", LAUNCHERS if launches else PTX)
        of = c.cuGraphCreate(0)[1]
        c.cuGraphAddKernelNode(of, None, 0, launch(function))
        held, other = (c.cuGraphInstantiate(of, 0 if launches else DEVICE)[1] for _ in range(2))
        plain = c.cuGraphInstantiate(c.cuGraphCreate(0)[1], 0)[1]
        release = held_up(bench, bench.stream)
        assert c.cuGraphExecDestroy(plain) == (0,)
        ended: list[Any] = []
        thread = threading.Thread(target=lambda: ended.append(c.cuGraphExecDestroy(held)))
        thread.start()
        assert until(lambda: bool(machine.scheduler.census.waiting))
        assert not ended
        release()
        thread.join()
        assert ended == [(0,)]
        c.cuCtxDestroy(c.cuCtxGetCurrent()[1])
        assert c.cuGraphExecDestroy(other) == (1,)


def test_a_fork_has_what_was_uploaded(bench: Bench) -> None:
    """With no run under way."""
    does(lambda *_: None)
    held = bench.made(0, flags=DEVICE)
    graphs: Any = bench.process.graphs
    graphs[held].runs, graphs[held].waits = 1, True
    twin: Any = in_fork(bench.machine.spawn(), graphs, {})[held]
    assert (twin.runs, twin.waits) == (0, False)
    assert twin.placed is not graphs[held].placed
    assert [step.kind for step in twin.placed.order] == [0]
