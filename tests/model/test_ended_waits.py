"""A wait for a value that has ended: what comes after it comes after the writer's earlier work, by whatever way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from tests.model.racing import NON_BLOCKING, Scene, fill, found
from tests.model.world import done

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(params=["eager", "manual"])
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """Return a scene, with eager and with manual completion."""
    with Machine("h200", seed=1, completion=request.param) as made:
        yield Scene(made)


def by_an_event(scene: Scene) -> None:
    """Another stream waits for an event that is recorded behind the wait."""
    scene.record(scene.one)
    scene.wait(scene.third)


def by_an_event_and_the_host(scene: Scene) -> None:
    """The host waits for such an event."""
    scene.record(scene.one)
    done(scene.c.cuEventSynchronize(scene.event))


def by_the_host(scene: Scene) -> None:
    """The host waits for the stream."""
    done(scene.c.cuStreamSynchronize(scene.one))


def write_behind(scene: Scene, stream: int) -> None:
    """Have a stream write the memory, and then the value."""
    fill(scene, stream)
    done(scene.c.cuStreamWriteValue32(stream, scene.flag, 1, 0))


WAYS = (by_an_event, by_an_event_and_the_host, by_the_host)


@pytest.mark.parametrize("way", WAYS)
def test_the_order_is_passed_on(scene: Scene, way: Callable[[Scene], None]) -> None:
    """The work before the write comes first; work of the writer behind it does not."""
    done(scene.c.cuStreamWaitValue32(scene.one, scene.flag, 1, 0))
    write_behind(scene, scene.two)
    scene.settle()
    way(scene)
    fill(scene, scene.third)
    done(scene.c.cuMemsetD8Async(scene.own, 1, 8, scene.two))
    found(lambda: scene.c.cuMemsetD8Async(scene.own, 1, 8, scene.third))


def test_the_order_of_two_waits_is_passed_on(scene: Scene) -> None:
    """The writer itself has waited for a value of another stream; the host comes after both."""
    fourth = int(done(scene.c.cuStreamCreate(NON_BLOCKING)))
    done(scene.c.cuStreamWaitValue32(scene.one, scene.flag, 1, 0))
    done(scene.c.cuStreamWaitValue32(scene.two, scene.flag + 4, 1, 0))
    done(scene.c.cuStreamWriteValue32(scene.two, scene.flag, 1, 0))
    fill(scene, scene.third)
    done(scene.c.cuStreamWriteValue32(scene.third, scene.flag + 4, 1, 0))
    done(scene.c.cuStreamSynchronize(scene.one))
    fill(scene, fourth)
    done(scene.c.cuMemsetD8Async(scene.own, 1, 8, scene.third))
    found(lambda: scene.c.cuMemsetD8Async(scene.own, 1, 8, fourth))


@pytest.mark.parametrize("known", [True, False])
def test_a_value_that_a_copy_has_written(scene: Scene, *, known: bool) -> None:
    """The host comes after the stream of the copy; where nothing is known of the writer, after all streams."""
    scene.settle()
    done(scene.c.cuMemsetD32(scene.own + 64, 1, 1))
    done(scene.c.cuCtxSynchronize())
    done(scene.c.cuStreamWaitValue32(scene.one, scene.flag, 1, 0))
    fill(scene, scene.two)
    if known:
        done(scene.c.cuMemcpyDtoDAsync(scene.flag, scene.own + 64, 4, scene.two))
    else:
        assert scene.machine.races is not None
        done(scene.c.cuStreamWriteValue32(scene.two, scene.flag, 1, 0))
        scene.machine.races.lose_sight()
    done(scene.c.cuStreamSynchronize(scene.one))
    fill(scene, scene.third)
    assert not scene.machine.findings
