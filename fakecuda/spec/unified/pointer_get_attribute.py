"""cuPointerGetAttribute: what a pointer points to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import ENUMS
from fakecuda.codes import Result
from fakecuda.model.machine import HOST
from fakecuda.model.memory import Allocation, Import
from fakecuda.model.va import Mapping
from fakecuda.rule import Rule, manual, op
from fakecuda.spec.copy.range import accessible
from fakecuda.spec.core.initialized import RESULT_IS_GIVEN, ready
from fakecuda.spec.va.properties import READ_WRITE

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.process import Thread

ATTRIBUTE = {name.removeprefix("CU_POINTER_ATTRIBUTE_"): value for name, value in ENUMS["CUpointer_attribute"].items()}
DEVICE_POINTER, HOST_POINTER, P2P = (ATTRIBUTE[name] for name in ("DEVICE_POINTER", "HOST_POINTER", "P2P_TOKENS"))
P2P_TOKENS = bytes.fromhex("000000000000000000fe000000000000")
MEMORYTYPE_HOST = ENUMS["CUmemorytype"]["CU_MEMORYTYPE_HOST"]
MEMORYTYPE_DEVICE = ENUMS["CUmemorytype"]["CU_MEMORYTYPE_DEVICE"]

ATTRIBUTE_IS_KNOWN = Rule(
    "the attribute is one that the driver knows",
    Result.INVALID_VALUE,
    manual("cuPointerGetAttribute", "The supported attributes are"),
)
POINTER_IS_KNOWN = Rule(
    "the pointer lies in memory of the process",
    Result.INVALID_VALUE,
    manual("cuPointerGetAttribute", "If ptr was not allocated by, mapped by, or registered with a CUcontext"),
)
CONTEXT_IS_CURRENT = Rule(
    "a live context is current when the device pointer is asked for",
    Result.INVALID_CONTEXT,
    manual("cuPointerGetAttribute", "If there is no current CUcontext then CUDA_ERROR_INVALID_CONTEXT is returned"),
)
DEVICE_CAN_ACCESS_IT = Rule(
    "the current device can access the memory when the device pointer is asked for",
    Result.INVALID_VALUE,
    manual(
        "cuPointerGetAttribute",
        "If there exists no device pointer value through which kernels running in the current CUcontext may access ptr",
    ),
)
HOST_CAN_ACCESS_IT = Rule(
    "the host can access the memory when the host pointer is asked for",
    Result.INVALID_VALUE,
    manual(
        "cuPointerGetAttribute",
        "If there exists no host pointer value through which the host program may directly access ptr",
    ),
)


@op("cuPointerGetAttribute")
def pointer_get_attribute(call: Thread, attribute: int, ptr: int) -> int | bytes:
    """Return an attribute of the memory that holds ``ptr``.

    Args:
        call: The calling thread.
        attribute: CUpointer_attribute.
        ptr: An address.

    Returns:
        An int; 16 bytes for P2P_TOKENS.
    """
    # CHECK
    process = ready(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if attribute not in VALUES:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)
    item = process.memory.at(ptr)
    if item is None:
        raise POINTER_IS_KNOWN.broken(pointer=ptr)
    if attribute == DEVICE_POINTER:
        context = call.stack[-1] if call.stack else None
        if context is None or context.destroyed:
            raise CONTEXT_IS_CURRENT.broken(thread=call.name)
        if not accessible(item, context):
            raise DEVICE_CAN_ACCESS_IT.broken(memory=item, context=context)
    if attribute == HOST_POINTER and not (isinstance(item, Mapping) and item.host_access):
        raise HOST_CAN_ACCESS_IT.broken(pointer=ptr)
    # EFFECT
    if attribute == P2P:
        item.sync_memops = True
    return VALUES[attribute](call, item, ptr)


Item = Allocation | Import | Mapping


def _context(item: Item) -> int:
    return 0 if isinstance(item, Mapping) else item.context.handle


def _access(item: Item) -> int:
    return item.access.get(max(item.device.ordinal, 0), 0) if isinstance(item, Mapping) else READ_WRITE


def _rdma(item: Item) -> int:
    return item.handle.prop.flags.rdma if isinstance(item, Mapping) else int(isinstance(item, Allocation))


def _reserved(call: Thread, item: Item) -> tuple[int, int]:
    """Return the range of addresses that the item is part of: a mapping's is its reservation."""
    reservation = call.process.reservations.at(item.start) if isinstance(item, Mapping) else None
    whole = reservation or item
    return whole.start, whole.end - whole.start


VALUES: dict[int, Callable[[Thread, Item, int], int | bytes]] = {
    ATTRIBUTE["CONTEXT"]: lambda _call, item, _ptr: _context(item),
    ATTRIBUTE["MEMORY_TYPE"]: lambda _call, item, _ptr: (
        MEMORYTYPE_HOST if item.device.ordinal == HOST else MEMORYTYPE_DEVICE
    ),
    ATTRIBUTE["DEVICE_POINTER"]: lambda _call, _item, ptr: ptr,
    ATTRIBUTE["HOST_POINTER"]: lambda _call, _item, ptr: ptr,
    ATTRIBUTE["P2P_TOKENS"]: lambda _call, _item, _ptr: P2P_TOKENS,
    ATTRIBUTE["SYNC_MEMOPS"]: lambda _call, item, _ptr: int(item.sync_memops),
    ATTRIBUTE["BUFFER_ID"]: lambda _call, item, _ptr: item.identity,
    ATTRIBUTE["IS_MANAGED"]: lambda _call, _item, _ptr: 0,
    ATTRIBUTE["DEVICE_ORDINAL"]: lambda _call, item, _ptr: max(item.device.ordinal, 0),
    ATTRIBUTE["IS_LEGACY_CUDA_IPC_CAPABLE"]: lambda _call, item, _ptr: int(isinstance(item, Allocation)),
    ATTRIBUTE["RANGE_START_ADDR"]: lambda call, item, _ptr: _reserved(call, item)[0],
    ATTRIBUTE["RANGE_SIZE"]: lambda call, item, _ptr: _reserved(call, item)[1],
    ATTRIBUTE["MAPPED"]: lambda _call, _item, _ptr: 1,
    ATTRIBUTE["ALLOWED_HANDLE_TYPES"]: lambda _call, item, _ptr: (
        item.handle.prop.handle_types if isinstance(item, Mapping) else 0
    ),
    ATTRIBUTE["IS_GPU_DIRECT_RDMA_CAPABLE"]: lambda _call, item, _ptr: _rdma(item),
    ATTRIBUTE["ACCESS_FLAGS"]: lambda _call, item, _ptr: _access(item),
    ATTRIBUTE["MEMPOOL_HANDLE"]: lambda _call, _item, _ptr: 0,
    ATTRIBUTE["MAPPING_SIZE"]: lambda _call, item, _ptr: item.extent.size,
    ATTRIBUTE["MAPPING_BASE_ADDR"]: lambda _call, item, _ptr: item.origin,
    ATTRIBUTE["MEMORY_BLOCK_ID"]: lambda _call, item, _ptr: (
        item.block.identity if isinstance(item, Allocation) else item.identity
    ),
    ATTRIBUTE["IS_HW_DECOMPRESS_CAPABLE"]: lambda _call, item, _ptr: int(isinstance(item, Allocation)),
}
