"""Calls in which a plain int is a file descriptor, for a type of handle that another argument names."""

from __future__ import annotations

from fakecuda.spec.driver import ENUMS

POSIX = ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR"]
DMA_BUF = ENUMS["CUmemRangeHandleType"]["CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD"]
EXPORTS = {
    "cuMemExportToShareableHandle": (1, POSIX),
    "cuMemPoolExportToShareableHandle": (1, POSIX),
    "cudaMemPoolExportToShareableHandle": (1, POSIX),
    "cuMemGetHandleForAddressRange": (2, DMA_BUF),
    "hipMemExportToShareableHandle": (1, POSIX),
    "hipMemPoolExportToShareableHandle": (1, POSIX),
    "hipMemGetHandleForAddressRange": (2, DMA_BUF),
}
"""Calls whose result is a descriptor when the input of that index has that value."""
IMPORTS = {
    "cuMemImportFromShareableHandle": (0, 1, POSIX),
    "cuMemPoolImportFromShareableHandle": (0, 1, POSIX),
    "cudaMemPoolImportFromShareableHandle": (0, 1, POSIX),
    "hipMemImportFromShareableHandle": (0, 1, POSIX),
    "hipMemPoolImportFromShareableHandle": (0, 1, POSIX),
}
"""Calls whose input of the first index is a descriptor when that of the second has that value."""
