"""cuMemPoolSetAttribute: set a pool's reuse policies, threshold or marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual, undefined
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.pool.attribute import CHANGEABLE, MARKS, change, known
from fakecuda.rules.driver.pool.handle import booked_pool_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

ATTRIBUTE_CAN_BE_SET = Rule(
    "`attr` is a reuse policy, the release threshold or a high-water mark",
    Result.INVALID_VALUE,
    manual("cuMemPoolSetAttribute", "Supported attributes are"),
    fix="set only reuse policies, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD and high-water marks",
)
VALUE_IS_GIVEN = Rule(
    "`value` is not null",
    Result.INVALID_VALUE,
    undefined("cuMemPoolSetAttribute", "the manual says nothing about a null pointer, which crashes the process"),
    fix="pass the address of the value",
)
MARK_IS_RESET = Rule(
    "the number at `value` is 0 if `attr` is a high-water mark",
    Result.INVALID_VALUE,
    manual("cuMemPoolSetAttribute", "It is illegal to set this attribute to a non-zero value"),
    fix="pass 0 for a high-water mark: a program can only reset it",
)


@DRIVER.op("cuMemPoolSetAttribute")
def mem_pool_set_attribute(call: Call, pool: int, attribute: int, value: int | None) -> None:
    """Set an attribute of a pool. Setting a high-water mark to 0 resets it to the current value.

    Args:
        call: The call.
        pool: The pool.
        attribute: CUmemPool_attribute.
        value: Whether a policy is enabled, or bytes. None if its pointer is null.
    """
    # CHECK
    require_initialized(call)
    changed = booked_pool_of(call, pool)
    known(call, attribute)
    if attribute not in CHANGEABLE:
        raise ATTRIBUTE_CAN_BE_SET.broken(attribute=attribute)
    if value is None:
        call.undefined(VALUE_IS_GIVEN, attribute=attribute)
        raise VALUE_IS_GIVEN.broken(attribute=attribute)
    if attribute in MARKS and value:
        raise MARK_IS_RESET.broken(attribute=attribute, value=value)
    # EFFECT
    change(changed, attribute, value)
