"""cuMemPoolTrimTo: release unused memory of a pool.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.pool.fixtures import CHUNK, SIZE, books, imported, memory, pool, refuse
from conformance.kit.case import Entry
from conformance.kit.world import POSIX

if TYPE_CHECKING:
    from conformance.kit.case import Then
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


def kept(a: Process, blocks: int = 3, **changed: Plain) -> int:
    """Return a pool with some unused blocks."""
    made = pool(a, **changed)
    a.ok.cuMemPoolSetAttribute(made, 4, 1 << 60)
    for ptr in [memory(a, made, CHUNK) for _round in range(blocks)]:
        a.ok.cuMemFreeAsync(ptr, 0)
    a.ok.cuCtxSynchronize()
    assert books(a, made) == (blocks * CHUNK, 0)
    return made


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemPoolTrimTo", pool=kept(a), minBytesToKeep=0)


def nothing(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that no block is left."""
    assert books(i.process, i.args["pool"]) == (0, 0)


entry = Entry("cuMemPoolTrimTo", valid, nothing)
refuse(entry)


def leaves(count: int) -> Then:
    """Return a check that some blocks are left."""

    def then(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
        assert books(i.process, i.args["pool"])[0] == count * CHUNK

    return then


for keep, left in ((1, 1), (CHUNK, 1), (CHUNK + 1, 2), (3 * CHUNK, 3), (1 << 60, 3)):
    entry.also(f"keep {keep}", minBytesToKeep=keep, then=leaves(left))


@entry.also("memory in use stays", then=leaves(1))
def in_use(_: World, i: Invocation) -> None:
    memory(i.process, i.args["pool"], CHUNK)


@entry.also("a part beside memory in use")
def parts(_: World, i: Invocation) -> None:
    a, source = i.process, pool(i.process)
    a.ok.cuMemPoolSetAttribute(source, 4, 1 << 60)
    a.ok.cuMemFreeAsync(memory(a, source, 5 * CHUNK), 0)
    a.ok.cuCtxSynchronize()
    held = [memory(a, source, size) for size in (CHUNK, CHUNK + SIZE)]
    for keep, left in ((4 * CHUNK, 4), (3 * CHUNK + 1, 4), (0, 3)):
        a.ok.cuMemPoolTrimTo(source, keep)
        assert books(a, source)[0] == left * CHUNK
    memory(a, source, 2 * CHUNK)
    assert books(a, source)[0] == 5 * CHUNK
    for ptr in held:
        a.ok.cuMemFreeAsync(ptr, 0)
    a.ok.cuCtxSynchronize()
    a.ok.cuMemPoolTrimTo(source, 0)
    assert books(a, source)[0] == 2 * CHUNK


@entry.also("a free that the host has not seen counts as use")
def not_seen(_: World, i: Invocation) -> Invocation:
    a, made = i.process, pool(i.process)
    a.ok.cuMemFreeAsync(memory(a, made, CHUNK), 0)
    a.ok.cuMemPoolTrimTo(made, 0)
    assert books(a, made) == (CHUNK, 0)
    return i.evolve(pool=made)


entry.also("a pool that can be shared", then=leaves(0), pool=lambda i: kept(i.process, 2, handle_types=POSIX))


@entry.world("POOL_HAS_BOOKS")
def import_(w: World, i: Invocation) -> Invocation:
    return i.evolve(pool=imported(i.process, w.process())[0])


@entry.also("the device has its memory back")
def given_back(_: World, i: Invocation) -> None:
    free = i.process.ok.cuMemGetInfo()[0]
    i.run()
    assert i.process.ok.cuMemGetInfo()[0] == free + 3 * CHUNK


entry.alone("the-device-has-its-memory-back")

test_mem_pool_trim_to = entry.test()
