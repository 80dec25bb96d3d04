"""The layout of CUDA_RESOURCE_DESC, a union by its first member.

================  =======================================================
type              what it uses
================  =======================================================
array             (hArray,)
mipmapped array   (hMipmappedArray,)
linear            (devPtr, format, numChannels, sizeInBytes)
pitch2D           (devPtr, format, numChannels, width, height, pitchInBytes)
any other         ()
================  =======================================================

That of the runtime API, a cudaResourceDesc, has the members of a cudaChannelFormatDesc in the place of a format and its channels: bits of
four components, and a cudaChannelFormatKind.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from fakecuda.spec.driver import ENUMS

SIZE = 144
"""The size of the struct in bytes."""
ARRAY, MIPMAPPED, LINEAR, PITCHED = (
    ENUMS["CUresourcetype"][f"CU_RESOURCE_TYPE_{name}"] for name in ("ARRAY", "MIPMAPPED_ARRAY", "LINEAR", "PITCH2D")
)
LAYOUTS = {
    **dict.fromkeys((ARRAY, MIPMAPPED), Struct("<Q")),
    LINEAR: Struct("<QiIQ"),
    PITCHED: Struct("<QiIQQQ"),
}
"""The layout of each resource type."""
RUNTIME_LAYOUTS = {**LAYOUTS, LINEAR: Struct("<Q5i4xQ"), PITCHED: Struct("<Q5i4xQQQ")}
"""The layout of each resource type in the runtime API."""
OF = {"CUDA_RESOURCE_DESC": LAYOUTS, "cudaResourceDesc": RUNTIME_LAYOUTS}
"""The layouts by struct."""
TYPE, _UNKNOWN, _FLAGS = Struct("<i4x"), Struct(""), Struct("<I")
_UNION, FLAGS_AT = 128, 136
"""The size of the union, and the offset of the flags."""
USED = 64
"""The used size of the struct without flags."""


def unpack(content: Any, layouts: dict[int, Struct] = LAYOUTS) -> tuple[Any, ...]:
    """Return the plain value of a resource; without flags if it is too short."""
    (kind,) = TYPE.unpack_from(content)
    used = layouts.get(kind, _UNKNOWN).unpack_from(content, TYPE.size)
    return kind, used, *(_FLAGS.unpack_from(content, FLAGS_AT) if len(content) > FLAGS_AT else (0,))


def pack(plain: tuple[Any, ...], layouts: dict[int, Struct] = LAYOUTS) -> bytes:
    """Return the bytes of a resource from its plain value."""
    kind, used, flags = plain
    union = layouts.get(kind, _UNKNOWN).pack(*used).ljust(_UNION, b"\0")
    return (TYPE.pack(kind) + union + _FLAGS.pack(flags)).ljust(SIZE, b"\0")
