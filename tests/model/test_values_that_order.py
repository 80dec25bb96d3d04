"""Values in memory that a stream writes and another one waits for: which accesses they order, and which not."""

from __future__ import annotations

import ctypes
from itertools import product
from typing import TYPE_CHECKING

import pytest

from conformance.cases.driver.graph.fixtures import memset
from fakecuda import Machine, UndefinedBehaviour
from fakecuda.rules.driver.graph.branches import BRANCHES_ARE_ORDERED
from fakecuda.spec import mem_ops
from tests.each import each
from tests.model.racing import Scene, fill, found
from tests.model.test_happens_before import scene
from tests.model.world import GRANULE, created, done, mapped

if TYPE_CHECKING:
    from collections.abc import Callable

EQ = 1
"""CU_STREAM_WAIT_VALUE_EQ."""

__all__ = ["scene"]


def waited(scene: Scene, flag: int, writer: int, value: int = 1) -> None:
    """Have the second stream wait for a value that a stream writes, and let all of it be done."""
    done(scene.c.cuStreamWriteValue32(writer, flag, value, 0))
    done(scene.c.cuStreamWaitValue32(scene.two, flag, 1, 0))
    scene.settle()


def test_a_value_orders_what_came_before_it_in_its_stream(scene: Scene) -> None:
    """Work of other streams, of the writer after the write, and of writers of other values stays without an order."""
    done(scene.c.cuMemsetD32(scene.flag, 0, 8))
    done(scene.c.cuCtxSynchronize())
    fill(scene, scene.one)
    waited(scene, scene.flag, scene.third)
    found(lambda: fill(scene, scene.two))

    done(scene.c.cuCtxSynchronize())
    waited(scene, scene.flag + 4, scene.one)
    fill(scene, scene.one)
    found(lambda: fill(scene, scene.two))

    done(scene.c.cuCtxSynchronize())
    fill(scene, scene.one)
    done(scene.c.cuStreamWriteValue32(scene.one, scene.flag + 8, 0, 0))  # ends no wait for 1
    waited(scene, scene.flag + 8, scene.third)
    found(lambda: fill(scene, scene.two))


def test_each_writer_of_such_a_value_may_have_ended_the_wait(scene: Scene) -> None:
    """The wait comes after what is before all of them."""
    fill(scene, scene.one)
    done(scene.c.cuStreamWriteValue32(scene.one, scene.flag, 5, 0))
    waited(scene, scene.flag, scene.third, 2)
    found(lambda: fill(scene, scene.two))
    done(scene.c.cuCtxSynchronize())

    fill(scene, scene.one)
    scene.record(scene.one)
    scene.wait(scene.third)
    done(scene.c.cuStreamWriteValue64(scene.one, scene.flag + 8, 5, 0))  # of more bytes than the other one
    waited(scene, scene.flag + 8, scene.third, 2)
    fill(scene, scene.two)


def test_a_write_of_fewer_bytes_than_are_awaited(scene: Scene) -> None:
    """Memory has the rest of the value: with it, the value does not end the wait, and then it does."""
    done(scene.c.cuStreamWriteValue64(scene.one, scene.flag + 8, 1 << 32, 0))
    done(scene.c.cuCtxSynchronize())
    fill(scene, scene.one)
    done(scene.c.cuStreamWriteValue32(scene.one, scene.flag + 8, 1, 0))
    done(scene.c.cuStreamWaitValue64(scene.two, scene.flag + 8, (1 << 32) + 1, EQ))
    fill(scene, scene.two)


def test_writes_that_are_not_kept_apart(scene: Scene) -> None:
    """A wait comes after all of them."""
    fill(scene, scene.one)
    done(scene.c.cuStreamWriteValue32(scene.one, scene.flag + 4, 1, 0))
    for value in range(2, 40):
        done(scene.c.cuStreamWriteValue32(scene.third, scene.flag + 4, value, 0))
    waited(scene, scene.flag + 4, scene.third)
    fill(scene, scene.two)
    assert not scene.machine.findings


def test_a_value_of_the_last_round(scene: Scene) -> None:
    """It may end the wait, unless the flag was reset: by its stream, or by the host between the rounds."""
    for _ in range(2):
        fill(scene, scene.one)
        waited(scene, scene.flag, scene.one)
        scene.record(scene.two)
        scene.wait(scene.one)
        done(scene.c.cuStreamWriteValue32(scene.one, scene.flag, 0, 0))
        scene.record(scene.one)
        scene.wait(scene.two)
    fill(scene, scene.one)
    waited(scene, scene.flag + 4, scene.one)
    scene.record(scene.two)
    scene.wait(scene.one)
    fill(scene, scene.one)
    waited(scene, scene.flag + 4, scene.one)
    found(lambda: fill(scene, scene.two))


def test_a_value_that_was_there_before_all_work(scene: Scene) -> None:
    """It orders nothing: neither alone, nor beside a write."""
    done(scene.c.cuMemsetD32(scene.flag, 1, 4))
    done(scene.c.cuCtxSynchronize())
    fill(scene, scene.one)
    done(scene.c.cuStreamWaitValue32(scene.two, scene.flag, 1, 0))
    found(lambda: fill(scene, scene.two))
    waited(scene, scene.flag + 4, scene.one)
    found(lambda: fill(scene, scene.two))
    waited(scene, scene.flag + 8, scene.two)  # behind a write of its own
    found(lambda: fill(scene, scene.two))


def test_two_waits_that_end_each_other(scene: Scene) -> None:
    """Each writes what the other one waits for, and a third write ends both: nothing orders the two streams."""
    one, two = scene.flag, scene.flag + 4
    for stream, awaited, then in ((scene.one, one, two), (scene.two, two, one)):
        done(scene.c.cuStreamWaitValue32(stream, awaited, 1, 0))
        done(scene.c.cuStreamWriteValue32(stream, then, 1, 0))
    done(scene.c.cuStreamWriteValue32(scene.third, one, 1, 0))
    scene.settle()
    fill(scene, scene.one)
    found(lambda: fill(scene, scene.two))


def test_the_host_resets_a_value(scene: Scene) -> None:
    """Memory shows that a write of the last round is gone, though work of that round is not known to be done."""
    for _ in range(2):
        fill(scene, scene.third)
        done(scene.c.cuStreamWaitValue32(scene.two, scene.pinned, 1, 0))
        done(scene.c.cuStreamWriteValue32(scene.third, scene.pinned, 1, 0))
        scene.settle()
        fill(scene, scene.two)
        scene.record(scene.two)
        scene.wait(scene.third)
        scene.settle()
        ctypes.memset(scene.pinned, 0, 4)
    for _ in range(2):  # here the host does not see the value itself
        fill(scene, scene.third)
        done(scene.c.cuStreamWriteValue32(scene.third, scene.flag, 1, 0))
        done(scene.c.cuStreamWaitValue32(scene.two, scene.flag, 1, 0))
        fill(scene, scene.two)
        done(scene.c.cuStreamSynchronize(scene.two))
        fill(scene, scene.one)  # never awaited
        done(scene.c.cuMemsetD32Async(scene.flag, 0, 1, scene.two))
        done(scene.c.cuStreamSynchronize(scene.two))
        scene.record(scene.one)
        scene.wait(scene.third)
    assert not scene.machine.findings


STRONG: dict[str, Callable[[Scene, int], object]] = {
    "a write": lambda scene, stream: scene.c.cuStreamWriteValue32(stream, scene.flag, 1, 0),
    "a write in a batch": lambda scene, stream: scene.c.cuStreamBatchMemOp(
        stream, 1, ((mem_ops.WRITE_32, scene.flag, 1, 0),), 0
    ),
    "a wait": lambda scene, stream: scene.c.cuStreamWaitValue32(stream, scene.flag, 0, 0),
}
PLAIN: dict[str, Callable[[Scene, int], object]] = {
    "a memset": lambda scene, stream: scene.c.cuMemsetD32Async(scene.flag, 0, 1, stream),
    "a copy of it": lambda scene, stream: scene.c.cuMemcpyDtoDAsync(scene.own, scene.flag, 4, stream),
    "a copy there": lambda scene, stream: scene.c.cuMemcpyDtoDAsync(scene.flag, scene.own, 4, stream),
}


@each("one, other", [*product(STRONG, {**STRONG, **PLAIN}), *product(PLAIN, STRONG)])
def test_values_are_strong_accesses(one: str, other: str) -> None:
    """A memset or copy of a value needs an order with its writes and with waits for it; these need none among each other."""
    accesses, pair = {**STRONG, **PLAIN}, {one, other}
    with Machine("h200-x2", seed=1) as machine:
        scene = Scene(machine)
        accesses[one](scene, scene.one)
        is_race = not pair <= set(STRONG) and pair != {"a wait", "a copy of it"}
        if is_race and other != "a wait":  # what was written before may have ended the wait
            found(lambda: accesses[other](scene, scene.two))
        else:
            accesses[other](scene, scene.two)


def test_a_reset_beside_a_wait_that_is_over(scene: Scene) -> None:
    """The wait must have seen the value before it is reset; while no write may have ended the wait, nothing is wrong."""
    done(scene.c.cuStreamWaitValue32(scene.two, scene.flag, 1, 0))
    done(scene.c.cuMemsetD32Async(scene.flag, 0, 1, scene.one))
    done(scene.c.cuStreamWriteValue32(scene.one, scene.flag, 1, 0))
    scene.settle()
    done(scene.c.cuStreamWaitValue32(scene.third, scene.flag, 1, 0))
    found(lambda: scene.c.cuMemsetD32Async(scene.flag, 0, 1, scene.one))


def test_the_end_of_a_value() -> None:
    """An unmap needs an order with a write; a free does if it need not wait."""
    with Machine("h200-x2", seed=1, races="strict") as machine:
        scene = Scene(machine)
        place = mapped(scene.process, created(scene.process))
        for at in (place, scene.flag):
            done(scene.c.cuStreamWriteValue32(scene.one, at, 1, 0))
        found(lambda: scene.c.cuMemUnmap(place, GRANULE))
        found(lambda: scene.c.cuMemFree(scene.flag))


@each("what, is_race", [("memset", True), ("write", False)])
def test_values_in_branches_of_a_graph(what: str, is_race: bool) -> None:  # noqa: FBT001 - a case's outcome
    """A batch memory operation node beside a memset of its value is a race. Two writes of it are not."""
    with Machine("h200-x2", seed=1) as machine:
        scene = Scene(machine)
        context = done(scene.c.cuCtxGetCurrent())
        operations = ctypes.create_string_buffer(mem_ops.pack((mem_ops.WRITE_32, scene.flag, 1, 0)))
        given = context, 1, ctypes.addressof(operations), 0
        graph = done(scene.c.cuGraphCreate(0))
        done(scene.c.cuGraphAddBatchMemOpNode(graph, None, 0, given))
        if what == "memset":
            done(scene.c.cuGraphAddMemsetNode(graph, None, 0, memset(scene.flag, width=4), context))
        else:
            done(scene.c.cuGraphAddBatchMemOpNode(graph, None, 0, given))
        executable = done(scene.c.cuGraphInstantiate(graph, 0))
        if is_race:
            with pytest.raises(UndefinedBehaviour) as caught:
                scene.c.cuGraphLaunch(executable, scene.one)
            assert caught.value.finding.rule is BRANCHES_ARE_ORDERED
        else:
            done(scene.c.cuGraphLaunch(executable, scene.one))


def test_other_work_that_writes_a_value(scene: Scene) -> None:
    """A copy or a memset of its stream may have ended the wait, and work whose accesses are unknown anything."""
    done(scene.c.cuMemsetD32(scene.flag, 0, 8))
    done(scene.c.cuCtxSynchronize())
    fill(scene, scene.one)
    done(scene.c.cuMemsetD32Async(scene.flag, 1, 1, scene.one))
    done(scene.c.cuStreamWaitValue32(scene.two, scene.flag, 1, 0))
    scene.settle()
    fill(scene, scene.two)
    done(scene.c.cuCtxSynchronize())
    fill(scene, scene.one)
    done(scene.c.cuMemsetD32Async(scene.flag + 8, 0, 1, scene.two))  # its own work orders nothing
    scene.record(scene.two)
    scene.wait(scene.one)
    waited(scene, scene.flag + 8, scene.one)
    fill(scene, scene.two)
    done(scene.c.cuCtxSynchronize())
    fill(scene, scene.one)
    scene.machine.races.lose_sight()  # type: ignore[union-attr] # the machine searches for races
    waited(scene, scene.flag + 4, scene.third)
    fill(scene, scene.two)
    assert not scene.machine.findings


def test_the_host_waits_for_work_that_anything_may_have_ended(scene: Scene) -> None:
    """All work counts as done that may have ended the wait of a stream for which the host waits."""
    fill(scene, scene.one)
    scene.machine.races.lose_sight()  # type: ignore[union-attr] # the machine searches for races
    done(scene.c.cuStreamWaitValue32(scene.third, scene.flag, 1, 0))
    done(scene.c.cuMemsetD32Async(scene.flag, 1, 1, scene.one))
    scene.settle()
    done(scene.c.cuStreamSynchronize(scene.third))
    fill(scene, scene.two)
    assert not scene.machine.findings


def test_values_are_forgotten(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a wait counts as ordered after everything; a program that never waits needs no more and more memory."""
    monkeypatch.setattr("fakecuda.model.work.written_values.MOST_PLACES", 4)
    done(scene.c.cuMemsetD32(scene.flag, 0, 64))
    done(scene.c.cuCtxSynchronize())
    fill(scene, scene.one)
    for number in range(9):
        done(scene.c.cuStreamWriteValue32(scene.third, scene.flag + 4 * number, 1, 0))
        done(scene.c.cuStreamWaitValue32(scene.two, scene.flag + 4 * number, 1, 0))
    scene.settle()
    races = scene.machine.races
    assert races is not None
    assert len(races.values.words) <= 4
    assert len(races.values.awaited) <= 4
    done(scene.c.cuStreamWaitValue32(scene.two, scene.flag + 4, 1, 0))
    fill(scene, scene.two)
    assert not scene.machine.findings
