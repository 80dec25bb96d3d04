"""cuEventCreate: create an event in the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.model.work.event import INTERPROCESS
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.event.handle import DISABLE_TIMING
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FLAGS = 1 | DISABLE_TIMING | INTERPROCESS

FLAGS_ARE_KNOWN = Rule(
    "the flags have only bits of CUevent_flags",
    Result.INVALID_VALUE,
    manual("cuEventCreate", "Valid flags include"),
    fix="combine only CU_EVENT_BLOCKING_SYNC, CU_EVENT_DISABLE_TIMING and CU_EVENT_INTERPROCESS",
)
INTERPROCESS_IS_UNTIMED = Rule(
    "flags with CU_EVENT_INTERPROCESS also have CU_EVENT_DISABLE_TIMING",
    Result.INVALID_VALUE,
    manual("cuEventCreate", "CU_EVENT_INTERPROCESS must be specified along with CU_EVENT_DISABLE_TIMING"),
    fix="add CU_EVENT_DISABLE_TIMING to CU_EVENT_INTERPROCESS",
)


@DRIVER.op("cuEventCreate")
def event_create(call: Call, flags: int) -> int:
    """Create an event in the current context. Until it is recorded, it counts as complete.

    Args:
        call: The call.
        flags: CUevent_flags; how a thread waits makes no difference here.
    """
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if flags & ~FLAGS:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    if flags & INTERPROCESS and not flags & DISABLE_TIMING:
        raise INTERPROCESS_IS_UNTIMED.broken(flags=flags)
    # EFFECT
    return context_effects.create_event(context, flags, history.here()).handle
