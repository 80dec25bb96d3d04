"""Calls in which an int is a file descriptor, depending on a handle type."""

from __future__ import annotations

from fakecuda.spec.conventions import DATA
from fakecuda.spec.driver import ENUMS

POSIX = ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR"]
DMA_BUF = ENUMS["CUmemRangeHandleType"]["CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD"]
_TYPES = {"shareable": POSIX, "dma_buf": DMA_BUF}
EXPORTS: dict[str, tuple[int, int]] = {name: (key, _TYPES[form]) for name, (key, form) in DATA["exports"].items()}
"""Calls that return a descriptor, with (index of the handle type, type's value)."""
IMPORTS: dict[str, tuple[int, int, int]] = {
    name: (place, key, _TYPES[form]) for name, (place, key, form) in DATA["imports"].items()
}
"""Calls with (index of the descriptor, index of the handle type, type's value)."""
