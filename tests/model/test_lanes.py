"""Branches of one launch that record events, wait, write values or call: what these order, and what not."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from conformance.cases.driver.graph.fixtures import memset
from fakecuda import Machine, UndefinedBehaviour
from fakecuda.model.graph import lanes
from fakecuda.spec import mem_ops
from fakecuda.spec.node_params import CONDITIONAL, pack
from tests.model.racing import NOTHING, SIZE, Scene, fill
from tests.model.world import done

if TYPE_CHECKING:
    from collections.abc import Callable

NOT_READY = 600


class Branched(Scene):
    """A scene with a graph.

    Args:
        machine: The machine.
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.graph = done(self.c.cuGraphCreate(0))

    def filled(self, *after: int, at: int = 0) -> int:
        """Return a node that writes memory."""
        context = done(self.c.cuCtxGetCurrent())
        given = memset(at or self.common, width=SIZE)
        return int(done(self.c.cuGraphAddMemsetNode(self.graph, after or None, len(after), given, context)))

    def recording(self, *after: int, event: int = 0) -> int:
        """Return a node that records an event."""
        event = event or self.event
        return int(done(self.c.cuGraphAddEventRecordNode(self.graph, after or None, len(after), event)))

    def waiting(self, *after: int, event: int = 0) -> int:
        """Return a node that waits for an event."""
        event = event or self.event
        return int(done(self.c.cuGraphAddEventWaitNode(self.graph, after or None, len(after), event)))

    def launch(self, stream: int) -> None:
        """Launch the graph."""
        done(self.c.cuGraphLaunch(done(self.c.cuGraphInstantiate(self.graph, 0)), stream))


def recorded(scene: Branched, *, ordered: bool) -> None:
    """A node records an event behind the memset, or beside it."""
    first = scene.filled()
    after = (first,) if ordered else ()
    done(scene.c.cuGraphAddEventRecordNode(scene.graph, after or None, len(after), scene.event))
    scene.launch(scene.one)
    scene.wait(scene.two)
    fill(scene, scene.two)


def awaited(scene: Branched, *, ordered: bool) -> None:
    """A node waits for an event before the memset, or beside it."""
    fill(scene, scene.one)
    scene.record(scene.one)
    waits = done(scene.c.cuGraphAddEventWaitNode(scene.graph, None, 0, scene.event))
    scene.filled(*(waits,) if ordered else ())
    scene.filled(waits, at=scene.own)
    scene.launch(scene.two)


def called(scene: Branched, *, ordered: bool) -> None:
    """A node calls a host function behind the memset, or beside it."""
    first = scene.filled()
    after = (first,) if ordered else ()
    given = ctypes.cast(NOTHING, ctypes.c_void_p).value, 0
    done(scene.c.cuGraphAddHostNode(scene.graph, after or None, len(after), given))
    scene.launch(scene.one)
    scene.settle()
    fill(scene, scene.two)


def written(scene: Branched, *, ordered: bool) -> None:
    """A captured branch writes a value behind the memset, or beside it."""
    other = int(done(scene.c.cuEventCreate(0)))
    done(scene.c.cuStreamBeginCapture(scene.one, 2))
    scene.record(scene.one)
    scene.wait(scene.third)
    fill(scene, scene.one)
    done(scene.c.cuStreamWriteValue32(scene.one if ordered else scene.third, scene.flag, 1, 0))
    done(scene.c.cuEventRecord(other, scene.third))
    done(scene.c.cuStreamWaitEvent(scene.one, other, 0))
    done(scene.c.cuGraphDestroy(scene.graph))
    scene.graph = done(scene.c.cuStreamEndCapture(scene.one))
    scene.launch(scene.one)
    done(scene.c.cuStreamWaitValue32(scene.two, scene.flag, 1, 1))
    scene.settle()
    fill(scene, scene.two)


def in_a_child(scene: Branched, *, ordered: bool) -> None:
    """A child graph writes the memory; a node behind the child, or beside it, records an event."""
    outer, scene.graph = scene.graph, done(scene.c.cuGraphCreate(0))
    scene.filled()
    child = done(scene.c.cuGraphAddChildGraphNode(outer, None, 0, scene.graph))
    scene.graph = outer
    after = (child,) if ordered else ()
    done(scene.c.cuGraphAddEventRecordNode(outer, after or None, len(after), scene.event))
    scene.launch(scene.one)
    scene.wait(scene.two)
    fill(scene, scene.two)


def before_the_launch(scene: Branched, *, ordered: bool) -> None:
    """An event that a node records comes after work before the launch, and not after work of another stream."""
    fill(scene, scene.one if ordered else scene.third)
    scene.filled(at=scene.own)
    done(scene.c.cuGraphAddEventRecordNode(scene.graph, None, 0, scene.event))
    scene.launch(scene.one)
    scene.wait(scene.two)
    fill(scene, scene.two)


def behind_the_launch(scene: Branched, *, ordered: bool) -> None:
    """Later work of the stream comes after all branches, also in a second launch."""
    scene.filled()
    done(scene.c.cuGraphAddEventRecordNode(scene.graph, None, 0, scene.event))
    for _ in range(2):
        scene.launch(scene.one)
        scene.record(scene.one)
    if ordered:
        scene.wait(scene.two)
    fill(scene, scene.two)


def seen_by_the_host(scene: Branched, *, ordered: bool) -> None:
    """The host waits for the event of a node: then the nodes before it are done, and not those beside it."""
    first = scene.filled()
    second = scene.filled(at=scene.own)
    done(scene.c.cuGraphAddEventRecordNode(scene.graph, (first if ordered else second,), 1, scene.event))
    scene.launch(scene.one)
    done(scene.c.cuEventSynchronize(scene.event))
    fill(scene, scene.two)
    done(scene.c.cuStreamSynchronize(scene.one))
    done(scene.c.cuMemsetD8Async(scene.own, 1, SIZE, scene.two))


def recorded_twice(scene: Branched, *, ordered: bool) -> None:
    """Two nodes record an event, one behind the other, or beside each other: then either may be the last one."""
    first = scene.recording(scene.filled())
    scene.recording(*(first,) if ordered else ())
    scene.launch(scene.one)
    scene.wait(scene.two)
    fill(scene, scene.two)


def recorded_by_branches(scene: Branched, *, ordered: bool) -> None:
    """The host waits for an event that two nodes record: what is before both of them is done."""
    first = scene.filled()
    scene.recording(first)
    scene.recording(scene.filled(first, at=scene.own))
    scene.launch(scene.one)
    done(scene.c.cuEventSynchronize(scene.event))
    done(scene.c.cuMemsetD8Async(scene.common if ordered else scene.own, 1, SIZE, scene.two))


def twice_recorded(scene: Branched) -> int:
    """Write the memory, record two events, and return the second one."""
    other = int(done(scene.c.cuEventCreate(0)))
    fill(scene, scene.one)
    scene.record(scene.one)
    done(scene.c.cuEventRecord(other, scene.one))
    return other


def awaited_beside_a_record(scene: Branched, *, ordered: bool) -> None:
    """A node waits for an event before another one records it, or beside it: then it may wait for either record."""
    fill(scene, scene.one)
    scene.record(scene.one)
    waits = scene.waiting()
    scene.recording(*(waits,) if ordered else ())
    scene.filled(waits)
    scene.launch(scene.two)


def awaited_beside_a_wait(scene: Branched, *, ordered: bool) -> None:
    """The node beside also comes after the record before the launch, unless that wait has a record beside it, too."""
    fill(scene, scene.one)
    scene.record(scene.one)
    scene.recording(scene.waiting())
    if not ordered:
        scene.recording()
    scene.filled(scene.waiting())
    scene.launch(scene.two)


def awaited_beside_another_wait(scene: Branched, *, ordered: bool) -> None:
    """The node beside comes after the same work by another event, unless that has a record beside the wait, too."""
    other = twice_recorded(scene)
    scene.recording(scene.waiting(event=other))
    if not ordered:
        scene.recording(event=other)
    scene.filled(scene.waiting())
    scene.launch(scene.two)


def awaited_behind_a_record_without_work(scene: Branched, *, ordered: bool) -> None:
    """A node that waits behind a record, and beside another one, does not wait for the record before the launch."""
    other = twice_recorded(scene)
    first = scene.recording(*(scene.waiting(event=other),) if ordered else ())
    scene.recording(scene.waiting(event=other))
    scene.filled(scene.waiting(first))
    scene.launch(scene.two)


def recorded_beside_a_wait(scene: Branched, *, ordered: bool) -> None:
    """A record stays the last one while a later node beside it waits."""
    used = scene.filled()
    scene.recording(*(used,) if ordered else ())
    scene.waiting(scene.filled(scene.filled(at=scene.own), at=scene.own))
    scene.launch(scene.one)
    scene.wait(scene.two)
    fill(scene, scene.two)


def awaited_behind_a_record(scene: Branched, *, ordered: bool) -> None:
    """A node that waits behind a record, and beside another one, may come before that one."""
    other = int(done(scene.c.cuEventCreate(0)))
    first = scene.recording()
    used = scene.filled()
    scene.recording(first, used)
    waits = scene.waiting(first)
    scene.recording(*(waits, used) if ordered else (waits,), event=other)
    scene.launch(scene.one)
    done(scene.c.cuStreamWaitEvent(scene.two, other, 0))
    fill(scene, scene.two)


PROGRAMS = (
    *(recorded, awaited, called, written, in_a_child, before_the_launch, behind_the_launch, seen_by_the_host),
    *(recorded_twice, recorded_by_branches, awaited_beside_a_record, awaited_beside_a_wait),
    *(awaited_beside_another_wait, awaited_behind_a_record, awaited_behind_a_record_without_work),
    recorded_beside_a_wait,
)


def found(program: Callable[..., None], completion: str, *, ordered: bool) -> list[str]:
    """Return the rules that a program breaks."""
    with Machine("h200", seed=1, completion=completion) as machine, suppress(UndefinedBehaviour):
        program(Branched(machine), ordered=ordered)
    return [finding.rule.id for finding in machine.findings]


@pytest.mark.parametrize("completion", ["eager", "manual"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_branches(program: Callable[..., None], completion: str) -> None:
    """A path of edges is an order. Without one there is a finding."""
    assert found(program, completion, ordered=True) == []
    assert found(program, completion, ordered=False) == ["stream.race.ACCESSES_ARE_ORDERED"]


def test_large_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The nodes of a large graph, and of a launch beside many streams, count as a row."""
    for name in ("MOST", "MOST_STREAMS"):
        with monkeypatch.context() as patch:
            patch.setattr(lanes, name, -1)
            assert found(recorded, "eager", ordered=False) == []


def test_conditional_nodes() -> None:
    """The nodes of a graph with a conditional node count as a row."""

    def program(scene: Branched, *, ordered: bool) -> None:
        context = done(scene.c.cuCtxGetCurrent())
        condition = done(scene.c.cuGraphConditionalHandleCreate(scene.graph, context, int(ordered), 1))
        done(scene.c.cuGraphAddNode(scene.graph, None, None, 0, pack(CONDITIONAL, (condition, 0, 1, 0, context))))
        recorded(scene, ordered=ordered)

    assert found(program, "eager", ordered=False) == []


def copied(scene: Branched, *, ordered: bool) -> None:
    """The launch waits for a copy to plain memory, and so for the branch of the copy alone."""
    done(scene.c.cuStreamBeginCapture(scene.one, 2))
    scene.record(scene.one)
    scene.wait(scene.third)
    fill(scene, scene.one if ordered else scene.third)
    done(scene.c.cuMemcpyDtoHAsync(ctypes.addressof(scene.host), scene.own, 8, scene.one))
    done(scene.c.cuLaunchHostFunc(scene.third, ctypes.cast(NOTHING, ctypes.c_void_p).value, 0))
    scene.record(scene.third)
    scene.wait(scene.one)
    scene.graph = done(scene.c.cuStreamEndCapture(scene.one))
    scene.launch(scene.one)
    fill(scene, scene.two)


def test_a_copy_that_waits() -> None:
    """What the host knows to be done needs no lane."""
    assert found(copied, "eager", ordered=True) == []


def test_a_finding_within_a_branch() -> None:
    """A launch that ends with an exception leaves no node open."""
    with Machine("h200", seed=1) as machine:
        scene = Branched(machine)
        with pytest.raises(UndefinedBehaviour):
            awaited(scene, ordered=False)
        scene.wait(scene.two)
        fill(scene, scene.two)
        assert len(machine.findings) == 1


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("calls", [False, True])
def test_unknown_records(*, calls: bool, late: bool) -> None:
    """Behind a host function that has not returned an order is unknown, also if only one of two records is behind it."""
    with Machine("h200", seed=1, completion="manual") as machine, suppress(UndefinedBehaviour):
        scene = Branched(machine)
        fill(scene, scene.third)
        given = ctypes.cast(NOTHING, ctypes.c_void_p).value, 0
        first = (done(scene.c.cuGraphAddHostNode(scene.graph, None, 0, given)),) if calls else ()
        scene.recording(*first)
        scene.recording(*(scene.filled(scene.filled(at=scene.own), at=scene.own),) if late else ())
        scene.launch(scene.one)
        scene.wait(scene.two)
        fill(scene, scene.two)
    assert bool(machine.findings) is not calls


@pytest.mark.parametrize("completion", ["eager", "manual"])
@pytest.mark.parametrize("races", [True, False])
def test_branches_run_beside_each_other(completion: str, *, races: bool) -> None:
    """A branch that waits for another one, added later, holds it up no more than a card does."""
    with Machine("h200", seed=1, completion=completion, races=races, wait_timeout=2) as machine:
        scene = Branched(machine)
        context = done(scene.c.cuCtxGetCurrent())
        kept = []
        for operation in ((mem_ops.WAIT_32, scene.flag, 1, 0), (mem_ops.WRITE_32, scene.flag, 1, 0)):
            kept.append(ctypes.create_string_buffer(mem_ops.pack(operation)))
            given = context, 1, ctypes.addressof(kept[-1]), 0
            last = done(scene.c.cuGraphAddBatchMemOpNode(scene.graph, None, 0, given))
        scene.filled(last)
        scene.launch(scene.one)
        done(scene.c.cuStreamSynchronize(scene.one))
        assert scene.c.cuStreamQuery(scene.one) == (0,)


@pytest.mark.parametrize("held_first", [False, True])
def test_the_last_record_of_branches_counts(*, held_first: bool) -> None:
    """In the order in which they were added: an event of a held branch is not complete, and of a free one is."""
    with Machine("h200", seed=1) as machine:
        scene = Branched(machine)
        held = int(done(scene.c.cuEventCreate(0)))
        done(scene.c.cuStreamWaitValue32(scene.third, scene.flag, 1, 0))
        done(scene.c.cuEventRecord(held, scene.third))
        for is_held in (held_first, not held_first):
            scene.recording(*((scene.waiting(event=held),) if is_held else ()))
        scene.launch(scene.one)
        assert scene.c.cuEventQuery(scene.event) == ((0,) if held_first else (NOT_READY,))
        assert scene.c.cuStreamQuery(scene.one) == (NOT_READY,)
        done(scene.c.cuStreamWriteValue32(scene.two, scene.flag, 1, 0))
        done(scene.c.cuStreamSynchronize(scene.one))
        assert scene.c.cuEventQuery(scene.event) == (0,)
