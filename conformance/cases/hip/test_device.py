"""Devices of HIP: which there are, what they are called, their limits; and the last error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import NEW, OLD, entries
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result
from fakecuda.spec.hip import ENUMS

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

LIMITS = ENUMS["hipLimit_t"]
HEAP = 2
every = entries(
    {
        **dict.fromkeys(
            f"hip{name}"
            for name in (
                *(
                    "DeviceGetCacheConfig",
                    "DeviceGetSharedMemConfig",
                    "DriverGetVersion",
                    "ExtGetLastError",
                    "GetDevice",
                ),
                *("GetDeviceCount", "GetDeviceFlags", "GetLastError", "PeekAtLastError", "RuntimeGetVersion"),
            )
        ),
        **{
            f"hip{name}": lambda _: (0,)
            for name in ("DeviceGet", "DeviceGetUuid", "DeviceTotalMem", "SetDevice", "Init")
        },
        **{
            f"hip{name}": lambda _: (1,)
            for name in ("DrvGetErrorName", "DrvGetErrorString", "GetErrorName", "GetErrorString")
        },
        **{f"hipDeviceSet{name}": lambda _: (1,) for name in ("CacheConfig", "SharedMemConfig")},
        "hipDeviceGetByPCIBusId": lambda a: (a.ok.hipDeviceGetPCIBusId(20, 0),),
        "hipDeviceGetLimit": lambda _: (0,),
        "hipDeviceGetName": lambda _: (64, 0),
        "hipDeviceGetPCIBusId": lambda _: (20, 0),
        "hipDeviceSetLimit": lambda _: (0, 2048),
        "hipSetDeviceFlags": lambda _: (0,),
        "hipSetValidDevices": lambda _: ((1, 0), 2),
    }
)
for call in ("hipDeviceGet", "hipSetDevice"):
    every[call].breaks("active.DEVICE_IS_THERE", **{every[call].inputs[0]: 2})
    every[call].breaks("active.DEVICE_IS_THERE", "negative", **{every[call].inputs[0]: -1})
every["hipDeviceGetByPCIBusId"].breaks("BUS_ID_IS_FOUND", pciBusId=b"0000:ff:1f.7")
every["hipDeviceSetCacheConfig"].breaks("CONFIG_IS_KNOWN", cacheConfig=4)
every["hipDeviceSetSharedMemConfig"].breaks("CONFIG_IS_KNOWN", config=3)
for call in ("hipDeviceGetLimit", "hipDeviceSetLimit"):
    every[call].breaks("LIMIT_IS_DOCUMENTED", limit=LIMITS["hipExtLimitScratchMin"])
    every[call].breaks("LIMIT_IS_IN_RANGE", limit=LIMITS["hipLimitRange"])
    every[call].breaks("LIMIT_IS_SUPPORTED", limit=1)
every["hipDeviceSetLimit"].breaks("VALUE_IS_WITHIN_REACH", value=131005)
every["hipDeviceSetLimit"].breaks("VALUE_IS_WITHIN_REACH", "heap", limit=HEAP, value=1 << 40)
every["hipInit"].breaks("INIT_FLAGS_ARE_ZERO", flags=1)
every["hipSetDeviceFlags"].breaks("DEVICE_FLAGS_ARE_KNOWN", flags=1 << 20)

chosen = every["hipSetValidDevices"]
chosen.breaks("DEVICES_CAN_BE_LISTED", device_arr=None)
chosen.breaks("DEVICES_CAN_BE_LISTED", "more", len=3)
chosen.breaks("active.DEVICE_IS_THERE", device_arr=(0, 2))
chosen.breaks("LIST_IS_IMPLEMENTED", len=2)
chosen.breaks("LIST_IS_IMPLEMENTED", "none", device_arr=None, len=0)
chosen.breaks("LIST_IS_IMPLEMENTED", "one", device_arr=(0,), len=1)
chosen.only(OLD, "LIST_IS_IMPLEMENTED")
chosen.only(NEW)


def failing(entry: Entry) -> None:
    """Add what a call of the last error answers behind a call that has failed."""

    @entry.world("NO_CALL_HAS_FAILED")
    def after(_w: World, i: Invocation) -> None:
        i.c.hipMalloc(1, null="ptr")


for call in ("hipExtGetLastError", "hipGetLastError", "hipPeekAtLastError"):
    failing(every[call])
    every[call].answering("NO_CALL_HAS_FAILED", code=Result.INVALID_VALUE)

test_device = suite(*every.values())
