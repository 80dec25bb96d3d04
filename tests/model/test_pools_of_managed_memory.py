"""Memory of pools for managed memory: what calls without a stream wait for there, as an H200 does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.spec.codes import Result
from tests.each import each
from tests.model.racing import LEGACY, SIZE, Scene, fill
from tests.model.world import done

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DEVICE, MANAGED = 1, 2
"""CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_ALLOCATION_TYPE_MANAGED."""


@pytest.fixture
def scene() -> Iterator[Scene]:
    """A scene."""
    with Machine("h200", seed=1) as machine:
        yield Scene(machine)


def managed(scene: Scene) -> int:
    """Return memory of a pool for managed memory."""
    pool = done(scene.c.cuMemPoolCreate((MANAGED, 0, (DEVICE, 0), 0, 0, 0, 0)))
    memory = int(done(scene.c.cuMemAllocFromPoolAsync(4096, pool, scene.one)))
    done(scene.c.cuCtxSynchronize())
    return memory


CALLS: dict[str, tuple[Callable[[Scene, int], tuple[int, ...]], bool]] = {
    "a memset": (lambda scene, memory: scene.c.cuMemsetD8(memory, 1, SIZE), True),
    "a copy to it": (lambda scene, memory: scene.c.cuMemcpyDtoD(memory, scene.own, SIZE), False),
    "a copy from it": (lambda scene, memory: scene.c.cuMemcpyDtoD(scene.own, memory, SIZE), False),
    "a copy to page-locked memory": (lambda scene, memory: scene.c.cuMemcpyDtoH(scene.pinned, memory, SIZE), True),
}


@each("name", CALLS)
def test_what_waits(name: str) -> None:
    """A memset behind other work of the default stream waits, and so does a copy to the host. Other copies are left to it."""
    call, waits = CALLS[name]
    with Machine("h200", seed=1, completion="manual") as machine:
        scene = Scene(machine)
        memory = managed(scene)
        done(scene.c.cuMemsetD8Async(scene.flag, 1, 8, LEGACY))
        done(call(scene, memory))
        assert scene.c.cuStreamQuery(LEGACY) == (Result.SUCCESS if waits else Result.NOT_READY,), name


@each("name", CALLS)
def test_what_comes_after(name: str) -> None:
    """A stream that does not block on the default stream comes after it only if the call has waited."""
    call, waits = CALLS[name]
    with Machine("h200", seed=1) as machine:
        machine.tolerates = lambda _: True
        scene = Scene(machine)
        memory = managed(scene)
        done(scene.c.cuMemsetD8Async(scene.common, 1, SIZE, LEGACY))
        done(call(scene, memory))
        fill(scene, scene.two)
        assert bool(machine.findings) is not waits, name
