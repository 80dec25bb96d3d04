"""The layout of CUstreamAttrValue, a union by the attribute's id.

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
"""The size of the union in bytes."""
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
    """Return the bytes of a union; the value of an unknown attribute is ignored."""
    return (LAYOUTS[attribute].pack(*plain) if attribute in LAYOUTS else b"").ljust(SIZE, b"\0")
