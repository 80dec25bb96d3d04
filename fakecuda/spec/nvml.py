"""NVML described as data: its functions with their parameters, and the members of its structs.

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
"""The parameters of each function as [type, name], as far as they are known."""
NAMES: tuple[str, ...] = tuple(sorted([*PROTOTYPES, *_DATA["names"]]))
"""What the library exports."""
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
"""Functions that the library of driver 580 does not export, as two H200 and two H100 showed; it exports all others."""
STRUCTS: dict[str, list[list[str]]] = _DATA["structs"]
"""The members of structs and unions as [type, name]; an array's name has its length."""
UNIONS: frozenset[str] = frozenset(_DATA["unions"])
ENUMS: dict[str, dict[str, int]] = {name: {} for name in _DATA["enums"]}
"""The enums; their members are named where they are used."""
ALIASES: dict[str, str] = _DATA["aliases"]
"""Other names of types."""
VERSION = ["unsigned int", "version"]
"""The member that structs begin with which tell their version."""
COUNTS = frozenset({"count", "infoCount", "sampleCount", "processSamplesCount", "hwbcCount"})
"""Parameters that say how long an array is, and are told how long it should be."""
SIZED = frozenset({"nvmlDeviceGetSupportedPerformanceStates"})
"""Functions with an array of so many bytes."""
READ = frozenset({"nvmlSystemRegisterEvents", "nvmlSystemEventSetFree"})
"""Functions with a versioned struct that only asks for something: all of it is given, and nothing returned."""
WHOLE = READ | {"nvmlDeviceGetTemperatureV", "nvmlSystemEventSetWait"}
"""These, and functions that return something in it, too."""
HANDLES = {"nvmlDevice_t": "alias", "nvmlEventSet_t": "fresh"}
"""How results compare that are handles, by their type."""
OWN = frozenset(
    f"nvmlDeviceGet{name}"
    for name in (
        *("UUID", "Serial", "MemoryInfo", "MemoryInfo_v2", "BAR1MemoryInfo", "CpuAffinity", "CpuAffinityWithinScope"),
        *("ModuleId", "PcieThroughput", "PowerUsage", "ThermalSettings", "TotalEnergyConsumption", "Temperature"),
        *("Samples", "PlatformInfo", "ViolationStatus", "MarginTemperature", "Pdi", "BoardPartNumber"),
    )
) | {"nvmlSystemGetTopologyGpuSet", "nvmlSystemGetProcessName"}
"""Functions whose results are each card's or each machine's own, or depend on what the cards were used for before."""
COMPARED = {
    **dict.fromkeys(OWN, "own"),
    "nvmlSystemEventSetCreate": "fresh",
    "nvmlSystemEventSetWait": "alias",
}
"""How results of functions compare, where not exactly."""
INFOS = "infos"
"""Results that tell processes of the machine."""
FIELD = "nvmlFieldValue_t*"
"""An array of questions, in which the answers are written."""


def _params(name: str) -> Iterator[Param]:
    """Yield what an operation is given and what it returns, in the order of C."""
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
    """Return how results of a type compare: structs and texts by what is written, the zeros at the end left out."""
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
"""What nvmlErrorString calls the codes, as the library of driver 580 does on H200 and H100; others are unknown errors."""


def text_of(code: int) -> str:
    """Return the text of a code."""
    return TEXTS.get(code, "Unknown Error")
