"""Memory that a context has opened by IPC, in nodes of other contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import fakecuda

if TYPE_CHECKING:
    from collections.abc import Iterator

REFUSED = (1,)


class Bench(NamedTuple):
    """A process with two contexts, and the memory that one of them has opened. The first one is current."""

    c: Any
    first: int
    second: int
    own: int
    opened: int


def copy(target: int, source: int) -> tuple[int, ...]:
    """Return a CUDA_MEMCPY3D of 16 bytes."""
    return (0, 0, 0, 0, 2, 0, source, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, target, 0, 0, 0, 0, 16, 1, 1)


@pytest.fixture(name="bench")
def opened_in_the_second_context(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """Give the memory of another process, on the device of the contexts or on another one."""
    with fakecuda.Machine("h200-x2", strict=False) as machine:
        a, b = machine.spawn(), machine.spawn()
        for one in (a, b):
            assert one.c.cuInit(0) == (0,)
        assert b.c.cuCtxCreate(None, 0, 0)[0] == 0
        handle = b.c.cuIpcGetMemHandle(b.c.cuMemAlloc(4096)[1])[1]
        c = a.c
        second = c.cuCtxCreate(None, 0, 0)[1]
        opened = c.cuIpcOpenMemHandle(handle, 1)[1]
        first = c.cuCtxCreate(None, 0, getattr(request, "param", 0))[1]
        yield Bench(c, first, second, c.cuMemAlloc(4096)[1], opened)


@pytest.mark.parametrize(("bench", "code"), [(0, 0), (1, 1)], indirect=["bench"])
def test_memsets_reach_what_was_opened_on_their_device(bench: Bench, code: int) -> None:
    """A node needs no peer access, as cuMemsetD8 does; a node of another device does."""
    c, graph = bench.c, bench.c.cuGraphCreate(0)[1]
    assert c.cuMemsetD8(bench.opened, 7, 16) == REFUSED
    assert c.cuGraphAddMemsetNode(graph, None, 0, (bench.opened, 0, 7, 1, 16, 1), bench.first)[0] == code


def test_a_target_that_was_opened_has_the_context_of_the_source(bench: Bench) -> None:
    """Memory of cuMemAlloc of another context replaces a target; an IPC mapping does if the source is of its context."""
    c, graph = bench.c, bench.c.cuGraphCreate(0)[1]
    node = c.cuGraphAddMemcpyNode(graph, None, 0, copy(bench.own, bench.own + 64), bench.first)[1]
    made = c.cuGraphInstantiate(graph, 0)[1]
    assert c.cuGraphExecMemcpyNodeSetParams(made, node, copy(bench.opened, bench.own), bench.first) == REFUSED
    assert c.cuCtxPushCurrent(bench.second) == (0,)
    other = c.cuMemAlloc(4096)[1]
    assert c.cuGraphExecMemcpyNodeSetParams(made, node, copy(other, bench.own), bench.first) == (0,)
    node = c.cuGraphAddMemcpyNode(graph, None, 0, copy(bench.own, other), bench.first)[1]
    made = c.cuGraphInstantiate(graph, 0)[1]
    assert c.cuGraphExecMemcpyNodeSetParams(made, node, copy(bench.opened, other), bench.first) == (0,)
