"""Calls of the runtime API that do what one of the driver API does, once there is a context, or the driver is initialised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rule import op
from fakecuda.spec.context.ctx_get_cache_config import ctx_get_cache_config
from fakecuda.spec.context.ctx_get_limit import ctx_get_limit
from fakecuda.spec.context.ctx_get_shared_mem_config import ctx_get_shared_mem_config
from fakecuda.spec.context.ctx_get_stream_priority_range import ctx_get_stream_priority_range
from fakecuda.spec.context.ctx_reset_persisting_l2cache import ctx_reset_persisting_l2cache
from fakecuda.spec.context.ctx_set_cache_config import ctx_set_cache_config
from fakecuda.spec.context.ctx_set_limit import ctx_set_limit
from fakecuda.spec.context.ctx_set_shared_mem_config import ctx_set_shared_mem_config
from fakecuda.spec.context.ctx_synchronize import ctx_synchronize
from fakecuda.spec.core.driver_get_version import driver_get_version
from fakecuda.spec.device.device_get_attribute import device_get_attribute
from fakecuda.spec.device.device_get_by_pci_bus_id import device_get_by_pci_bus_id
from fakecuda.spec.device.device_get_pci_bus_id import device_get_pci_bus_id
from fakecuda.spec.device.flush_gpu_direct_rdma_writes import flush_gpu_direct_rdma_writes
from fakecuda.spec.ipc.ipc_close_mem_handle import ipc_close_mem_handle
from fakecuda.spec.ipc.ipc_get_event_handle import ipc_get_event_handle
from fakecuda.spec.ipc.ipc_get_mem_handle import ipc_get_mem_handle
from fakecuda.spec.ipc.ipc_open_event_handle import ipc_open_event_handle
from fakecuda.spec.ipc.ipc_open_mem_handle import ipc_open_mem_handle
from fakecuda.spec.memory.mem_get_info import mem_get_info
from fakecuda.spec.peer.device_get_p2p_attribute import device_get_p2p_attribute
from fakecuda.spec.runtime.active import active, initialised

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.process import Thread


def through(name: str, function: Callable[..., Any], before: Callable[[Thread], object] = active) -> None:
    """Declare a call of the runtime API that is one of the driver API.

    Args:
        name: The call.
        function: The operation of the driver API, with the same arguments.
        before: What must be there: a context, or a driver that is initialised.
    """

    def call(thread: Thread, *args: Any) -> Any:  # noqa: ANN401 - plain values
        before(thread)
        return function(thread, *args)

    call.__doc__ = function.__doc__
    call.guards = (before, function)  # type: ignore[attr-defined] # what its rules are read from
    op(name)(call)


through("cudaCtxResetPersistingL2Cache", ctx_reset_persisting_l2cache)
through("cudaDeviceFlushGPUDirectRDMAWrites", flush_gpu_direct_rdma_writes)
through("cudaDeviceGetAttribute", device_get_attribute, initialised)
through("cudaDeviceGetByPCIBusId", device_get_by_pci_bus_id, initialised)
through("cudaDeviceGetCacheConfig", ctx_get_cache_config)
through("cudaDeviceGetLimit", ctx_get_limit)
through("cudaDeviceGetP2PAttribute", device_get_p2p_attribute, initialised)
through("cudaDeviceGetPCIBusId", device_get_pci_bus_id, initialised)
through("cudaDeviceGetSharedMemConfig", ctx_get_shared_mem_config)
through("cudaDeviceGetStreamPriorityRange", ctx_get_stream_priority_range)
through("cudaDeviceSetCacheConfig", ctx_set_cache_config)
through("cudaDeviceSetLimit", ctx_set_limit)
through("cudaDeviceSetSharedMemConfig", ctx_set_shared_mem_config)
through("cudaDeviceSynchronize", ctx_synchronize)
through("cudaDriverGetVersion", driver_get_version, lambda _: None)
through("cudaIpcCloseMemHandle", ipc_close_mem_handle)
through("cudaIpcGetEventHandle", ipc_get_event_handle)
through("cudaIpcGetMemHandle", ipc_get_mem_handle)
through("cudaIpcOpenEventHandle", ipc_open_event_handle)
through("cudaIpcOpenMemHandle", ipc_open_mem_handle)
through("cudaMemGetInfo", mem_get_info)
