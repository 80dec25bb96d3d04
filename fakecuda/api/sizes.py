"""Structs whose plain value is bytes: nobody looks inside."""

from __future__ import annotations

BYTES = {
    "CUipcEventHandle": 64,
    "CUipcMemHandle": 64,
    "CUmemFabricHandle": 64,
    "CUmemPoolPtrExportData": 64,
    "CUuuid": 16,
}
"""Their sizes."""
