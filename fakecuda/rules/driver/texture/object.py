"""What calls with a CUtexObject or a CUsurfObject need: one of the current context, or of any where none is current."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, observed
from fakecuda.rules.driver.context.current import current, failed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.texture import Seen

OBJECT_IS_THERE = Rule(
    "the texture or surface object belongs to the current context and has not been destroyed",
    Result.INVALID_VALUE,
    observed(
        "cuTexObjectGetResourceDesc", "0, a number that was not given, and one of another context answer INVALID_VALUE"
    ),
    fix="pass an object of the current context that has not been destroyed",
)


@guard
def _seen(call: Call, number: int, table: str) -> Seen | None:
    """Return the object with this number, or None."""
    stack = call.thread.stack
    contexts = [stack[-1]] if stack else list(call.process.contexts.values())
    objects = (getattr(context, table).get(number) for context in contexts)
    return next((one for one in objects if one is not None), None)


@guard
def found(call: Call, number: int, table: str) -> Seen:
    """Return the object of a number.

    Args:
        call: The call.
        number: The number.
        table: What contexts call objects of the kind.
    """
    seen = _seen(call, number, table)
    if seen is None:
        raise OBJECT_IS_THERE.broken(number=number)
    return seen


@guard
def told(call: Call, number: int, table: str) -> Seen:
    """Return the object of a number for a call that tells of it, which needs a current context; arguments as for :func:`found`."""
    current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    return found(call, number, table)


@guard
def ended(call: Call, number: int, table: str) -> Seen | None:
    """Return the object to destroy. None if it does not exist, which needs a current context."""
    require_initialized(call)
    seen = _seen(call, number, table)
    if seen is None:
        current(call)
    elif seen.context.lost:
        failed(seen.context)
    return seen
