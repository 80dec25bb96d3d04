"""cuStreamGetAttribute: an attribute of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.stream_values import DOMAIN, DOMAIN_MAP, POLICY, PRIORITY, WINDOW

if TYPE_CHECKING:
    from typing import Any

    from fakecuda.model.call import Call

FIRST: dict[int, tuple[Any, ...]] = {
    WINDOW: (0, 0, 0.0, 0, 0),
    POLICY: (-1,),
    DOMAIN_MAP: (0, 1),
    DOMAIN: (0,),
}
"""Initial values of attributes, except for priority and policy."""

ATTRIBUTE_IS_A_STREAM_S = Rule(
    "`attr` is the access policy window, synchronization policy, priority, memory sync domain or memory sync domain "
    "map",
    Result.INVALID_VALUE,
    manual("CUstreamAttrID", "Valid for streams"),
    fix="pass a CUstreamAttrID that streams support, such as CU_LAUNCH_ATTRIBUTE_PRIORITY; other attributes are for "
    "launches",
)
VALUE_IS_GIVEN = Rule(
    "`value_out` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuStreamGetAttribute",
        "the manual says nothing about a null argument; driver 580 writes to the null pointer (segmentation fault)",
    ),
    fix="pass the address of the value",
)


@guard
def attribute_known(attribute: int) -> None:
    """Check that an attribute is a stream attribute."""
    if attribute != PRIORITY and attribute not in FIRST:
        raise ATTRIBUTE_IS_A_STREAM_S.broken(attribute=attribute)


@DRIVER.op("cuStreamGetAttribute")
def stream_get_attribute(call: Call, stream: int, attribute: int) -> tuple[Any, ...]:
    """Return an attribute of a stream, in the form of :mod:`fakecuda.spec.stream_values`.

    Args:
        call: The call.
        stream: The stream.
        attribute: CUstreamAttrID.
    """
    # CHECK
    asked = stream_of(call, stream, "cuStreamGetAttribute")
    attribute_known(attribute)
    if call.nulls:
        call.undefined(VALUE_IS_GIVEN, nulls=call.nulls)
        raise VALUE_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    if attribute == PRIORITY:
        return (asked.priority,)
    return asked.attributes.get(attribute) or FIRST[attribute]
