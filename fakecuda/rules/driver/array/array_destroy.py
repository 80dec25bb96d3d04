"""cuArrayDestroy, cuMipmappedArrayDestroy: destroy an array and free its memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import array
from fakecuda.rules.driver.array.handle import array_of, mipmapped_of
from fakecuda.rules.driver.core.initialized import require_cu_init_called
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import emptied
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuArrayDestroy")
def array_destroy(call: Call, handle: int) -> None:
    """Destroy an array after the work of its context is done.

    Destroying a level of a mipmapped array frees no memory.
    """
    # CHECK
    require_cu_init_called(call)
    ending = array_of(call, handle)
    emptied(call, ending.context, orders.ARRAY_ENDED)
    if ending.level_of is None:
        race.ended(call, ending)
    # EFFECT
    array.end(call.process, ending, history.here(), again=ending.level_of is None)


@DRIVER.op("cuMipmappedArrayDestroy")
def mipmapped_array_destroy(call: Call, handle: int) -> None:
    """Destroy a mipmapped array and its levels after the work of its context is done."""
    # CHECK
    require_cu_init_called(call)
    ending = mipmapped_of(call, handle)
    emptied(call, ending.context, orders.ARRAY_ENDED)
    race.ended(call, ending)
    # EFFECT
    array.end(call.process, ending, history.here())
