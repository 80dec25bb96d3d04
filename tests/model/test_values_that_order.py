"""Values in memory that a stream writes and another one waits for: which accesses they order, and which not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.model.racing import Scene, fill, found
from tests.model.test_happens_before import scene
from tests.model.world import done

if TYPE_CHECKING:
    import pytest


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
    """Even beyond the values that are kept apart."""
    done(scene.c.cuMemsetD32(scene.flag, 0, 8))
    done(scene.c.cuCtxSynchronize())
    fill(scene, scene.one)
    done(scene.c.cuStreamWriteValue32(scene.one, scene.flag, 5, 0))
    waited(scene, scene.flag, scene.third, 2)
    fill(scene, scene.two)
    done(scene.c.cuCtxSynchronize())
    fill(scene, scene.one)
    done(scene.c.cuStreamWriteValue32(scene.one, scene.flag + 4, 1, 0))
    for value in range(2, 40):
        done(scene.c.cuStreamWriteValue32(scene.third, scene.flag + 4, value, 0))
    waited(scene, scene.flag + 4, scene.third)
    fill(scene, scene.two)
    assert not scene.machine.findings


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
    done(scene.c.cuMemsetD32Async(scene.flag + 8, 1, 1, scene.two))  # its own work orders nothing
    waited(scene, scene.flag + 8, scene.one)
    fill(scene, scene.two)
    done(scene.c.cuCtxSynchronize())
    fill(scene, scene.one)
    scene.machine.races.lose_sight()  # type: ignore[union-attr] # the machine searches for races
    waited(scene, scene.flag + 4, scene.third)
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
    assert len(races.values.written) <= 4
    assert len(races.values.awaited) <= 4
    done(scene.c.cuStreamWaitValue32(scene.two, scene.flag + 4, 1, 0))
    fill(scene, scene.two)
    assert not scene.machine.findings
