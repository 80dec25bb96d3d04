"""cuCtxAttach: raise the usage count of the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    manual("cuCtxAttach", "Currently, the flags parameter must be 0"),
    fix="pass 0 for the flags of cuCtxAttach",
)


@DRIVER.op("cuCtxAttach")
def ctx_attach(call: Call, flags: int) -> int:
    """Increment the usage count of the current context and return the context. cuCtxDestroy ignores the usage count."""
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    # EFFECT
    context.attach()
    return context.handle
