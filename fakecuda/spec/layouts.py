"""C layouts of plain values that do not follow from the description of the calls."""

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
"""Members that take part in the layout only; a numbered one among others must be null, and is told."""
UNIONS = frozenset(
    {"CUstreamAttrValue", "CUstreamBatchMemOpParams", "cudaStreamAttrValue", "hipStreamBatchMemOpParams_union"}
)
"""Structs whose plain value depends on what is in them, or on an argument."""
POINTING = frozenset({"CUDA_RESOURCE_DESC", "CUcheckpointRestoreArgs", "CUlaunchConfig", "cudaResourceDesc"})
"""Structs whose plain value has what they point to, or what of a union counts."""
