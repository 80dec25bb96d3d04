"""A launch of a graph whose branches conflict, with each other or with other work: it changes nothing, or goes on."""

from __future__ import annotations

import ctypes
import threading

import pytest

from fakecuda import UndefinedBehaviour
from tests.limits import LONG
from tests.model.test_branches import UNIT, Bench, bench
from tests.model.world import done

__all__ = ["bench"]

RULE = "graph.branches.BRANCHES_ARE_ORDERED"


def bytes_at(bench: Bench, size: int = 1024) -> bytes:
    """Return the first bytes of the memory."""
    data = bytearray(size)
    done(bench.c.cuMemcpyDtoH(data, bench.place, size))
    return bytes(data)


def test_a_launch_with_a_finding_changes_nothing(bench: Bench) -> None:
    """Nodes without a path are found before the first one acts."""
    done(bench.c.cuMemsetD8(bench.place, 1, 1024))
    before = bytes_at(bench)
    bench.fill(0)
    bench.fill(512)
    assert bench.run() == []
    assert bytes_at(bench) != before
    done(bench.c.cuMemsetD8(bench.place, 1, 1024))
    bench.fill(512)
    assert bench.run() == [RULE]
    assert bytes_at(bench) == before


@pytest.mark.parametrize("chain", [True, False])
def test_a_launch_beside_other_work_changes_nothing(bench: Bench, *, chain: bool) -> None:
    """Work of another stream that a later node does not wait for is found before the first one acts; a wait orders both."""
    done(bench.c.cuMemsetD8(bench.place, 1, 4096))
    before = bytes_at(bench)
    first = bench.fill(0)
    bench.move(512, 1024, *(first,) * chain)
    made = done(bench.c.cuGraphInstantiate(bench.graph, 0))
    one, two = (done(bench.c.cuStreamCreate(1)) for _ in range(2))
    done(bench.c.cuMemsetD8Async(bench.place + 1024, 1, UNIT, one))
    with pytest.raises(UndefinedBehaviour, match="ACCESSES_ARE_ORDERED"):
        bench.c.cuGraphLaunch(made, two)
    assert bytes_at(bench) == before
    done(bench.c.cuStreamSynchronize(one))
    done(bench.c.cuGraphLaunch(made, two))
    done(bench.c.cuStreamSynchronize(two))
    assert bytes_at(bench) != before
    assert len(bench.machine.findings) == 1


def test_a_finding_that_is_tolerated_is_kept_once(bench: Bench) -> None:
    """The launch goes on then, and does not repeat it."""
    bench.machine.tolerates = lambda _: True
    one, two = (done(bench.c.cuStreamCreate(1)) for _ in range(2))
    done(bench.c.cuMemsetD8Async(bench.place, 1, UNIT, one))
    bench.fill(0)
    bench.fill(0)
    made = done(bench.c.cuGraphInstantiate(bench.graph, 0))
    done(bench.c.cuGraphLaunch(made, two))
    assert [one.rule.id.rpartition(".")[2] for one in bench.machine.findings] == [
        "ACCESSES_ARE_ORDERED",
        "BRANCHES_ARE_ORDERED",
    ]


def test_what_no_check_before_a_launch_can_know(bench: Bench) -> None:
    """While a stream waits for a host function, its order is not known, and nothing is found."""
    begun, end = threading.Event(), threading.Event()

    def wait(_: object) -> None:
        begun.set()
        end.wait(LONG)

    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(wait)
    one, two = (done(bench.c.cuStreamCreate(1)) for _ in range(2))
    bench.fill(0)
    made = done(bench.c.cuGraphInstantiate(bench.graph, 0))
    done(bench.c.cuMemsetD8Async(bench.place, 1, UNIT, one))
    done(bench.c.cuLaunchHostFunc(two, ctypes.cast(function, ctypes.c_void_p).value, 0))
    assert begun.wait(LONG)
    done(bench.c.cuGraphLaunch(made, two))
    end.set()
    done(bench.c.cuCtxSynchronize())
    assert not bench.machine.findings


def test_nodes_without_memory_beside_other_work(bench: Bench) -> None:
    """A launch is checked before it acts also where a node uses no memory."""
    one, two = (done(bench.c.cuStreamCreate(1)) for _ in range(2))
    done(bench.c.cuMemsetD8Async(bench.place, 1, UNIT, one))
    done(bench.c.cuGraphAddEmptyNode(bench.graph, None, 0))
    bench.fill(512)
    done(bench.c.cuGraphLaunch(done(bench.c.cuGraphInstantiate(bench.graph, 0)), two))
    assert not bench.machine.findings
