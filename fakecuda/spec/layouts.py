"""C layouts of plain values that do not follow from the descriptions."""

from __future__ import annotations

import re

CODES = {
    "char": "b",
    "unsigned char": "B",
    "unsigned short": "H",
    "int": "i",
    "CUdevice": "i",
    "unsigned int": "I",
    "CUdeviceptr_v1": "I",
    "cuuint32_t": "I",
    "uint32_t": "I",
    "float": "f",
    "long": "q",
}
"""Codes of :mod:`struct` by C type; enums are ``i``; sizes, addresses, handles and pointers ``Q``."""
HIDDEN = re.compile(r"^(_|reserved(?!\d$|[A-Z])|hipReserved|pad|unused)")
"""Members that only affect the layout; numbered ones must be null."""
UNIONS = frozenset(
    {"CUstreamAttrValue", "CUstreamBatchMemOpParams", "cudaStreamAttrValue", "hipStreamBatchMemOpParams_union"}
)
"""Structs whose plain value depends on their content or on an argument."""
POINTING = frozenset({"CUDA_RESOURCE_DESC", "CUcheckpointRestoreArgs", "CUlaunchConfig", "cudaResourceDesc"})
"""Structs whose plain value includes what they point to."""
