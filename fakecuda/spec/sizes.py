"""Sizes that the descriptions of calls do not have."""

from __future__ import annotations

from fakecuda.spec.driver import ENUMS

BYTES = {
    "CUgraphNodeParams": 256,
    "CUkernelNodeAttrValue": 64,
    "CUipcEventHandle": 64,
    "CUipcMemHandle": 64,
    "CUmemFabricHandle": 64,
    "CUmemPoolPtrExportData": 64,
    "CUuuid": 16,
    "cudaGraphNodeParams": 256,
    "cudaIpcEventHandle_t": 64,
    "cudaIpcMemHandle_t": 64,
    "cudaKernelNodeAttrValue": 64,
    "cudaMemPoolPtrExportData": 64,
    "cudaUUID_t": 16,
    "hipIpcEventHandle_st": 64,
    "hipIpcMemHandle_st": 64,
    "hipMemPoolPtrExportData": 64,
    "hipUUID_t": 16,
}
"""The sizes of structs whose plain value is their bytes."""
POOL_SIZES = frozenset(
    ENUMS["CUmemPool_attribute"][f"CU_MEMPOOL_ATTR_{name}"]
    for name in (
        "RELEASE_THRESHOLD",
        "RESERVED_MEM_CURRENT",
        "RESERVED_MEM_HIGH",
        "USED_MEM_CURRENT",
        "USED_MEM_HIGH",
        "MAX_POOL_SIZE",
    )
)
"""Pool attributes of 8 bytes (cuuint64_t); the others have 4."""
NAME = 64
"""The size of a device name in the driver, padded with zeros."""
