"""Properties of HIP's devices."""

from __future__ import annotations

from conformance.cases.hip.fixtures import NEW, entries
from conformance.kit.case import suite
from fakecuda.spec.hip import ENUMS

ATTRIBUTES = ENUMS["hipDeviceAttribute_t"]
every = entries(
    {
        "hipChooseDevice": lambda a: (a.ok.hipGetDeviceProperties(0),),
        "hipDeviceComputeCapability": lambda _: (0,),
        "hipDeviceGetAttribute": lambda _: (ATTRIBUTES["hipDeviceAttributeWarpSize"], 0),
        "hipGetDeviceProperties": lambda _: (0,),
    }
)
every["hipChooseDevice"].breaks("PROPERTIES_ARE_GIVEN", prop=None)
attribute = every["hipDeviceGetAttribute"]
attribute.breaks("ATTRIBUTE_IS_KNOWN", attr=-1)
attribute.undefined("ATTRIBUTE_IS_A_NUMBER", code=0, attr=ATTRIBUTES["hipDeviceAttributeHdpMemFlushCntl"])
attribute.only(NEW, "ATTRIBUTE_IS_A_NUMBER")

test_properties = suite(*every.values())
