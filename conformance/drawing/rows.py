"""Random copies of rows, legal and nearly legal."""

from __future__ import annotations

from fakecuda.spec.driver import STRUCTS

KINDS = {
    "cuMemcpy2D": "CUDA_MEMCPY2D",
    "cuMemcpy2DUnaligned": "CUDA_MEMCPY2D",
    "cuMemcpy3D": "CUDA_MEMCPY3D",
    "cuMemcpy3DPeer": "CUDA_MEMCPY3D_PEER",
}
MEMBERS = {kind: {label for _, label in STRUCTS[kind]} for kind in KINDS.values()}
ROWS = 256
"""The maximum bytes that row copies and batches use on each side."""
ROW = {
    **dict.fromkeys(("dstMemoryType", "srcMemoryType"), 2),
    **dict.fromkeys(("dstPitch", "srcPitch"), 16),
    **dict.fromkeys(("dstHeight", "srcHeight"), 4),
    "WidthInBytes": 8,
    "Height": 3,
    "Depth": 2,
}
"""The default members of a row copy, without addresses."""
WRONG_ROWS: tuple[dict[str, int], ...] = (
    {"pCopy": 0},
    {"dstMemoryType": 0},
    {"srcMemoryType": 3},
    {"srcMemoryType": 4, "srcDevice": 0},
    {"dstPitch": 7},
    {"srcPitch": 1 << 40},
    {"srcHeight": 2},
    {"dstHeight": 0},
    {"srcHeight": 0},
    {"srcY": 1 << 40, "srcHeight": 1 << 41},
    {"WidthInBytes": 0},
)
