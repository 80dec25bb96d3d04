"""Conditions that a stream looks at when it comes there: what kernels have set by then, and what goes wrong."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.graph.fixtures import copy as copied
from conformance.cases.driver.graph.fixtures import memset
from fakecuda import Machine, set_condition
from fakecuda.model.invariants import check
from fakecuda.spec.codes import Result
from fakecuda.spec.node_params import CONDITIONAL, pack
from tests.model.test_conditional import Bench, bench, counted, sets, setting

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["bench"]

IF, WHILE, SWITCH = range(3)
ROOM = 4096


def waiting(bench: Bench, stream: int) -> Callable[[], None]:
    """Have a stream wait for a value, and return what writes it."""
    c, value = bench.c, bench.c.cuMemAlloc(64)[1]
    assert c.cuMemsetD8(value, 0, 64) == (0,)
    assert c.cuStreamSynchronize(0) == (0,)
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
            release = waiting(bench, stream)
            assert c.cuGraphLaunch(made, stream) == (0,)
            if what == "freed":
                c.cuMemFreeAsync(place, c.cuStreamCreate(1)[1])
            release()
            assert c.cuStreamSynchronize(stream) == (Result.LAUNCH_FAILED,)
            found = [one.rule.id for one in machine.findings]
            assert found == ([rule] if strict or what == "raises" else [])
            machine.findings.clear()
