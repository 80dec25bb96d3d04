"""Virtual cards (vGPU): a simulated card has none, and its host has no vGPU driver.

The recorded H200 had no vGPU, either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.nvml.arguments import (
    ARGUMENTS_ARE_GIVEN,
    found,
    given_out,
    initialised,
    require_card_and_results,
    versioned,
)
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call

OF_CARDS = tuple(
    f"nvmlDeviceGet{name}"
    for name in (
        *("ActiveVgpus", "CreatableVgpus", "SupportedVgpus", "VgpuHeterogeneousMode", "VgpuProcessUtilization"),
        *("VgpuTypeCreatablePlacements", "VgpuTypeSupportedPlacements", "VgpuUtilization"),
    )
)
"""Queries of a card's vGPUs that do not check their result pointers."""
INTO_RESULTS = tuple(
    f"nvmlDeviceGetVgpu{name}"
    for name in ("Capabilities", "ProcessesUtilizationInfo", "SchedulerCapabilities", "SchedulerLog", "SchedulerState")
)
"""Queries of a card's vGPUs that check their result pointers first."""
UTILISATION = 1, 32
"""The version of nvmlVgpuInstancesUtilizationInfo_v1_t, and its size in bytes."""
PLACEMENT, LIMIT = (1, 8), (1, 12)
"""Versions of nvmlVgpuPlacementId_t and of nvmlVgpuTypeMaxInstance_t, with their sizes in bytes."""
OF_TYPES = tuple(
    f"nvmlVgpuTypeGet{name}"
    for name in (
        *("BAR1Info", "Capabilities", "Class", "DeviceID", "FbReservation", "FrameRateLimit", "FramebufferSize"),
        *("GpuInstanceProfileId", "GspHeapSize", "MaxInstancesPerVm", "Name", "NumDisplayHeads", "Resolution"),
    )
)
"""Queries of a vGPU type."""
OF_INSTANCES = tuple(
    f"nvmlVgpuInstanceGet{name}"
    for name in (
        *("AccountingMode", "AccountingPids", "AccountingStats", "EccMode", "EncoderCapacity", "EncoderSessions"),
        *("EncoderStats", "FBCSessions", "FBCStats", "FbUsage", "FrameRateLimit", "GpuInstanceId", "GpuPciId"),
        *("LicenseInfo_v2", "LicenseStatus", "MdevUUID", "RuntimeStateSize", "Type", "UUID", "VmDriverVersion"),
    )
)
"""Queries of a vGPU instance."""

CARD_IS_SHARED_OUT = Rule(
    "the card supports vGPU",
    Nvml.NOT_SUPPORTED,
    manual("nvmlDeviceGetActiveVgpus", "NVML_ERROR_NOT_SUPPORTED if vGPU is not supported by the device"),
    fix="treat NVML_ERROR_NOT_SUPPORTED as a card without vGPUs, or run on a vGPU host",
)
TYPE_IS_FOUND = Rule(
    "`vgpuTypeId` is a vGPU type that the driver supports",
    Nvml.INVALID_ARGUMENT,
    manual("nvmlVgpuTypeGetClass", "NVML_ERROR_INVALID_ARGUMENT if vgpuTypeId is invalid, or vgpuTypeClass is NULL"),
    fix="pass a type that nvmlDeviceGetSupportedVgpus returned",
)
INSTANCE_IS_GIVEN = Rule(
    "`vgpuInstance` is not 0",
    Nvml.INVALID_ARGUMENT,
    manual("nvmlVgpuInstanceGetFbUsage", "NVML_ERROR_INVALID_ARGUMENT if vgpuInstance is 0, or fbUsage is NULL"),
    fix="pass an instance that nvmlDeviceGetActiveVgpus returned",
)
INSTANCE_IS_FOUND = Rule(
    "the vGPU instance `vgpuInstance` exists",
    Nvml.NOT_FOUND,
    manual(
        "nvmlVgpuInstanceGetFbUsage",
        "NVML_ERROR_NOT_FOUND if vgpuInstance does not match a valid active vGPU instance on the system",
    ),
    fix="pass an instance that nvmlDeviceGetActiveVgpus returned and that is still active",
)


def of_card(call: Call, device: int, *_: Any) -> None:
    """Refuse a query about the vGPUs of a card without vGPUs."""
    found(call, device)
    raise CARD_IS_SHARED_OUT.broken(device=device)


def into_results(call: Call, device: int, *given: Any) -> None:
    """Refuse a query about vGPUs, in a call that checks its result pointers first."""
    require_card_and_results(call, device)
    if None in given:
        raise ARGUMENTS_ARE_GIVEN.broken()
    raise CARD_IS_SHARED_OUT.broken(device=device)


@NVML.op("nvmlDeviceGetVgpuInstancesUtilizationInfo")
def device_get_vgpu_instances_utilization_info(call: Call, device: int, version: int | None) -> None:
    """Refuse a query about vGPUs, in a call that knows one version of a struct."""
    found(call, device)
    versioned(version, UTILISATION)
    raise CARD_IS_SHARED_OUT.broken(device=device)


@NVML.op("nvmlDeviceGetVgpuMetadata")
def device_get_vgpu_metadata(call: Call, device: int, version: int | None) -> None:  # noqa: ARG001 - any version
    """Refuse a query of the metadata. The struct's pointer is not checked, unlike the size's."""
    found(call, device)
    if "bufferSize" in call.nulls:
        raise ARGUMENTS_ARE_GIVEN.broken(nulls=call.nulls)
    raise CARD_IS_SHARED_OUT.broken(device=device)


@NVML.op("nvmlVgpuTypeGetMaxInstances")
def vgpu_type_get_max_instances(call: Call, device: int, vgpu_type: int) -> None:  # noqa: ARG001 - any type
    """Refuse every vGPU type of a card without vGPUs."""
    initialised(call)
    given_out(call, device)
    raise CARD_IS_SHARED_OUT.broken(device=device)


@NVML.op("nvmlVgpuTypeGetMaxInstancesPerGpuInstance")
def vgpu_type_get_max_instances_per_gpu_instance(call: Call, version: int | None) -> None:
    """Refuse the type in the struct."""
    initialised(call)
    versioned(version, LIMIT)
    raise TYPE_IS_FOUND.broken()


@NVML.op("nvmlVgpuInstanceGetPlacementId")
def vgpu_instance_get_placement_id(call: Call, instance: int, version: int | None) -> None:
    """Refuse every vGPU instance, after the struct's version."""
    initialised(call)
    versioned(version, PLACEMENT)
    of_instance(call, instance)


def of_type(call: Call, vgpu_type: int, *_: Any) -> None:
    """Refuse every vGPU type."""
    initialised(call)
    raise TYPE_IS_FOUND.broken(type=vgpu_type)


def of_instance(call: Call, instance: int, *_: Any) -> None:
    """Refuse every vGPU instance."""
    initialised(call)
    if not instance:
        raise INSTANCE_IS_GIVEN.broken()
    raise INSTANCE_IS_FOUND.broken(instance=instance)


for _names, _operation in (
    (OF_CARDS, of_card),
    (INTO_RESULTS, into_results),
    (OF_TYPES, of_type),
    (OF_INSTANCES, of_instance),
):
    for _name in _names:
        NVML.op(_name)(_operation)
