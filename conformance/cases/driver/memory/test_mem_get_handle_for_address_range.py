"""cuMemGetHandleForAddressRange: export device memory as a dma-buf descriptor.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.pool.fixtures import memory, pool
from conformance.cases.driver.pool.fixtures import opened as import_of
from conformance.cases.driver.va.fixtures import HOST, NOWHERE, adjoining, freed, half_mapped, imported, on_model, prop
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, POSIX
from fakecuda.profiles import load
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

PAGE, BLOCK, ROOM = 4096, 65536, 4 << 20
DMA_BUF_FD = ENUMS["CUmemRangeHandleType"]["CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD"]
PCIE = ENUMS["CUmemRangeFlags"]["CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE"]
DMA_BUF_SUPPORTED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED"]


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call(
        "cuMemGetHandleForAddressRange",
        dptr=a.ok.cuMemAlloc(ROOM),
        size=GRANULE,
        handleType=DMA_BUF_FD,
        flags=0,
    )


def second(a: Process) -> int:
    """Return the second allocation of a pool."""
    made = pool(a)
    memory(a, made)
    return memory(a, made)


def another(w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that a second descriptor is another one, and that a close frees nothing."""
    assert i.run()[1] != results[0]
    w.close_descriptor(results[0])
    i.process.ok.cuMemsetD8(i.args["dptr"], 1, i.args["size"])


entry = Entry("cuMemGetHandleForAddressRange", valid, another)
entry.null("handle", "RESULT_IS_GIVEN")
entry.breaks("RANGE_IS_ALIGNED", "null", dptr=0)
entry.breaks("RANGE_IS_ALIGNED", "inside a page", dptr=lambda i: i.args["dptr"] + 512)
entry.breaks("RANGE_IS_ALIGNED", "no bytes", size=0)
entry.breaks("RANGE_IS_ALIGNED", "part of a page", size=100)
entry.breaks("RANGE_IS_ALIGNED", "a page and a part", size=PAGE + 512)
for flags in (2, 1 << 32):
    entry.breaks("FLAGS_ARE_KNOWN", f"{flags}", flags=flags)
for kind in (0, 2, 99, -1):
    entry.breaks("TYPE_IS_KNOWN", f"{kind}", handleType=kind)
entry.breaks("PCIE_IS_SUPPORTED", flags=PCIE)
entry.breaks("PCIE_IS_SUPPORTED", "beside an unknown flag", flags=PCIE | 2)


@entry.world("DEVICE_WAS_ASKED")
def before_init(w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i, process=w.process(init=False))


entry.without("not_initialized")
entry.breaks("RANGE_IS_BACKED", "nowhere", dptr=NOWHERE)
entry.breaks("RANGE_IS_BACKED", "freed", dptr=lambda i: freed(i.process, ROOM))
entry.breaks("RANGE_IS_BACKED", "past the end", dptr=lambda i: i.args["dptr"] + ROOM - PAGE)
entry.breaks("RANGE_IS_BACKED", "longer than the memory", size=2 * ROOM)
entry.breaks("RANGE_IS_BACKED", "past the mapping", dptr=lambda i: half_mapped(i.process), size=2 * GRANULE)
entry.breaks("RANGE_IS_BACKED", "reserved", dptr=lambda i: half_mapped(i.process) + GRANULE)
entry.breaks("RANGE_IS_BACKED", "plain host", dptr=lambda i: i.process.host_memory(PAGE), size=PAGE)
entry.breaks("RANGE_IS_BACKED", "pinned", dptr=lambda i: i.process.ok.cuMemHostAlloc(BLOCK, 0), size=PAGE)
entry.breaks("RANGE_IS_BACKED", "managed", dptr=lambda i: i.process.ok.cuMemAllocManaged(BLOCK, 1), size=PAGE)

entry.also("the whole allocation", size=ROOM, then=another)
entry.also("one page", size=PAGE, then=another)
entry.also("pages inside", dptr=lambda i: i.args["dptr"] + PAGE, size=PAGE, then=another)
entry.also("more than a small allocation", dptr=lambda i: i.process.ok.cuMemAlloc(PAGE), size=BLOCK)
entry.also("a mapping", dptr=lambda i: half_mapped(i.process), then=another)
entry.also("where a block of a pool begins", dptr=lambda i: memory(i.process), size=PAGE, then=another)
entry.breaks("RANGE_IS_BACKED", "in a block of a pool", dptr=lambda i: second(i.process), size=PAGE)
for case, flags in (("in a block of a pool", PCIE), ("in a block of a pool, beside an unknown flag", PCIE | 2)):
    entry.breaks("PCIE_IS_SUPPORTED", case, dptr=lambda i: second(i.process), size=PAGE, flags=flags)
entry.also("a mapping without access", dptr=lambda i: half_mapped(i.process, 0))


@entry.world("RANGE_IS_BACKED", "memory of another process's pool")
def import_of_a_pool(w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=import_of(i.process, w.process())[0], size=PAGE)


@entry.world("RANGE_IS_BACKED", "memory of another process")
def opened(w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=imported(i.process, w.process(), ROOM)[0])


@entry.world("MEMORY_IS_A_DEVICE_S")
def on_the_host(_: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=half_mapped(i.process, 0, handle_types=0, location=(HOST, 0)))


@entry.undefined("MEMORY_IS_NOT_MANAGED", code=Result.INVALID_VALUE)
def of_a_managed_pool(_: World, i: Invocation) -> Invocation:
    a = i.process
    managed = a.ok.cuMemPoolCreate((2, 0, (1, 0), 0, 0, 0, 0))
    return i.evolve(dptr=memory(a, managed), size=PAGE)


@entry.world("RANGE_IS_BACKED", "part of a later block of a pool")
def of_a_later_block(_: World, i: Invocation) -> Invocation:
    a = i.process
    made = pool(a)
    memory(a, made)
    later = a.ok.cuMemAllocFromPoolAsync(32 << 20, made, 0)
    a.ok.cuMemGetHandleForAddressRange(later, 32 << 20, DMA_BUF_FD, 0)
    return i.evolve(dptr=later, size=PAGE)


def of_two_kinds(a: Process) -> int:
    """Return two adjoining mappings of which only one can be exported."""
    plain, exportable = (a.ok.cuMemCreate(GRANULE, prop(handle_types=types), 0) for types in (0, POSIX))
    return adjoining(a, (plain, exportable))


entry.also("mappings of two kinds", dptr=lambda i: of_two_kinds(i.process), size=2 * GRANULE)
entry.also("mappings that adjoin", dptr=lambda i: adjoining(i.process), size=2 * GRANULE)


@entry.also("no exported memory")
def not_importable(_: World, i: Invocation) -> None:
    descriptor = i.run()[1]
    assert i.c.cuMemImportFromShareableHandle(descriptor, POSIX)[0] != Result.SUCCESS


test_mem_get_handle_for_address_range = entry.test()


def test_device_without_dma_buf() -> None:
    """A device without dma-buf support refuses; every recorded machine supports it."""
    profile = load("h200-x2")
    devices = tuple(
        attrs.evolve(device, attributes=device.attributes | {DMA_BUF_SUPPORTED: 0}) for device in profile.devices
    )
    on_model(entry, "DMA_BUF_IS_SUPPORTED", Result.NOT_SUPPORTED, lambda _, i: i, devices=devices)
