"""Virtual memory of HIP: reservations, mappings and access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import (
    HERE,
    HOST,
    NEW,
    NOWHERE,
    OLD,
    READ_WRITE,
    SIZE,
    THERE,
    G,
    content,
    entries,
    exhausted,
    handle,
    holds,
    host,
    managed,
    mapped,
    memory,
    new,
    open_to,
    put,
    reserved,
    there,
    unmapped,
    usable,
)
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Invocation, Process, World


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

asked = every["hipMemGetAccess"]
asked.breaks("POINTER_IS_MAPPED", ptr=NOWHERE)
asked.breaks("POINTER_IS_MAPPED", "behind it", ptr=new(mapped, G))
asked.also("further in", ptr=new(mapped, 12345))

maps = every["hipMemMap"]
maps.breaks("OFFSET_IS_ZERO", offset=G)
maps.breaks("OFFSET_IS_ZERO", "flags", flags=1)
maps.breaks("PIECE_IS_ALIGNED", size=1)
maps.breaks("PIECE_IS_ALIGNED", "a part", size=SIZE - 1)
maps.breaks("PIECE_IS_ALLOCATED", size=2 * G)
for label, make in {"": mapped, "the host's": host, "further in": lambda a: reserved(a) + SIZE}.items():
    maps.breaks("RANGE_IS_FREE", label, ptr=new(make))
maps.also("part of a handle", handle=new(handle, 2 * G))
maps.also("part of a reservation", ptr=lambda i: reserved(i.process, 4 * G) + G)

grant = every["hipMemSetAccess"]
grant.breaks("DESCRIPTIONS_ARE_GIVEN", desc=None)
grant.breaks("DESCRIPTIONS_ARE_GIVEN", "none", count=0)
grant.breaks("MAPPINGS_ARE_WHOLE", size=G // 2)
grant.breaks("MAPPINGS_ARE_WHOLE", "a byte less", size=G - 1)
for label, place in {"2": (1, 2), "negative": (1, -1), "no kind": (0, 0)}.items():
    grant.breaks("LOCATION_IS_KNOWN", label, desc=((place, READ_WRITE),))
grant.only(NEW, "LOCATION_IS_KNOWN-no-kind")
grant.breaks("NODE_IS_THERE", desc=(((3, 1), READ_WRITE),))
grant.breaks("FLAGS_ARE_KNOWN", desc=((HERE, 7),))
grant.breaks("FLAGS_ARE_KNOWN", "negative", desc=((HERE, -1),))
grant.only(NEW, "NODE_IS_THERE", "MAPPINGS_ARE_WHOLE")
grant.breaks("MAPPINGS_ARE_WHOLE", "unmapped", ptr=new(unmapped))
grant.breaks("MAPPINGS_ARE_WHOLE", "reserved", ptr=new(reserved))
grant.breaks("MAPPINGS_ARE_WHOLE", "the host's", ptr=new(host))
grant.breaks("MAPPINGS_ARE_WHOLE", "a byte more", size=G + 1)
grant.also("another device", desc=((THERE, READ_WRITE),))
grant.also("the host", desc=((HOST, READ_WRITE),))

unmap = every["hipMemUnmap"]
unmap.breaks("MAPPINGS_ARE_WHOLE", size=G // 2)
unmap.breaks("MAPPINGS_ARE_WHOLE", "a byte less", size=G - 1)
unmap.breaks("MAPPINGS_ARE_WHOLE", "unmapped", ptr=new(unmapped))
unmap.breaks("MAPPINGS_ARE_WHOLE", "reserved", ptr=new(reserved))

unmap.only(NEW, "MAPPINGS_ARE_WHOLE")
unmap.breaks("MAPPINGS_ARE_WHOLE", "more than is mapped", size=2 * G)
unmap.breaks("MAPPING_IS_FOLLOWED", ptr=new(unmapped))
unmap.breaks("MAPPING_IS_FOLLOWED", "reserved", ptr=new(reserved))
unmap.only(OLD, "MAPPING_IS_FOLLOWED")

arrays = Entry.of("hipMemMapArrayAsync", lambda a: (host(a), 1, 0), answers=Result.NOT_SUPPORTED)
arrays.breaks("INFOS_ARE_GIVEN", mapInfoList=None)
arrays.breaks("INFOS_ARE_GIVEN", "none", count=0)


@reserve.after("aligned to each power of two")
def alignments(_w: World, i: Invocation, _r: tuple[int]) -> None:
    for bits in range(12, 30):
        assert i.process.ok.hipMemAddressReserve(G, 1 << bits, 0, 0) % (1 << bits) == 0


@asked.after("as it was given")
def given(_w: World, i: Invocation, _r: tuple[int]) -> None:
    """Check that a device has its access, and another one none."""
    address = usable(i.process)
    assert i.process.ok.hipMemGetAccess(HERE, address) == READ_WRITE
    assert i.process.ok.hipMemGetAccess(THERE, address) == 0


@maps.after("unmapped and mapped again")
def again(_w: World, i: Invocation, _r: tuple[()]) -> None:
    for _ in range(3):
        i.process.ok.hipMemUnmap(i.args["ptr"], G)
        assert i.run() == (0,)


@maps.after("its handle is released")
def released(_w: World, i: Invocation, _r: tuple[()]) -> None:
    """Check that released memory lives while it is mapped."""
    i.process.ok.hipMemRelease(i.args["handle"])
    i.process.ok.hipMemSetAccess(i.args["ptr"], G, ((HERE, READ_WRITE),), 1)
    put(i.process, i.args["ptr"], 5)
    assert holds(i.process, i.args["ptr"], 5)


@maps.after("one handle at one address after the other")
def physical_reuse(_w: World, i: Invocation, _r: tuple[()]) -> None:
    """Check that the memory of each device keeps its content."""
    a = i.process
    for device in (1, 0):
        a.ok.hipSetDevice(device)
        made = handle(a, number=device)
        for value in range(3):
            address = open_to(a, device, reserved(a), made)
            assert not value or holds(a, address, value)
            put(a, address, value + 1)
            a.ok.hipMemUnmap(address, G)
            a.ok.hipMemAddressFree(address, G)


@maps.after("handles of two devices at one address in turn")
def virtual_reuse(_w: World, i: Invocation, _r: tuple[()]) -> None:
    a, address = i.process, reserved(i.process)
    handles = [handle(a, number=device) for device in (0, 1)]
    for turn in range(4):
        device = turn % 2
        a.ok.hipSetDevice(device)
        open_to(a, device, address, handles[device])
        assert turn < 2 or holds(a, address, device + 1)
        put(a, address, device + 1)
        a.ok.hipMemUnmap(address, G)


@maps.after("a second handle behind the first")
def grown(_w: World, i: Invocation, _r: tuple[()]) -> None:
    a, address = i.process, reserved(i.process, 2 * G)
    for offset, value in ((0, 5), (G, 6)):
        put(a, open_to(a, 0, address + offset, handle(a)), value)
    assert holds(a, address, 5)
    assert holds(a, address + G, 6)


@maps.after("no device was given access")
def used_without_access(_w: World, i: Invocation, _r: tuple[()]) -> None:
    """Check that a mapping without access works, but not unmapped addresses."""
    a, address = i.process, i.args["ptr"]
    a.ok.hipMemsetD16(address, 0x0707, SIZE // 2)
    a.ok.hipMemcpy(address + SIZE, address, SIZE, 3)
    assert holds(a, address + SIZE, 7)
    end = address + G - 8
    assert a.c.hipMemcpy(host(a), end, 16, 2) == (Result.INVALID_VALUE,)
    a.ok.hipMemMap(address + G, G, 0, handle(a), 0)
    a.ok.hipMemset(address, 1, 2 * G)
    assert content(a, end, 16) == bytes([1]) * 16


maps.only(NEW, "no-device-was-given-access")
OTHERS: dict[str, Callable[[Process], int]] = {
    "managed memory": managed,
    "memory": memory,
    "memory of another device": there,
    "another mapping": usable,
}
for label, make in OTHERS.items():

    @grant.after(f"copies to {label} and back")
    def exchanged(_w: World, i: Invocation, _r: tuple[()], make: Callable[[Process], int] = make) -> None:
        a, address, other = i.process, i.args["ptr"], make(i.process)
        for call, rest in {"hipMemcpy": (4,), "hipMemcpyDtoD": ()}.items():
            put(a, address, 3)
            getattr(a.ok, call)(other, address, SIZE, *rest)
            a.ok.hipMemset(address, 0, SIZE)
            getattr(a.ok, call)(address, other, SIZE, *rest)
            assert holds(a, address, 3)


@grant.after("copied to a mapping of another device")
def between_devices(_w: World, i: Invocation, _r: tuple[()]) -> None:
    a, target = i.process, usable(i.process, 1)
    put(a, i.args["ptr"], 4)
    a.ok.hipMemSetAccess(target, G, ((HERE, READ_WRITE),), 1)
    a.ok.hipMemcpyPeer(target, 1, i.args["ptr"], 0, SIZE)
    assert holds(a, target, 4)


test_va = suite(*every.values(), arrays)
