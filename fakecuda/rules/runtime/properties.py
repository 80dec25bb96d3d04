"""cudaGetDeviceProperties and cudaChooseDevice: the device attributes in one struct."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.device.device_get_attribute import board_of
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import device_at, given, initialised
from fakecuda.spec.codes import Result
from fakecuda.spec.runtime import ENUMS, STRUCTS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.os.process import Process

MEMBERS, MEMBERS_IN_12 = (
    [label.partition("[")[0] for _, label in STRUCTS[struct] if not label.startswith("reserved[")]
    for struct in ("cudaDeviceProp", "cudaDeviceProp_v2")
)
"""The members of cudaDeviceProp in C order, and those of CUDA 12."""
ATTRIBUTES: dict[str, str | tuple[str, ...]] = {
    "sharedMemPerBlock": "MaxSharedMemoryPerBlock",
    "regsPerBlock": "MaxRegistersPerBlock",
    "warpSize": "WarpSize",
    "memPitch": "MaxPitch",
    "maxThreadsPerBlock": "MaxThreadsPerBlock",
    "maxThreadsDim": ("MaxBlockDimX", "MaxBlockDimY", "MaxBlockDimZ"),
    "maxGridSize": ("MaxGridDimX", "MaxGridDimY", "MaxGridDimZ"),
    "totalConstMem": "TotalConstantMemory",
    "major": "ComputeCapabilityMajor",
    "minor": "ComputeCapabilityMinor",
    "textureAlignment": "TextureAlignment",
    "texturePitchAlignment": "TexturePitchAlignment",
    "multiProcessorCount": "MultiProcessorCount",
    "integrated": "Integrated",
    "canMapHostMemory": "CanMapHostMemory",
    "maxTexture1D": "MaxTexture1DWidth",
    "maxTexture1DMipmap": "MaxTexture1DMipmappedWidth",
    "maxTexture2D": ("MaxTexture2DWidth", "MaxTexture2DHeight"),
    "maxTexture2DMipmap": ("MaxTexture2DMipmappedWidth", "MaxTexture2DMipmappedHeight"),
    "maxTexture2DLinear": ("MaxTexture2DLinearWidth", "MaxTexture2DLinearHeight", "MaxTexture2DLinearPitch"),
    "maxTexture2DGather": ("MaxTexture2DGatherWidth", "MaxTexture2DGatherHeight"),
    "maxTexture3D": ("MaxTexture3DWidth", "MaxTexture3DHeight", "MaxTexture3DDepth"),
    "maxTexture3DAlt": ("MaxTexture3DWidthAlt", "MaxTexture3DHeightAlt", "MaxTexture3DDepthAlt"),
    "maxTextureCubemap": "MaxTextureCubemapWidth",
    "maxTexture1DLayered": ("MaxTexture1DLayeredWidth", "MaxTexture1DLayeredLayers"),
    "maxTexture2DLayered": ("MaxTexture2DLayeredWidth", "MaxTexture2DLayeredHeight", "MaxTexture2DLayeredLayers"),
    "maxTextureCubemapLayered": ("MaxTextureCubemapLayeredWidth", "MaxTextureCubemapLayeredLayers"),
    "maxSurface1D": "MaxSurface1DWidth",
    "maxSurface2D": ("MaxSurface2DWidth", "MaxSurface2DHeight"),
    "maxSurface3D": ("MaxSurface3DWidth", "MaxSurface3DHeight", "MaxSurface3DDepth"),
    "maxSurface1DLayered": ("MaxSurface1DLayeredWidth", "MaxSurface1DLayeredLayers"),
    "maxSurface2DLayered": ("MaxSurface2DLayeredWidth", "MaxSurface2DLayeredHeight", "MaxSurface2DLayeredLayers"),
    "maxSurfaceCubemap": "MaxSurfaceCubemapWidth",
    "maxSurfaceCubemapLayered": ("MaxSurfaceCubemapLayeredWidth", "MaxSurfaceCubemapLayeredLayers"),
    "surfaceAlignment": "SurfaceAlignment",
    "concurrentKernels": "ConcurrentKernels",
    "ECCEnabled": "EccEnabled",
    "pciBusID": "PciBusId",
    "pciDeviceID": "PciDeviceId",
    "pciDomainID": "PciDomainId",
    "tccDriver": "TccDriver",
    "asyncEngineCount": "AsyncEngineCount",
    "unifiedAddressing": "UnifiedAddressing",
    "memoryBusWidth": "GlobalMemoryBusWidth",
    "l2CacheSize": "L2CacheSize",
    "persistingL2CacheMaxSize": "MaxPersistingL2CacheSize",
    "maxThreadsPerMultiProcessor": "MaxThreadsPerMultiProcessor",
    "streamPrioritiesSupported": "StreamPrioritiesSupported",
    "globalL1CacheSupported": "GlobalL1CacheSupported",
    "localL1CacheSupported": "LocalL1CacheSupported",
    "sharedMemPerMultiprocessor": "MaxSharedMemoryPerMultiprocessor",
    "regsPerMultiprocessor": "MaxRegistersPerMultiprocessor",
    "managedMemory": "ManagedMemory",
    "isMultiGpuBoard": "IsMultiGpuBoard",
    "multiGpuBoardGroupID": "MultiGpuBoardGroupID",
    "hostNativeAtomicSupported": "HostNativeAtomicSupported",
    "pageableMemoryAccess": "PageableMemoryAccess",
    "concurrentManagedAccess": "ConcurrentManagedAccess",
    "computePreemptionSupported": "ComputePreemptionSupported",
    "canUseHostPointerForRegisteredMem": "CanUseHostPointerForRegisteredMem",
    "cooperativeLaunch": "CooperativeLaunch",
    "sharedMemPerBlockOptin": "MaxSharedMemoryPerBlockOptin",
    "pageableMemoryAccessUsesHostPageTables": "PageableMemoryAccessUsesHostPageTables",
    "directManagedMemAccessFromHost": "DirectManagedMemAccessFromHost",
    "maxBlocksPerMultiProcessor": "MaxBlocksPerMultiprocessor",
    "accessPolicyMaxWindowSize": "MaxAccessPolicyWindowSize",
    "reservedSharedMemPerBlock": "ReservedSharedMemoryPerBlock",
    "hostRegisterSupported": "HostRegisterSupported",
    "sparseCudaArraySupported": "SparseCudaArraySupported",
    "hostRegisterReadOnlySupported": "HostRegisterReadOnlySupported",
    "timelineSemaphoreInteropSupported": "TimelineSemaphoreInteropSupported",
    "memoryPoolsSupported": "MemoryPoolsSupported",
    "gpuDirectRDMASupported": "GPUDirectRDMASupported",
    "gpuDirectRDMAFlushWritesOptions": "GPUDirectRDMAFlushWritesOptions",
    "gpuDirectRDMAWritesOrdering": "GPUDirectRDMAWritesOrdering",
    "memoryPoolSupportedHandleTypes": "MemoryPoolSupportedHandleTypes",
    "deferredMappingCudaArraySupported": "DeferredMappingCudaArraySupported",
    "ipcEventSupported": "IpcEventSupport",
    "clusterLaunch": "ClusterLaunch",
    "deviceNumaConfig": "NumaConfig",
    "deviceNumaId": "NumaId",
    "mpsEnabled": "MpsEnabled",
    "hostNumaId": "HostNumaId",
    "gpuPciDeviceID": "GpuPciDeviceId",
    "gpuPciSubsystemID": "GpuPciSubsystemId",
    "hostNumaMultinodeIpcSupported": "HostNumaMultinodeIpcSupported",
    "clockRate": "ClockRate",
    "deviceOverlap": "GpuOverlap",
    "kernelExecTimeoutEnabled": "KernelExecTimeout",
    "computeMode": "ComputeMode",
    "maxTexture1DLinear": "MaxTexture1DLinearWidth",
    "memoryClockRate": "MemoryClockRate",
    "singleToDoublePrecisionPerfRatio": "SingleToDoublePrecisionPerfRatio",
    "cooperativeMultiDeviceLaunch": "Reserved96",
}
"""Device attributes by cudaDeviceProp member; CUDA 12 alone has the last ones."""
UNIFIED_FUNCTION_POINTERS = 129
"""CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS, which cudaDeviceAttr calls reserved."""
NUMBERS: dict[str, tuple[int, ...]] = {
    member: tuple(
        ENUMS["cudaDeviceAttr"][f"cudaDevAttr{name}"] for name in ([names] if isinstance(names, str) else names)
    )
    for member, names in ATTRIBUTES.items()
}
IDENTITIES = frozenset(
    {"pciBusID", "pciDeviceID", "pciDomainID", "multiGpuBoardGroupID", "gpuPciDeviceID", "gpuPciSubsystemID"}
)
"""Members that identify a device, which cudaChooseDevice does not compare by size."""
NAME_SIZE, LUID_SIZE = 256, 8

PROPERTIES_ARE_GIVEN = Rule(
    "`prop` is not null",
    Result.INVALID_VALUE,
    manual("cudaChooseDevice", "Desired device properties"),
    fix="pass a cudaDeviceProp with the desired properties",
)


def properties(process: Process, device: Device) -> dict[str, Any]:
    """Return the members of a device's cudaDeviceProp as plain values."""
    profile = device.profile
    known = profile.attributes
    values: dict[str, Any] = {
        "name": profile.name.encode()[: NAME_SIZE - 1],
        "uuid": process.card_of(device).profile.uuid,
        "luid": profile.luid or bytes(LUID_SIZE),
        "luidDeviceNodeMask": profile.node_mask,
        "totalGlobalMem": profile.total_memory,
        "unifiedFunctionPointers": known.get(UNIFIED_FUNCTION_POINTERS, 0),
    }
    for member, numbers in NUMBERS.items():
        found = tuple([known.get(number, 0) for number in numbers])
        values[member] = found if len(found) > 1 else found[0]
    return values | {"multiGpuBoardGroupID": board_of(process, device)}


@guard
def _told(call: Call, device: int, members: list[str]) -> tuple[Any, ...]:
    """Return selected members of a device's cudaDeviceProp, in order."""
    given(call)
    values = properties(call.process, device_at(call, device))
    return tuple([values[member] for member in members])


@guard
def _best(call: Call, prop: tuple[Any, ...] | None, members: list[str]) -> int:
    """Return the first device with most of the desired properties.

    How the runtime library weighs them is not documented.

    Args:
        call: The call.
        prop: The desired values. A property of 0 is not desired.
        members: Their names.
    """
    devices = initialised(call).devices
    given(call)
    if prop is None:
        raise PROPERTIES_ARE_GIVEN.broken()
    desired = dict(zip(members, prop, strict=True))
    wanted = {k: value for k, value in desired.items() if isinstance(value, int) and value and k not in IDENTITIES}
    scores = []
    for device in devices:
        has = properties(call.process, device)
        scores.append(sum(has[member] >= value for member, value in wanted.items()))
    return scores.index(max(scores))


@RUNTIME.op("cudaGetDeviceProperties")
def get_device_properties(call: Call, device: int) -> tuple[Any, ...]:
    """Return a cudaDeviceProp."""
    return _told(call, device, MEMBERS)


@RUNTIME.op("cudaGetDeviceProperties_v2")
def get_device_properties_v2(call: Call, device: int) -> tuple[Any, ...]:
    """Return a cudaDeviceProp of CUDA 12."""
    return _told(call, device, MEMBERS_IN_12)


@RUNTIME.op("cudaChooseDevice")
def choose_device(call: Call, prop: tuple[Any, ...] | None) -> int:
    """Return the first device with most of the desired properties. A property of 0 is not desired."""
    return _best(call, prop, MEMBERS)


@RUNTIME.op("cudaChooseDevice_v1")
def choose_device_v1(call: Call, prop: tuple[Any, ...] | None) -> int:
    """Return the first device with most of the desired properties of CUDA 12."""
    return _best(call, prop, MEMBERS_IN_12)
