"""cuProfilerStart, cuProfilerStop: profiling of the current context. The model has no profiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import current
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuProfilerStart")
def profiler_start(call: Call) -> None:
    """Begin profiling of the current context. A second call has no effect."""
    # CHECK
    current(call)


@DRIVER.op("cuProfilerStop")
def profiler_stop(call: Call) -> None:
    """End profiling of the current context, if it has begun."""
    # CHECK
    current(call)
