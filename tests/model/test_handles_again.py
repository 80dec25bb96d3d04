"""``handles="card"``: a new object has the handle of a destroyed one, as on a card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.kit.kernels import PTX
from fakecuda import FakeCudaError, Machine, UndefinedBehaviour
from fakecuda.model.leaks import leaks_in
from tests.model.racing import BLOCKING, NON_BLOCKING, Scene, by_event, fill, found
from tests.model.world import done, started

if TYPE_CHECKING:
    from collections.abc import Iterator

HIP = "hip-clr-2026"


@pytest.fixture(params=["eager", "manual"])
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """Return a process whose streams get handles again, with eager and with manual completion."""
    with Machine("h200-x2", seed=1, handles="card", completion=request.param) as made:
        yield Scene(made)
        made.check_invariants()


def again(scene: Scene) -> int:
    """Destroy the first stream and create another, which has its handle."""
    done(scene.c.cuStreamDestroy(scene.one))
    stream = int(done(scene.c.cuStreamCreate(NON_BLOCKING)))
    assert stream == scene.one
    return stream


def test_the_last_one_comes_first(scene: Scene) -> None:
    """By each call that creates streams; when none is left, a handle is new."""
    for stream in (scene.one, scene.two, scene.third):
        done(scene.c.cuStreamDestroy(stream))
    assert done(scene.c.cuStreamCreate(BLOCKING)) == scene.third
    assert done(scene.c.cuStreamCreateWithPriority(NON_BLOCKING, -1)) == scene.two
    runtime = scene.process.runtime
    assert int(runtime.cudaStreamCreate()[1]) == scene.one
    fourth = int(runtime.cudaStreamCreateWithFlags(NON_BLOCKING)[1])
    assert fourth not in {scene.one, scene.two, scene.third}
    assert runtime.cudaStreamDestroy(fourth)[0] == 0
    assert int(runtime.cudaStreamCreateWithPriority(NON_BLOCKING, 0)[1]) == fourth


def test_ids_are_unique(scene: Scene) -> None:
    """The id tells the streams of a handle apart."""
    ids = {done(scene.c.cuStreamGetId(again(scene))) for _ in range(3)}
    assert len(ids) == 3


def test_attributes_are_the_new_stream_s(scene: Scene) -> None:
    """The new stream has its own flags and priority."""
    done(scene.c.cuStreamDestroy(scene.one))
    assert done(scene.c.cuStreamCreateWithPriority(BLOCKING, -2)) == scene.one
    assert done(scene.c.cuStreamGetFlags(scene.one)) == BLOCKING
    assert done(scene.c.cuStreamGetPriority(scene.one)) == -2


def test_pending_work_orders_nothing_of_the_new_stream(scene: Scene) -> None:
    """The report tells the two streams apart; a wait for the new stream does not count for the destroyed one."""
    fill(scene, scene.one)
    again(scene)
    done(scene.c.cuStreamSynchronize(scene.one))
    finding = found(lambda: fill(scene, scene.one))
    text = " ".join(str(finding).split())
    assert (
        f"stream {scene.one:#x} (id 4) does not wait for that work of stream {scene.one:#x} (id 1, destroyed)" in text
    )
    assert f"cuStreamSynchronize on stream {scene.one:#x} (id 1, destroyed)" in text


def test_an_event_of_the_destroyed_stream_orders(scene: Scene) -> None:
    """Recorded before the end of the stream, it is about that stream's work."""
    fill(scene, scene.one)
    scene.record(scene.one)
    stream = again(scene)
    scene.wait(stream)
    fill(scene, stream)


def test_streams_beside_it_stay_ordered(scene: Scene) -> None:
    """What another stream has waited for stays so, also when a new stream has its handle."""
    fill(scene, scene.one)
    by_event(scene)
    again(scene)
    fill(scene, scene.two)


def test_pending_work_still_runs() -> None:
    """The new stream has no work while the work of the destroyed one is pending."""
    with Machine("h200", seed=1, handles="card", completion="manual", races=False) as machine:
        scene = Scene(machine)
        done(scene.c.cuStreamWaitValue32(scene.one, scene.flag, 1, 0))
        done(scene.c.cuMemsetD8Async(scene.common, 7, 1, scene.one))
        again(scene)
        done(scene.c.cuStreamQuery(scene.one))
        (pending,) = machine.scheduler.pending
        assert pending.destroyed
        assert pending is not scene.process.streams[scene.one]
        done(scene.c.cuMemsetD32(scene.flag, 1, 1))
        machine.complete()
        read = bytearray(1)
        done(scene.c.cuMemcpyDtoH(read, scene.common, 1))
        assert read == b"\7"


def test_history_is_the_living_stream_s(scene: Scene) -> None:
    """Leaks name the new stream; when it is destroyed, a later use of the handle is a use of the new one."""
    again(scene)
    (leak,) = [one for one in leaks_in(scene.process) if one.kind == "stream" and f"{scene.one:#x}" in str(one)]
    new = scene.process.streams[scene.one]
    assert "destroyed" not in str(leak)
    assert scene.one not in scene.process.freed
    done(scene.c.cuStreamDestroy(scene.one))
    assert scene.process.freed[scene.one] is new


def test_a_refused_call_changes_nothing(scene: Scene) -> None:
    """A stream that is not created takes no handle, and one that is not destroyed gives none."""
    done(scene.c.cuStreamDestroy(scene.one))
    before = scene.machine.snapshot()
    assert scene.c.cuStreamCreate(16)[0] != 0
    assert scene.c.cuStreamDestroy(1)[0] != 0
    assert scene.machine.snapshot() == before
    assert done(scene.c.cuStreamCreate(NON_BLOCKING)) == scene.one


def test_a_context_has_its_own_handles(scene: Scene) -> None:
    """Streams of other contexts get other handles; those of a stream that ended with its context are not used again."""
    first = done(scene.c.cuCtxGetCurrent())
    done(scene.c.cuStreamDestroy(scene.one))
    done(scene.c.cuCtxCreate(None, 0, 0))
    known = {scene.one, scene.two, scene.third}
    assert done(scene.c.cuStreamCreate(NON_BLOCKING)) not in known
    done(scene.c.cuCtxDestroy(first))
    assert done(scene.c.cuStreamCreate(NON_BLOCKING)) not in known


def test_processes_have_their_own_handles(scene: Scene) -> None:
    """A handle goes to no other process, and a fork has none of its parent's to give."""
    done(scene.c.cuStreamDestroy(scene.one))
    other = started(scene.machine)
    assert done(other.c.cuStreamCreate(NON_BLOCKING)) != scene.one
    done(scene.c.cuStreamDestroy(scene.two))
    forked = scene.process._fork().process
    assert {owner for owner, _ in scene.machine.territory.ended}.isdisjoint([forked, *forked.contexts.values()])


def nodes_of(scene: Scene) -> Any:
    """Return what makes a node."""
    graph = done(scene.c.cuGraphCreate(0))
    return lambda: done(scene.c.cuGraphAddEmptyNode(graph, None, 0))


KINDS: dict[str, tuple[Any, str]] = {
    "event": (lambda scene: lambda: done(scene.c.cuEventCreate(0)), "cuEventDestroy"),
    "graph": (lambda scene: lambda: done(scene.c.cuGraphCreate(0)), "cuGraphDestroy"),
    "array": (lambda scene: lambda: done(scene.c.cuArrayCreate((64, 64, 32, 1))), "cuArrayDestroy"),
    "library": (
        lambda scene: lambda: done(scene.c.cuLibraryLoadData(PTX, None, None, 0, None, None, 0)),
        "cuLibraryUnload",
    ),
    "node": (nodes_of, "cuGraphDestroyNode"),
}
"""By kind: a function that makes an object, and the call that destroys it."""


@pytest.mark.parametrize("kind", KINDS)
def test_other_objects_come_again(scene: Scene, kind: str) -> None:
    """One after another, an object has the same handle; the last destroyed node comes first, of others the first."""
    maker, end = KINDS[kind]
    make = maker(scene)
    first, second = make(), make()
    for handle in (first, second):
        done(getattr(scene.c, end)(handle))
    expected = [second, first] if kind == "node" else [first, second]
    assert [make(), make()] == expected
    assert make() not in expected


def test_the_report_is_about_the_new_object(scene: Scene) -> None:
    """A handle that came again is no destroyed object's; once the new one is destroyed, too, its use is found."""
    event = done(scene.c.cuEventCreate(0))
    done(scene.c.cuEventDestroy(event))
    assert done(scene.c.cuEventCreate(0)) == event
    done(scene.c.cuEventQuery(event))
    done(scene.c.cuEventDestroy(event))
    with pytest.raises(UndefinedBehaviour, match="destroyed"):
        scene.c.cuEventQuery(event)


def test_a_level_gives_no_handle(scene: Scene) -> None:
    """It belongs to its mipmapped array."""
    mipmapped = done(scene.c.cuMipmappedArrayCreate((64, 64, 0, 32, 1, 0), 2))
    level = done(scene.c.cuMipmappedArrayGetLevel(mipmapped, 1))
    done(scene.c.cuArrayDestroy(level))
    assert done(scene.c.cuArrayCreate((64, 64, 32, 1))) != level


def test_objects_that_end_with_their_context_give_no_handle(scene: Scene) -> None:
    """Only a call that destroys the object itself does."""
    event = done(scene.c.cuEventCreate(0))
    done(scene.c.cuCtxDestroy(done(scene.c.cuCtxGetCurrent())))
    done(scene.c.cuCtxCreate(None, 0, 0))
    assert done(scene.c.cuEventCreate(0)) != event


def test_handles_are_apart_by_default() -> None:
    """No stream gets the handle of another one."""
    with Machine("h200", seed=1) as machine:
        scene = Scene(machine)
        done(scene.c.cuStreamDestroy(scene.one))
        assert done(scene.c.cuStreamCreate(NON_BLOCKING)) > scene.third
        assert machine.handles == "apart"


def test_hip_gives_no_handle_again() -> None:
    """No card was asked about HIP's streams."""
    with Machine(HIP, seed=1, handles="card") as machine:
        c: Any = machine.spawn().c
        stream = done(c.hipStreamCreate())
        done(c.hipStreamDestroy(stream))
        assert done(c.hipStreamCreate()) != stream


def test_an_unknown_way_is_refused() -> None:
    """With the nearest one."""
    with pytest.raises(FakeCudaError, match=r"^handles='crad': 'crad' is not a mode; did you mean: card$"):
        Machine(handles="crad")
