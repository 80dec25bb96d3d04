"""cuMemCreate: create memory for mappings.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.va.fixtures import (
    HOST,
    HOST_NUMA,
    HOST_NUMA_CURRENT,
    TILE_POOL,
    half_mapped,
    on_model,
    prop,
)
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, GRANULE
from fakecuda.profiles import load
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


WIN32, WIN32_KMT, FABRIC = 2, 4, 8
DECOMPRESSION = 2


def valid(w: World) -> Invocation:
    return w.process().call("cuMemCreate", size=GRANULE, prop=prop(), flags=0)


def as_asked(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the handle has its properties and that its memory can be mapped."""
    a = i.process
    a.ok.cuMemGetAllocationPropertiesFromHandle(results[0])
    a.ok.cuMemMap(a.ok.cuMemAddressReserve(i.args["size"], 0, 0, 0), i.args["size"], 0, results[0], 0)


entry = Entry("cuMemCreate", valid, as_asked)
entry.null("handle", "RESULT_IS_GIVEN")
entry.breaks("PROPERTIES_ARE_GIVEN", prop=None)
entry.breaks("FLAGS_ARE_ZERO", flags=1)
for size in (0, 4096, 65536, GRANULE + 1):
    entry.breaks("SIZE_IS_ALIGNED", f"{size} bytes", size=size)
for kind in (0, 2, 9):
    entry.breaks("TYPE_IS_PINNED", f"type {kind}", prop=prop(kind=kind))
for kind in (0, HOST_NUMA_CURRENT, 9):
    entry.breaks("LOCATION_IS_KNOWN", f"location {kind}", prop=prop(location=(kind, 0), handle_types=0))
for types in (WIN32, WIN32_KMT, WIN32 | 1):
    entry.breaks("HANDLE_TYPES_ARE_SUPPORTED", f"handle types {types}", prop=prop(handle_types=types))
entry.breaks("HOST_HAS_NO_HANDLE_TYPES", prop=prop(location=(HOST, 0)))
entry.breaks("COMPRESSION_IS_KNOWN", prop=prop(capabilities=(9, 0, 0)))
for label, asked in {
    "handle types": prop(capabilities=(0, 0, TILE_POOL)),
    "compression": prop(handle_types=0, capabilities=(1, 0, TILE_POOL)),
    "GPUDirect RDMA": prop(handle_types=0, capabilities=(0, 1, TILE_POOL)),
    "handle types on a NUMA node": prop(location=(HOST_NUMA, 0), capabilities=(0, 0, TILE_POOL)),
}.items():
    entry.breaks("TILE_POOL_IS_PLAIN", label, prop=asked)
for label, location in {"the host": (HOST, 0), "a NUMA node": (HOST_NUMA, 0)}.items():
    for capability, asked in {"compression": (1, 0, 0), "GPUDirect RDMA": (0, 1, 0)}.items():
        entry.breaks(
            "HOST_HAS_NO_CAPABILITIES",
            f"{capability} of {label}",
            prop=prop(location=location, handle_types=0, capabilities=asked),
        )
entry.breaks("DECOMPRESSION_IS_NOT_COMPRESSED", prop=prop(capabilities=(1, 0, DECOMPRESSION)))
entry.breaks("NODE_IS_THERE", prop=prop(location=(HOST_NUMA, 99), handle_types=0))
entry.breaks("DEVICE_IS_THERE", prop=prop(location=(DEVICE, 99)))
entry.breaks("DEVICE_IS_THERE", "a negative device", prop=prop(location=(DEVICE, -1)))
entry.breaks("MEMORY_SUFFICES", size=1 << 40)
entry.breaks("FABRIC_IS_PERMITTED", prop=prop(handle_types=FABRIC))
entry.breaks("FABRIC_IS_PERMITTED", "beside a descriptor", prop=prop(handle_types=FABRIC | 1))

entry.also(
    "tiles without room",
    rule="MEMORY_SUFFICES",
    code=Result.INVALID_VALUE,
    size=1 << 40,
    prop=prop(handle_types=0, capabilities=(0, 0, TILE_POOL)),
)
entry.also("three granules", size=3 * GRANULE, then=as_asked)
entry.also("no handle types", prop=prop(handle_types=0), then=as_asked)
entry.also("on the host", prop=prop(location=(HOST, 0), handle_types=0), then=as_asked)
entry.also("on the host, whose id is ignored", prop=prop(location=(HOST, 99), handle_types=0))
entry.also("on a NUMA node", prop=prop(location=(HOST_NUMA, 0), handle_types=0), then=as_asked)
entry.also("on a NUMA node, exportable", prop=prop(location=(HOST_NUMA, 0)))
entry.also("compressible", prop=prop(capabilities=(1, 0, 0)), then=as_asked)
entry.also("for GPUDirect RDMA", prop=prop(capabilities=(0, 1, 0)), then=as_asked)
entry.also("a usage without a name", prop=prop(capabilities=(0, 0, 0x80)), then=as_asked)
entry.also("a handle type without a name", prop=prop(handle_types=16), then=as_asked)


@entry.also("on another device", then=as_asked)
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(prop=prop(location=(DEVICE, 1)))


@entry.also("every handle is its own")
def distinct(_: World, i: Invocation) -> None:
    assert i.process.ok.cuMemCreate(GRANULE, prop(), 0) != i.process.ok.cuMemCreate(GRANULE, prop(), 0)


@entry.also("a context that is destroyed leaves it")
def outlives_context(_: World, i: Invocation) -> None:
    a = i.process
    context = a.ok.cuCtxCreate(None, 0, 0)
    ptr = half_mapped(a)
    a.ok.cuCtxDestroy(context)
    a.ok.cuMemsetD8(ptr, 1, 16)


test_mem_create = entry.test()


def test_memory_suffices() -> None:
    def nearly_full(_: World, i: Invocation) -> Invocation:
        i.process.ok.cuMemCreate(3 << 30, prop(), 0)
        return i.evolve(size=3 << 30)

    device = attrs.evolve(load("h200").devices[0], total_memory=5 << 30, free_memory=5 << 30)
    on_model(entry, "MEMORY_SUFFICES", Result.OUT_OF_MEMORY, nearly_full, devices=(device,))
