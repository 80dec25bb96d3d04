"""cuMemPoolImportPointer: import another process's pool memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.pool.fixtures import (
    HOST_NUMA,
    SIZE,
    exported,
    imported,
    memory,
    opened,
    pool,
    refuse,
    shared,
)
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.cases.driver.va.fixtures import content, on_model
from conformance.kit.case import Entry
from conformance.kit.world import POSIX
from fakecuda.model.memory.address_ranges import Territory
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    import pytest

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a, b = w.process(), w.process()
    into, source = imported(a, b)
    return a.call("cuMemPoolImportPointer", pool=into, shareData=shared(b, source)[1])


def the_exporters_bytes(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the memory has the exporter's bytes and size."""
    assert content(i.process, results[0]) == b"\5" * 4
    assert i.process.ok.cuMemGetAddressRange(results[0]) == (results[0], SIZE)


entry = Entry("cuMemPoolImportPointer", valid, the_exporters_bytes)
refuse(entry)
entry.null("ptr_out", "RESULT_IS_GIVEN")
entry.breaks("DATA_IS_GIVEN", shareData=None)
entry.breaks("DATA_IS_OF_THE_POOL", shareData=bytes(64))
entry.breaks("POOL_IS_IMPORTED", pool=lambda i: pool(i.process, handle_types=POSIX))
entry.breaks("POOL_IS_IMPORTED", "the default pool", pool=lambda i: i.process.ok.cuDeviceGetDefaultMemPool(0))


@entry.world("DATA_IS_OF_THE_POOL", "of another pool")
def other_pool(w: World, i: Invocation) -> Invocation:
    b = w.process()
    return i.evolve(shareData=shared(b, exported(b)[0])[1])


@entry.undefined("EXPORTER_HAS_IT", code=Result.SUCCESS)
def exporter_freed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    into, source = imported(i.process, b)
    ptr, data = shared(b, source)
    b.ok.cuMemFree(ptr)
    return i.evolve(pool=into, shareData=data)


@entry.undefined("EXPORTER_HAS_IT", "killed", code=Result.SUCCESS)
def exporter_killed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    into, source = imported(i.process, b)
    _, data = shared(b, source)
    b.kill()
    return i.evolve(pool=into, shareData=data)


@entry.world("MEMORY_IS_NOT_MAPPED")
def pinned_again(w: World, i: Invocation) -> Invocation:
    made, descriptor = exported(b := w.process(), location=(HOST_NUMA, 0))
    into = i.process.ok.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)
    data = b.ok.cuMemPoolExportPointer(memory(b, made))
    i.process.ok.cuMemPoolImportPointer(into, data)
    return i.evolve(pool=into, shareData=data)


@entry.also("again")
def again(_: World, i: Invocation) -> None:
    assert i.run()[1] == i.run()[1]


@entry.also("again after it was freed", then=the_exporters_bytes)
def after_a_free(_: World, i: Invocation) -> None:
    i.process.ok.cuMemFree(i.run()[1])


@entry.also("a second process")
def second(w: World, i: Invocation) -> Invocation:
    a, b, c = i.process, w.process(), w.process()
    made, descriptor = exported(b)
    _, data = shared(b, made)
    pools = [each.ok.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0) for each in (a, c)]
    c.ok.cuMemPoolImportPointer(pools[1], data)
    return i.evolve(pool=pools[0], shareData=data)


@entry.also("two of one block")
def two(w: World, i: Invocation) -> None:
    a, b = i.process, w.process()
    into, source = imported(a, b)
    first, second_ = (a.ok.cuMemPoolImportPointer(into, shared(b, source, byte)[1]) for byte in (1, 2))
    assert (content(a, first), content(a, second_)) == (b"\1" * 4, b"\2" * 4)


@entry.also("the importer writes what the exporter reads")
def written_back(w: World, i: Invocation) -> None:
    ours, theirs = opened(i.process, b := w.process())
    i.process.ok.cuMemsetD8(ours, 7, 8)
    i.process.ok.cuCtxSynchronize()
    assert content(b, theirs) == b"\7" * 4


@entry.also("its allocation is not done")
def not_done(w: World, i: Invocation) -> Invocation:
    b = w.process()
    into, source = imported(i.process, b)
    waiting = stream(b, NON_BLOCKING)
    block(w, b, waiting)
    ptr = memory(b, source, stream=waiting)
    return i.evolve(pool=into, shareData=b.ok.cuMemPoolExportPointer(ptr))


@entry.also("what is imported outlives its exporter")
def outlives(w: World, i: Invocation) -> None:
    ours, _theirs = opened(i.process, b := w.process())
    b.kill()
    assert content(i.process, ours) == b"\5" * 4


test_mem_pool_import_pointer = entry.test()


def test_addresses_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    """An import needs addresses for the block, or for an allocation without reuse."""

    def no_addresses(w: World, i: Invocation) -> Invocation:
        b = w.process()
        into, source = imported(i.process, b)
        data = b.ok.cuMemPoolExportPointer(memory(b, source, 1 << 30))
        monkeypatch.setattr(Territory, "window", lambda _, __: None)
        return i.evolve(pool=into, shareData=data)

    on_model(entry, "ADDRESSES_SUFFICE", Result.OUT_OF_MEMORY, no_addresses)


def test_the_card_has_room() -> None:
    """An import of freed memory needs other memory, which can be exhausted."""

    def full(w: World, i: Invocation) -> Invocation:
        invocation = exporter_freed(w, i)
        i.process.ok.cuMemAlloc(i.process.ok.cuMemGetInfo()[0])
        return invocation

    on_model(entry, "ADDRESSES_SUFFICE", Result.OUT_OF_MEMORY, full)
