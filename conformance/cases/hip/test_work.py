"""Stream work of HIP besides memory: host functions, attributes, compute units."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import attrs

from conformance.cases.hip.fixtures import NOWHERE, SIZE, UNKNOWN, entries, managed, stream
from conformance.kit.case import suite
from fakecuda.spec.hip import ENUMS

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

POLICY = ENUMS["hipLaunchAttributeID"]["hipLaunchAttributeSynchronizationPolicy"]
UNITS = 10
"""Mask words for the compute units of an MI300X."""
every = entries(
    {
        "hipExtStreamCreateWithCUMask": lambda _: (1, (7,)),
        "hipExtStreamGetCUMask": lambda a: (stream(a), UNITS),
        "hipLaunchHostFunc": lambda a: (stream(a), a.c_function("abs"), 0),
        "hipStreamAddCallback": lambda a: (stream(a), a.c_function("abs"), 0, 0),
        "hipStreamAttachMemAsync": lambda a: (stream(a), managed(a, SIZE), SIZE, 4),
        "hipStreamCopyAttributes": lambda a: (stream(a), stream(a)),
        "hipStreamGetAttribute": lambda a: (stream(a), POLICY),
        "hipStreamSetAttribute": lambda a: (stream(a), POLICY, 2),
    }
)
made, told = every["hipExtStreamCreateWithCUMask"], every["hipExtStreamGetCUMask"]
made.null("stream", "STREAM_PLACE_IS_GIVEN")
for name, value in {"cuMaskSize": 0, "cuMask": None}.items():
    made.breaks("MASK_IS_GIVEN", name, **{name: value})
told.null("cuMask", "MASK_FITS")
told.breaks("MASK_FITS", cuMaskSize=UNITS - 1)
told.breaks("MASK_FITS", "no words", cuMaskSize=0)
told.breaks("STREAM_OF_MASK_IS_LIVE", stream=UNKNOWN)
for call in ("hipLaunchHostFunc", "hipLaunchHostFunc_spt"):
    every[call].breaks("FUNCTION_IS_GIVEN", fn=0)
for call in ("hipStreamAddCallback", "hipStreamAddCallback_spt"):
    for name, value in {"callback": 0, "flags": 1}.items():
        every[call].breaks("CALLBACK_IS_GIVEN", name, **{name: value})

attach = every["hipStreamAttachMemAsync"]
for name, value in {"dev_ptr": 0, "flags": 3, "stream": 0}.items():
    attach.breaks("MEMORY_IS_GIVEN", name, **{name: value})
attach.breaks("MEMORY_CAN_BE_ATTACHED", dev_ptr=NOWHERE)
attach.breaks("LENGTH_IS_WHOLE", length=SIZE - 1)

for call in ("hipStreamGetAttribute", "hipStreamSetAttribute"):
    every[call].breaks("work.ATTRIBUTE_IS_KNOWN", attr=1)
change = every["hipStreamSetAttribute"]
change.breaks("work.VALUE_IS_GIVEN", value=None)
change.breaks("POLICY_IS_KNOWN", value=(1 << 32) - 1)

CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


@told.after("the units of its mask")
def masked(_w: World, i: Invocation, _r: tuple[int, ...]) -> None:
    """Check that null streams and streams without a mask have all units."""
    c = i.process.ok
    every_unit = c.hipExtStreamGetCUMask(0, UNITS)
    assert sum(word.bit_count() for word in every_unit) == 304
    assert c.hipExtStreamGetCUMask(c.hipExtStreamCreateWithCUMask(1, (0xFF,)), UNITS) == (0xFF,)
    assert c.hipExtStreamGetCUMask(c.hipExtStreamCreateWithCUMask(1, (0,)), UNITS) == every_unit


@made.after("as another stream")
def as_another(_w: World, i: Invocation, results: tuple[int]) -> None:
    """Check that the stream has no flags and calls functions."""
    seen: list[int] = []
    callback = CALLBACK(lambda _stream, code, _data: seen.append(code))
    c, (queue,) = i.process.ok, results
    assert c.hipStreamGetFlags(queue) == 0
    c.hipStreamAddCallback(queue, ctypes.cast(callback, ctypes.c_void_p).value, 0, 0)
    c.hipStreamSynchronize(queue)
    assert seen == [0]


@told.also("the null stream, without a place", rule="MASK_FITS")
def placeless(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i.evolve(stream=0), null="cuMask")


told.also("the null stream, no words", rule="MASK_FITS", stream=0, cuMaskSize=0)

test_work = suite(*every.values())
