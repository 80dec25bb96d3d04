"""cuCtxGetStreamPriorityRange: the priorities that streams of the device can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import current
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

SUPPORTED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED"]


@DRIVER.op("cuCtxGetStreamPriorityRange")
def ctx_get_stream_priority_range(call: Call) -> tuple[int, int]:
    """Return the least and the greatest stream priority.

    A lower number is a greater priority. Either result may be null.
    """
    # CHECK
    context = current(call)
    # EFFECT
    return priorities(call, context)


def priorities(call: Call, context: Context) -> tuple[int, int]:
    """Return the least and the greatest priority of a context's streams."""
    return call.machine.profile.stream_priorities if context.device.profile.attributes.get(SUPPORTED) else (0, 0)


def clamped(call: Call, context: Context, priority: int) -> int:
    """Clamp a priority to the range that streams of a context support."""
    least, greatest = priorities(call, context)
    return max(greatest, min(least, priority))
