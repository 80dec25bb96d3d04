"""NVML as data: its functions with parameters, and its structs.

``CALLS`` says what an operation is given and what it returns, in plain values; :mod:`fakecuda.reach.native.nvml` reads and writes them
in C. A parameter of C is one of an operation as its type says:

- A number, a handle, a text (``const char*``): an input.
- ``char*`` with a ``length`` behind it: a text that is returned.
- A pointer to a struct that begins with its version: the version as it was found there, None for a null pointer; and
  the other members, which are returned as a tuple.
- ``unsigned int*`` with a count, beside an array: the count as it was found there, or None; and what is returned of both.
- Any other pointer: a result. Of those that are null the operation is told by name.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from fakecuda.spec.codes import Nvml
from fakecuda.spec.description import HERE, Function, Functions, Param

if TYPE_CHECKING:
    from collections.abc import Iterator

_DATA = json.loads((HERE / "generated" / "nvml.json").read_text(encoding="utf-8"))
PROTOTYPES: dict[str, list[list[str]]] = _DATA["functions"]
"""The known parameters of each function as [type, name]."""
NAMES: tuple[str, ...] = tuple(sorted([*PROTOTYPES, *_DATA["names"]]))
"""The exported functions of the library."""
LATER = frozenset(
    [
        "nvmlDeviceGetAccountingStats_v2",
        "nvmlDeviceGetAdaptiveTgpModeInfo_v1",
        "nvmlDeviceGetBBXTimeData_v1",
        "nvmlDeviceGetBankRemapperStatus_v1",
        "nvmlDeviceGetGpuFabricInfo_v4",
        "nvmlDeviceGetMemoryLimits_v1",
        "nvmlDeviceGetNvLinkTelemetrySamples_v1",
        "nvmlDeviceGetVgpuSchedulerLog_v2",
        "nvmlDeviceGetVgpuSchedulerState_v2",
        "nvmlDevicePerfMetricsGetSamples_v1",
        "nvmlDeviceSetAdaptiveTgpMode_v1",
        "nvmlDeviceSetMemoryLimits_v1",
        "nvmlDeviceSetNvlinkBwModeAsync_v1",
        "nvmlDeviceSetRusdSettings_v1",
        "nvmlDeviceSetVgpuSchedulerState_v2",
        "nvmlDeviceVgpuForceGspUnload",
        "nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1",
        "nvmlEventSetGetContextCount_v1",
        "nvmlEventSetGetContextData_v1",
        "nvmlEventSetGetContextInfo_v1",
        "nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1",
        "nvmlEventSetRegisterGpuOperationalEvents_v1",
        "nvmlEventSetWait_v3",
        "nvmlGpuInstanceGetVgpuSchedulerLog_v2",
        "nvmlGpuInstanceGetVgpuSchedulerState_v2",
        "nvmlGpuInstanceSetVgpuSchedulerState_v2",
        "nvmlSystemGetCPER_v1",
    ]
)
"""Functions that driver 580's library does not export, by recordings."""
STRUCTS: dict[str, list[list[str]]] = _DATA["structs"]
"""The members of structs and unions as [type, name]; an array's name has its length."""
UNIONS: frozenset[str] = frozenset(_DATA["unions"])
ENUMS: dict[str, dict[str, int]] = {name: {} for name in _DATA["enums"]}
"""The NVML enums, whose members are named where they are used."""
ALIASES: dict[str, str] = _DATA["aliases"]
"""Other names of types."""
VERSION = ["unsigned int", "version"]
"""The version member of versioned structs."""
COUNTS = frozenset({"count", "infoCount", "sampleCount", "processSamplesCount", "hwbcCount"})
"""Parameters with the size of an array, in and out."""
SIZED = frozenset({"nvmlDeviceGetSupportedPerformanceStates"})
"""Functions with a byte array of a given size."""
READ = frozenset({"nvmlSystemRegisterEvents", "nvmlSystemEventSetFree"})
"""Functions with a versioned input struct."""
WHOLE = READ | {"nvmlDeviceGetTemperatureV", "nvmlSystemEventSetWait"}
"""Functions with a versioned input or in-out struct."""
HANDLES = {"nvmlDevice_t": "alias", "nvmlEventSet_t": "fresh"}
"""How to compare handles among results, by type."""
OWN = frozenset(
    f"nvmlDeviceGet{name}"
    for name in (
        *("UUID", "Serial", "MemoryInfo", "MemoryInfo_v2", "BAR1MemoryInfo", "CpuAffinity", "CpuAffinityWithinScope"),
        *("ModuleId", "PcieThroughput", "PowerUsage", "ThermalSettings", "TotalEnergyConsumption", "Temperature"),
        *("Samples", "PlatformInfo", "ViolationStatus", "MarginTemperature", "Pdi", "BoardPartNumber"),
    )
) | {"nvmlSystemGetTopologyGpuSet", "nvmlSystemGetProcessName"}
"""Functions whose results depend on the card, the machine or earlier use."""
COMPARED = {
    **dict.fromkeys(OWN, "own"),
    "nvmlSystemEventSetCreate": "fresh",
    "nvmlSystemEventSetWait": "alias",
}
"""How to compare results of functions, if not exactly."""
INFOS = "infos"
"""Results with information about processes."""
FIELD = "nvmlFieldValue_t*"
"""The array of fields, which holds both queries and answers."""


def _params(name: str) -> Iterator[Param]:
    """Yield the inputs and outputs of an operation, in C order."""
    params = PROTOTYPES[name]
    pointers = [label for kind, label in params if kind.endswith("*")]
    counted = len(pointers) > 1 and not COUNTS.isdisjoint(pointers)
    for kind, label in params:
        plain = kind.removesuffix("*").strip()
        if not kind.endswith("*"):
            yield Param(label, plain, pointer=False, role="in", keyword=label, kind="integer")
        elif kind == "const char*":
            yield Param(label, "char", pointer=True, role="string_in", keyword=label, kind="string")
        elif kind == "char*":
            how = COMPARED.get(name, "memory")
            yield Param(
                label, "char", pointer=True, role="string_out", keyword="", kind="string", compare=how, length="length"
            )
        elif kind == FIELD:
            yield Param(label, "void", pointer=True, role="in", keyword=label, kind="integer", array=True)
            yield Param(label, plain, pointer=True, role="out", keyword="", kind="struct", compare="field", array=True)
        elif kind.startswith("const "):
            yield Param(label, plain.removeprefix("const "), pointer=True, role="in", keyword=label, kind="struct")
        else:
            found = "version" if VERSION in STRUCTS.get(plain, [])[:1] else "count" * (counted and label in COUNTS)
            if found and name in WHOLE:
                yield Param(label, plain, pointer=True, role="in", keyword=found, kind="struct")
            elif found:
                yield Param(label, "unsigned int", pointer=True, role="in", keyword=found, kind="word")
            if name in READ:
                continue
            shape = "struct" if plain in STRUCTS else "integer"
            array = (counted and not found and plain not in ENUMS) or plain == "unsigned long" or name in SIZED
            how = "own" if label == INFOS else COMPARED.get(name) or HANDLES.get(plain) or _shape(plain)
            yield Param(label, plain, pointer=True, role="out", keyword=found, kind=shape, compare=how, array=array)


def _shape(plain: str) -> str:
    """Return how results of a type compare, without trailing zeros."""
    return "memory" if plain in STRUCTS or plain == "char" else "exact"


def _function(name: str) -> Function:
    return Function(name=name, symbol=name, version=0, ptds="", params=tuple(_params(name)))


CALLS = Functions({name: partial(_function, name) for name in PROTOTYPES})
"""The functions by name."""
TEXTS: dict[int, str] = {
    Nvml.SUCCESS: "Success",
    Nvml.UNINITIALIZED: "Uninitialized",
    Nvml.INVALID_ARGUMENT: "Invalid Argument",
    Nvml.NOT_SUPPORTED: "Not Supported",
    Nvml.NO_PERMISSION: "Insufficient Permissions",
    Nvml.ALREADY_INITIALIZED: "Already Initialized",
    Nvml.NOT_FOUND: "Not Found",
    Nvml.INSUFFICIENT_SIZE: "Insufficient Size",
    Nvml.INSUFFICIENT_POWER: "Insufficient External Power",
    Nvml.DRIVER_NOT_LOADED: "Driver Not Loaded",
    Nvml.TIMEOUT: "Timeout",
    Nvml.IRQ_ISSUE: "Interrupt Request Issue",
    Nvml.LIBRARY_NOT_FOUND: "NVML Shared Library Not Found",
    Nvml.FUNCTION_NOT_FOUND: "Function Not Found",
    Nvml.CORRUPTED_INFOROM: "Corrupted infoROM",
    Nvml.GPU_IS_LOST: "GPU is lost",
    Nvml.RESET_REQUIRED: "GPU requires reset",
    Nvml.OPERATING_SYSTEM: "GPU access blocked by the operating system",
    Nvml.LIB_RM_VERSION_MISMATCH: "Driver/library version mismatch",
    Nvml.IN_USE: "In use by another client",
    Nvml.MEMORY: "Insufficient Memory",
    Nvml.NO_DATA: "No data",
    Nvml.VGPU_ECC_NOT_SUPPORTED: "vGPU ECC not supported",
    Nvml.INSUFFICIENT_RESOURCES: "Insufficient Resources",
    Nvml.FREQ_NOT_SUPPORTED: "Invalid Frequency",
    Nvml.ARGUMENT_VERSION_MISMATCH: "Argument version mismatch",
    Nvml.DEPRECATED: "Requested functionality has been deprecated",
    Nvml.NOT_READY: "System is not in ready state",
    Nvml.GPU_NOT_FOUND: "No supported GPUs were found",
    Nvml.INVALID_STATE: "Resource not in correct state to perform requested operation",
    Nvml.RESET_TYPE_NOT_SUPPORTED: "Reset type is not supported for given device",
}
"""The texts of nvmlErrorString by code, as driver 580 has them."""


def text_of(code: int) -> str:
    """Return the text of a code."""
    return TEXTS.get(code, "Unknown Error")
