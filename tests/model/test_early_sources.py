"""Copies that may read their source out of the order of their stream: what they must come after, and what may come after them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.profiles import load
from tests.model.ordering_programs import of_a_host_pool
from tests.model.racing import SIZE, Scene, fill, found
from tests.model.world import done

if TYPE_CHECKING:
    from collections.abc import Callable

IN_ORDER, DURING_THE_CALL, ANY = 1, 2, 3
"""CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, _DURING_API_CALL and _ANY."""
HAS_CALL = 13020
"""The first driver that has ``cudaMemcpyWithAttributesAsync``."""


def batched(scene: Scene, stream: int, source: int, order: int) -> None:
    """Copy by a batch."""
    attributes = (order, (0, 0), (0, 0), 0)
    done(scene.c.cuMemcpyBatchAsync((scene.own,), (source,), (SIZE,), 1, (attributes,), (0,), 1, stream))


def attributed(scene: Scene, stream: int, source: int, order: int) -> None:
    """Copy by a call of the runtime API."""
    done(scene.c.cudaMemcpyWithAttributesAsync(scene.own, source, SIZE, (order, (0, 0), (0, 0), 0), stream))


WAYS = (batched, attributed)


@pytest.mark.parametrize("races", [True, "strict"])
@pytest.mark.parametrize("order", [DURING_THE_CALL, ANY])
@pytest.mark.parametrize("way", WAYS)
def test_earlier_work_of_the_same_stream(way: Callable[..., None], order: int, races: Any) -> None:
    """The copy comes after that only if it reads its source in order, or if the host has waited."""
    with Machine(load("h200").with_driver(HAS_CALL), seed=1, races=races) as machine:
        scene = Scene(machine)
        fill(scene, scene.one)
        way(scene, scene.one, scene.common, IN_ORDER)
        finding = found(lambda: way(scene, scene.one, scene.common, order))
        assert "wait for stream" in finding.facts["missing"]
        done(scene.c.cuStreamSynchronize(scene.one))
        way(scene, scene.one, scene.common, order)
        way(scene, scene.one, scene.common, order)  # reads need no order


def test_work_on_new_bytes() -> None:
    """Work that was deferred is judged, too; other bytes do not matter."""
    with Machine("h200", seed=1) as machine:
        scene = Scene(machine)
        scene.own, theirs = int(done(scene.c.cuMemAlloc(SIZE))), int(done(scene.c.cuMemAlloc(SIZE)))
        fill(scene, scene.two)
        done(scene.c.cuMemsetD8Async(scene.flag, 1, SIZE, scene.one))
        done(scene.c.cuMemsetD8Async(theirs, 1, SIZE, scene.one))
        assert machine.races is not None
        assert machine.races.memory.put_by
        batched(scene, scene.one, scene.flag + SIZE, ANY)
        found(lambda: batched(scene, scene.one, theirs, ANY))


def test_a_source_that_is_read_during_the_call() -> None:
    """The manual lets the host change it after the return, and only then."""
    with Machine("h200", seed=1, races="strict") as machine:
        scene = Scene(machine)
        for order in (DURING_THE_CALL, ANY):
            batched(scene, scene.one, scene.pinned, order)
            if order == ANY:
                found(lambda: done(scene.c.cuMemsetD8Async(scene.pinned, 1, SIZE, scene.two)))
            else:
                done(scene.c.cuMemsetD8Async(scene.pinned, 1, SIZE, scene.two))
            done(scene.c.cuCtxSynchronize())


def test_plain_memory() -> None:
    """No stream uses it, so nothing comes before the copy."""
    with Machine("h200", seed=1) as machine:
        scene = Scene(machine)
        fill(scene, scene.two)
        batched(scene, scene.one, ctypes.addressof(scene.host), ANY)
        assert not machine.findings


def test_without_race_detection() -> None:
    """Nothing is found."""
    with Machine("h200", seed=1, races=False) as machine:
        scene = Scene(machine)
        fill(scene, scene.one)
        batched(scene, scene.one, scene.common, ANY)
        graph = done(scene.c.cuGraphCreate(0))
        done(scene.c.cuGraphUpload(done(scene.c.cuGraphInstantiate(graph, 0)), scene.one))
        assert not machine.findings


@pytest.mark.parametrize("races", [True, "strict"])
def test_a_host_pool_without_access(races: Any) -> None:
    """A card reads it at the call. The manual does not promise that, so that later writes need an order."""
    with Machine("h200", seed=1, completion="manual", races=races) as machine:
        scene = Scene(machine)
        source = of_a_host_pool(scene)
        ctypes.memset(source, 1, SIZE)
        done(scene.c.cuMemcpyHtoDAsync(scene.own, source, SIZE, scene.one))
        if races is True:
            done(scene.c.cuMemcpyDtoHAsync(source, scene.common, SIZE, scene.two))
            ctypes.memset(source, 2, SIZE)
            done(scene.c.cuStreamSynchronize(scene.one))
            done(scene.c.cuMemcpyDtoH(scene.pinned, scene.own, SIZE))
            assert ctypes.string_at(scene.pinned, SIZE) == b"\1" * SIZE
        else:
            found(lambda: scene.c.cuMemcpyDtoHAsync(source, scene.common, SIZE, scene.two))


def test_the_report() -> None:
    """It names the call that wrote, and what to wait for."""
    with Machine("h200", seed=1) as machine:
        scene = Scene(machine)
        fill(scene, scene.one)
        text = str(found(lambda: batched(scene, scene.one, scene.common, ANY)))
        assert "cuMemsetD8Async" in text
        assert f"a wait for stream {scene.one:#x}" in " ".join(text.split())
