"""cuStreamWaitValue64: a stream's work waits for a value of 64 bits in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.api.driver import ENUMS
from fakecuda.codes import Result
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.stream.order import attend, nothing
from fakecuda.rules.driver.stream.stream_wait_value32 import condition
from fakecuda.rules.driver.stream.valid import stream_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

WIDTH = 8
"""Bytes of a value."""
CAN_64 = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS"]

WIDTH_IS_SUPPORTED = Rule(
    "values of 64 bits are such as the device supports",
    Result.NOT_SUPPORTED,
    manual(
        "cuStreamWaitValue64",
        "Support for this can be queried with cuDeviceGetAttribute() and "
        "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS",
    ),
)


@guard
def wide(context: Context) -> None:
    """Check that streams of a context can wait for and write values of 64 bits."""
    if not context.device.profile.attributes.get(CAN_64):
        raise WIDTH_IS_SUPPORTED.broken(device=context.device)


@DRIVER.op("cuStreamWaitValue64")
def stream_wait_value64(call: Call, stream: int, addr: int, value: int, flags: int) -> None:
    """Have a stream's later work wait until 64 bits in memory fulfil a condition.

    Args:
        call: The call.
        stream: The stream.
        addr: Their device address.
        value: What they are compared with.
        flags: A condition of CUstreamWaitValue_flags: by default cyclic greater-or-equal.
    """
    # CHECK
    waiting = stream_of(call, stream, "cuStreamWaitValue64")
    wide(waiting.context)
    ready = condition(call, waiting.context, addr, value, WIDTH, flags)
    # EFFECT
    attend(call, waiting, nothing, (addr, WIDTH), ready)
