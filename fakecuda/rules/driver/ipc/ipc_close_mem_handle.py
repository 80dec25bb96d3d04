"""cuIpcCloseMemHandle: close a mapping of another process's allocation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.memory import Import
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import settled
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POINTER_IS_A_MAPPING = Rule(
    "the pointer is an address that cuIpcOpenMemHandle returned, and the memory is still open",
    Result.INVALID_VALUE,
    manual("cuIpcCloseMemHandle", "Device pointer returned by cuIpcOpenMemHandle"),
    fix="pass the address that cuIpcOpenMemHandle returned, once for each call that opened it",
)


@DRIVER.op("cuIpcCloseMemHandle")
def ipc_close_mem_handle(call: Call, dptr: int) -> None:
    """Close an IPC mapping after the work of its context is done. The last close unmaps it."""
    # CHECK
    current(call)
    opened = settled(call, dptr, orders.ENDED)
    if not isinstance(opened, Import) or opened.start != dptr:
        raise POINTER_IS_A_MAPPING.broken(pointer=dptr, found=opened or call.process.freed.get(dptr))
    if opened.references == 1:
        race.ended(call, opened)
    # EFFECT
    memory_effects.detach(call.process, opened, history.here())
