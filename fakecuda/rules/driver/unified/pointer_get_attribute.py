"""cuPointerGetAttribute: an attribute of the memory behind a pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import memory_effects
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.copy.range import accessible
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.pool.handle import not_freed
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.unified.attributes import (
    DEVICE_POINTER,
    HOST_POINTER,
    P2P,
    VALUES,
    has_host_pointer,
    is_pinned,
)
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.versions import POINTER_ATTRIBUTES

if TYPE_CHECKING:
    from fakecuda.model.call import Call

ATTRIBUTE_IS_KNOWN = Rule(
    "`attribute` is a CUpointer_attribute that this driver version supports",
    Result.INVALID_VALUE,
    manual("cuPointerGetAttribute", "The supported attributes are"),
    fix="pass a CUpointer_attribute, such as CU_POINTER_ATTRIBUTE_MEMORY_TYPE",
)
POINTER_IS_KNOWN = Rule(
    "`ptr` lies in memory that CUDA allocated, mapped, imported or registered in this process",
    Result.INVALID_VALUE,
    manual("cuPointerGetAttribute", "If ptr was not allocated by, mapped by, or registered with a CUcontext"),
    fix="pass an address in allocated, mapped or registered memory",
)
CONTEXT_IS_CURRENT = Rule(
    "the calling thread has a live current context if `attribute` is CU_POINTER_ATTRIBUTE_DEVICE_POINTER",
    Result.INVALID_CONTEXT,
    manual("cuPointerGetAttribute", "If there is no current CUcontext then CUDA_ERROR_INVALID_CONTEXT is returned"),
    fix="call cuCtxSetCurrent before you query CU_POINTER_ATTRIBUTE_DEVICE_POINTER",
)
DEVICE_CAN_ACCESS_IT = Rule(
    "if `attribute` is CU_POINTER_ATTRIBUTE_DEVICE_POINTER, the context can access `ptr` (peer memory: access is "
    "enabled)",
    Result.INVALID_VALUE,
    manual(
        "cuPointerGetAttribute",
        "If there exists no device pointer value through which kernels running in the current CUcontext may access ptr",
    ),
    fix="call cuCtxEnablePeerAccess or cuMemSetAccess for the current device first",
)
HOST_CAN_ACCESS_IT = Rule(
    "the host has access to the memory at `ptr` if `attribute` is CU_POINTER_ATTRIBUTE_HOST_POINTER",
    Result.INVALID_VALUE,
    manual(
        "cuPointerGetAttribute",
        "If there exists no host pointer value through which the host program may directly access ptr",
    ),
    fix="query CU_POINTER_ATTRIBUTE_MEMORY_TYPE first; device memory has no host pointer",
)
MEMORY_IS_THE_DEVICES = Rule(
    "`ptr` does not lie in page-locked or other host memory if `attribute` is CU_POINTER_ATTRIBUTE_P2P_TOKENS",
    Result.INVALID_VALUE,
    manual("cuPointerGetAttribute", "must be a pointer to memory obtained from cuMemAlloc()"),
    fix="query CU_POINTER_ATTRIBUTE_P2P_TOKENS of memory from cuMemAlloc, not of page-locked memory",
)


@DRIVER.op("cuPointerGetAttribute")
def pointer_get_attribute(call: Call, attribute: int, ptr: int) -> int | bytes:
    """Return an attribute of the memory that holds ``ptr``.

    Args:
        call: The call.
        attribute: CUpointer_attribute.
        ptr: An address.

    Returns:
        An int; 16 bytes for P2P_TOKENS.
    """
    # CHECK
    process = require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if attribute not in VALUES or POINTER_ATTRIBUTES.get(attribute, 0) > call.machine.profile.driver_version:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)
    item = process.memory.at(ptr)
    if item is None:
        not_freed(call, ptr)
        raise POINTER_IS_KNOWN.broken(pointer=ptr)
    if attribute == DEVICE_POINTER:
        context = call.thread.stack[-1] if call.thread.stack else None
        if context is None or context.destroyed:
            raise CONTEXT_IS_CURRENT.broken(thread=call.thread.name)
        if not accessible(item, context):
            raise DEVICE_CAN_ACCESS_IT.broken(memory=item, context=context)
    if attribute == HOST_POINTER and not has_host_pointer(item):
        raise HOST_CAN_ACCESS_IT.broken(pointer=ptr)
    if attribute == P2P and is_pinned(item):
        raise MEMORY_IS_THE_DEVICES.broken(memory=item)
    # EFFECT
    if attribute == P2P:
        memory_effects.synchronise(item, 1)
        race.synchronised(call)
    return VALUES[attribute](call, item, ptr)
