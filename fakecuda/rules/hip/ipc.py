"""Interprocess handles of memory and events.

The 64 bytes of a handle are 32 that name the allocation, its size, the offset of the address that was asked about, the
exporter's number and that of the device that it used. The offset travels and is not added: what is opened begins at the base.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.memory import Allocation, Import
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.work.event import INTERPROCESS
from fakecuda.rules.core import Rule, guard, hip_tests, source, undefined
from fakecuda.rules.driver.event.handle import DISABLE_TIMING
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import waited
from fakecuda.rules.hip.active import acting, answering, does, entered, refuse
from fakecuda.rules.hip.event import known_event
from fakecuda.rules.registry import HIP
from fakecuda.spec import orders
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.memory import Share

NAME = 32
HANDLE = Struct(f"<{NAME}sQQII8x")
"""The fields of an IPC handle: allocation, size, offset, exporter, device."""
LAZY_ENABLE_PEER_ACCESS = 1
ALIGNMENT = 1 << 12
ATTACHES_AGAIN = "hipIpcOpenMemHandle.attaches-again"
MAKES_THE_EVENT = "hipIpcOpenEventHandle.makes-the-event"

POINTER_IS_ALLOCATED = Rule(
    "`devPtr` lies in memory that hipMalloc or a pool allocated in this process",
    Result.INVALID_VALUE,
    hip_tests(
        "hipIpcGetMemHandle",
        "HIP answers hipErrorInvalidValue to null and freed memory; clr answers the same to unknown memory, and to "
        "memory that its backend cannot export",
    ),
    fix="pass memory of hipMalloc, before hipFree; hipMemPoolExportPointer exports pool memory",
)
MEMORY_IS_NOT_OPENED = Rule(
    "`devPtr` does not lie in memory that hipIpcOpenMemHandle opened",
    Result.INVALID_VALUE,
    undefined(
        "hipIpcGetMemHandle",
        "the manual says nothing about memory of another process; libamdhip64 7.2.4 and 6.4.3 crash there "
        "(Device::IpcCreate)",
    ),
    fix="pass on the handle that the exporter got from hipIpcGetMemHandle",
)
FLAGS_ARE_LAZY = Rule(
    "`flags` is hipIpcMemLazyEnablePeerAccess",
    Result.INVALID_VALUE,
    hip_tests("hipIpcOpenMemHandle", "HIP answers hipErrorInvalidValue to any other flags; clr also refuses 0"),
    fix="pass hipIpcMemLazyEnablePeerAccess",
)
HANDLE_IS_NOT_EMPTY = Rule(
    "the memory size stored in `handle` is not 0, as it is in a zeroed handle",
    Result.INVALID_VALUE,
    source("hipIpcOpenMemHandle", "clr answers hipErrorInvalidValue when the size in the handle is 0"),
    fix="pass all 64 bytes that hipIpcGetMemHandle returned; a zeroed handle names no memory",
)
HANDLE_IS_ANOTHER_PROCESS_S = Rule(
    "another process exported `handle`",
    Result.INVALID_CONTEXT,
    hip_tests("hipIpcOpenMemHandle", "HIP answers hipErrorInvalidContext in the process that created the handle"),
    fix="open the handle in another process; use the memory itself in the process that allocated it",
)
OWNER_IS_SEEN = Rule(
    "the process sees a device with the same number as the exporter's device",
    Result.INVALID_VALUE,
    source("hipIpcOpenMemHandle", "clr of 2026 answers hipErrorInvalidValue; earlier releases do not check this"),
    fix="let this process see as many devices as the exporter (HIP_VISIBLE_DEVICES)",
)
HANDLE_ATTACHES = Rule(
    "`handle` comes from hipIpcGetMemHandle in a process that is still alive, and there are free addresses to map it",
    Error.INVALID_DEVICE_POINTER,
    source("hipIpcOpenMemHandle", "clr answers hipErrorInvalidDevicePointer when its backend cannot attach"),
    fix="pass all 64 bytes that hipIpcGetMemHandle returned, and keep the exporter alive until it is opened",
)
EXPORTER_HAS_IT = Rule(
    "the exporting process has not freed the memory of `handle`",
    Error.INVALID_DEVICE_POINTER,
    undefined(
        "hipIpcOpenMemHandle",
        "Calling hipFree on an exported memory region before calling hipIpcCloseMemHandle in the importing context will "
        "result in undefined",
    ),
    fix="keep the memory in the exporter until every importer has called hipIpcCloseMemHandle",
)
POINTER_IS_A_MAPPING = Rule(
    "`devPtr` lies in memory that hipIpcOpenMemHandle opened and that is still open",
    Result.INVALID_VALUE,
    hip_tests(
        "hipIpcCloseMemHandle",
        "HIP answers hipErrorInvalidValue to null; clr answers the same to unknown addresses "
        "and to memory of the process itself",
    ),
    fix="pass the address that hipIpcOpenMemHandle returned, once for each call that opened it",
)
EVENT_IS_GIVEN = Rule(
    "`event` is not null",
    Result.INVALID_VALUE,
    source("hipIpcGetEventHandle", "clr answers hipErrorInvalidValue to null"),
    fix="pass an event that hipEventCreateWithFlags created with hipEventInterprocess",
)
EVENT_IS_INTERPROCESS = Rule(
    "`event` was created with hipEventInterprocess",
    Error.INVALID_CONFIGURATION,
    source("hipIpcGetEventHandle", "clr answers hipErrorInvalidConfiguration if this rule is broken"),
    fix="create the event with hipEventInterprocess and hipEventDisableTiming",
)
EVENT_IS_ANOTHER_PROCESS_S = Rule(
    "another process exported `handle`",
    Result.INVALID_CONTEXT,
    hip_tests("hipIpcOpenEventHandle", "HIP answers hipErrorInvalidContext in the process that created the handle"),
    fix="open the handle in another process; use the event itself in the process that created it",
)
EVENT_IS_KNOWN = Rule(
    "`handle` comes from hipIpcGetEventHandle; HIP 6.3 also takes any valid name of POSIX shared memory",
    Result.INVALID_VALUE,
    source(
        "hipIpcOpenEventHandle",
        "clr answers hipErrorInvalidValue if it cannot import the signal; clr of 2024 creates shared memory for an "
        "unknown name",
    ),
    fix="pass all 64 bytes that hipIpcGetEventHandle returned",
)


@HIP.op("hipIpcGetMemHandle")
def get_mem_handle(call: Call, ptr: int) -> bytes:
    """Return the IPC handle of an address: 64 bytes that name its allocation and the offset in it."""
    # CHECK
    process = answering(call)
    allocation = process.memory.at(ptr)
    if isinstance(allocation, Import):
        call.undefined(MEMORY_IS_NOT_OPENED, pointer=ptr, found=allocation)
        raise MEMORY_IS_NOT_OPENED.broken(pointer=ptr, found=allocation)
    if not isinstance(allocation, Allocation | Pooled) or (isinstance(allocation, Pooled) and allocation.source):
        raise POINTER_IS_ALLOCATED.broken(pointer=ptr, found=allocation or process.freed.get(ptr))
    # EFFECT
    if isinstance(allocation, Pooled):
        share = memory_effects.share_pooled(allocation, NAME)
    else:
        share = memory_effects.share(allocation, NAME)
    return HANDLE.pack(
        share.handle[:32], allocation.size, ptr - allocation.start, process.number + 1, call.thread.device
    )


@guard
def attachable(call: Call, name: bytes, share: Share | None) -> Share:
    """Return the allocation of a handle, whose process must be alive."""
    if share is None or not share.process.alive:
        raise HANDLE_ATTACHES.broken(handle=name[:6].hex(), share=share)
    if not share.live or (isinstance(share.allocation, Pooled) and not share.allocation.live):
        call.undefined(EXPORTER_HAS_IT, share=share)
        if not share.extent.references:
            raise EXPORTER_HAS_IT.broken(share=share)
    return share


@HIP.op("hipIpcOpenMemHandle")
def open_mem_handle(call: Call, handle: bytes, flags: int) -> int:
    """Map the allocation of another process. HIP 7.2 counts a second open; HIP 6.3 maps the memory again.

    Args:
        call: The call.
        handle: 64 bytes.
        flags: hipIpcMemLazyEnablePeerAccess (1) and nothing else; no table of peers changes.

    Returns:
        The address of the allocation's base in this process.
    """
    # CHECK
    process = answering(call)
    if flags != LAZY_ENABLE_PEER_ACCESS:
        raise FLAGS_ARE_LAZY.broken(flags=flags)
    name, size, _, _, number = HANDLE.unpack(handle)
    if not size:
        raise HANDLE_IS_NOT_EMPTY.broken(handle=name[:6].hex())
    known = call.machine.exchange.shares.get(name)
    if known is not None and known.process is process:
        raise HANDLE_IS_ANOTHER_PROCESS_S.broken(share=known)
    if number >= len(process.devices):
        refuse(call, OWNER_IS_SEEN, device=number, devices=len(process.devices))
    again = does(call, ATTACHES_AGAIN)
    for (key, _), opened in process.ipc.imports.items():
        if key == name and not again:
            memory_effects.attach_again(opened, process.devices[call.thread.device])
            return opened.start
    share = attachable(call, name, known)
    context = acting(call)
    # EFFECT
    made = memory_effects.attach(context, share, ALIGNMENT, history.here())
    if made is None:
        raise HANDLE_ATTACHES.broken(size=share.allocation.size)
    return made.start


@HIP.op("hipIpcCloseMemHandle")
def close_mem_handle(call: Call, ptr: int) -> None:
    """Close an IPC mapping after the work of the null stream is done. The last close unmaps it."""
    # CHECK
    process = entered(call)
    opened = process.memory.at(ptr)
    if not isinstance(opened, Import):
        raise POINTER_IS_A_MAPPING.broken(pointer=ptr, found=opened or process.freed.get(ptr))
    # EFFECT
    if call.machine.scheduler.pending:
        waited(acting(call), by=orders.ENDED)
    race.seen_in(call, opened.context, by=orders.ENDED)
    memory_effects.detach(process, opened, history.here())


@HIP.op("hipIpcGetEventHandle")
def get_event_handle(call: Call, handle: int) -> bytes:
    """Return the 64-byte IPC handle of an event, the same each time."""
    # CHECK
    answering(call)
    if not handle:
        raise EVENT_IS_GIVEN.broken()
    event = known_event(call, handle)
    if not event.flags & INTERPROCESS:
        raise EVENT_IS_INTERPROCESS.broken(event=event)
    # EFFECT
    return event.export()


def _names_a_file(handle: bytes) -> bool:
    """Return whether the system can create shared memory with this name."""
    name = handle.partition(b"\0")[0].lstrip(b"/")
    return bool(name) and b"/" not in name and name not in {b".", b".."}


@HIP.op("hipIpcOpenEventHandle")
@orders.makes(orders.AWAITED_ELSEWHERE)
def open_event_handle(call: Call, handle: bytes) -> int:
    """Open the event of another process. HIP 6.3 also creates an event for an unknown name."""
    # CHECK
    process = answering(call)
    exported = call.machine.exchange.exported_events.get(handle)
    if exported is None and not (does(call, MAKES_THE_EVENT) and _names_a_file(handle)):
        raise EVENT_IS_KNOWN.broken(handle=handle[:6].hex())
    if exported and exported.context.process is process:
        raise EVENT_IS_ANOTHER_PROCESS_S.broken(event=exported)
    # EFFECT
    return context_effects.create_event(acting(call), INTERPROCESS | DISABLE_TIMING, history.here(), exported).handle
