"""What the description of the calls does not tell of sizes."""

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
"""The sizes of structs whose plain value is bytes: nobody looks inside, or what is there depends on what it is for."""
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
"""Attributes of pools that are cuuint64_t; the others are of four bytes."""
NAME = 64
"""Bytes that the driver keeps of a device's name, of which those behind the text are zeros: it copies as many as fit."""
