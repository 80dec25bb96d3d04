"""Calls of the runtime API that omit an argument of the driver call, or check an argument before the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import Rule, undefined
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.device.device_get_default_mem_pool import device_get_default_mem_pool
from fakecuda.rules.driver.event.event_create import FLAGS, FLAGS_ARE_KNOWN, event_create
from fakecuda.rules.driver.event.event_elapsed_time import event_elapsed_time
from fakecuda.rules.driver.ipc.ipc_get_event_handle import exportable
from fakecuda.rules.driver.ipc.ipc_get_mem_handle import ipc_get_mem_handle
from fakecuda.rules.driver.memory.mem_alloc_pitch import mem_alloc_pitch
from fakecuda.rules.driver.memory.mem_host_get_device_pointer import POINTER_IS_PAGE_LOCKED, mem_host_get_device_pointer
from fakecuda.rules.driver.memory.mem_host_get_flags import mem_host_get_flags
from fakecuda.rules.driver.pool.mem_pool_create import mem_pool_create
from fakecuda.rules.driver.pool.mem_pool_get_access import granted
from fakecuda.rules.driver.stream.stream_create import stream_create
from fakecuda.rules.driver.stream.stream_get_device import stream_get_device
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import (
    acting,
    active,
    active_for,
    device_at,
    given,
    given_first,
    initialised,
    on_stream,
)
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

ELEMENT = 4
"""The smallest element size of cuMemAllocPitch, in bytes."""

HANDLE_IS_GIVEN = Rule(
    "`handle` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cudaIpcGetMemHandle",
        "the manual says nothing about a null handle; libcudart 13.0 writes to the null pointer (segmentation fault)",
    ),
    fix="pass the address of the handle",
)
DEVICE_IS_GIVEN = Rule(
    "`device` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cudaStreamGetDevice",
        "the manual says nothing about a null device; libcudart 13.0 writes to the null pointer (segmentation fault)",
    ),
    fix="pass the address of an int for the device",
)
FLAGS_ARE_GIVEN = Rule(
    "`flags` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cudaMemPoolGetAccess",
        "the manual says nothing about null flags; libcudart 13.0 writes to the null pointer (segmentation fault)",
    ),
    fix="pass an address for the access flags",
)


@RUNTIME.op("cudaEventCreate")
def create_event(call: Call) -> int:
    """Create an event with timing."""
    active(call)
    return event_create(call, 0)


@RUNTIME.op("cudaEventCreateWithFlags")
def create_event_with_flags(call: Call, flags: int) -> int:
    """Create an event. Its flags are looked at before the context, whose work may have failed."""
    acting(call)
    if flags & ~FLAGS:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    return event_create(call, flags)


@RUNTIME.op("cudaEventElapsedTime")
def elapsed_time(call: Call, start: int, end: int) -> float:
    """Return the milliseconds between the work of two events."""
    initialised(call)
    given(call)
    return event_elapsed_time(call, start, end)


@RUNTIME.op("cudaIpcGetEventHandle")
def get_event_handle(call: Call, event: int) -> bytes:
    """Return the IPC handle of an event; the result pointer is checked last."""
    # CHECK
    active(call)
    exported = exportable(call, event)
    if call.nulls:
        call.undefined(HANDLE_IS_GIVEN)
        raise HANDLE_IS_GIVEN.broken()
    # EFFECT
    return exported.export()


@RUNTIME.op("cudaIpcGetMemHandle")
def get_mem_handle(call: Call, dev_ptr: int) -> bytes:
    """Return the IPC handle of an allocation."""
    active(call)
    if call.nulls:
        call.undefined(HANDLE_IS_GIVEN)
        raise HANDLE_IS_GIVEN.broken()
    return ipc_get_mem_handle(call, dev_ptr)


@RUNTIME.op("cudaMemPoolGetAccess")
def pool_access(call: Call, pool: int, location: tuple[int, int] | None) -> int:
    """Return the access flags of a location for a pool. The call checks the result pointer last."""
    initialised(call)
    require_initialized(call)
    flags = granted(call, pool, location)
    if call.nulls:
        call.undefined(FLAGS_ARE_GIVEN)
        raise FLAGS_ARE_GIVEN.broken()
    return flags


@RUNTIME.op("cudaHostGetDevicePointer")
def device_pointer(call: Call, p_host: int, flags: int) -> int:
    """Return the address by which the device accesses page-locked host memory."""
    initialised(call)
    if not p_host:
        raise POINTER_IS_PAGE_LOCKED.broken(p=p_host)
    active(call)
    return mem_host_get_device_pointer(call, p_host, flags)


@RUNTIME.op("cudaHostGetFlags")
def host_flags(call: Call, p_host: int) -> int:
    """Return the flags with which host memory was allocated or registered."""
    given_first(call)
    active(call)
    return mem_host_get_flags(call, p_host)


@RUNTIME.op("cudaStreamGetDevice")
def device_of_stream(call: Call, stream: int) -> int:
    """Return the device of a stream, for a created stream even in a fork and in a host function."""
    on_stream(call, stream)
    if call.nulls:
        call.undefined(DEVICE_IS_GIVEN)
        raise DEVICE_IS_GIVEN.broken()
    return stream_get_device(call, stream)


@RUNTIME.op("cudaStreamCreate")
def create_stream(call: Call) -> int:
    """Create a stream that blocks on the legacy default stream, and return it."""
    active(call)
    return stream_create(call, 0)


@RUNTIME.op("cudaMallocPitch")
def malloc_pitch(call: Call, width: int, height: int) -> tuple[int, int]:
    """Allocate memory for rows, and return its address and pitch; 0 without rows."""
    given_first(call)
    active_for(call, width * height)
    return mem_alloc_pitch(call, width, height, ELEMENT) if width and height else (0, 0)


@RUNTIME.op("cudaDeviceGetDefaultMemPool")
def default_pool(call: Call, device: int) -> int:
    """Return the default memory pool of a device."""
    device_at(call, device)
    return device_get_default_mem_pool(call, device)


@RUNTIME.op("cudaMemPoolCreate")
def create_pool(call: Call, props: tuple[Any, ...] | None) -> int:
    """Create a pool. Unlike a CUmemPoolProps, a cudaMemPoolProps cannot request GPUDirect RDMA."""
    initialised(call)
    return mem_pool_create(call, None if props is None else (*props, 0))
