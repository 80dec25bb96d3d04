"""The objects of every kind at the start of a garbage program."""

from __future__ import annotations

from typing import Any

from conformance.fuzz.nonsense import Held

GRANULE = 2 << 20
PROPERTIES = (1, 1, (1, 0), 0, (0, 0, 0))
POOL = (1, 1, (1, 0), 0, 0, 0, 0)
READ_WRITE = ((1, 0), 3)

CUDA: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("cuInit", (0,)),
    ("cuDevicePrimaryCtxRetain", (0,)),
    ("cuCtxCreate", (None, 0, 1)),
    ("cuCtxSetCurrent", (Held("CUcontext", 0),)),
    ("cuMemAlloc", (4096,)),
    ("cuMemAlloc", (65536,)),
    ("cuMemAllocManaged", (4096, 1)),
    ("cuMemHostAlloc", (4096, 0)),
    ("cuMemCreate", (GRANULE, PROPERTIES, 0)),
    ("cuMemAddressReserve", (2 * GRANULE, 0, 0, 0)),
    ("cuMemMap", (Held("CUdeviceptr", 3), GRANULE, 0, Held("CUmemGenericAllocationHandle", 0), 0)),
    ("cuMemSetAccess", (Held("CUdeviceptr", 3), GRANULE, (READ_WRITE,), 1)),
    ("cuEventCreate", (0,)),
    ("cuEventCreate", (6,)),
    ("cuStreamCreate", (1,)),
    ("cuStreamCreate", (0,)),
    ("cuDeviceGetDefaultMemPool", (0,)),
    ("cuMemAllocAsync", (4096, 0)),
    ("cuMemPoolCreate", (POOL,)),
    ("cuMemAllocFromPoolAsync", (4096, Held("CUmemoryPool", 1), 0)),
    ("cuMemPoolExportToShareableHandle", (Held("CUmemoryPool", 1), 1, 0)),
    ("cuMemPoolExportPointer", (Held("CUdeviceptr", -1),)),
    ("cuIpcGetMemHandle", (Held("CUdeviceptr", 0),)),
    ("cuIpcGetEventHandle", (Held("CUevent", 1),)),
)
RUNTIME = (
    *CUDA,
    ("cudaSetDevice", (0,)),
    ("cudaMalloc", (4096,)),
    ("cudaStreamCreate", ()),
    ("cudaEventCreate", ()),
    ("cudaHostAlloc", (4096, 0)),
    ("cudaMallocManaged", (4096, 1)),
    ("cudaDeviceGetDefaultMemPool", (0,)),
    ("cudaIpcGetMemHandle", (Held("void", 0),)),
)
HIP: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("hipInit", (0,)),
    ("hipSetDevice", (0,)),
    ("hipMalloc", (4096,)),
    ("hipMalloc", (65536,)),
    ("hipStreamCreate", ()),
    ("hipEventCreate", ()),
    ("hipHostMalloc", (4096, 0)),
    ("hipDeviceGetDefaultMemPool", (0,)),
    ("hipMallocAsync", (4096, 0)),
    ("hipCtxGetCurrent", ()),
)
NVML: tuple[tuple[str, tuple[Any, ...]], ...] = (
    *CUDA[:5],
    ("nvmlInit_v2", ()),
    ("nvmlDeviceGetHandleByIndex_v2", (0,)),
    ("nvmlDeviceGetHandleByIndex_v2", (1,)),
    ("nvmlDeviceGetUUID", (Held("nvmlDevice_t", 1), 96)),
    ("nvmlDeviceGetSerial", (Held("nvmlDevice_t", 0), 96)),
    ("nvmlEventSetCreate", ()),
)
PRELUDES = {"driver": CUDA, "runtime": RUNTIME, "hip": HIP, "nvml": NVML, "forms": CUDA}
PROFILES = {"driver": "h200-x2", "runtime": "h200-x2", "hip": "hip-clr-2026", "nvml": "h200-x2", "forms": "h200-x2"}
