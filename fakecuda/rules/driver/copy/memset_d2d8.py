"""cuMemsetD2D8: rows of device memory are filled with a byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.model import timed
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.memset_d8 import fillable
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.stream.order import launch

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.driver.copy.range import Piece

PITCH_SPANS_THE_ROW = Rule(
    "the pitch of several rows is no less than a row",
    Result.INVALID_VALUE,
    manual("cuMemsetD2D8", "dstPitch specifies the number of bytes between each row"),
)


@DRIVER.op("cuMemsetD2D8", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d2d8(call: Call, dst: int, pitch: int, value: int, width: int, height: int) -> None:
    """Set ``height`` rows of ``width`` bytes to ``value``.

    Args:
        call: The call.
        dst: Device address of the first row.
        pitch: Bytes from row to row.
        value: The value.
        width: Bytes of a row.
        height: Rows.
    """
    # CHECK
    context = current(call)
    if not width or not height:
        return
    row = width
    targets = fillable_rows(call, context, dst, pitch, row, height)
    # EFFECT
    used = dst, (height - 1) * pitch + row
    launch(call, context, lambda: timed.fill_rows(call.machine.clock, targets, value, 1, row, height, pitch), used)


@guard
def fillable_rows(call: Call, context: Context, dst: int, pitch: int, row: int, height: int) -> list[Piece]:
    """Return the memory behind rows that a memset may write, from the first byte to the last.

    Args:
        call: The call.
        context: The context that writes.
        dst: Device address of the first row.
        pitch: Bytes from row to row; of a single row it is not looked at.
        row: Bytes of a row.
        height: Rows.
    """
    if height > 1 and pitch < row:
        raise PITCH_SPANS_THE_ROW.broken(pitch=pitch, row=row)
    return fillable(call, context, dst, (height - 1) * pitch + row)
