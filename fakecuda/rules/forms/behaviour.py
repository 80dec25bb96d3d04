"""Older versions of functions with other behaviour: they check more, or wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.context import MAP_HOST
from fakecuda.model.work.stream import PER_THREAD
from fakecuda.rules.core import Rule, guard, observed
from fakecuda.rules.driver.context.ctx_create import known
from fakecuda.rules.driver.context.ctx_destroy import ctx_destroy
from fakecuda.rules.driver.context.ctx_pop_current import ctx_pop_current
from fakecuda.rules.driver.context.ctx_push_current import ctx_push_current
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import require_driver_up, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.event.event_destroy import event_destroy
from fakecuda.rules.driver.event.handle import awaited, live_event_of
from fakecuda.rules.driver.ipc.ipc_open_mem_handle import LAZY_ENABLE_PEER_ACCESS, ipc_open_mem_handle
from fakecuda.rules.driver.primary_ctx.device_primary_ctx_release import device_primary_ctx_release
from fakecuda.rules.driver.primary_ctx.device_primary_ctx_reset import device_primary_ctx_reset
from fakecuda.rules.driver.primary_ctx.device_primary_ctx_set_flags import device_primary_ctx_set_flags
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.stream.order import waited
from fakecuda.rules.driver.stream.stream_batch_mem_op import OPERATIONS_ARE_FEW
from fakecuda.rules.driver.stream.stream_destroy import destroyable, stream_destroy
from fakecuda.rules.registry import FORMS
from fakecuda.spec import mem_ops, orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.driver.stream.stream_batch_mem_op import Operations

CONTEXT_IS_FLOATING = Rule(
    "`ctx` is on the stack of no thread",
    Result.INVALID_CONTEXT,
    observed(
        "cuCtxPushCurrent", "cuCtxPushCurrent_v1 answers INVALID_CONTEXT for a context that is current to a thread"
    ),
    fix="pop the context first, or use cuCtxPushCurrent_v2, which also accepts a current context",
)
CONTEXT_IS_USED_ONCE = Rule(
    "the usage count of `ctx` is 1: of cuCtxAttach, or of cuDevicePrimaryCtxRetain for a primary context",
    Result.INVALID_CONTEXT,
    observed(
        "cuCtxPushCurrent",
        "cuCtxPushCurrent_v1 answers INVALID_CONTEXT for a context whose usage count is 2, and for a primary context that "
        "was released; cuCtxAttach does not count for primary contexts",
    ),
    fix="call cuCtxDetach or cuDevicePrimaryCtxRelease for the other uses first, or use cuCtxPushCurrent_v2",
)
CONTEXT_IS_NOT_BENEATH = Rule(
    "`ctx` is not beneath another context on the context stack of the calling thread",
    Result.INVALID_CONTEXT,
    observed("cuCtxDestroy", "cuCtxDestroy_v1 answers INVALID_CONTEXT for a context beneath the current one"),
    fix="pop the contexts above it first, or use cuCtxDestroy_v2",
)
CONTEXT_IS_USED_HERE_ALONE = Rule(
    "`ctx` is the current context of the calling thread, or is not on the context stack of any thread",
    Result.INVALID_CONTEXT,
    observed("cuCtxDestroy", "cuCtxDestroy_v1 answers INVALID_CONTEXT for a context on the stack of another thread"),
    fix="make the context current in this thread first, or use cuCtxDestroy_v2",
)
CONTEXT_IS_ATTACHED_ONCE = Rule(
    "cuCtxDetach was called for `ctx` as often as cuCtxAttach",
    Result.INVALID_CONTEXT,
    observed("cuCtxDestroy", "cuCtxDestroy_v1 answers INVALID_CONTEXT for a context whose usage count is 2"),
    fix="call cuCtxDetach once for each cuCtxAttach, or use cuCtxDestroy_v2",
)
CONTEXT_IS_INACTIVE = Rule(
    "the primary context of the device is not active",
    Result.PRIMARY_CONTEXT_ACTIVE,
    observed(
        "cuDevicePrimaryCtxSetFlags",
        "cuDevicePrimaryCtxSetFlags_v1 answers PRIMARY_CONTEXT_ACTIVE after the primary context was retained",
    ),
    fix="set the flags before cuDevicePrimaryCtxRetain, or use cuDevicePrimaryCtxSetFlags_v2",
)
MEMORY_IS_NOT_OPEN = Rule(
    "the process has not opened the memory of the handle on the current device",
    Result.ALREADY_MAPPED,
    observed(
        "cuIpcOpenMemHandle",
        "cuIpcOpenMemHandle_v1 answers ALREADY_MAPPED to a handle that is open; the newest function counts the opens",
    ),
    fix="open a handle once, or use cuIpcOpenMemHandle_v2, which returns the same address again and counts the opens",
)
OPERATIONS_ARE_SUPPORTED = Rule(
    "the device has CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1, which the model's devices lack",
    Result.NOT_SUPPORTED,
    observed(
        "cuStreamBatchMemOp",
        "functions without _v2 answer NOT_SUPPORTED, because the device attributes that end in _V1 are 0",
    ),
    fix="use the form that ends in _v2, such as cuStreamWriteValue32_v2",
)


@guard
def _on_stacks(call: Call, ctx: int) -> tuple[Context | None, int]:
    """Return the context of a handle (or None), and how many thread stacks hold it."""
    context = call.process.contexts.get(ctx)
    stacks = 0 if context is None else sum(context in thread.stack for thread in call.process.threads.values())
    return context, stacks


def _uses(call: Call, context: Context) -> int:
    """Return the usage count of a context; for a primary context, its retain count."""
    return call.process.primary(context.device.ordinal).references if context.primary else context.usage


@FORMS.op("cuCtxPopCurrent_v1")
def ctx_pop_current_v1(call: Call) -> int:
    """Pop the calling thread's stack and return the popped context.

    A context whose usage count is not 1 stays: the call succeeds, and the handle is null.
    """
    # CHECK
    require_initialized(call)
    stack = call.thread.stack
    if stack and not stack[-1].destroyed and _uses(call, stack[-1]) > 1:
        return 0
    # EFFECT
    return ctx_pop_current(call)


@FORMS.op("cuCtxPushCurrent_v1")
def ctx_push_current_v1(call: Call, ctx: int) -> None:
    """Push a context that is current to no thread and has a usage count of 1."""
    # CHECK
    require_initialized(call)
    context, stacks = _on_stacks(call, ctx)
    if stacks:
        raise CONTEXT_IS_FLOATING.broken(context=context)
    inactive = call.process.dead_contexts.get(ctx)
    if (context is not None and _uses(call, context) > 1) or (inactive is not None and inactive.primary):
        raise CONTEXT_IS_USED_ONCE.broken(context=context or inactive)
    # EFFECT
    ctx_push_current(call, ctx)


@FORMS.op("cuCtxDestroy_v1")
def ctx_destroy_v1(call: Call, ctx: int) -> None:
    """Destroy a context with usage count 1 that is on no other thread's stack."""
    # CHECK
    require_driver_up(call)
    context, stacks = _on_stacks(call, ctx)
    if context is not None and not context.primary:
        if context.usage > 1:
            raise CONTEXT_IS_ATTACHED_ONCE.broken(context=context, usage=context.usage)
        stack = call.thread.stack
        if context in stack and stack[-1] is not context:
            raise CONTEXT_IS_NOT_BENEATH.broken(context=context, current=stack[-1])
        if stacks and context not in stack:
            raise CONTEXT_IS_USED_HERE_ALONE.broken(context=context)
    # EFFECT
    ctx_destroy(call, ctx)


@FORMS.op("cuDevicePrimaryCtxRelease_v1")
def device_primary_ctx_release_v1(call: Call, dev: int) -> None:
    """Release a device's primary context. Without a reference the call succeeds and does nothing."""
    # CHECK
    process = require_initialized(call)
    device = device_of(call, dev)
    # EFFECT
    if process.primary(device.ordinal).references:
        device_primary_ctx_release(call, dev)


@FORMS.op("cuDevicePrimaryCtxReset_v1")
def device_primary_ctx_reset_v1(call: Call, dev: int) -> None:
    """Reset the primary context of a device, and release a reference to it."""
    # EFFECT
    device_primary_ctx_reset(call, dev)
    device_primary_ctx_release_v1(call, dev)


@FORMS.op("cuDevicePrimaryCtxSetFlags_v1")
def device_primary_ctx_set_flags_v1(call: Call, dev: int, flags: int) -> None:
    """Set the flags of a device's primary context, which must not be active."""
    # CHECK
    process = require_initialized(call)
    device = device_of(call, dev)
    primary = process.primary(device.ordinal)
    if primary.references and not flags & MAP_HOST and known(call, flags):
        raise CONTEXT_IS_INACTIVE.broken(device=device)
    # EFFECT
    device_primary_ctx_set_flags(call, dev, flags)


@FORMS.op("cuEventDestroy_v1")
def event_destroy_v1(call: Call, event: int) -> None:
    """Destroy an event after its work; if never recorded, after its context's work."""
    # CHECK
    require_driver_up(call)
    ending = live_event_of(call, event)
    # EFFECT
    if ending.records:
        awaited(call, ending, orders.OLDER_DESTROYED)
    else:
        waited(ending.context, by=orders.OLDER_DESTROYED)
    event_destroy(call, event)


@FORMS.op("cuIpcOpenMemHandle_v1")
def ipc_open_mem_handle_v1(call: Call, handle: bytes, flags: int) -> int:
    """Map memory of another process that is not mapped yet, and return its address.

    Args:
        call: The call.
        handle: The CUipcMemHandle.
        flags: CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.
    """
    # CHECK
    stack = call.thread.stack
    share = call.machine.exchange.shares.get(handle)
    opened = call.process.ipc.imports.get((share.handle, stack[-1].device.ordinal)) if share and stack else None
    if opened is not None and flags & LAZY_ENABLE_PEER_ACCESS and not call.nulls:
        current(call)
        raise MEMORY_IS_NOT_OPEN.broken(opened=opened)
    # EFFECT
    return ipc_open_mem_handle(call, handle, flags)


@FORMS.op("cuStreamDestroy_v1")
def stream_destroy_v1(call: Call, stream: int) -> None:
    """Wait for a stream's work, and destroy the stream."""
    # CHECK
    ending = destroyable(call, stream) if stream > PER_THREAD else None
    # EFFECT
    if ending is not None:
        waited(ending.context, ending, by=orders.OLDER_DESTROYED)
    stream_destroy(call, stream)


@guard
def _unsupported(call: Call, stream: int, name: str, count: int = 1) -> None:
    """Refuse stream memory operations of version 1."""
    working = stream_of(call, stream, name)
    if count >= mem_ops.MOST:
        raise OPERATIONS_ARE_FEW.broken(count=count)
    raise OPERATIONS_ARE_SUPPORTED.broken(stream=working)


def _declare(name: str) -> None:
    """Declare a version 1 form of a memory operation."""

    @FORMS.op(f"{name}_v1")
    def memory_operation(call: Call, stream: int, _addr: int, _value: int, _flags: int) -> None:
        """Have a stream wait for a value or write a value, by the device attributes before CUDA 11.7."""
        _unsupported(call, stream, name)


for _name in ("cuStreamWaitValue32", "cuStreamWaitValue64", "cuStreamWriteValue32", "cuStreamWriteValue64"):
    _declare(_name)


@FORMS.op("cuStreamBatchMemOp_v1")
def stream_batch_mem_op_v1(call: Call, stream: int, count: int, _operations: Operations | None, _flags: int) -> None:
    """Have a stream wait for values and write values, by the device attributes before CUDA 11.7."""
    _unsupported(call, stream, "cuStreamBatchMemOp", count)
