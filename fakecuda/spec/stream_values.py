"""CUstreamAttrValue, a union that an attribute's id tells apart: its plain value is the tuple of what the id uses.

======================  ====================================================
id                      plain value
======================  ====================================================
access policy window    (base_ptr, num_bytes, hitRatio, hitProp, missProp)
synchronization policy  (syncPolicy,)
priority                (priority,)
memory sync domain map  (default, remote)
memory sync domain      (memSyncDomain,)
NVLink utilization      (nvlinkUtilCentricScheduling,)
any other               ()
======================  ====================================================
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from fakecuda.spec.driver import ENUMS

SIZE = 64
"""Bytes of the union."""
WINDOW, POLICY, PRIORITY, DOMAIN_MAP, DOMAIN, NVLINK = (
    ENUMS["CUstreamAttrID"][f"CU_LAUNCH_ATTRIBUTE_{name}"]
    for name in (
        "ACCESS_POLICY_WINDOW",
        "SYNCHRONIZATION_POLICY",
        "PRIORITY",
        "MEM_SYNC_DOMAIN_MAP",
        "MEM_SYNC_DOMAIN",
        "NVLINK_UTIL_CENTRIC_SCHEDULING",
    )
)
LAYOUTS = {
    WINDOW: Struct("<QQfii"),
    POLICY: Struct("<i"),
    PRIORITY: Struct("<i"),
    DOMAIN_MAP: Struct("<BB"),
    DOMAIN: Struct("<i"),
    NVLINK: Struct("<I"),
}
_UNKNOWN = Struct("")


def unpack(attribute: int, content: Any) -> tuple[Any, ...]:
    """Return the plain value of a union from its bytes."""
    return LAYOUTS.get(attribute, _UNKNOWN).unpack_from(content)


def pack(attribute: int, plain: tuple[Any, ...]) -> bytes:
    """Return the bytes of a union from its plain value; of an attribute that is none the value is not looked at."""
    return (LAYOUTS[attribute].pack(*plain) if attribute in LAYOUTS else b"").ljust(SIZE, b"\0")
