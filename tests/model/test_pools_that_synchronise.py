"""Memory of pools with SYNC_MEMOPS: what calls without a stream wait for there, as an H200 does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.spec.codes import Result
from tests.each import each
from tests.model.racing import BLOCKING, LEGACY, NON_BLOCKING, SIZE, Scene, fill
from tests.model.world import done

if TYPE_CHECKING:
    from collections.abc import Callable

DEVICE, MANAGED = 1, 2
"""CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ALLOCATION_TYPE_MANAGED."""
SYNC_MEMOPS = 6
"""CU_POINTER_ATTRIBUTE_SYNC_MEMOPS."""


def managed(scene: Scene) -> int:
    """Return memory of a pool for managed memory."""
    pool = done(scene.c.cuMemPoolCreate((MANAGED, 0, (DEVICE, 0), 0, 0, 0, 0)))
    memory = int(done(scene.c.cuMemAllocFromPoolAsync(4096, pool, scene.one)))
    done(scene.c.cuCtxSynchronize())
    return memory


def told(scene: Scene) -> int:
    """Return memory of a device's pool that was given the attribute."""
    memory = int(done(scene.c.cuMemAllocAsync(4096, scene.one)))
    done(scene.c.cuCtxSynchronize())
    done(scene.c.cuPointerSetAttribute(1, SYNC_MEMOPS, memory))
    return memory


CALLS: dict[str, tuple[Callable[[Scene, int], tuple[int, ...]], bool]] = {
    "a memset": (lambda scene, memory: scene.c.cuMemsetD8(memory, 1, SIZE), True),
    "a copy to it": (lambda scene, memory: scene.c.cuMemcpyDtoD(memory, scene.own, SIZE), False),
    "a copy from it": (lambda scene, memory: scene.c.cuMemcpyDtoD(scene.own, memory, SIZE), False),
    "a copy to page-locked memory": (lambda scene, memory: scene.c.cuMemcpyDtoH(scene.pinned, memory, SIZE), True),
}


ROWS = [(kind, name) for kind in (managed, told) for name in CALLS]


@each("kind,name", lambda: ROWS)
def test_what_waits(kind: Callable[[Scene], int], name: str) -> None:
    """A memset behind other work of the default stream waits, and so does a copy to the host. Other copies are left to it."""
    call, waits = CALLS[name]
    with Machine("h200", seed=1, completion="manual") as machine:
        scene = Scene(machine)
        memory = kind(scene)
        done(scene.c.cuMemsetD8Async(scene.flag, 1, 8, LEGACY))
        done(call(scene, memory))
        assert scene.c.cuStreamQuery(LEGACY) == (Result.SUCCESS if waits else Result.NOT_READY,), name


@each("kind,name", lambda: ROWS)
def test_what_comes_after(kind: Callable[[Scene], int], name: str) -> None:
    """A stream that does not block on the default stream comes after it only if the call has waited."""
    call, waits = CALLS[name]
    with Machine("h200", seed=1) as machine:
        machine.tolerates = lambda _: True
        scene = Scene(machine)
        memory = kind(scene)
        done(scene.c.cuMemsetD8Async(scene.common, 1, SIZE, LEGACY))
        done(call(scene, memory))
        fill(scene, scene.two)
        assert bool(machine.findings) is not waits, name


@pytest.mark.parametrize("memory", ["common", "own"])
def test_the_attribute_waits_for_work_with_the_memory(memory: str) -> None:
    """Work that a call without a stream has left to the default stream, and no other."""
    with Machine("h200", seed=1, completion="manual") as machine:
        scene = Scene(machine)
        done(scene.c.cuMemsetD8Async(scene.flag, 1, 8, LEGACY))
        done(scene.c.cuMemsetD8(scene.common, 1, 8))
        done(scene.c.cuPointerSetAttribute(1, SYNC_MEMOPS, getattr(scene, memory)))
        assert scene.c.cuStreamQuery(LEGACY) == (Result.SUCCESS if memory == "common" else Result.NOT_READY,)


def test_an_allocation_is_no_work_of_an_idle_stream() -> None:
    """Neither of a blocking stream beside work of the legacy stream, nor of the legacy stream between two blocking ones."""
    with Machine("h200", seed=1) as machine:
        scene = Scene(machine, BLOCKING)
        aside = done(scene.c.cuStreamCreate(NON_BLOCKING))
        for value, busy, idle, other in ((1, LEGACY, scene.one, scene.one), (2, scene.one, LEGACY, scene.two)):
            done(scene.c.cuStreamWaitValue32(busy, scene.flag, value, 0))
            done(scene.c.cuMemAllocAsync(64, idle))
            assert scene.c.cuStreamQuery(other) == (0,)
            done(scene.c.cuStreamSynchronize(other))
            assert scene.c.cuStreamQuery(busy) == (Result.NOT_READY,)
            done(scene.c.cuStreamWriteValue32(aside, scene.flag, value, 0))
            done(scene.c.cuCtxSynchronize())
