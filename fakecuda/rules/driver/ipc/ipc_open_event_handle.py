"""cuIpcOpenEventHandle: open another process's event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.model.os.process import HALTED, READY
from fakecuda.model.work.event import Event
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.context.handle import USE_AFTER_DESTRUCTION
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.driver.event.handle import DISABLE_TIMING
from fakecuda.rules.driver.ipc.supported import interprocess
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

HANDLE_IS_KNOWN = Rule(
    "`handle` is a handle that cuIpcGetEventHandle returned",
    Result.MAP_FAILED,
    manual("cuIpcOpenEventHandle", "CUDA_ERROR_MAP_FAILED"),
    fix="pass all 64 bytes that cuIpcGetEventHandle returned in the exporting process",
)
HANDLE_IS_ANOTHER_PROCESS_S = Rule(
    "another process got `handle` from cuIpcGetEventHandle",
    Result.INVALID_CONTEXT,
    manual("cuIpcOpenEventHandle", "Opens an interprocess event handle exported from another process"),
    fix="open the handle in another process; use the event itself in the process that created it",
)
EXPORTED_EVENT_HAS_A_CONTEXT = Rule(
    "the context of the exported event exists when the process first opens the event",
    Result.MAP_FAILED,
    USE_AFTER_DESTRUCTION,
    fix="open the event before its exporter destroys the event's context",
)


@guard
def _opened_before(call: Call, exported: Event) -> bool:
    """Return whether the process has ever opened an exported event."""
    process = call.process
    known = (*process.events.values(), *process.freed.values())
    return any(isinstance(event, Event) and event.exported is exported for event in known)


@DRIVER.op("cuIpcOpenEventHandle")
@orders.makes(orders.AWAITED_ELSEWHERE)
def ipc_open_event_handle(call: Call, handle: bytes) -> int:
    """Open the event of another process by its IPC handle. The new event belongs to the current context, on any device.

    Each call opens another one; all can be opened and used when the exporting process has ended.

    Args:
        call: The call.
        handle: 64 bytes.
    """
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    context = current(call)
    interprocess(context)
    exported = call.machine.exchange.exported_events.get(handle)
    if exported is None:
        raise HANDLE_IS_KNOWN.broken(handle=handle[:6].hex())
    if exported.context.process is call.process:
        raise HANDLE_IS_ANOTHER_PROCESS_S.broken(event=exported)
    exporter = exported.context.process
    if exported.context.destroyed and exporter.alive and exporter.state in {READY, *HALTED}:
        call.undefined(EXPORTED_EVENT_HAS_A_CONTEXT, event=exported)
        if not _opened_before(call, exported):
            raise EXPORTED_EVENT_HAS_A_CONTEXT.broken(event=exported)
    # EFFECT
    return context_effects.create_event(context, DISABLE_TIMING, history.here(), exported).handle
