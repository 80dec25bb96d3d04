"""Devices, versions and the last error."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from fakecuda.rules.core import Broken, Rule, guard, hip_tests, source, undefined
from fakecuda.rules.hip.active import DEVICE_IS_THERE, answering, device_at, does, entered, given
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.history import FailedCall
    from fakecuda.model.os.runtimes import HipDevice

SCHEDULE_MASK, MAP_HOST, LMEM_RESIZE = 7, 8, 16
STACK_SIZE, HEAP_SIZE = 0, 2
SCRATCH, RANGE = 4096, 4099
"""The first limit of scratch memory, and the upper bound of all limits."""
STACK_UNIT, LARGEST_STACK = 16, 131004
"""The unit of stack sizes, and the largest stack on gfx9, in bytes."""
HEAP_IS_THE_MEMORY = "hipDeviceGetLimit.heap-is-the-memory"
CHOOSES_WITHOUT_USE = "hipSetDevice.chooses-without-use"
LISTS_NO_DEVICES = "hipSetValidDevices.is-not-implemented"
CACHE_CONFIGS, BANK_SIZES = range(4), range(3)
FOUR_BYTE, PCI_TEXT = 1, 13
"""hipSharedMemBankSizeFourByte, and the size of a PCI bus id in bytes."""
PCI = re.compile(rb"\s*([0-9a-fA-F]{1,4}):([0-9a-fA-F]{1,2}):([0-9a-fA-F]{1,2})\.([0-9a-fA-F])")
"""A PCI bus id as clr parses it: domain, bus, device and function."""

NO_CALL_HAS_FAILED = Rule(
    "the last error that HIP stores for the calling thread is hipSuccess",
    Result.UNKNOWN,
    hip_tests("hipGetLastError", "after hipMalloc(nullptr, 1), hipGetLastError answers hipErrorInvalidValue"),
    fix="correct the earlier call that failed; hipGetLastError only returns its error and clears it",
)
INIT_FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    source("hipInit", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="call hipInit(0)",
)
DEVICE_FLAGS_ARE_KNOWN = Rule(
    "`flags` has only bits of hipSetDeviceFlags, and at most one scheduling flag",
    Result.INVALID_VALUE,
    source("hipSetDeviceFlags", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="combine hipDeviceMapHost, hipDeviceLmemResizeToMax and at most one hipDeviceSchedule flag",
)
LIMIT_IS_IN_RANGE = Rule(
    "`limit` is less than hipLimitRange",
    Result.INVALID_VALUE,
    source("hipDeviceGetLimit", "clr answers hipErrorInvalidValue to any other limit, also in hipDeviceSetLimit"),
    fix="pass a hipLimit_t below hipLimitRange: hipLimitStackSize or hipLimitMallocHeapSize",
)
LIMIT_IS_SUPPORTED = Rule(
    "`limit` is hipLimitStackSize or hipLimitMallocHeapSize",
    Result.UNSUPPORTED_LIMIT,
    hip_tests("hipDeviceGetLimit", "HIP answers hipErrorUnsupportedLimit to the limit -1, also in hipDeviceSetLimit"),
    fix="use only hipLimitStackSize and hipLimitMallocHeapSize; HIP supports no other limit",
)
LIMIT_IS_DOCUMENTED = Rule(
    "`limit` is not hipExtLimitScratchMin, hipExtLimitScratchMax or hipExtLimitScratchCurrent",
    Result.UNSUPPORTED_LIMIT,
    undefined("hipDeviceGetLimit", "the manual says nothing about scratch limits; clr queries the card"),
    fix="query a limit that the manual describes",
)
VALUE_IS_WITHIN_REACH = Rule(
    "`value` is at most 131004 for hipLimitStackSize, and less than the device's memory for hipLimitMallocHeapSize",
    Result.INVALID_VALUE,
    source("hipDeviceSetLimit", "clr answers hipErrorInvalidValue to larger values"),
    fix="set at most 131004 bytes of stack, or a heap smaller than the device's memory",
)
CONFIG_IS_KNOWN = Rule(
    "the argument is a value of its enumeration, hipFuncCache_t or hipSharedMemConfig",
    Result.INVALID_VALUE,
    source("hipDeviceSetCacheConfig", "clr answers hipErrorInvalidValue to unknown values"),
    fix="pass a hipFuncCache_t such as hipFuncCachePreferNone, or a hipSharedMemConfig",
)
DEVICES_CAN_BE_LISTED = Rule(
    "`device_arr` is not null, and `len` is from 1 to the number of devices",
    Result.INVALID_VALUE,
    source("hipSetValidDevices", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass an array of devices, with at most as many entries as hipGetDeviceCount returns",
)
LIST_IS_IMPLEMENTED = Rule(
    "HIP supports hipSetValidDevices (HIP 6.3 does not, so the call always fails there)",
    Result.NOT_SUPPORTED,
    source("hipSetValidDevices", "clr of 2024 answers hipErrorNotSupported to all arguments"),
    fix="call hipSetDevice instead of hipSetValidDevices, which ROCm of 2024 does not implement",
)
TEXT_FITS = Rule(
    "`len` is at least 1 for a device name, or at least 13 for a PCI bus id",
    Result.INVALID_VALUE,
    source("hipDeviceGetPCIBusId", "clr answers hipErrorInvalidValue to lengths up to 12, for names up to 0"),
    fix="pass a buffer of at least 13 bytes for a bus id, and at least 1 byte for a name",
)
BUS_ID_IS_FOUND = Rule(
    "`pciBusId` is the bus id of a device that the process sees",
    Result.INVALID_VALUE,
    source("hipDeviceGetByPCIBusId", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass the bus id of a device that the process sees, as hipDeviceGetPCIBusId writes it: 0000:3b:00.0",
)
CODE_IS_KNOWN = Rule(
    "`hipError` is a hipError_t",
    Result.INVALID_VALUE,
    hip_tests("hipDrvGetErrorString", "HIP answers hipErrorInvalidValue to -1"),
    fix="pass a hipError_t that a HIP call returned",
)


@guard
def answer(error: int, failed: FailedCall | None) -> None:
    """Return an error that an earlier call has left."""
    if error:
        raise Broken(NO_CALL_HAS_FAILED, {"error": error} | ({"failed": failed} if failed else {}), error)


@HIP.op("hipGetLastError", remembered=False)
def get_last_error(call: Call) -> None:
    """Return the last error and reset it."""
    left = call.thread.hip_error, call.thread.hip_failed
    call.thread.hip_error, call.thread.hip_failed = 0, None
    answer(*left)


@HIP.op("hipExtGetLastError", remembered=False)
def ext_get_last_error(call: Call) -> None:
    """Return the last error and reset it."""
    get_last_error(call)


@HIP.op("hipPeekAtLastError", remembered=False)
def peek_at_last_error(call: Call) -> None:
    """Return the last error without resetting it."""
    answer(call.thread.hip_error, call.thread.hip_failed)


@cache
def _names() -> dict[int, bytes]:
    from fakecuda.spec.hip import NAMES  # noqa: PLC0415 - many machines have no HIP

    return NAMES


@HIP.op("hipGetErrorName", remembered=False)
def get_error_name(_call: Call, code: int) -> bytes:
    """Return the name of a code, ``hipErrorInvalidValue``; there is one for every number."""
    return _names().get(code, b"hipErrorUnknown")


@HIP.op("hipGetErrorString", remembered=False)
def get_error_string(_call: Call, code: int) -> bytes:
    """Return the description of an error code: in the model, its name in words."""
    return _names().get(code, b"hipErrorUnknown")


@guard
def named(code: int) -> bytes:
    """Return the name of a known error code."""
    if code not in _names():
        raise CODE_IS_KNOWN.broken(code=code)
    return _names()[code]


@HIP.op("hipDrvGetErrorName", remembered=False)
def drv_get_error_name(call: Call, code: int) -> bytes:
    """Return the name of an error code. The process need not be initialized."""
    given(call)
    return named(code)


@HIP.op("hipDrvGetErrorString", remembered=False)
def drv_get_error_string(call: Call, code: int) -> bytes:
    """Return the description of an error code. The process need not be initialized."""
    given(call)
    return named(code)


@HIP.op("hipInit")
def init_hip(call: Call, flags: int) -> None:
    """Initialise HIP, as every first call does."""
    entered(call)
    if flags:
        raise INIT_FLAGS_ARE_ZERO.broken(flags=flags)


@HIP.op("hipRuntimeGetVersion")
def runtime_get_version(call: Call) -> int:
    """Return the version of HIP."""
    given(call)
    return call.machine.profile.hip.version


@HIP.op("hipDriverGetVersion")
def driver_get_version(call: Call) -> int:
    """Return the version of HIP, as hipRuntimeGetVersion does."""
    given(call)
    return call.machine.profile.hip.version


@HIP.op("hipGetDeviceCount")
def get_device_count(call: Call) -> int:
    """Return the number of devices that the process sees."""
    return len(answering(call).devices)


@HIP.op("hipGetDevice")
def get_device(call: Call) -> int:
    """Return the thread's device."""
    answering(call)
    return call.thread.device


@HIP.op("hipSetDevice", acts_before=(DEVICE_IS_THERE,), several="the thread has chosen, and the device is used")
def set_device(call: Call, device: int) -> None:
    """Select a device for the thread, even a missing one. The context stack of the thread does not change.

    Since 2026 the device counts as used from then on.
    """
    process = entered(call)
    call.thread.note_choice()
    found = device_at(call, device)
    call.thread.choose(device)
    if not does(call, CHOOSES_WITHOUT_USE):
        process.runtimes.hip_device(found.ordinal).choose()


@HIP.op("hipDeviceGet")
def device_get(call: Call, ordinal: int) -> int:
    """Return the hipDevice_t of a device number, which is the same number."""
    entered(call)
    device_at(call, ordinal)
    given(call)
    return ordinal


@HIP.op("hipSetValidDevices")
def set_valid_devices(call: Call, device_arr: tuple[int, ...] | None, length: int) -> None:
    """Select the first listed device for the thread, unless it has called hipSetDevice. Other devices stay usable."""
    # CHECK
    process = entered(call)
    if does(call, LISTS_NO_DEVICES):
        raise LIST_IS_IMPLEMENTED.broken()
    if not length:
        return
    if device_arr is None or not 0 < length <= len(process.devices):
        raise DEVICES_CAN_BE_LISTED.broken(devices=device_arr, length=length)
    for number in device_arr[:length]:
        device_at(call, number)
    # EFFECT
    if not call.thread.hip_chosen:
        call.thread.choose(device_arr[0])


def kept(call: Call) -> HipDevice:
    """Return HIP's state of the thread's device."""
    return call.process.runtimes.hip_device(call.process.devices[call.thread.device].ordinal)


@HIP.op("hipGetDeviceFlags")
def get_device_flags(call: Call) -> int:
    """Return the scheduling flags of the thread's device."""
    answering(call)
    return kept(call).flags


@HIP.op("hipSetDeviceFlags")
def set_device_flags(call: Call, flags: int) -> None:
    """Set the scheduling flags of the thread's device. Other flags are accepted and ignored."""
    entered(call)
    if flags & ~(SCHEDULE_MASK | MAP_HOST | LMEM_RESIZE) or flags & SCHEDULE_MASK not in {0, 1, 2, 4}:
        raise DEVICE_FLAGS_ARE_KNOWN.broken(flags=flags)
    kept(call).set_flags(flags & SCHEDULE_MASK)


@HIP.op("hipDeviceTotalMem")
def device_total_mem(call: Call, device: int) -> int:
    """Return the memory of a device in bytes."""
    answering(call)
    return device_at(call, device).profile.total_memory


@HIP.op("hipDeviceGetName")
def device_get_name(call: Call, length: int, device: int) -> bytes:
    """Return a device's name, cut to a length including its NUL."""
    entered(call)
    found = device_at(call, device)
    given(call)
    if length <= 0:
        raise TEXT_FITS.broken(length=length)
    return found.profile.name.encode()[: length - 1]


@HIP.op("hipDeviceGetUuid")
def device_get_uuid(call: Call, device: int) -> bytes:
    """Return the 16 bytes of a device's UUID."""
    answering(call)
    return device_at(call, device).profile.uuid


@HIP.op("hipDeviceGetPCIBusId")
def device_get_pci_bus_id(call: Call, length: int, device: int) -> bytes:
    """Return the PCI bus id of a device, such as ``0000:3b:00.0``."""
    entered(call)
    found = device_at(call, device)
    given(call)
    if length < PCI_TEXT:
        raise TEXT_FITS.broken(length=length)
    return found.profile.pci.encode()


@lru_cache
def _place(text: bytes) -> tuple[int, ...]:
    """Return domain, bus, device and function; None if the text has another form."""
    match = PCI.match(text)
    return tuple(int(part, 16) for part in match.groups()) if match else ()


@HIP.op("hipDeviceGetByPCIBusId")
def device_get_by_pci_bus_id(call: Call, text: bytes | None) -> int:
    """Return the number of the device with a PCI bus id."""
    process = answering(call)
    place = _place(text or b"")
    for number, device in enumerate(process.devices):
        if place and place == _place(device.profile.pci.encode()):
            return number
    raise BUS_ID_IS_FOUND.broken(text=text)


@guard
def limit_known(call: Call, limit: int) -> None:
    """Check a limit, which clr compares as a signed number."""
    if RANGE <= limit < 1 << 31:
        raise LIMIT_IS_IN_RANGE.broken(limit=limit)
    if SCRATCH <= limit < RANGE:
        call.undefined(LIMIT_IS_DOCUMENTED, limit=limit)
        raise LIMIT_IS_DOCUMENTED.broken(limit=limit)
    if limit not in {STACK_SIZE, HEAP_SIZE}:
        raise LIMIT_IS_SUPPORTED.broken(limit=limit)


@HIP.op("hipDeviceGetLimit")
def device_get_limit(call: Call, limit: int) -> int:
    """Return a limit of the thread's device."""
    process = answering(call)
    limit_known(call, limit)
    if limit == HEAP_SIZE and does(call, HEAP_IS_THE_MEMORY):
        return process.devices[call.thread.device].profile.total_memory
    return kept(call).stack if limit == STACK_SIZE else kept(call).heap


@HIP.op("hipDeviceSetLimit")
def device_set_limit(call: Call, limit: int, value: int) -> None:
    """Set a limit of the thread's device. A stack size is rounded to 16 bytes."""
    # CHECK
    process = entered(call)
    limit_known(call, limit)
    total = process.devices[call.thread.device].profile.total_memory
    if value > LARGEST_STACK if limit == STACK_SIZE else value >= total:
        raise VALUE_IS_WITHIN_REACH.broken(limit=limit, value=value)
    # EFFECT
    if limit == STACK_SIZE:
        kept(call).set_stack(-(-value // STACK_UNIT) * STACK_UNIT)
    else:
        kept(call).set_heap(value)


@HIP.op("hipDeviceSetCacheConfig")
def device_set_cache_config(call: Call, config: int) -> None:
    """Do nothing: no cache can be configured."""
    entered(call)
    if config not in CACHE_CONFIGS:
        raise CONFIG_IS_KNOWN.broken(config=config)


@HIP.op("hipDeviceSetSharedMemConfig")
def device_set_shared_mem_config(call: Call, config: int) -> None:
    """Do nothing: shared memory banks always have four bytes."""
    entered(call)
    if config not in BANK_SIZES:
        raise CONFIG_IS_KNOWN.broken(config=config)


@HIP.op("hipDeviceGetCacheConfig")
def device_get_cache_config(call: Call) -> int:
    """Return hipFuncCachePreferNone: no cache can be configured."""
    answering(call)
    return 0


@HIP.op("hipDeviceGetSharedMemConfig")
def device_get_shared_mem_config(call: Call) -> int:
    """Return hipSharedMemBankSizeFourByte."""
    answering(call)
    return FOUR_BYTE
