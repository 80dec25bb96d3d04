"""Work that is done, or that was followed by much other work, takes no memory: a program that never waits needs no more for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.shadow_memory import MOST_NOTED
from tests.model.racing import NON_BLOCKING, Scene, by_event, found
from tests.model.world import done

if TYPE_CHECKING:
    import pytest

    from fakecuda import Machine


def test_what_is_forgotten(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that never waits needs no more memory for ever: the oldest is forgotten, and counts as done."""
    scene = Scene(machine)
    races = machine.races
    assert races is not None
    for number in range(200):
        done(scene.c.cuMemsetD8Async(scene.common + number % 8, 1, 64, scene.one))
        done(scene.c.cuMemcpyDtoDAsync(scene.own, scene.common + 2048 + number % 8, 64, scene.two))
    cells = races.memory._extents
    assert max(len(one.cells) for one in cells.values()) < 40
    for module in ("cells", "shadow_memory"):
        monkeypatch.setattr(f"fakecuda.model.memory.{module}.MOST", 20)
    monkeypatch.setattr("fakecuda.model.memory.shadow_memory.MOST_EXTENTS", 1)
    monkeypatch.setattr("fakecuda.model.work.happens_before.MOST_STREAMS", 3)
    big = int(done(scene.c.cuMemAlloc(4 << 20)))
    for number in range(40):
        done(scene.c.cuMemsetD8Async(scene.common + 16 * number, 1, 8, scene.one))
        done(scene.c.cuMemsetD8Async(big + 16 * number, 1, 8, scene.two))
    for number in range(60):
        done(scene.c.cuMemsetD8Async(scene.common + 16 * number, 1, 8, (scene.one, scene.two)[number % 2]))
    assert all(len(one.cells) <= 21 for one in cells.values())
    assert len(races.memory.put_by) <= 20
    for number in range(5):
        done(scene.c.cuMemsetD8Async(scene.own + 8 * number, 1, 8, int(done(scene.c.cuStreamCreate(NON_BLOCKING)))))
    assert len(races.streams) <= 3


def test_little_is_kept_when_all_is_done(machine: Machine) -> None:
    """Memory stays flat, whether one stream alone has worked, or two in turns."""
    scene = Scene(machine)
    races = machine.races
    assert races is not None
    for number in range(1000):
        done(scene.c.cuMemsetD8Async(scene.common + number, 1, 1, scene.one))
        if number % 2:
            by_event(scene)
            done(scene.c.cuMemsetD8Async(scene.common + number, 1, 1, scene.two))
            done(scene.c.cuEventRecord(scene.event, scene.two))
            done(scene.c.cuEventSynchronize(scene.event))
        else:
            done(scene.c.cuStreamSynchronize(scene.one))
        assert not races.streams
        kept = [*races.memory.noted, *(cell for cells in races.memory._extents.values() for cell in cells.cells)]
        assert len(kept) <= 2 * MOST_NOTED


def test_new_bytes_are_forgotten_when_all_is_done(machine: Machine) -> None:
    """What nobody else has used is put by while others have work, and is no longer there when all is done."""
    scene = Scene(machine)
    races = machine.races
    assert races is not None
    big = int(done(scene.c.cuMemAlloc(4 << 20)))
    for _ in range(3):
        done(scene.c.cuMemsetD8Async(scene.own, 1, 1, scene.two))
        for number in range(2 * MOST_NOTED):
            done(scene.c.cuMemsetD8Async(big + number, 1, 1, scene.one))
        assert len(races.memory.put_by) > MOST_NOTED
        found(lambda: done(scene.c.cuMemsetD8Async(big + 1, 1, 1, scene.two)))
        for number in range(2 * MOST_NOTED):
            done(scene.c.cuMemsetD8Async(big + 2 * MOST_NOTED + number, 1, 1, scene.one))
        done(scene.c.cuCtxSynchronize())
        assert not races.memory.put_by
        assert not races.memory._extents
