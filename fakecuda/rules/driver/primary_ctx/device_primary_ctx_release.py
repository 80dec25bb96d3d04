"""cuDevicePrimaryCtxRelease: release a reference to a device's primary context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.stream import race
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

PRIMARY_IS_RETAINED = Rule(
    "the primary context of the device has been retained more often than released",
    Result.INVALID_CONTEXT,
    manual("cuDevicePrimaryCtxRelease", "Releasing a primary context that has not been previously retained will fail"),
    fix="call cuDevicePrimaryCtxRelease once for each cuDevicePrimaryCtxRetain",
)


@DRIVER.op("cuDevicePrimaryCtxRelease")
def device_primary_ctx_release(call: Call, dev: int) -> None:
    """Release the primary context of a device.

    The last release resets the context, which stays on the context stacks.
    """
    # CHECK
    process = require_initialized(call)
    device = device_of(call, dev)
    primary = process.primary(device.ordinal)
    if not primary.references:
        raise PRIMARY_IS_RETAINED.broken(device=device)
    if primary.references == 1 and primary.context is not None:
        race.destroyed(call, primary.context)
    # EFFECT
    stack = history.NOWHERE if primary.references > 1 else history.here()
    context_effects.release(process, primary, stack, call.thread.name)
