"""Calls in which a plain int is a file descriptor, for a type of handle that another argument names."""

from __future__ import annotations

from fakecuda.spec.conventions import DATA
from fakecuda.spec.driver import ENUMS

POSIX = ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR"]
DMA_BUF = ENUMS["CUmemRangeHandleType"]["CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD"]
_TYPES = {"shareable": POSIX, "dma_buf": DMA_BUF}
EXPORTS: dict[str, tuple[int, int]] = {name: (key, _TYPES[form]) for name, (key, form) in DATA["exports"].items()}
"""Calls whose result is a descriptor when the input of that index has that value."""
IMPORTS: dict[str, tuple[int, int, int]] = {
    name: (place, key, _TYPES[form]) for name, (place, key, form) in DATA["imports"].items()
}
"""Calls whose input of the first index is a descriptor when that of the second has that value."""
