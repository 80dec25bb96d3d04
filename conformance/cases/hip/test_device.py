"""Devices of HIP: numbers, names and limits; and the last error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.hip.both import both
from conformance.cases.hip.fixtures import NEW, OLD, SIZE, entries, host, memory
from conformance.kit.case import Entry, suite
from fakecuda.spec import runtime
from fakecuda.spec.codes import Result
from fakecuda.spec.hip import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cases.hip.both import Calls
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

CODES = ENUMS["hipError_t"]
BUS = {
    "hip": ENUMS["hipDeviceAttribute_t"]["hipDeviceAttributePciBusId"],
    "cuda": runtime.ENUMS["cudaDeviceAttr"]["cudaDevAttrPciBusId"],
}
"""The attribute of the PCI bus number."""
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
for label, text in {"nowhere": b"0000:ff:1f.7", "nothing": b"", "a domain alone": b"0000:"}.items():
    every["hipDeviceGetByPCIBusId"].breaks("BUS_ID_IS_FOUND", label, pciBusId=text)
every["hipDeviceSetCacheConfig"].breaks("CONFIG_IS_KNOWN", cacheConfig=4)
every["hipDeviceSetSharedMemConfig"].breaks("CONFIG_IS_KNOWN", config=3)
for call in ("hipDeviceGetLimit", "hipDeviceSetLimit"):
    every[call].breaks("LIMIT_IS_DOCUMENTED", limit=LIMITS["hipExtLimitScratchMin"])
    every[call].breaks("LIMIT_IS_IN_RANGE", limit=LIMITS["hipLimitRange"])
    every[call].breaks("LIMIT_IS_SUPPORTED", limit=1)
    every[call].breaks("LIMIT_IS_SUPPORTED", "unknown", limit=(1 << 32) - 1)
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


TOO_MUCH = 2 * SIZE
FAILING: dict[str, Callable[[Process], tuple[Plain, ...]]] = {
    "hipMemcpyDtoHAsync": lambda a: (host(a), memory(a), TOO_MUCH, 0),
    "hipMemcpyDtoDAsync": lambda a: (memory(a), memory(a), TOO_MUCH, 0),
    "hipMemcpyAsync": lambda a: (host(a), memory(a), SIZE + 1, 2, 0),
    "hipMemcpy2DAsync": lambda a: (host(a), 64, memory(a), 512, 128, 2, 2, 0),
    "hipMemcpyParam2DAsync": lambda _: (None, 0),
    "hipDrvMemcpy3DAsync": lambda _: (None, 2),
    "hipMemPrefetchAsync": lambda _: (0, 1024, 0, 0),
    "hipMemset2DAsync": lambda a: (memory(a), 512, 22, 128, 9 * 8, 0),
    "hipMemsetAsync": lambda a: (memory(a), 0, TOO_MUCH, 0),
}
"""Calls that fail, with their arguments."""


def failing(entry: Entry) -> None:
    """Add the answers of a last-error call after a failed call."""

    @entry.world("NO_CALL_HAS_FAILED")
    def after(_w: World, i: Invocation) -> None:
        i.c.hipMalloc(1, null="ptr")

    entry.answering("NO_CALL_HAS_FAILED", code=Result.INVALID_VALUE)
    for failed, arguments in FAILING.items():
        code = CODES["hipErrorInvalidPitchValue" if failed == "hipMemcpy2DAsync" else "hipErrorInvalidValue"]

        @entry.also(f"behind {failed}", rule="NO_CALL_HAS_FAILED", code=code)
        def behind(_w: World, i: Invocation, call: str = failed, make: Any = arguments, code: int = code) -> None:
            assert getattr(i.c, call)(*make(i.process))[0] == code


for call in ("hipExtGetLastError", "hipGetLastError", "hipPeekAtLastError"):
    failing(every[call])


@every["hipGetLastError"].also("behind a look at it", rule="NO_CALL_HAS_FAILED", code=Result.INVALID_VALUE)
def looked_at(_w: World, i: Invocation) -> None:
    assert i.c.hipMalloc(1, null="ptr")[0] == i.c.hipPeekAtLastError()[0] == Result.INVALID_VALUE


for length in (0, -1):
    every["hipDeviceGetPCIBusId"].breaks("TEXT_FITS", f"{length}", len=length)
for number in (-1, 2):
    every["hipDeviceGetPCIBusId"].breaks("active.DEVICE_IS_THERE", f"{number}", device=number)
every["hipDrvGetErrorString"].breaks("CODE_IS_KNOWN", hipError=-1)
every["hipDrvGetErrorString"].breaks("CODE_IS_KNOWN", "unknown", hipError=9999)


@both("DeviceGetByPCIBusId", "each device by where it is")
def found(c: Calls, _number: int) -> None:
    for number in (0, 1):
        text = c.DeviceGetPCIBusId(64, number)
        assert c.DeviceGetByPCIBusId(text) == number
        assert int(text.split(b":")[1], 16) == c.DeviceGetAttribute(BUS[c.api], number)


@every["hipDeviceSetCacheConfig"].after("each")
def configured(_w: World, i: Invocation, _r: tuple[()]) -> None:
    """Check that AMD's devices have one configuration, whatever is set."""
    for config in range(4):
        i.process.ok.hipDeviceSetCacheConfig(config)
        assert i.process.ok.hipDeviceGetCacheConfig() in {0, config}


for call in ("hipDeviceSetCacheConfig", "hipDeviceSetSharedMemConfig"):

    @every[call].after("before the device is reset in another thread")
    def before_a_reset(w: World, i: Invocation, _r: tuple[()]) -> None:
        assert i.run() == (0,)
        i.process.thread(w.thread_name()).ok.hipDeviceReset()


for label, limit, more in (("stack", 0, 16), ("heap", HEAP, 1024)):

    @every["hipDeviceSetLimit"].after(f"{label} as it was set, or rounded up")
    def limited(_w: World, i: Invocation, _r: tuple[()], limit: int = limit, more: int = more) -> None:
        c = i.process.ok
        wanted = c.hipDeviceGetLimit(limit) + more
        c.hipDeviceSetLimit(limit, wanted)
        assert c.hipDeviceGetLimit(limit) >= wanted


every["hipDeviceSetLimit"].only(NEW, "heap-as-it-was-set,-or-rounded-up")


@both("SetDeviceFlags", "as they were set, on each device and by another thread")
def scheduled(c: Calls) -> None:
    for number in (1, 0):
        c.SetDevice(number)
        for value in (0, 1, 2, 4):
            c.SetDeviceFlags(value)
            assert c.GetDeviceFlags() & 7 == value
    c.of_thread("other").SetDeviceFlags(2)
    assert c.GetDeviceFlags() & 7 == 2


@both("SetDevice", "each thread's own")
def of_each_thread(c: Calls) -> None:
    """Check that the thread allocates on its device."""
    for number in (1, 0, 1):
        for one in (c, c.of_thread("first"), c.of_thread("second")):
            one.SetDevice(number)
            assert one.GetDevice() == number
            assert one.PointerGetAttributes(one.Malloc(SIZE))[1] == number


@every["hipGetDeviceCount"].after("those of the machine")
def counted(w: World, i: Invocation, results: tuple[int]) -> None:
    assert results == (len(w.model.devices),)
    i.process.ok.hipInit(0)


for call in ("hipDrvGetErrorName", "hipDrvGetErrorString", "hipGetErrorName", "hipGetErrorString"):

    @every[call].after("of each code")
    def told(_w: World, i: Invocation, _r: tuple[bytes], call: str = call) -> None:
        assert all(getattr(i.process.ok, call)(code) for code in CODES.values())


@every["hipGetErrorString"].after("of an unknown code")
def unknown(_w: World, i: Invocation, _r: tuple[bytes]) -> None:
    assert i.process.ok.hipGetErrorString(-1)


test_device = suite(*every.values())
