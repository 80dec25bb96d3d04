"""Rules of the calls about atomic operations over a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fakecuda.model.call import Call

OPERATIONS = frozenset(ENUMS["CUatomicOperation"].values()) - {ENUMS["CUatomicOperation"]["CU_ATOMIC_OPERATION_MAX"]}

OPERATIONS_ARE_GIVEN = Rule(
    "`operations` is not null and `count` is not 0",
    Result.INVALID_VALUE,
    manual("cuDeviceGetP2PAtomicCapabilities", "*operations is NULL, if count is 0"),
    fix="pass an array of at least one CUatomicOperation, and its length for count",
)
OPERATIONS_ARE_KNOWN = Rule(
    "each of `operations` is a CUatomicOperation",
    Result.INVALID_VALUE,
    manual("cuDeviceGetP2PAtomicCapabilities", "if any of *operations is not valid"),
    fix="pass only members of CUatomicOperation, such as CU_ATOMIC_OPERATION_INTEGER_ADD",
)


@guard
def listed(call: Call, operations: tuple[int, ...] | None, count: int) -> tuple[int, ...]:
    """Return the requested operations of a call with a valid result array."""
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not operations or not count:
        raise OPERATIONS_ARE_GIVEN.broken(count=count)
    return operations[:count]


@guard
def capabilities(operations: tuple[int, ...], link: Mapping[int, int]) -> tuple[int, ...]:
    """Return the CUatomicOperationCapability bits of operations; 0 if not native.

    Args:
        operations: CUatomicOperation of each.
        link: What the link supports, by operation.
    """
    for operation in operations:
        if operation not in OPERATIONS:
            raise OPERATIONS_ARE_KNOWN.broken(operation=operation)
    return tuple([link.get(operation, 0) for operation in operations])
