"""What HIP knows of addresses."""

from __future__ import annotations

from conformance.cases.hip.fixtures import (
    NEW,
    NOWHERE,
    OLD,
    SIZE,
    G,
    entries,
    host,
    mapped,
    memory,
    new,
    pinned,
    there,
)
from conformance.kit.case import suite
from fakecuda.spec.hip import ENUMS

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

span = every["hipMemGetHandleForAddressRange"]
for name, value in {"dptr": 0, "size": 0, "handleType": 2, "flags": 1}.items():
    span.breaks("RANGE_IS_ASKED_FOR", name, **{name: value})
span.null("handle", "HANDLE_IS_GIVEN")
span.breaks("RANGE_IS_A_DEVICE_S", dptr=new(host))
span.breaks("RANGE_IS_A_DEVICE_S", "past the end", size=SIZE + 1)
span.breaks("RANGE_IS_A_DEVICE_S", "past a mapping", dptr=new(mapped), size=G + 1)

one = every["hipPointerGetAttribute"]
one.breaks("pointer.POINTER_IS_GIVEN", ptr=0)
one.breaks("ATTRIBUTE_IS_KNOWN", attribute=-1)
one.breaks("ATTRIBUTE_IS_SUPPORTED", attribute=KIND["P2P_TOKENS"])
one.breaks("POINTER_IS_KNOWN", ptr=NOWHERE)
one.breaks("MEMORY_IS_ONE_DEVICE_S", attribute=KIND["CONTEXT"], ptr=new(pinned))
one.only(NEW, "MEMORY_IS_ONE_DEVICE_S")
one.breaks("DEVICE_CAN_ACCESS_IT", attribute=KIND["DEVICE_POINTER"], ptr=new(there))
one.breaks("HOST_CAN_ACCESS_IT", attribute=KIND["HOST_POINTER"])

change = every["hipPointerSetAttribute"]
change.breaks("VALUE_IS_GIVEN", value=None)
change.breaks("VALUE_IS_GIVEN", "of null", ptr=0)
change.breaks("VALUE_CAN_BE_SET", attribute=KIND["BUFFER_ID"])
change.breaks("VALUE_CAN_BE_SET", "unknown", value=2)
change.breaks("POINTER_TO_SET_IS_KNOWN", ptr=NOWHERE)

every["hipPointerGetAttributes"].breaks("pointer.POINTER_IS_GIVEN", ptr=0)
every["hipPointerGetAttributes"].only(OLD, "POINTER_IS_GIVEN")

test_pointer = suite(*every.values())
