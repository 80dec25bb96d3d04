"""The attributes of memory pools, and the first driver version that supports each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.pool import FOLLOW_EVENTS, INTERNAL, OPPORTUNISTIC
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.versions import POOL_ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.memory.pool import Pool

ATTRIBUTE = {name.removeprefix("CU_MEMPOOL_ATTR_"): value for name, value in ENUMS["CUmemPool_attribute"].items()}
POLICIES = frozenset({FOLLOW_EVENTS, OPPORTUNISTIC, INTERNAL})
THRESHOLD, RESERVED_HIGH, USED_HIGH = (
    ATTRIBUTE[name] for name in ("RELEASE_THRESHOLD", "RESERVED_MEM_HIGH", "USED_MEM_HIGH")
)
MARKS = frozenset({RESERVED_HIGH, USED_HIGH})
CHANGEABLE = POLICIES | MARKS | {THRESHOLD}
WHOLE = -1
"""The locality domain of a pool without one."""

VALUES: dict[int, Callable[[Pool], int]] = {
    **{policy: lambda pool, policy=policy: pool.policies[policy] for policy in sorted(POLICIES)},  # type: ignore[misc]
    THRESHOLD: lambda pool: pool.threshold,
    ATTRIBUTE["RESERVED_MEM_CURRENT"]: lambda pool: pool.reserved,
    RESERVED_HIGH: lambda pool: pool.reserved_high,
    ATTRIBUTE["USED_MEM_CURRENT"]: lambda pool: pool.used,
    USED_HIGH: lambda pool: pool.used_high,
    ATTRIBUTE["ALLOCATION_TYPE"]: lambda pool: pool.props.type,
    ATTRIBUTE["EXPORT_HANDLE_TYPES"]: lambda pool: pool.props.handle_types,
    ATTRIBUTE["LOCATION_ID"]: lambda pool: pool.props.location.id,
    ATTRIBUTE["LOCATION_TYPE"]: lambda pool: pool.props.location.type,
    ATTRIBUTE["MAX_POOL_SIZE"]: lambda pool: pool.props.max_size,
    ATTRIBUTE["HW_DECOMPRESS_ENABLED"]: lambda pool: int(pool.decompresses),
    ATTRIBUTE["LOCALITY_DOMAIN_ID"]: lambda _: WHOLE,
}
"""Functions that read each attribute of a pool."""
SINCE = dict.fromkeys(VALUES, 11020) | POOL_ATTRIBUTES
"""The first driver version that knows each attribute."""

ATTRIBUTE_IS_KNOWN = Rule(
    "`attr` is a CUmemPool_attribute that this driver version supports",
    Result.INVALID_VALUE,
    manual("cuMemPoolGetAttribute", "Supported attributes are"),
    fix="pass a CUmemPool_attribute; attributes above CU_MEMPOOL_ATTR_USED_MEM_HIGH need a driver of CUDA 13.2",
)


def change(pool: Pool, attribute: int, value: int) -> None:
    """Set a ``CHANGEABLE`` attribute of a pool; high-water marks are reset."""
    if attribute in POLICIES:
        pool.set_policy(attribute, enabled=bool(value))
    elif attribute == THRESHOLD:
        pool.set_threshold(value)
    elif attribute == RESERVED_HIGH:
        pool.reset_reserved_high()
    else:
        pool.reset_used_high()


@guard
def known(call: Call, attribute: int) -> None:
    """Check that the driver version knows an attribute."""
    if call.machine.profile.driver_version < SINCE.get(attribute, 1 << 31):
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)
