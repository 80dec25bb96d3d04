"""cuIpcOpenMemHandle: map another process's allocation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.memory import Allocation
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.driver.ipc.supported import interprocess
from fakecuda.rules.driver.peer.connection import connectable
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context, Device
    from fakecuda.model.memory.memory import Share

LAZY_ENABLE_PEER_ACCESS = 1
ALIGNMENT = 512

FLAGS_ARE_LAZY = Rule(
    "the flags include CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS",
    Result.INVALID_VALUE,
    manual("cuIpcOpenMemHandle", "Must be specified as CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS"),
    fix="pass CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS",
)
HANDLE_IS_KNOWN = Rule(
    "`handle` is a handle that cuIpcGetMemHandle returned",
    Result.INVALID_VALUE,
    manual("cuIpcOpenMemHandle", "Maps memory exported from another process with cuIpcGetMemHandle"),
    fix="pass all 64 bytes that cuIpcGetMemHandle returned",
)
HANDLE_IS_ANOTHER_PROCESS_S = Rule(
    "another process got `handle` from cuIpcGetMemHandle",
    Result.INVALID_CONTEXT,
    manual("cuIpcOpenMemHandle", "Opens an interprocess memory handle exported from another process"),
    fix="open the handle in another process; use the memory itself in the process that allocated it",
)
EXPORTER_IS_ALIVE = Rule(
    "the exporting process is alive, or this process has the memory open already",
    Result.INVALID_HANDLE,
    observed(
        "cuIpcOpenMemHandle", "the driver answers INVALID_HANDLE to a handle of a process that exited or was killed"
    ),
    fix="keep the exporting process alive until the handle is opened",
)
CONTEXT_IS_THE_OPENER = Rule(
    "no other context on the current device has memory of the same exporting process and device open",
    Result.INVALID_HANDLE,
    manual("cuIpcOpenMemHandle", "may only be opened by one CUcontext per CUdevice per other process"),
    fix="open the handle in the context that has already opened other handles of this exporter",
)
EXPORTER_HAS_IT = Rule(
    "the exporting process has not freed the memory that `handle` names",
    Result.INVALID_VALUE,
    undefined(
        "cuIpcOpenMemHandle", "Calling cuMemFree on an exported memory region … will result in undefined behavior"
    ),
    fix="keep the memory in the exporter until every importer has called cuIpcCloseMemHandle",
)
PLACE_IS_EXPORTED = Rule(
    "if the exporter freed the memory and allocated again at its address, it called cuIpcGetMemHandle for the new "
    "memory",
    Result.NOT_PERMITTED,
    undefined(
        "cuIpcOpenMemHandle", "Calling cuMemFree on an exported memory region … will result in undefined behavior"
    ),
    fix="call cuMemFree on exported memory only after all importers have called cuIpcCloseMemHandle",
)
DEVICE_IS_REACHABLE = Rule(
    "the memory lies on the current device, or on a device that the current device can access as a peer",
    Result.PEER_ACCESS_UNSUPPORTED,
    manual("cuIpcOpenMemHandle", "cuDeviceCanAccessPeer can determine if a mapping is possible"),
    fix="open the handle on a device that can access the exporter's device",
)
ADDRESSES_SUFFICE = Rule(
    "the process has enough free addresses for the memory",
    Result.MAP_FAILED,
    manual("cuIpcOpenMemHandle", "CUDA_ERROR_MAP_FAILED"),
    fix="first call cuIpcCloseMemHandle on unused memory, or free unused address reservations",
)


@guard
def _share_of(call: Call, handle: bytes, context: Context) -> Share:
    """Return the exported allocation of a handle, alive unless already open here."""
    share = call.machine.exchange.shares.get(handle)
    if share is None and not call.machine.exchange.has_named(handle):
        raise HANDLE_IS_KNOWN.broken(handle=handle[:6].hex())
    if share is not None and share.process is call.process:
        raise HANDLE_IS_ANOTHER_PROCESS_S.broken(share=share)
    if share is None or (
        not share.process.alive and (share.handle, context.device.ordinal) not in call.process.ipc.imports
    ):
        raise EXPORTER_IS_ALIVE.broken(handle=handle[:6].hex(), share=share)
    return share


@guard
def _instead(share: Share) -> Share:
    """Return the memory that driver 580 opens by a handle of freed memory, if any.

    Args:
        share: What the handle named.
    """
    freed = share.allocation
    block = freed.context.linear.blocks.get(freed.block.start) if isinstance(freed, Allocation) else None
    if block is None or not block.live:
        raise EXPORTER_HAS_IT.broken(share=share)
    if block.names is None:
        raise PLACE_IS_EXPORTED.broken(share=share, block=block)
    if block is freed.block:
        return share
    found = share.process.memory.at(freed.start)
    if not isinstance(found, Allocation) or found.share is None or block.size != freed.block.size:
        raise EXPORTER_HAS_IT.broken(share=share, found=found)
    return found.share


@guard
def _reach(call: Call, context: Context, exporter: Device) -> None:
    """Check that the current context can access the device of the exported memory."""
    profile = call.machine.profile
    link = profile.peers.get((context.device.ordinal, exporter.ordinal))
    if link is None or not link.can_access:
        raise DEVICE_IS_REACHABLE.broken(context=context, exporter=exporter)
    connectable(call, context.device, exporter)


@DRIVER.op("cuIpcOpenMemHandle")
def ipc_open_mem_handle(call: Call, handle: bytes, flags: int) -> int:
    """Map the allocation of another process. A second open of the same handle is counted, and returns the same address.

    Args:
        call: The call.
        handle: 64 bytes.
        flags: CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS (1); other bits are ignored.

    Returns:
        The address of the allocation's base in this process.
    """
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not flags & LAZY_ENABLE_PEER_ACCESS:
        raise FLAGS_ARE_LAZY.broken(flags=flags)
    context = current(call)
    interprocess(context)
    share = _share_of(call, handle, context)
    process = call.process
    exporter = share.allocation.device
    line = share.process.name, exporter.ordinal, context.device.ordinal
    opener, _ = process.ipc.lines.get(line, (context, 0))
    if opener is not context:
        raise CONTEXT_IS_THE_OPENER.broken(opener=opener, context=context)
    opened = process.ipc.imports.get((share.handle, context.device.ordinal))
    if opened is None and not share.live:
        call.undefined(EXPORTER_HAS_IT, share=share)
        share = _instead(share)
    if exporter is not context.device:
        _reach(call, context, exporter)
    # EFFECT
    if opened is not None:
        memory_effects.attach_again(opened)
        return opened.start
    opened = memory_effects.attach(context, share, ALIGNMENT, history.here())
    if opened is None:
        raise ADDRESSES_SUFFICE.broken(size=share.allocation.size)
    return opened.start
