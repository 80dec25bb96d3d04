"""Attributes of pointers: the memory behind a pointer, and how to reach it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.machine import HOST
from fakecuda.model.memory.advice import PAGE
from fakecuda.model.memory.memory import (
    Allocation,
    Import,
    Managed,
    ManagedStatic,
    Mapped,
    Pinned,
    Placed,
    Registered,
    Static,
)
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.space import READ
from fakecuda.model.memory.va import Mapping
from fakecuda.rules.driver.copy.range import accessible
from fakecuda.rules.driver.unified.managed import is_managed
from fakecuda.rules.driver.va.properties import READ_WRITE
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call

ATTRIBUTE = {name.removeprefix("CU_POINTER_ATTRIBUTE_"): value for name, value in ENUMS["CUpointer_attribute"].items()}
DEVICE_POINTER, HOST_POINTER, P2P = (ATTRIBUTE[name] for name in ("DEVICE_POINTER", "HOST_POINTER", "P2P_TOKENS"))
P2P_TOKENS = bytes.fromhex("000000000000000000fe000000000000")
MEMORYTYPE_HOST = ENUMS["CUmemorytype"]["CU_MEMORYTYPE_HOST"]
MEMORYTYPE_DEVICE = ENUMS["CUmemorytype"]["CU_MEMORYTYPE_DEVICE"]

Item = Placed | Registered | Mapped | Import | Mapping | Pooled
PageLocked = Pinned | Registered


def has_device_pointer(call: Call, item: Item) -> bool:
    """Return whether the current context is live and can access the memory."""
    stack = call.thread.stack
    return bool(stack) and not stack[-1].destroyed and accessible(item, stack[-1])


def has_host_pointer(item: Item) -> bool:
    """Return whether the host can access the memory."""
    if isinstance(item, Pooled):
        return bool(item.pool.flags(HOST))
    return bool(item.host_access) if isinstance(item, Mapping) else isinstance(item, PageLocked | Managed)


def is_pinned(item: Item) -> bool:
    """Return whether memory is pinned host memory."""
    return isinstance(item, PageLocked) or (item.device.ordinal == HOST and not is_managed(item))


def _context(item: Item) -> int:
    return 0 if isinstance(item, Mapping | Pooled | ManagedStatic) else item.context.handle


def _type(item: Item) -> int:
    return MEMORYTYPE_HOST if is_pinned(item) else MEMORYTYPE_DEVICE


def _number(call: Call, item: Item) -> int:
    number = call.process.number_of(item.device)
    return 0 if number == HOST else number


def _access(call: Call, item: Item) -> int:
    if isinstance(item, Mapping):
        stack = call.thread.stack
        return item.access.get(stack[-1].device.ordinal, 0) if stack else 0
    if isinstance(item, Pooled):
        return item.pool.flags(item.device.ordinal)
    return READ if isinstance(item, Registered) and item.read_only else READ_WRITE


def _allocated(item: Item) -> bool:
    """Return whether a call allocated the memory; variables of modules do not count."""
    return isinstance(item, Allocation) and not isinstance(item, Static)


def _decompression(item: Item) -> int:
    return int(item.pool.decompresses if isinstance(item, Pooled) else _allocated(item))


def _rdma(item: Item) -> int:
    return item.handle.prop.flags.rdma if isinstance(item, Mapping) else int(_allocated(item))


def _handle_types(item: Item) -> int:
    if isinstance(item, Pooled):
        return item.pool.props.handle_types
    return item.handle.prop.handle_types if isinstance(item, Mapping) else 0


def _reserved(call: Call, item: Item) -> tuple[int, int]:
    """Return the address range that contains the item; for a mapping, its reservation."""
    reservation = call.process.reservations.at(item.start) if isinstance(item, Mapping) else None
    whole = reservation or item
    return whole.start, whole.end - whole.start


def _of_the_host(item: Item) -> bool:
    """Return whether memory is from a host pool; driver 580 does not report its start."""
    return isinstance(item, Pooled) and item.pool.on_host


def _mapped(item: Item) -> int:
    """Return the mapped bytes around an address; for registered memory, whole pages."""
    if isinstance(item, Registered):
        return -(-item.end // PAGE) * PAGE - item.start // PAGE * PAGE
    return item.extent.size


def _block(item: Item) -> int:
    if isinstance(item, Placed | Pooled):
        return (item.block if isinstance(item, Placed) else item.chunk.block).identity
    return item.block_identity if isinstance(item, Registered) else item.identity


VALUES: dict[int, Callable[[Call, Item, int], int | bytes]] = {
    ATTRIBUTE["CONTEXT"]: lambda _call, item, _ptr: _context(item),
    ATTRIBUTE["MEMORY_TYPE"]: lambda _call, item, _ptr: _type(item),
    ATTRIBUTE["DEVICE_POINTER"]: lambda _call, _item, ptr: ptr,
    ATTRIBUTE["HOST_POINTER"]: lambda _call, _item, ptr: ptr,
    ATTRIBUTE["P2P_TOKENS"]: lambda _call, _item, _ptr: P2P_TOKENS,
    ATTRIBUTE["SYNC_MEMOPS"]: lambda _call, item, _ptr: int(item.sync_memops),
    ATTRIBUTE["BUFFER_ID"]: lambda _call, item, _ptr: item.identity,
    ATTRIBUTE["IS_MANAGED"]: lambda _call, item, _ptr: int(is_managed(item)),
    ATTRIBUTE["DEVICE_ORDINAL"]: lambda call, item, _ptr: _number(call, item),
    ATTRIBUTE["IS_LEGACY_CUDA_IPC_CAPABLE"]: lambda _call, item, _ptr: int(_allocated(item)),
    ATTRIBUTE["RANGE_START_ADDR"]: lambda call, item, _ptr: 0 if _of_the_host(item) else _reserved(call, item)[0],
    ATTRIBUTE["RANGE_SIZE"]: lambda call, item, _ptr: _reserved(call, item)[1],
    ATTRIBUTE["MAPPED"]: lambda _call, _item, _ptr: 1,
    ATTRIBUTE["ALLOWED_HANDLE_TYPES"]: lambda _call, item, _ptr: _handle_types(item),
    ATTRIBUTE["IS_GPU_DIRECT_RDMA_CAPABLE"]: lambda _call, item, _ptr: _rdma(item),
    ATTRIBUTE["ACCESS_FLAGS"]: lambda call, item, _ptr: _access(call, item),
    ATTRIBUTE["MEMPOOL_HANDLE"]: lambda _call, item, _ptr: item.pool.handle if isinstance(item, Pooled) else 0,
    ATTRIBUTE["MAPPING_SIZE"]: lambda _call, item, _ptr: _mapped(item),
    ATTRIBUTE["MAPPING_BASE_ADDR"]: lambda _call, item, _ptr: item.origin,
    ATTRIBUTE["MEMORY_BLOCK_ID"]: lambda _call, item, _ptr: _block(item),
    ATTRIBUTE["IS_HW_DECOMPRESS_CAPABLE"]: lambda _call, item, _ptr: _decompression(item),
}
"""Functions that return each pointer attribute, from call, memory and pointer."""
