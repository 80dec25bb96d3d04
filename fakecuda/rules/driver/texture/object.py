"""Rules of calls with a CUtexObject or a CUsurfObject: the object belongs to the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.texture import Seen

OBJECT_IS_THERE = Rule(
    "the texture or surface object belongs to the current context and has not been destroyed",
    Result.INVALID_VALUE,
    observed(
        "cuTexObjectGetResourceDesc",
        "the driver answers INVALID_VALUE to 0, to an unknown number, and to an object of another context",
    ),
    fix="pass an object of the current context that has not been destroyed",
)


@guard
def told(call: Call, number: int, table: str) -> Seen:
    """Return a texture or surface object for a query.

    Args:
        call: The call.
        number: The number.
        table: What contexts call objects of the kind.
    """
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    seen: Seen | None = getattr(context, table).get(number)
    if seen is None:
        raise OBJECT_IS_THERE.broken(number=number)
    return seen


@guard
def ended(call: Call, number: int, table: str) -> Seen | None:
    """Return the object to destroy; None if the current context does not have it."""
    seen: Seen | None = getattr(current(call), table).get(number)
    return seen
