"""cuMulticastBindAddr: bind mapped memory to a range of a multicast object.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.multicast.fixtures import (
    RUBIN,
    SIZE,
    check_described,
    holds,
    mapped,
    memory,
    refuse_bindings,
    team,
)
from conformance.cases.driver.pool.fixtures import MANAGED, pool
from conformance.cases.driver.pool.fixtures import memory as of_a_pool
from conformance.cases.driver.va.fixtures import HOST_NUMA, NOWHERE, freed, half_mapped
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, POSIX
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

HALF = SIZE // 2


def valid(w: World) -> Invocation:
    a = w.process()
    object_ = team(w, a)
    return a.call("cuMulticastBindAddr", mcHandle=object_, mcOffset=0, memptr=mapped(a, memory(a)), size=HALF, flags=0)


def written(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that writes to the object reach the memory."""
    a = i.process
    a.ok.cuMemsetD8(mapped(a, i.args["mcHandle"]), 3, SIZE)
    holds(a, [i.args["memptr"], i.args["memptr"] + HALF - 4], b"\3" * 4)
    a.ok.cuMulticastUnbind(i.args["mcHandle"], 0, i.args["mcOffset"], HALF)


def on_the_host(a: Process) -> int:
    """Return the address of mapped host memory."""
    ptr: int = a.ok.cuMemAddressReserve(SIZE, 0, 0, 0)
    a.ok.cuMemMap(ptr, SIZE, 0, memory(a, kind=HOST_NUMA), 0)
    return ptr


def shareable(a: Process, size: int) -> int:
    """Return memory of a shareable pool."""
    return of_a_pool(a, pool(a, handle_types=POSIX), size)


entry = Entry("cuMulticastBindAddr", valid, written)
refuse_bindings(entry)
entry.breaks("MEMORY_IS_BINDABLE", "nowhere", memptr=NOWHERE)
entry.breaks("MEMORY_IS_BINDABLE", "null", memptr=0)
entry.breaks("MEMORY_IS_BINDABLE", "freed", memptr=lambda i: freed(i.process))
entry.breaks("MEMORY_IS_BINDABLE", "linear", memptr=lambda i: i.process.ok.cuMemAlloc(SIZE))
entry.breaks("MEMORY_IS_BINDABLE", "managed", memptr=lambda i: i.process.ok.cuMemAllocManaged(SIZE, 1))
entry.breaks("MEMORY_IS_BINDABLE", "reserved", memptr=lambda i: half_mapped(i.process) + GRANULE)
entry.breaks("MEMORY_IS_BINDABLE", "the object itself", memptr=lambda i: mapped(i.process, i.args["mcHandle"]))
entry.breaks("MEMORY_IS_ALIGNED", memptr=lambda i: i.args["memptr"] + 4096)
entry.breaks("RANGE_LIES_IN_THE_MEMORY", memptr=lambda i: i.args["memptr"] + HALF + GRANULE)
entry.breaks("DEVICE_IS_OF_THE_TEAM", "the host's", memptr=lambda i: on_the_host(i.process))
entry.breaks("MEMORY_IS_SHAREABLE", memptr=lambda i: mapped(i.process, memory(i.process, handle_types=0)))
entry.breaks(
    "MEMORY_IS_BINDABLE", "of a managed pool", memptr=lambda i: of_a_pool(i.process, pool(i.process, kind=MANAGED))
)
entry.breaks("RANGE_LIES_IN_THE_MEMORY", "of a pool", memptr=lambda i: shareable(i.process, GRANULE))
entry.breaks("MEMORY_IS_SHAREABLE", "of a pool", memptr=lambda i: of_a_pool(i.process, size=HALF))
entry.also("memory of a pool", then=written, memptr=lambda i: shareable(i.process, HALF))
entry.also("at the end of both", mcOffset=HALF, memptr=lambda i: i.args["memptr"] + HALF)


@entry.also("to which nobody has access", then=written)
def without_access(_: World, i: Invocation) -> Invocation:
    a = i.process
    handle = memory(a)
    ptr = a.ok.cuMemAddressReserve(SIZE, 0, 0, 0)
    a.ok.cuMemMap(ptr, SIZE, 0, handle, 0)
    i.evolve(memptr=ptr).run()
    a.ok.cuMulticastUnbind(i.args["mcHandle"], 0, 0, HALF)
    return i


@entry.also("a mapping that ends leaves it bound")
def unmapped(_: World, i: Invocation) -> None:
    a = i.process
    handle = memory(a)
    ptr = mapped(a, handle)
    a.ok.cuMulticastBindAddr(i.args["mcHandle"], HALF, ptr, HALF, 0)
    a.ok.cuMemUnmap(ptr, SIZE)
    a.ok.cuMemsetD8(mapped(a, i.args["mcHandle"]), 4, SIZE)
    holds(a, [mapped(a, handle)], b"\4" * 4)


test_multicast_bind_addr = entry.test()


def test_the_system_is_ready() -> None:
    """Binding needs the switches' software, and a system without errors."""
    check_described(entry, "SYSTEM_IS_READY", Result.SYSTEM_NOT_READY, state="not ready")
    check_described(entry, "SYSTEM_IS_LEGAL", Result.ILLEGAL_STATE, state="illegal")


def test_resources_suffice() -> None:
    """Bindings use resources, and unaligned memory uses twice as many."""

    def again(_: World, i: Invocation) -> Invocation:
        i.run()
        return i.evolve(mcOffset=HALF)

    def unaligned(_: World, i: Invocation) -> Invocation:
        i.evolve(memptr=i.args["memptr"] + 256, size=GRANULE).run()
        return i.evolve(memptr=i.args["memptr"] + 512, mcOffset=HALF, size=GRANULE)

    check_described(entry, "RESOURCES_SUFFICE", Result.OUT_OF_MEMORY, again, bindings=1)
    check_described(entry, "UNALIGNED_SUFFICES", Result.MULTICAST_RESOURCE_FULL, unaligned, devices=RUBIN, unaligned=1)
