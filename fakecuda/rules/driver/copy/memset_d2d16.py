"""cuMemsetD2D16: rows of device memory are filled with a value of 16 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.model import timed
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.memset_d2d8 import fillable_rows
from fakecuda.rules.driver.copy.memset_d16 import POINTER_IS_ALIGNED, WIDTH
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.stream.order import launch

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.driver.copy.range import Piece

PITCH_IS_ALIGNED = Rule(
    "the pitch of several rows is a multiple of two bytes",
    Result.INVALID_VALUE,
    manual("cuMemsetD2D16", "pointer and dstPitch offset must be two byte aligned"),
)


@DRIVER.op("cuMemsetD2D16", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d2d16(call: Call, dst: int, pitch: int, value: int, width: int, height: int) -> None:
    """Set ``height`` rows of ``width`` values of 16 bits to ``value``.

    Args:
        call: The call.
        dst: Device address of the first row.
        pitch: Bytes from row to row.
        value: The value.
        width: Values of a row.
        height: Rows.
    """
    # CHECK
    context = current(call)
    if not width or not height:
        return
    row = width * WIDTH
    targets = aligned_rows(call, context, dst, pitch, row, height)
    # EFFECT
    used = dst, (height - 1) * pitch + row
    launch(call, context, lambda: timed.fill_rows(call.machine.clock, targets, value, WIDTH, row, height, pitch), used)


@guard
def aligned_rows(call: Call, context: Context, dst: int, pitch: int, row: int, height: int) -> list[Piece]:
    """Return the memory behind rows of such values; arguments as of :func:`fillable_rows`."""
    if dst % WIDTH:
        raise POINTER_IS_ALIGNED.broken(pointer=dst)
    if pitch % WIDTH and height > 1:
        raise PITCH_IS_ALIGNED.broken(pitch=pitch)
    return fillable_rows(call, context, dst, pitch, row, height)
