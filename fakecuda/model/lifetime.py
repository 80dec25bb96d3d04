"""How contexts come and go, with all that is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import blocks
from fakecuda.model.context import Context
from fakecuda.model.machine import HANDLES
from fakecuda.model.memory import Allocation, Import

if TYPE_CHECKING:
    from fakecuda.model.context import Device, PrimaryContext
    from fakecuda.model.history import Stack
    from fakecuda.model.process import Process

MAP_HOST = 8
"""CU_CTX_MAP_HOST: a primary context always supports pinned allocations."""


def create(process: Process, device: Device, flags: int, stack: Stack) -> Context:
    """Return a new context of the process; the device's memory has room for it."""
    context = Context(next(HANDLES), process, device, flags, created=stack)
    process.contexts[context.handle] = context
    device.memory.used += process.machine.profile.context_memory
    return context


def activate(process: Process, device: Device, primary: PrimaryContext, stack: Stack) -> None:
    """Make a device's primary context active; its handle is the same as ever in this process."""
    old = primary.context
    context = Context(
        old.handle if old else next(HANDLES), process, device, primary.flags | MAP_HOST, primary=True, created=stack
    )
    primary.context = context
    primary.active = True
    process.contexts[context.handle] = context
    process.dead_contexts.pop(context.handle, None)
    device.memory.used += process.machine.profile.context_memory
    # Where the old one lingers on stacks, the handle names the new one again.
    for thread in process.threads.values():
        if old in thread.stack:
            thread.stack[:] = [context if item is old else item for item in thread.stack]


def deactivate(process: Process, primary: PrimaryContext, stack: Stack) -> None:
    """Destroy a device's primary context; its references stay."""
    assert primary.context is not None
    destroy(process, primary.context, stack)
    primary.context.flags = primary.flags = 0
    primary.active = False


def destroy(process: Process, context: Context, stack: Stack) -> None:
    """End a context: its allocations and IPC mappings go, it lingers on stacks."""
    context.destroyed = True
    context.ended = stack
    for start in [*context.allocations, *context.imports]:
        item = process.memory.at(start)
        assert isinstance(item, Allocation | Import)
        free(process, item, stack)
    for other in process.contexts.values():
        other.peers.discard(context)
    context.peers.clear()
    blocks.release_all(process, context)
    del process.contexts[context.handle]
    process.dead_contexts[context.handle] = context
    context.device.memory.used -= process.machine.profile.context_memory


def free(process: Process, item: Allocation | Import, stack: Stack) -> None:
    """End an allocation or an IPC mapping of the process."""
    process.memory.remove(item)
    item.ended = stack
    process.note_freed(item.start, item)
    if isinstance(item, Allocation):
        context = item.context
        del context.allocations[item.start]
        if item.share is not None:
            item.share.live = False
        blocks.give(process, context, item.start, item.end - item.start, item.block)
    else:
        del item.context.imports[item.start]
        item.share.importers.remove(item)
        context, count = process.ipc_lines.pop(item.line)
        if count > 1:
            process.ipc_lines[item.line] = context, count - 1
        del process.imports[item.share.handle, item.context.device.ordinal]
        process.addresses.give(item.start, item.end - item.start)
        item.extent.release()
