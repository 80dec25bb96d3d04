"""Attributes of the memory at an address, and a file descriptor for a range."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fakecuda.model.machine import HOST as HOST_LOCATION
from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.files import new_pipe
from fakecuda.model.memory.memory import Allocation, Import, Managed, Pinned, Registered
from fakecuda.model.memory.va import Mapping
from fakecuda.rules.core import Broken, Rule, guard, hip_tests, source, undefined
from fakecuda.rules.driver.copy.range import accessible
from fakecuda.rules.hip.active import active, answering, arrived, context_on, does, entered, given, refuse
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Error, Result
from fakecuda.spec.hip import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.rules.driver.unified.attributes import Item

UNREGISTERED, HOST, DEVICE, MANAGED = range(4)
"""hipMemoryType."""
NO_DEVICE = -2
"""hipInvalidDeviceId."""
WORD = (1 << 32) - 1
(CONTEXT, MEMORY_TYPE, DEVICE_POINTER, HOST_POINTER, P2P_TOKENS, SYNC_MEMOPS, BUFFER_ID, IS_MANAGED, ORDINAL) = range(
    1, 10
)
(IPC_CAPABLE, RANGE_START, RANGE_SIZE, MAPPED, HANDLE_TYPES, RDMA_CAPABLE, ACCESS_FLAGS, MEMPOOL) = range(10, 18)
ATTRIBUTES = frozenset(ENUMS["hipPointer_attribute"].values())
UNSUPPORTED = frozenset({P2P_TOKENS, HANDLE_TYPES, RDMA_CAPABLE, MEMPOOL})
UNSUPPORTED_AT_FIRST = frozenset({CONTEXT, IPC_CAPABLE})
UNKNOWN = {ORDINAL: NO_DEVICE}
"""Attributes that are not 0 for unknown memory."""
NO_CONTEXT = "hipPointerGetAttribute.knows-no-context"
REFUSES_NULL = "hipPointerGetAttributes.refuses-null"
DMA_BUF_FD = 1

POINTER_IS_GIVEN = Rule(
    "`ptr` is not null; hipPointerGetAttributes accepts null in HIP 7.2",
    Result.INVALID_VALUE,
    hip_tests(
        "hipPointerGetAttribute",
        "hipPointerGetAttribute, and in HIP 6.3 also hipPointerGetAttributes, answers hipErrorInvalidValue to null",
    ),
    fix="pass an address that is not null",
)
ATTRIBUTE_IS_KNOWN = Rule(
    "each attribute is a hipPointer_attribute",
    Result.INVALID_VALUE,
    hip_tests("hipPointerGetAttribute", "HIP answers hipErrorInvalidValue to -1"),
    fix="pass a hipPointer_attribute, such as HIP_POINTER_ATTRIBUTE_MEMORY_TYPE",
)
ATTRIBUTE_IS_SUPPORTED = Rule(
    "no attribute queries P2P tokens, handle types, RDMA or a pool, nor, in HIP 6.3, the context or legacy IPC",
    Result.NOT_SUPPORTED,
    hip_tests(
        "hipPointerGetAttribute",
        "HIP answers hipErrorNotSupported to the attributes for tokens, handle types, RDMA and pools",
    ),
    fix="do not query tokens, handle types, GPUDirect RDMA and pools: HIP does not support these attributes",
)
POINTER_IS_KNOWN = Rule(
    "`ptr` lies in memory that HIP allocated, registered, mapped or imported in this process",
    Result.INVALID_VALUE,
    hip_tests("hipPointerGetAttribute", "HIP answers hipErrorInvalidValue to freed memory and to ordinary host memory"),
    fix="pass an address in memory that HIP allocated or registered and that has not been freed",
)
MEMORY_IS_ONE_DEVICE_S = Rule(
    "the memory at `ptr` is device memory if the attribute is HIP_POINTER_ATTRIBUTE_CONTEXT",
    Result.INVALID_VALUE,
    source("hipPointerGetAttribute", "clr answers hipErrorInvalidValue for host memory, which all devices share"),
    fix="query HIP_POINTER_ATTRIBUTE_CONTEXT only for device memory; all devices share host memory",
)
DEVICE_CAN_ACCESS_IT = Rule(
    "access to `ptr` is enabled for the current device if the attribute is HIP_POINTER_ATTRIBUTE_DEVICE_POINTER",
    Result.INVALID_VALUE,
    source("hipPointerGetAttribute", "clr since 2026 answers hipErrorInvalidValue for memory of a peer without access"),
    fix="call hipDeviceEnablePeerAccess first, or hipSetDevice for the device that the memory lies on",
)
HOST_CAN_ACCESS_IT = Rule(
    "the memory at `ptr` is host or managed memory if the attribute is HIP_POINTER_ATTRIBUTE_HOST_POINTER",
    Result.INVALID_VALUE,
    hip_tests("hipPointerGetAttribute", "HIP answers hipErrorInvalidValue to device memory"),
    fix="query HIP_POINTER_ATTRIBUTE_MEMORY_TYPE first; device memory has no host pointer",
)
ATTRIBUTES_ARE_GIVEN = Rule(
    "`numAttributes` is not 0, and no pointer or array is null",
    Result.INVALID_VALUE,
    source("hipDrvPointerGetAttributes", "clr answers hipErrorInvalidValue to 0 attributes"),
    fix="pass an address, at least one attribute, and an address for each result",
)
VALUE_IS_GIVEN = Rule(
    "neither `ptr` nor `value` is null",
    Result.INVALID_VALUE,
    hip_tests("hipPointerSetAttribute", "HIP answers hipErrorInvalidValue to a null argument"),
    fix="pass the memory's address, and the address of the value",
)
VALUE_CAN_BE_SET = Rule(
    "`attribute` is HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, and the number at `value` is 0 or 1",
    Result.INVALID_VALUE,
    hip_tests(
        "hipPointerSetAttribute",
        "HIP answers hipErrorInvalidValue to any other attribute; clr answers the same to any other value",
    ),
    fix="set only HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, to 0 or 1",
)
POINTER_TO_SET_IS_KNOWN = Rule(
    "`ptr` lies in memory that HIP allocated, registered, mapped or imported in this process",
    Error.INVALID_DEVICE_POINTER,
    hip_tests(
        "hipPointerSetAttribute", "HIP answers hipErrorInvalidDevicePointer to freed memory and to ordinary host memory"
    ),
    fix="set the attribute on memory of hipMalloc, before hipFree; ordinary host memory has no attributes",
)
RANGE_IS_ASKED_FOR = Rule(
    "`dptr` is not null, `size` is not 0, `handleType` is a dma-buf descriptor, and `flags` is 0",
    Result.INVALID_VALUE,
    source("hipMemGetHandleForAddressRange", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass an address, a size above 0, hipMemRangeHandleTypeDmaBufFd, and 0 for the flags",
)
HANDLE_IS_GIVEN = Rule(
    "`handle` is not null",
    Result.INVALID_VALUE,
    undefined(
        "hipMemGetHandleForAddressRange",
        "the manual says nothing about a null argument; clr writes to the null pointer",
    ),
    fix="pass the address of an int for the descriptor",
)
RANGE_IS_A_DEVICE_S = Rule(
    "the range lies in one device allocation outside pools, or in adjoining mappings of device memory",
    Result.INVALID_VALUE,
    source("hipMemGetHandleForAddressRange", "clr answers hipErrorInvalidValue to a range that it does not find"),
    fix="pass a range inside one allocation of hipMalloc, or a range that mappings of hipMemMap fill",
)


def is_host(item: Item) -> bool:
    """Return whether HIP reports memory as host memory; managed memory counts."""
    return isinstance(item, Pinned | Registered | Managed) or item.device.ordinal == HOST_LOCATION


def home_of(item: Item) -> Device:
    """Return the device that HIP reports for memory; for an import, the last opener's."""
    return item.told or item.device if isinstance(item, Import) else item.device


def number_of(call: Call, item: Item) -> int:
    """Return the device number of memory; for host memory, the allocating thread's."""
    home = item.context.device if isinstance(item, Pinned | Registered | Managed) else home_of(item)
    return call.process.number_of(home) if home.ordinal != HOST_LOCATION else 0


def flags_of(item: Item) -> int:
    """Return the allocation flags of memory that HIP reports."""
    return item.flags if isinstance(item, Pinned | Registered) else 0


@HIP.op("hipPointerGetAttributes")
def get_attributes(call: Call, ptr: int) -> tuple[int, int, int, int, int, int]:
    """Return a hipPointerAttribute_t. Unknown memory is unregistered and has no device."""
    # CHECK
    process = answering(call)
    if not ptr and does(call, REFUSES_NULL):
        raise POINTER_IS_GIVEN.broken()
    # EFFECT
    item = process.memory.at(ptr) if ptr else None
    if item is None:
        return UNREGISTERED, NO_DEVICE, 0, 0, 0, 0
    managed = isinstance(item, Managed)
    host = is_host(item)
    kind = MANAGED if managed else HOST if host else DEVICE
    return kind, number_of(call, item), ptr, ptr if host else 0, int(managed), flags_of(item)


@guard
def told(call: Call, attribute: int, ptr: int) -> int:
    """Return an attribute of the memory at an address."""
    if attribute not in ATTRIBUTES:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)
    if attribute in UNSUPPORTED or (attribute in UNSUPPORTED_AT_FIRST and does(call, NO_CONTEXT)):
        raise ATTRIBUTE_IS_SUPPORTED.broken(attribute=attribute)
    item = call.process.memory.at(ptr)
    if item is None:
        if attribute == ACCESS_FLAGS:
            return 0
        raise POINTER_IS_KNOWN.broken(pointer=ptr, found=call.process.freed.get(ptr))
    if attribute == CONTEXT:
        if is_host(item):
            raise MEMORY_IS_ONE_DEVICE_S.broken(memory=item)
        return context_on(call, home_of(item)).handle
    if attribute == DEVICE_POINTER and not accessible(item, active(call)):
        refuse(call, DEVICE_CAN_ACCESS_IT, memory=item, device=call.thread.device)
    if attribute == HOST_POINTER and not is_host(item):
        raise HOST_CAN_ACCESS_IT.broken(memory=item)
    return {
        MEMORY_TYPE: HOST if is_host(item) else DEVICE,
        DEVICE_POINTER: ptr,
        HOST_POINTER: ptr,
        SYNC_MEMOPS: int(item.sync_memops),
        BUFFER_ID: item.identity & WORD,
        IS_MANAGED: int(isinstance(item, Managed)),
        ORDINAL: number_of(call, item),
        IPC_CAPABLE: int(not is_host(item) and not isinstance(item, Mapping)),
        RANGE_START: item.start,
        RANGE_SIZE: item.size & WORD,
        MAPPED: 1,
        ACCESS_FLAGS: flags_of(item),
    }[attribute]


@HIP.op("hipPointerGetAttribute")
def get_attribute(call: Call, attribute: int, ptr: int) -> int:
    """Return an attribute of the memory that an address lies in. A size is cut to its lowest 32 bits.

    Args:
        call: The call.
        attribute: hipPointer_attribute.
        ptr: The address.
    """
    entered(call)
    if not ptr:
        raise POINTER_IS_GIVEN.broken()
    given(call)
    return told(call, attribute, ptr)


@HIP.op("hipDrvPointerGetAttributes")
def get_all_attributes(call: Call, count: int, attributes: tuple[int, ...] | None, ptr: int) -> tuple[int, ...]:
    """Return attributes of the memory in which an address lies: 0, or -2 for the device, if a value is unknown."""
    # CHECK
    entered(call)
    if not count or attributes is None or call.nulls or not ptr:
        raise ATTRIBUTES_ARE_GIVEN.broken(count=count, pointer=ptr, nulls=call.nulls)
    # EFFECT
    values = []
    for attribute in attributes[:count]:
        try:
            values.append(told(call, attribute, ptr))
        except Broken:
            values.append(UNKNOWN.get(attribute, 0))
    return tuple(values)


@HIP.op("hipPointerSetAttribute")
def set_attribute(call: Call, value: int | None, attribute: int, ptr: int) -> None:
    """Set whether copies of the memory are always synchronous."""
    # CHECK
    process = entered(call)
    if not ptr or value is None:
        raise VALUE_IS_GIVEN.broken(pointer=ptr, value=value)
    if attribute != SYNC_MEMOPS or value not in {0, 1}:
        raise VALUE_CAN_BE_SET.broken(attribute=attribute, value=value)
    item = process.memory.at(ptr)
    if item is None:
        raise POINTER_TO_SET_IS_KNOWN.broken(pointer=ptr, found=process.freed.get(ptr))
    # EFFECT
    memory_effects.synchronise(item, value)


@HIP.op("hipMemGetHandleForAddressRange")
def get_handle_for_address_range(call: Call, dptr: int, size: int, handle_type: int, flags: int) -> int:
    """Return a new file descriptor for a range of device memory. The descriptor does not keep the memory alive.

    Args:
        call: The call.
        dptr: The first address.
        size: Bytes.
        handle_type: hipMemRangeHandleTypeDmaBufFd.
        flags: 0.
    """
    # CHECK
    process = arrived(call, "hipMemGetHandleForAddressRange")
    if not dptr or not size or handle_type != DMA_BUF_FD or flags:
        raise RANGE_IS_ASKED_FOR.broken(pointer=dptr, size=size, handle_type=handle_type, flags=flags)
    item, end = process.memory.at(dptr), dptr + size
    while isinstance(item, Mapping) and end > item.end:
        item = process.memory.at(item.end)
    if not isinstance(item, Allocation | Import | Mapping) or is_host(item) or end > item.end:
        raise RANGE_IS_A_DEVICE_S.broken(pointer=dptr, size=size, found=item or process.freed.get(dptr))
    if call.nulls:
        call.undefined(HANDLE_IS_GIVEN)
        raise HANDLE_IS_GIVEN.broken()
    # EFFECT
    other_end, descriptor = new_pipe()
    os.close(other_end)
    return descriptor
