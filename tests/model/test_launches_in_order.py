"""What comes after a launch of an executable graph, and after an allocation that is not complete: without false alarms."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

from conformance.cases.driver.graph.fixtures import memset
from fakecuda import Machine, UndefinedBehaviour
from fakecuda.rules.driver.pool.handle import MEMORY_IS_ALLOCATED
from fakecuda.spec.codes import Result
from tests.model.racing import BLOCKING, LEGACY, NOTHING, SIZE, Scene, fill, found
from tests.model.world import created, done, mapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(params=["eager", "manual"])
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """Return a scene, with eager and with manual completion."""
    with Machine("h200", seed=1, completion=request.param) as made:
        yield Scene(made)


UPLOAD, LAUNCHABLE = 2, 4
"""CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD and _DEVICE_LAUNCH."""


def filling(scene: Scene) -> int:
    """Return an executable graph that writes the common memory."""
    graph = done(scene.c.cuGraphCreate(0))
    context = done(scene.c.cuCtxGetCurrent())
    done(scene.c.cuGraphAddMemsetNode(graph, None, 0, memset(scene.common, 1, SIZE), context))
    return int(done(scene.c.cuGraphInstantiate(graph, 0)))


def test_launches_of_one_executable_graph(scene: Scene) -> None:
    """The second comes after the first, in whatever stream; one of another executable graph does not."""
    graph = filling(scene)
    for stream in (scene.one, scene.one, scene.two, scene.third):
        done(scene.c.cuGraphLaunch(graph, stream))
    fill(scene, scene.third)
    found(lambda: scene.c.cuGraphLaunch(filling(scene), scene.one))


def test_work_behind_an_earlier_launch(scene: Scene) -> None:
    """What came before the first launch comes before what comes after the second, and nothing else does."""
    graph = filling(scene)
    done(scene.c.cuMemsetD8Async(scene.own, 1, 8, scene.one))
    done(scene.c.cuGraphLaunch(graph, scene.one))
    done(scene.c.cuMemsetD8Async(scene.own + 8, 1, 8, scene.one))
    done(scene.c.cuGraphLaunch(graph, scene.two))
    done(scene.c.cuMemsetD8Async(scene.own, 1, 8, scene.two))
    found(lambda: scene.c.cuMemsetD8Async(scene.own + 8, 1, 8, scene.two))


def test_a_launch_that_the_host_has_seen(scene: Scene) -> None:
    """It orders nothing more, whether other streams have work or not."""
    graph = filling(scene)
    done(scene.c.cuGraphLaunch(graph, scene.one))
    done(scene.c.cuStreamSynchronize(scene.one))
    done(scene.c.cuGraphLaunch(graph, scene.two))
    done(scene.c.cuMemsetD8Async(scene.own, 1, 8, scene.third))
    done(scene.c.cuCtxSynchronize())
    done(scene.c.cuMemsetD8Async(scene.own, 1, 8, scene.third))
    done(scene.c.cuGraphLaunch(graph, scene.one))
    found(lambda: scene.c.cuMemsetD8Async(scene.own, 1, 8, scene.one))


@pytest.mark.parametrize("races", [True, False])
def test_a_launch_that_waits_for_an_earlier_one(*, races: bool) -> None:
    """The second does not run while the first waits, with and without race detection."""
    with Machine("h200", seed=1, races=races) as machine:
        scene = Scene(machine)
        graph = filling(scene)
        done(scene.c.cuStreamWaitValue32(scene.one, scene.flag, 1, 0))
        for stream in (scene.one, scene.two):
            done(scene.c.cuGraphLaunch(graph, stream))
        assert scene.c.cuStreamQuery(scene.two) == (Result.NOT_READY,)
        done(scene.c.cuStreamWriteValue32(scene.third, scene.flag, 1, 0))
        done(scene.c.cuStreamSynchronize(scene.two))
        done(scene.c.cuGraphLaunch(graph, scene.third))


@pytest.mark.parametrize("races", [True, False])
def test_an_upload_behind_a_launch(*, races: bool) -> None:
    """It does not end before the launch, unless the host knows the launch to be done; one of another graph does."""
    with Machine("h200", seed=1, races=races) as machine:
        scene = Scene(machine)
        graph, other = filling(scene), filling(scene)
        done(scene.c.cuStreamWaitValue32(scene.one, scene.flag, 1, 0))
        done(scene.c.cuGraphLaunch(graph, scene.one))
        for one, answer in ((other, Result.SUCCESS), (graph, Result.NOT_READY)):
            done(scene.c.cuGraphUpload(one, scene.two))
            assert scene.c.cuStreamQuery(scene.two) == (answer,)
        done(scene.c.cuStreamWriteValue32(scene.third, scene.flag, 1, 0))
        done(scene.c.cuStreamSynchronize(scene.two))
        done(scene.c.cuGraphUpload(graph, scene.third))
        assert scene.c.cuStreamQuery(scene.third) == (Result.SUCCESS,)


def test_a_launchable_graph_that_is_uploaded_as_it_is_made(scene: Scene) -> None:
    """An upload in another stream comes after the one of its instantiation."""
    graph = done(scene.c.cuGraphCreate(0))
    done(scene.c.cuGraphAddMemsetNode(graph, None, 0, memset(scene.common, 1, SIZE), done(scene.c.cuCtxGetCurrent())))
    done(scene.c.cuStreamWaitValue32(scene.one, scene.flag, 1, 0))
    executable, _ = done(scene.c.cuGraphInstantiateWithParams(graph, (UPLOAD | LAUNCHABLE, scene.one, 0, 0)))
    done(scene.c.cuGraphUpload(executable, scene.two))
    assert scene.c.cuStreamQuery(scene.two) == (Result.NOT_READY,)
    done(scene.c.cuStreamWriteValue32(scene.third, scene.flag, 1, 0))
    done(scene.c.cuStreamSynchronize(scene.two))


def test_a_copy_reads_plain_memory_at_its_call() -> None:
    """By the manual's word: another stream's copy to that memory need not have arrived."""
    with Machine("h200", seed=1, races="strict") as machine:
        scene = Scene(machine)
        host = ctypes.addressof(scene.host)
        done(scene.c.cuMemcpyDtoHAsync(host, scene.common, SIZE, scene.one))
        found(lambda: scene.c.cuMemcpyHtoDAsync(scene.own, host, SIZE, scene.two))


def test_an_upload_behind_an_upload(scene: Scene) -> None:
    """Uploads of one executable graph come one after the other, in whatever stream."""
    graph = filling(scene)
    fill(scene, scene.one)
    done(scene.c.cuStreamWaitValue32(scene.third, scene.flag, 1, 0))
    done(scene.c.cuGraphUpload(graph, scene.third))
    done(scene.c.cuGraphUpload(graph, scene.two))
    assert scene.c.cuStreamQuery(scene.two) == (Result.NOT_READY,)
    done(scene.c.cuStreamWriteValue32(scene.one, scene.flag, 1, 0))
    done(scene.c.cuStreamSynchronize(scene.two))
    fill(scene, scene.two)


def test_an_upload_of_a_graph_beside_a_launch_of_another_one(scene: Scene) -> None:
    """The upload orders nothing."""
    done(scene.c.cuGraphLaunch(filling(scene), scene.one))
    done(scene.c.cuGraphUpload(filling(scene), scene.two))
    found(lambda: fill(scene, scene.two))


# What is not seen


def test_an_unmap_behind_a_write_by_another_mapping(scene: Scene) -> None:
    """The write stands for the earlier work, which has used the unmapped addresses."""
    handle = created(scene.process)
    first, second = mapped(scene.process, handle), mapped(scene.process, handle)
    done(scene.c.cuMemsetD8Async(first, 1, SIZE, scene.one))
    scene.record(scene.one)
    scene.wait(scene.two)
    done(scene.c.cuMemsetD8Async(second, 1, SIZE, scene.two))
    scene.settle()
    done(scene.c.cuMemUnmap(first, 2 << 20))
    found(lambda: scene.c.cuMemUnmap(second, 2 << 20))


# Allocations that are not complete


def ordered_by_the_legacy_stream(scene: Scene, make: Callable[[int], int]) -> int:
    """Blocking streams on both sides of work in the legacy stream."""
    one, two = (int(done(scene.c.cuStreamCreate(BLOCKING))) for _ in range(2))
    make(one)
    done(scene.c.cuMemsetD8Async(scene.own, 1, 8, LEGACY))
    return two


def ordered_by_an_event(scene: Scene, make: Callable[[int], int]) -> int:
    """A stream waits for an event of a stream that waits for one."""
    make(scene.one)
    for first, second in ((scene.one, scene.third), (scene.third, scene.two)):
        scene.record(first)
        scene.wait(second)
    return scene.two


def ordered_by_the_context(scene: Scene, make: Callable[[int], int]) -> int:
    """The context waits for an event."""
    make(scene.one)
    scene.record(scene.one)
    done(scene.c.cuCtxWaitEvent(done(scene.c.cuCtxGetCurrent()), scene.event))
    done(scene.c.cuMemsetD8Async(scene.own, 1, 8, scene.two))
    return scene.two


def ordered_by_a_value(scene: Scene, make: Callable[[int], int]) -> int:
    """A stream waits for a value that is written after it."""
    make(scene.one)
    done(scene.c.cuStreamWriteValue32(scene.one, scene.flag, 1, 0))
    done(scene.c.cuStreamWaitValue32(scene.two, scene.flag, 1, 0))
    return scene.two


def ordered_by_a_function(scene: Scene, make: Callable[[int], int]) -> int:
    """A stream waits for a host function, which may wait for anything."""
    make(scene.one)
    done(scene.c.cuLaunchHostFunc(scene.two, ctypes.cast(NOTHING, ctypes.c_void_p).value, 0))
    return scene.two


ORDERS = (
    *(ordered_by_the_legacy_stream, ordered_by_an_event, ordered_by_the_context, ordered_by_a_value),
    ordered_by_a_function,
)


@pytest.mark.parametrize("order", ORDERS)
def test_a_use_behind_an_allocation(order: Callable[[Scene, Callable[[int], int]], int]) -> None:
    """Memory of a pool may be used in any stream whose work comes after the allocation."""
    with Machine("h200", seed=1, completion="manual") as machine:
        scene = Scene(machine)
        made: list[Any] = []

        def make(stream: int) -> int:
            made.append(int(done(scene.c.cuMemAllocAsync(SIZE, stream))))
            return stream

        stream = order(scene, make)
        done(scene.c.cuMemsetD8Async(made[0], 1, 8, stream))
        assert not machine.findings


def test_a_use_beside_an_allocation_that_waits(machine: Machine) -> None:
    """Nothing orders another stream after it, which is reported; a wait for a value may order a stream."""
    scene = Scene(machine)
    done(scene.c.cuStreamWaitValue32(scene.one, scene.flag, 1, 0))
    scene.record(scene.one)
    place = int(done(scene.c.cuMemAllocAsync(SIZE, scene.one)))
    scene.wait(scene.third)
    done(scene.c.cuMemsetD8Async(place, 1, 8, scene.third))
    assert beside(scene, place)
    done(scene.c.cuStreamWriteValue32(scene.two, scene.flag, 1, 0))
    done(scene.c.cuCtxSynchronize())


@pytest.mark.parametrize("late", [True, False])
def test_events_and_waits_of_the_context_before_the_allocation(*, late: bool) -> None:
    """They order nothing after it, however many ways lead back; a later one does."""
    with Machine("h200", seed=1, completion="manual", races=False) as machine:
        scene = Scene(machine)
        done(scene.c.cuMemsetD8Async(scene.own, 1, 8, scene.third))
        scene.record(scene.third)
        done(scene.c.cuCtxWaitEvent(done(scene.c.cuCtxGetCurrent()), scene.event))
        for _ in range(2):
            scene.wait(scene.two)
        place = int(done(scene.c.cuMemAllocAsync(SIZE, scene.one)))
        if late:
            scene.record(scene.one)
            done(scene.c.cuCtxWaitEvent(done(scene.c.cuCtxGetCurrent()), scene.event))
        assert beside(scene, place) is not late
        done(scene.c.cuCtxSynchronize())


def beside(scene: Scene, place: int) -> bool:
    """Return whether a use of pool memory in the second stream is reported as one beside the allocation."""
    try:
        done(scene.c.cuMemsetD8Async(place, 1, 8, scene.two))
    except UndefinedBehaviour as error:
        return error.finding.rule is MEMORY_IS_ALLOCATED
    return False
