"""cuPointerGetAttributes: several attributes of a pointer, known or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.pool.handle import not_freed
from fakecuda.rules.driver.unified.attributes import (
    ATTRIBUTE,
    DEVICE_POINTER,
    HOST_POINTER,
    P2P,
    VALUES,
    has_device_pointer,
    has_host_pointer,
)
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.versions import POINTER_ATTRIBUTES

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.driver.unified.attributes import Item

NO_DEVICE = -2
"""The device ordinal that stands for no device."""

COUNT_IS_POSITIVE = Rule(
    "the number of attributes is not 0",
    Result.INVALID_VALUE,
    manual("cuPointerGetAttributes", "numAttributes and the number of attributes in this array should match"),
    fix="query at least one attribute, or skip cuPointerGetAttributes",
)
ATTRIBUTES_ARE_GIVEN = Rule(
    "`attributes` is not null",
    Result.INVALID_VALUE,
    manual("cuPointerGetAttributes", "An array of attributes to query"),
    fix="pass an array of numAttributes members of CUpointer_attribute",
)
ATTRIBUTES_ARE_KNOWN = Rule(
    "each attribute is a CUpointer_attribute of this driver version, and not CU_POINTER_ATTRIBUTE_P2P_TOKENS",
    Result.INVALID_VALUE,
    manual("cuPointerGetAttributes", "The supported attributes are"),
    fix="drop unknown attributes, and query CU_POINTER_ATTRIBUTE_P2P_TOKENS with cuPointerGetAttribute",
)


@DRIVER.op("cuPointerGetAttributes")
def pointer_get_attributes(
    call: Call, num_attributes: int, attributes: tuple[int, ...] | None, ptr: int
) -> tuple[int | bytes, ...]:
    """Return attributes of the memory that holds ``ptr``, and null values for those that it does not have.

    Args:
        call: The call.
        num_attributes: The number of attributes.
        attributes: CUpointer_attribute values; None if the array is null.
        ptr: An address, of whatever memory or none.

    Returns:
        An int for each attribute.
    """
    # CHECK
    process = require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not num_attributes:
        raise COUNT_IS_POSITIVE.broken()
    if attributes is None:
        raise ATTRIBUTES_ARE_GIVEN.broken()
    asked = attributes[:num_attributes]
    for attribute in asked:
        if (
            attribute not in VALUES
            or attribute == P2P
            or POINTER_ATTRIBUTES.get(attribute, 0) > call.machine.profile.driver_version
        ):
            raise ATTRIBUTES_ARE_KNOWN.broken(attribute=attribute)
    item = process.memory.at(ptr)
    if item is None:
        not_freed(call, ptr)
    # EFFECT
    if item is None:
        return tuple([_default(attribute, ptr) for attribute in asked])
    return tuple([_value(call, item, attribute, ptr) for attribute in asked])


def _default(attribute: int, ptr: int) -> int:
    """Return the attribute of an address without CUDA memory, such as a host pointer."""
    if attribute == HOST_POINTER:
        return ptr
    return NO_DEVICE if attribute == ATTRIBUTE["DEVICE_ORDINAL"] else 0


def _value(call: Call, item: Item, attribute: int, ptr: int) -> int | bytes:
    """Return an attribute of memory; null for a pointer that cannot be used."""
    if attribute == DEVICE_POINTER and not has_device_pointer(call, item):
        return 0
    if attribute == HOST_POINTER and not has_host_pointer(item):
        return 0
    return VALUES[attribute](call, item, ptr)
