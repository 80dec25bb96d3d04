"""Devices, versions and the last error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.rule import Broken, Rule, guard, hip_tests, op, source
from fakecuda.spec.hip.active import device_at, entered, given

if TYPE_CHECKING:
    from fakecuda.model.process import Thread

SCHEDULE_MASK, MAP_HOST, LMEM_RESIZE = 7, 8, 16
STACK_SIZE, HEAP_SIZE, RANGE = 0, 2, 4099
DRIVER_LIMITS = {STACK_SIZE: 0, HEAP_SIZE: 2}
PCI_TEXT = 13
"""Bytes of a PCI bus id with its end."""

NO_CALL_HAS_FAILED = Rule(
    "what the runtime keeps as the last error is success",
    Result.UNKNOWN,
    hip_tests("hipGetLastError", "after hipMalloc(nullptr, 1), hipErrorInvalidValue"),
)
INIT_FLAGS_ARE_ZERO = Rule(
    "the flags are 0", Result.INVALID_VALUE, source("hipInit", "clr answers hipErrorInvalidValue for others")
)
DEVICE_FLAGS_ARE_KNOWN = Rule(
    "the flags are known, with one way to wait at most",
    Result.INVALID_VALUE,
    source("hipSetDeviceFlags", "clr answers hipErrorInvalidValue for others"),
)
LIMIT_IS_SUPPORTED = Rule(
    "the limit is that of the stack or of the heap",
    Result.UNSUPPORTED_LIMIT,
    hip_tests("hipDeviceGetLimit", "-1 answers hipErrorUnsupportedLimit, of hipDeviceSetLimit too"),
)
TEXT_FITS = Rule(
    "the length has room for the whole text",
    Result.INVALID_VALUE,
    source(
        "hipDeviceGetPCIBusId", "clr answers hipErrorInvalidValue for 12 and less; for hipDeviceGetName for 0 and less"
    ),
)
BUS_ID_IS_FOUND = Rule(
    "the text names a device that the process sees",
    Result.INVALID_VALUE,
    source("hipDeviceGetByPCIBusId", "clr answers hipErrorInvalidValue for others"),
)
CODE_IS_KNOWN = Rule(
    "the code is one of hipError_t",
    Result.INVALID_VALUE,
    hip_tests("hipDrvGetErrorString", "-1 answers hipErrorInvalidValue"),
)


@guard
def answer(call: Thread) -> None:
    """Answer what the runtime has kept."""
    if call.hip_error:
        raise Broken(NO_CALL_HAS_FAILED, {"error": call.hip_error}, call.hip_error)


@op("hipGetLastError", remembered=False)
def get_last_error(call: Thread) -> None:
    """Answer the last error and forget it."""
    kept, call.hip_error = call.hip_error, 0
    if kept:
        raise Broken(NO_CALL_HAS_FAILED, {"error": kept}, kept)


@op("hipExtGetLastError", remembered=False)
def ext_get_last_error(call: Thread) -> None:
    """Answer the last error and forget it."""
    get_last_error(call)


@op("hipPeekAtLastError", remembered=False)
def peek_at_last_error(call: Thread) -> None:
    """Answer the last error."""
    answer(call)


def _names() -> dict[int, bytes]:
    from fakecuda.api.hip import NAMES  # noqa: PLC0415 - many machines have no HIP

    return NAMES


@op("hipGetErrorName", remembered=False)
def get_error_name(_call: Thread, code: int) -> bytes:
    """Return the name of a code, ``hipErrorInvalidValue``; there is one for every number."""
    return _names().get(code, b"hipErrorUnknown")


@op("hipGetErrorString", remembered=False)
def get_error_string(_call: Thread, code: int) -> bytes:
    """Return the description of a code; the model has but its name in words."""
    return _names().get(code, b"hipErrorUnknown")


@guard
def named(code: int) -> bytes:
    """Return the name of a code that there is."""
    if code not in _names():
        raise CODE_IS_KNOWN.broken(code=code)
    return _names()[code]


@op("hipDrvGetErrorName")
def drv_get_error_name(call: Thread, code: int) -> bytes:
    """Return the name of a code."""
    entered(call)
    given(call)
    return named(code)


@op("hipDrvGetErrorString")
def drv_get_error_string(call: Thread, code: int) -> bytes:
    """Return the description of a code."""
    entered(call)
    given(call)
    return named(code)


@op("hipInit")
def init_hip(call: Thread, flags: int) -> None:
    """Initialise HIP, as every first call does."""
    entered(call)
    if flags:
        raise INIT_FLAGS_ARE_ZERO.broken(flags=flags)


@op("hipRuntimeGetVersion")
def runtime_get_version(call: Thread) -> int:
    """Return the version of HIP."""
    given(call)
    return call.machine.profile.hip.version


@op("hipDriverGetVersion")
def driver_get_version(call: Thread) -> int:
    """Return the version of HIP, too."""
    given(call)
    return call.machine.profile.hip.version


@op("hipGetDeviceCount")
def get_device_count(call: Thread) -> int:
    """Return how many devices the process sees."""
    process = entered(call)
    given(call)
    return len(process.devices)


@op("hipGetDevice")
def get_device(call: Thread) -> int:
    """Return the thread's device."""
    entered(call)
    given(call)
    return call.device


@op("hipSetDevice")
def set_device(call: Thread, device: int) -> None:
    """Make a device the thread's; its stack of contexts stays."""
    entered(call)
    device_at(call, device)
    call.device = device


@op("hipDeviceGet")
def device_get(call: Thread, ordinal: int) -> int:
    """Return the hipDevice_t of a number: the number."""
    entered(call)
    device_at(call, ordinal)
    given(call)
    return ordinal


@op("hipGetDeviceFlags")
def get_device_flags(call: Thread) -> int:
    """Return the flags of the thread's device."""
    process = entered(call)
    given(call)
    return process.primary(process.devices[call.device].ordinal).flags


@op("hipSetDeviceFlags")
def set_device_flags(call: Thread, flags: int) -> None:
    """Set how the thread's device is waited for; other flags are taken and not kept."""
    process = entered(call)
    if flags & ~(SCHEDULE_MASK | MAP_HOST | LMEM_RESIZE) or flags & SCHEDULE_MASK not in {0, 1, 2, 4}:
        raise DEVICE_FLAGS_ARE_KNOWN.broken(flags=flags)
    process.primary(process.devices[call.device].ordinal).flags = flags & SCHEDULE_MASK


@op("hipDeviceTotalMem")
def device_total_mem(call: Thread, device: int) -> int:
    """Return how much memory a device has, in bytes."""
    entered(call)
    given(call)
    return device_at(call, device).profile.total_memory


@op("hipDeviceGetName")
def device_get_name(call: Thread, length: int, device: int) -> bytes:
    """Return a device's name, cut to a length with its end."""
    entered(call)
    found = device_at(call, device)
    given(call)
    if length <= 0:
        raise TEXT_FITS.broken(length=length)
    return found.profile.name.encode()[: length - 1]


@op("hipDeviceGetUuid")
def device_get_uuid(call: Thread, device: int) -> bytes:
    """Return the 16 bytes that name a device."""
    entered(call)
    given(call)
    return device_at(call, device).profile.uuid


@op("hipDeviceGetPCIBusId")
def device_get_pci_bus_id(call: Thread, length: int, device: int) -> bytes:
    """Return where a device is, ``0000:3b:00.0``."""
    entered(call)
    found = device_at(call, device)
    given(call)
    if length < PCI_TEXT:
        raise TEXT_FITS.broken(length=length)
    return found.profile.pci.encode()


@op("hipDeviceGetByPCIBusId")
def device_get_by_pci_bus_id(call: Thread, text: bytes) -> int:
    """Return the number of the device that is there."""
    process = entered(call)
    given(call)
    for number, device in enumerate(process.devices):
        if device.profile.pci.encode().lower().startswith(text.lower()[:10]):
            return number
    raise BUS_ID_IS_FOUND.broken(text=text)


@guard
def limit_of(limit: int) -> int:
    """Return the driver's number of a limit that there is."""
    if limit not in DRIVER_LIMITS:
        raise LIMIT_IS_SUPPORTED.broken(limit=limit)
    return DRIVER_LIMITS[limit]


@op("hipDeviceGetLimit")
def device_get_limit(call: Thread, limit: int) -> int:
    """Return a limit of the thread's device: the heap is all of its memory."""
    process = entered(call)
    given(call)
    limit_of(limit)
    profile = process.devices[call.device].profile
    return profile.total_memory if limit == HEAP_SIZE else profile.limits.get(STACK_SIZE) or 0


@op("hipDeviceGetCacheConfig")
def device_get_cache_config(call: Thread) -> int:
    """Return hipFuncCachePreferNone: no cache can be configured."""
    entered(call)
    given(call)
    return 0


@op("hipDeviceGetSharedMemConfig")
def device_get_shared_mem_config(call: Thread) -> int:
    """Return hipSharedMemBankSizeFourByte."""
    entered(call)
    given(call)
    return 1
