"""Calls of the runtime API that make one driver call, after they have made a context or initialised the driver."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import guard
from fakecuda.rules.driver.context.ctx_get_cache_config import ctx_get_cache_config
from fakecuda.rules.driver.context.ctx_get_limit import ctx_get_limit
from fakecuda.rules.driver.context.ctx_get_shared_mem_config import ctx_get_shared_mem_config
from fakecuda.rules.driver.context.ctx_get_stream_priority_range import ctx_get_stream_priority_range
from fakecuda.rules.driver.context.ctx_reset_persisting_l2cache import ctx_reset_persisting_l2cache
from fakecuda.rules.driver.context.ctx_set_cache_config import ctx_set_cache_config
from fakecuda.rules.driver.context.ctx_set_limit import ctx_set_limit
from fakecuda.rules.driver.context.ctx_set_shared_mem_config import ctx_set_shared_mem_config
from fakecuda.rules.driver.context.ctx_synchronize import ctx_synchronize
from fakecuda.rules.driver.copy.memcpy_batch_async import memcpy_batch_async
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.device.device_get_attribute import device_get_attribute
from fakecuda.rules.driver.device.device_get_by_pci_bus_id import device_get_by_pci_bus_id
from fakecuda.rules.driver.device.device_get_mem_pool import device_get_mem_pool
from fakecuda.rules.driver.device.device_get_pci_bus_id import device_get_pci_bus_id
from fakecuda.rules.driver.device.device_set_mem_pool import device_set_mem_pool
from fakecuda.rules.driver.device.flush_gpu_direct_rdma_writes import flush_gpu_direct_rdma_writes
from fakecuda.rules.driver.device.graph_mem import (
    device_get_graph_mem_attribute,
    device_graph_mem_trim,
    device_set_graph_mem_attribute,
)
from fakecuda.rules.driver.event.event_destroy import event_destroy
from fakecuda.rules.driver.event.event_query import event_query
from fakecuda.rules.driver.event.event_record import event_record
from fakecuda.rules.driver.event.event_record_with_flags import event_record_with_flags
from fakecuda.rules.driver.event.event_synchronize import event_synchronize
from fakecuda.rules.driver.ipc.ipc_close_mem_handle import ipc_close_mem_handle
from fakecuda.rules.driver.ipc.ipc_open_event_handle import ipc_open_event_handle
from fakecuda.rules.driver.ipc.ipc_open_mem_handle import ipc_open_mem_handle
from fakecuda.rules.driver.memory.mem_get_info import mem_get_info
from fakecuda.rules.driver.memory.mem_host_register import mem_host_register
from fakecuda.rules.driver.memory.mem_host_unregister import mem_host_unregister
from fakecuda.rules.driver.peer.device_get_host_atomic_capabilities import device_get_host_atomic_capabilities
from fakecuda.rules.driver.peer.device_get_p2p_atomic_capabilities import device_get_p2p_atomic_capabilities
from fakecuda.rules.driver.peer.device_get_p2p_attribute import device_get_p2p_attribute
from fakecuda.rules.driver.pool.mem_get_default_mem_pool import mem_get_default_mem_pool
from fakecuda.rules.driver.pool.mem_get_mem_pool import mem_get_mem_pool
from fakecuda.rules.driver.pool.mem_pool_destroy import mem_pool_destroy
from fakecuda.rules.driver.pool.mem_pool_export_pointer import mem_pool_export_pointer
from fakecuda.rules.driver.pool.mem_pool_export_to_shareable_handle import mem_pool_export_to_shareable_handle
from fakecuda.rules.driver.pool.mem_pool_get_attribute import mem_pool_get_attribute
from fakecuda.rules.driver.pool.mem_pool_import_from_shareable_handle import mem_pool_import_from_shareable_handle
from fakecuda.rules.driver.pool.mem_pool_import_pointer import mem_pool_import_pointer
from fakecuda.rules.driver.pool.mem_pool_set_attribute import mem_pool_set_attribute
from fakecuda.rules.driver.pool.mem_pool_trim_to import mem_pool_trim_to
from fakecuda.rules.driver.pool.mem_set_mem_pool import mem_set_mem_pool
from fakecuda.rules.driver.profiler.profiling import profiler_start, profiler_stop
from fakecuda.rules.driver.stream.capture_info import (
    STATUS,
    stream_get_capture_info,
    thread_exchange_stream_capture_mode,
)
from fakecuda.rules.driver.stream.launch_host_func import launch_host_func
from fakecuda.rules.driver.stream.stream_add_callback import stream_add_callback
from fakecuda.rules.driver.stream.stream_attach_mem_async import stream_attach_mem_async
from fakecuda.rules.driver.stream.stream_capture import (
    stream_begin_capture,
    stream_begin_capture_to_graph,
    stream_end_capture,
    stream_is_capturing,
    stream_update_capture_dependencies,
)
from fakecuda.rules.driver.stream.stream_copy_attributes import stream_copy_attributes
from fakecuda.rules.driver.stream.stream_create import stream_create
from fakecuda.rules.driver.stream.stream_create_with_priority import stream_create_with_priority
from fakecuda.rules.driver.stream.stream_destroy import stream_destroy
from fakecuda.rules.driver.stream.stream_get_attribute import stream_get_attribute
from fakecuda.rules.driver.stream.stream_get_flags import stream_get_flags
from fakecuda.rules.driver.stream.stream_get_id import stream_get_id
from fakecuda.rules.driver.stream.stream_get_priority import stream_get_priority
from fakecuda.rules.driver.stream.stream_query import stream_query
from fakecuda.rules.driver.stream.stream_set_attribute import stream_set_attribute
from fakecuda.rules.driver.stream.stream_synchronize import stream_synchronize
from fakecuda.rules.driver.stream.stream_wait_event import stream_wait_event
from fakecuda.rules.driver.unified.mem_advise import mem_advise
from fakecuda.rules.driver.unified.mem_batches import (
    mem_discard_and_prefetch_batch_async,
    mem_discard_batch_async,
    mem_prefetch_batch_async,
)
from fakecuda.rules.driver.unified.mem_prefetch_async import mem_prefetch_async
from fakecuda.rules.driver.unified.mem_range_get_attribute import mem_range_get_attribute
from fakecuda.rules.driver.unified.mem_range_get_attributes import mem_range_get_attributes
from fakecuda.rules.forwarding import forward
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import CONTEXT_IS_ALIVE, acting, active, active_once_told, initialised

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call


def through(name: str, function: Callable[..., Any], before: Callable[[Call], object] = active) -> None:
    """Declare a runtime call that makes one driver call.

    Args:
        name: The call.
        function: The operation of the driver API, with the same arguments.
        before: What must be there: a context, or a driver that is initialised.
    """
    declares = sys._getframe(1).f_globals["__name__"]  # noqa: SLF001 - who declares
    forward(RUNTIME, declares, name, function, before)


@guard
def once_told(call: Call) -> None:
    """Make a context current after the check of the status pointer."""
    if STATUS in call.nulls:
        initialised(call)
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    active(call)


through("cudaCtxResetPersistingL2Cache", ctx_reset_persisting_l2cache, initialised)
through("cudaDeviceFlushGPUDirectRDMAWrites", flush_gpu_direct_rdma_writes)
through("cudaDeviceGetAttribute", device_get_attribute, initialised)
through("cudaDeviceGetByPCIBusId", device_get_by_pci_bus_id, initialised)
through("cudaDeviceGetCacheConfig", ctx_get_cache_config)
through("cudaDeviceGetGraphMemAttribute", device_get_graph_mem_attribute, initialised)
through("cudaDeviceGetHostAtomicCapabilities", device_get_host_atomic_capabilities, initialised)
through("cudaDeviceGetLimit", ctx_get_limit)
through("cudaDeviceGetMemPool", device_get_mem_pool, initialised)
through("cudaDeviceGetP2PAtomicCapabilities", device_get_p2p_atomic_capabilities, initialised)
through("cudaDeviceGetP2PAttribute", device_get_p2p_attribute, initialised)
through("cudaDeviceGetPCIBusId", device_get_pci_bus_id, initialised)
through("cudaDeviceGetSharedMemConfig", ctx_get_shared_mem_config)
through("cudaDeviceGetStreamPriorityRange", ctx_get_stream_priority_range)
through("cudaDeviceGraphMemTrim", device_graph_mem_trim, initialised)
through("cudaDeviceSetCacheConfig", ctx_set_cache_config)
through("cudaDeviceSetGraphMemAttribute", device_set_graph_mem_attribute, initialised)
through("cudaDeviceSetLimit", ctx_set_limit)
through("cudaDeviceSetMemPool", device_set_mem_pool, initialised)
through("cudaDeviceSetSharedMemConfig", ctx_set_shared_mem_config)
through("cudaDeviceSynchronize", ctx_synchronize)
through("cudaEventDestroy", event_destroy)
through("cudaEventQuery", event_query, initialised)
through("cudaEventRecord", event_record)
through("cudaEventRecordWithFlags", event_record_with_flags)
through("cudaEventSynchronize", event_synchronize, initialised)
through("cudaHostRegister", mem_host_register)
through("cudaHostUnregister", mem_host_unregister)
through("cudaIpcCloseMemHandle", ipc_close_mem_handle)
through("cudaIpcOpenEventHandle", ipc_open_event_handle)
through("cudaIpcOpenMemHandle", ipc_open_mem_handle)
through("cudaLaunchHostFunc", launch_host_func)
through("cudaMemAdvise", mem_advise)
through("cudaMemDiscardAndPrefetchBatchAsync", mem_discard_and_prefetch_batch_async)
through("cudaMemDiscardBatchAsync", mem_discard_batch_async)
through("cudaMemGetDefaultMemPool", mem_get_default_mem_pool, initialised)
through("cudaMemGetInfo", mem_get_info)
through("cudaMemGetMemPool", mem_get_mem_pool, initialised)
through("cudaMemPoolDestroy", mem_pool_destroy, initialised)
through("cudaMemPoolExportPointer", mem_pool_export_pointer, initialised)
through("cudaMemPoolExportToShareableHandle", mem_pool_export_to_shareable_handle, initialised)
through("cudaMemPoolGetAttribute", mem_pool_get_attribute, initialised)
through("cudaMemPoolImportFromShareableHandle", mem_pool_import_from_shareable_handle, initialised)
through("cudaMemPoolImportPointer", mem_pool_import_pointer, initialised)
through("cudaMemPoolSetAttribute", mem_pool_set_attribute, initialised)
through("cudaMemPoolTrimTo", mem_pool_trim_to, initialised)
through("cudaMemPrefetchAsync", mem_prefetch_async)
through("cudaMemPrefetchBatchAsync", mem_prefetch_batch_async)
through("cudaMemRangeGetAttribute", mem_range_get_attribute, initialised)
through("cudaMemRangeGetAttributes", mem_range_get_attributes, initialised)
through("cudaMemSetMemPool", mem_set_mem_pool, initialised)
through("cudaMemcpyBatchAsync", memcpy_batch_async)
through("cudaProfilerStart", profiler_start)
through("cudaStreamAddCallback", stream_add_callback)
through("cudaStreamAttachMemAsync", stream_attach_mem_async)
through("cudaStreamBeginCapture", stream_begin_capture)
through("cudaStreamBeginCaptureToGraph", stream_begin_capture_to_graph)
through("cudaStreamCopyAttributes", stream_copy_attributes)
through("cudaStreamCreateWithFlags", stream_create, acting)
through("cudaStreamCreateWithPriority", stream_create_with_priority, acting)
through("cudaStreamDestroy", stream_destroy)
through("cudaStreamEndCapture", stream_end_capture)
through("cudaStreamGetAttribute", stream_get_attribute)
through("cudaStreamGetCaptureInfo", stream_get_capture_info, once_told)
through("cudaStreamGetFlags", stream_get_flags)
through("cudaStreamGetId", stream_get_id)
through("cudaStreamGetPriority", stream_get_priority)
through("cudaStreamIsCapturing", stream_is_capturing, active_once_told)
through("cudaStreamQuery", stream_query)
through("cudaStreamSetAttribute", stream_set_attribute)
through("cudaStreamSynchronize", stream_synchronize)
through("cudaStreamUpdateCaptureDependencies", stream_update_capture_dependencies)
through("cudaStreamWaitEvent", stream_wait_event)
through("cudaThreadExchangeStreamCaptureMode", thread_exchange_stream_capture_mode)


@RUNTIME.op("cudaProfilerStop")
def stop_profiling(call: Call) -> None:
    """End profiling of the current context. Without one, and in a host function, the call does nothing."""
    initialised(call)
    stack = call.thread.stack
    if stack and not call.thread.in_function:
        if stack[-1].destroyed:
            raise CONTEXT_IS_ALIVE.broken(context=stack[-1])
        profiler_stop(call)
