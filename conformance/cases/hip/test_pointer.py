"""Attributes of addresses in HIP."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import (
    NEW,
    NOWHERE,
    OLD,
    SIZE,
    G,
    entries,
    freed,
    host,
    managed,
    mapped,
    memory,
    new,
    pinned,
    there,
)
from conformance.kit.case import suite
from fakecuda.spec.hip import ENUMS

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

LARGE = 1 << 20
KIND = {name.removeprefix("HIP_POINTER_ATTRIBUTE_"): number for name, number in ENUMS["hipPointer_attribute"].items()}
every = entries(
    {
        "hipDrvPointerGetAttributes": lambda a: (1, (KIND["BUFFER_ID"],), memory(a)),
        "hipMemGetHandleForAddressRange": lambda a: (memory(a), SIZE, 1, 0),
        "hipPointerGetAttribute": lambda a: (KIND["BUFFER_ID"], memory(a)),
        "hipPointerGetAttributes": lambda a: (memory(a),),
        "hipPointerSetAttribute": lambda a: (1, KIND["SYNC_MEMOPS"], memory(a)),
    }
)
several = every["hipDrvPointerGetAttributes"]
for name, value in {"numAttributes": 0, "attributes": None, "ptr": 0}.items():
    several.breaks("ATTRIBUTES_ARE_GIVEN", name, **{name: value})
several.null("data", "ATTRIBUTES_ARE_GIVEN")

span = every["hipMemGetHandleForAddressRange"]
for name, value in {"dptr": 0, "size": 0, "handleType": 2, "flags": 1}.items():
    span.breaks("RANGE_IS_ASKED_FOR", name, **{name: value})
span.null("handle", "HANDLE_IS_GIVEN")
span.breaks("RANGE_IS_A_DEVICE_S", dptr=new(host))
span.breaks("RANGE_IS_A_DEVICE_S", "past the end", size=SIZE + 1)
span.breaks("RANGE_IS_A_DEVICE_S", "past a mapping", dptr=new(mapped), size=G + 1)

one = every["hipPointerGetAttribute"]
one.breaks("pointer.POINTER_IS_GIVEN", ptr=0)
one.breaks("pointer.POINTER_IS_GIVEN", "a device's address", attribute=KIND["DEVICE_POINTER"], ptr=0)
one.breaks("ATTRIBUTE_IS_KNOWN", attribute=-1)
one.breaks("ATTRIBUTE_IS_KNOWN", "of the host's", attribute=-1, ptr=new(host))
for name in ("P2P_TOKENS", "IS_GPU_DIRECT_RDMA_CAPABLE", "MEMPOOL_HANDLE", "ALLOWED_HANDLE_TYPES"):
    one.breaks("ATTRIBUTE_IS_SUPPORTED", name, attribute=KIND[name])
for name in ("CONTEXT", "IS_LEGACY_HIP_IPC_CAPABLE"):
    one.breaks("ATTRIBUTE_IS_SUPPORTED", name, attribute=KIND[name])
    one.only(OLD, f"ATTRIBUTE_IS_SUPPORTED-{name}")
one.breaks("POINTER_IS_KNOWN", ptr=NOWHERE)
one.breaks("POINTER_IS_KNOWN", "freed", attribute=KIND["DEVICE_POINTER"], ptr=new(freed))
for name in ("BUFFER_ID", "DEVICE_ORDINAL", "RANGE_START_ADDR"):
    one.breaks("POINTER_IS_KNOWN", f"the host's {name}", attribute=KIND[name], ptr=new(host))
one.breaks("MEMORY_IS_ONE_DEVICE_S", attribute=KIND["CONTEXT"], ptr=new(pinned))
one.only(NEW, "MEMORY_IS_ONE_DEVICE_S")
one.breaks("DEVICE_CAN_ACCESS_IT", attribute=KIND["DEVICE_POINTER"], ptr=new(there))
one.breaks("HOST_CAN_ACCESS_IT", attribute=KIND["HOST_POINTER"])

change = every["hipPointerSetAttribute"]
change.breaks("VALUE_IS_GIVEN", value=None)
change.breaks("VALUE_IS_GIVEN", "of null", ptr=0)
change.breaks("VALUE_CAN_BE_SET", attribute=KIND["BUFFER_ID"])
change.breaks("VALUE_CAN_BE_SET", "no attribute", attribute=-1)
change.breaks("VALUE_CAN_BE_SET", "unknown", value=2)
change.breaks("POINTER_TO_SET_IS_KNOWN", ptr=NOWHERE)
change.breaks("POINTER_TO_SET_IS_KNOWN", "the host's", ptr=new(host))
change.breaks("POINTER_TO_SET_IS_KNOWN", "freed", ptr=new(freed))

every["hipPointerGetAttributes"].breaks("pointer.POINTER_IS_GIVEN", ptr=0)
every["hipPointerGetAttributes"].only(OLD, "POINTER_IS_GIVEN")


@one.after("of memory of each kind")
def kinds(_w: World, i: Invocation, _r: tuple[Plain]) -> None:
    a = i.process
    for name, address, expected in (
        ("MEMORY_TYPE", memory(a), 2),
        ("MEMORY_TYPE", pinned(a), 1),
        ("MEMORY_TYPE", there(a), 2),
        ("DEVICE_ORDINAL", there(a), 1),
        ("MAPPED", managed(a), 1),
        ("MAPPED", a.ok.hipMallocManaged(SIZE, 2), 1),
    ):
        assert a.ok.hipPointerGetAttribute(KIND[name], address) == expected, name


@one.after("of memory at an address that was freed")
def another_buffer(_w: World, i: Invocation, results: tuple[Plain]) -> None:
    i.process.ok.hipFree(i.args["ptr"])
    assert i.process.ok.hipPointerGetAttribute(KIND["BUFFER_ID"], memory(i.process)) != results[0]


@every["hipPointerGetAttributes"].after("of memory of each device and size")
def described(_w: World, i: Invocation, _r: tuple[Plain]) -> None:
    """Check the device and the range of an address."""
    c = i.process.ok
    for number in (1, 0):
        c.hipSetDevice(number)
        for size in (16, LARGE) * 4:
            end = c.hipMalloc(size) + size - 1
            assert c.hipPointerGetAttributes(end)[:3] == (2, number, end)


every["hipPointerGetAttributes"].also("the host's", ptr=new(host), then=lambda _w, _i, results: unregistered(*results))


def unregistered(found: tuple[Plain, ...]) -> None:
    """Check that unregistered host memory has no device."""
    assert found[:2] == (0, -2)


@several.after("of several attributes")
def told(_w: World, i: Invocation, _r: tuple[Plain]) -> None:
    asked = (KIND["MEMORY_TYPE"], KIND["DEVICE_ORDINAL"])
    assert i.process.ok.hipDrvPointerGetAttributes(2, asked, i.args["ptr"]) == (2, 0)


@several.after("of what cannot be told")
def untold(_w: World, i: Invocation, _r: tuple[Plain]) -> None:
    """Check the results for unknown memory: 0, and -2 for the device."""
    a, ptr, locked = i.process, memory(i.process), pinned(i.process)
    for names, address, expected in (
        (("DEVICE_POINTER", "HOST_POINTER", "DEVICE_ORDINAL", "P2P_TOKENS"), ptr, (ptr, 0, 0, 0)),
        (("CONTEXT", "HOST_POINTER"), locked, (0, locked)),
        (("DEVICE_POINTER", "DEVICE_ORDINAL"), host(a), (0, -2)),
        (("DEVICE_POINTER", "DEVICE_ORDINAL"), there(a), (0, 1)),
    ):
        asked = tuple(KIND[name] for name in names)
        assert a.ok.hipDrvPointerGetAttributes(len(asked), asked, address) == expected
    assert a.ok.hipDrvPointerGetAttributes(2, (KIND["DEVICE_POINTER"], -1), ptr) == (ptr, 0)


several.only(NEW, "of-what-cannot-be-told")


@span.after("of memory and of a mapping")
def described_by_a_file(_w: World, i: Invocation, results: tuple[int]) -> None:
    """Check that the descriptor is a new one, for one range of adjoining mappings."""
    os.close(results[0])
    os.close(i.process.ok.hipMemGetHandleForAddressRange(mapped(i.process, 64), SIZE, 1, 0))


test_pointer = suite(*every.values())
