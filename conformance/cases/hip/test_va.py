"""Virtual memory of HIP: addresses are reserved, handles mapped there, devices given access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import (
    HERE,
    NEW,
    NOWHERE,
    OLD,
    READ_WRITE,
    SIZE,
    THERE,
    G,
    entries,
    exhausted,
    handle,
    host,
    mapped,
    memory,
    new,
    reserved,
)
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Process


def unmapped(a: Process) -> int:
    """Return the address of a reservation where something was mapped."""
    address = mapped(a)
    a.ok.hipMemUnmap(address, G)
    return address


every = entries(
    {
        "hipMemAddressFree": lambda a: (reserved(a), G),
        "hipMemAddressReserve": lambda _: (G, 0, 0, 0),
        "hipMemGetAccess": lambda a: (HERE, mapped(a)),
        "hipMemMap": lambda a: (reserved(a, 2 * G), G, 0, handle(a), 0),
        "hipMemSetAccess": lambda a: (mapped(a), G, ((HERE, READ_WRITE),), 1),
        "hipMemUnmap": lambda a: (mapped(a), G),
    }
)
for call, name in (("AddressFree", "devPtr"), ("Map", "ptr"), ("SetAccess", "ptr"), ("Unmap", "ptr")):
    every[f"hipMem{call}"].breaks("RANGE_IS_GIVEN", "null", **{name: 0})
    every[f"hipMem{call}"].breaks("RANGE_IS_GIVEN", "no bytes", size=0)

free = every["hipMemAddressFree"]
for label, make in {"": lambda _: NOWHERE, "the host's": host, "allocated": memory}.items():
    free.breaks("RANGE_IS_A_RESERVATION", label, devPtr=new(make))
free.breaks("NOTHING_IS_MAPPED", devPtr=new(mapped))
free.breaks("RESERVATION_IS_FOLLOWED", devPtr=G)
free.only(OLD, "RESERVATION_IS_FOLLOWED")
free.only(NEW, "RANGE_IS_A_RESERVATION")

reserve = every["hipMemAddressReserve"]
reserve.breaks("FLAGS_ARE_ZERO", flags=1)
reserve.breaks("SIZE_IS_ALIGNED", size=0)
reserve.breaks("SIZE_IS_ALIGNED", "no multiple", size=G + 1)
reserve.breaks("SIZE_IS_ALIGNED", "alignment", alignment=3)
reserve.breaks("ADDRESSES_SUFFICE", size=1 << 47)
reserve.also("no address is left", rule="ADDRESSES_SUFFICE")(exhausted)

every["hipMemGetAccess"].breaks("POINTER_IS_MAPPED", ptr=NOWHERE)

maps = every["hipMemMap"]
maps.breaks("OFFSET_IS_ZERO", offset=G)
maps.breaks("OFFSET_IS_ZERO", "flags", flags=1)
maps.breaks("PIECE_IS_ALIGNED", size=1)
maps.breaks("PIECE_IS_ALIGNED", "a part", size=SIZE - 1)
maps.breaks("PIECE_IS_ALLOCATED", size=2 * G)
for label, make in {"": mapped, "the host's": host, "further in": lambda a: reserved(a) + SIZE}.items():
    maps.breaks("RANGE_IS_FREE", label, ptr=new(make))

grant = every["hipMemSetAccess"]
grant.breaks("DESCRIPTIONS_ARE_GIVEN", desc=None)
grant.breaks("MAPPINGS_ARE_WHOLE", size=G // 2)
grant.breaks("LOCATION_IS_KNOWN", desc=(((1, 2), READ_WRITE),))
grant.breaks("NODE_IS_THERE", desc=(((3, 1), READ_WRITE),))
grant.breaks("FLAGS_ARE_KNOWN", desc=((HERE, 7),))
grant.only(NEW, "NODE_IS_THERE", "MAPPINGS_ARE_WHOLE")
grant.breaks("MAPPINGS_ARE_WHOLE", "unmapped", ptr=new(unmapped))
grant.also("another device", desc=((THERE, READ_WRITE),))

unmap = every["hipMemUnmap"]
unmap.breaks("MAPPINGS_ARE_WHOLE", size=G // 2)
unmap.breaks("MAPPINGS_ARE_WHOLE", "unmapped", ptr=new(unmapped))

unmap.only(NEW, "MAPPINGS_ARE_WHOLE")
unmap.breaks("MAPPINGS_ARE_WHOLE", "more than is mapped", size=2 * G)
unmap.breaks("MAPPING_IS_FOLLOWED", ptr=new(unmapped))
unmap.only(OLD, "MAPPING_IS_FOLLOWED")

arrays = Entry.of("hipMemMapArrayAsync", lambda a: (host(a), 1, 0), answers=Result.NOT_SUPPORTED)
arrays.breaks("INFOS_ARE_GIVEN", mapInfoList=None)
arrays.breaks("INFOS_ARE_GIVEN", "none", count=0)


test_va = suite(*every.values(), arrays)
