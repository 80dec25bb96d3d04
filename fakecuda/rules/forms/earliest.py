"""Functions of CUDA 3.1, with 32-bit addresses and sizes: they need a context of the oldest form of cuCtxCreate.

Its memory lies below 4 GiB. Three forms answer without such a context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model import context_effects, history
from fakecuda.model.code.module import Library, Module
from fakecuda.model.memory.array import Array
from fakecuda.model.memory.memory import Mapped, Pinned, Registered
from fakecuda.model.work.stream import PER_THREAD
from fakecuda.rules.core import Rule, guard, observed
from fakecuda.rules.driver.array.array_create import array3d_create, array_create
from fakecuda.rules.driver.array.array_get_descriptor import array3d_get_descriptor, array_get_descriptor
from fakecuda.rules.driver.array.handle import ARRAY_IS_GIVEN
from fakecuda.rules.driver.context.ctx_create import (
    CONTEXTS_ARE_ALIKE,
    FLAGS_ARE_KNOWN,
    admitting,
    known,
    stored,
)
from fakecuda.rules.driver.context.current import require_usable_context, top
from fakecuda.rules.driver.copy import memcpy, memcpy_array, memcpy_rows, memset
from fakecuda.rules.driver.copy.shape import UNIFIED
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up, require_initialized
from fakecuda.rules.driver.device.device_total_mem import device_total_mem
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.memory.mem_alloc import mem_alloc
from fakecuda.rules.driver.memory.mem_alloc_host import mem_alloc_host
from fakecuda.rules.driver.memory.mem_alloc_pitch import mem_alloc_pitch
from fakecuda.rules.driver.memory.mem_free import POINTER_IS_A_BASE, mem_free
from fakecuda.rules.driver.memory.mem_get_address_range import mem_get_address_range
from fakecuda.rules.driver.memory.mem_get_info import mem_get_info
from fakecuda.rules.driver.memory.mem_host_get_device_pointer import mem_host_get_device_pointer
from fakecuda.rules.driver.module.handle import MODULE_IS_GIVEN
from fakecuda.rules.driver.module.image import unmanaged
from fakecuda.rules.driver.module.module_get_global import module_get_global
from fakecuda.rules.forms.narrow import gate, unmodelled
from fakecuda.rules.forms.narrow_calls import QUEUED
from fakecuda.rules.forwarding import forward
from fakecuda.rules.registry import FORMS
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.driver.copy.shape import Copy

FLAT, SOLID = (2, 9, 2), (4, 15, 3)
"""For CUDA_MEMCPY2D and 3D: indices of the memory types, number of sizes."""
MOST = 2**32 - 1
"""The largest 32-bit size."""
BOTH = 2
"""The number of results of calls with two results."""

CONTEXT_IS_OF_CUDA_3_1 = Rule(
    "the current context was made by the oldest form of cuCtxCreate",
    Result.INVALID_CONTEXT,
    observed(
        "cuCtxGetApiVersion", "functions of API version 3010 answer INVALID_CONTEXT in a context of API version 3020"
    ),
    fix="use the form that ends in _v2, whose addresses and sizes have 64 bits",
)
CONTEXT_OF_THE_MODULE_LIVES = Rule(
    "the context of the module has not been destroyed",
    Result.INVALID_HANDLE,
    observed("cuModuleGetGlobal", "cuModuleGetGlobal_v1 answers INVALID_HANDLE for a module of a destroyed context"),
    fix="query the variable before the context of the module is destroyed",
)
MEMORY_TYPE_IS_OF_CUDA_3_1 = Rule(
    "no memory type of the copy is CU_MEMORYTYPE_UNIFIED",
    Result.INVALID_VALUE,
    observed("cuMemcpy2D", "in a context of CUDA 3.1 CU_MEMORYTYPE_UNIFIED answers INVALID_VALUE"),
    fix="say CU_MEMORYTYPE_HOST, _DEVICE or _ARRAY",
)
ADDRESSES_SUFFICE = Rule(
    "116 MiB of addresses below 4 GiB are free for a further context",
    Result.OUT_OF_MEMORY,
    observed("cuCtxCreate", "the 34th context of CUDA 3.1 in a process answers OUT_OF_MEMORY"),
    fix="destroy contexts of CUDA 3.1 first, or make contexts with cuCtxCreate_v2",
)
MEMORY_IS_MAPPED = Rule(
    "in a context of CUDA 3.1 the host memory has the flag CU_MEMHOSTALLOC_DEVICEMAP or CU_MEMHOSTREGISTER_DEVICEMAP",
    Result.INVALID_VALUE,
    observed("cuMemHostGetDevicePointer", "in a context of CUDA 3.1 memory without the flag answers INVALID_VALUE"),
    fix="pass CU_MEMHOSTALLOC_DEVICEMAP to cuMemHostAlloc, or CU_MEMHOSTREGISTER_DEVICEMAP to cuMemHostRegister",
)


@FORMS.op("cuCtxCreate_v1")
def ctx_create_v1(call: Call, flags: int, dev: int) -> int:
    """Create a context of CUDA 3.1 and push it. A process may have several.

    Args:
        call: The call.
        flags: CUctx_flags.
        dev: The device.
    """
    # CHECK
    process = require_initialized(call)
    device = device_of(call, dev)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not known(call, flags):
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    if process.narrow is None and process.contexts:
        raise CONTEXTS_ARE_ALIKE.broken(contexts=process.contexts)
    if any(one.device is not device for one in process.contexts.values()):
        unmodelled("cuCtxCreate_v1 on a second device")
    for library in process.loaded.values():
        if isinstance(library, Library):
            unmanaged(call, library.data)
    admitting(call, device)
    # EFFECT
    context = context_effects.enter_narrow(call.thread, device, stored(flags), gate, history.here())
    if context is None:
        raise ADDRESSES_SUFFICE.broken(contexts=process.contexts)
    return context.handle


@guard
def _narrow(call: Call) -> Context:
    """Return the current context, which must be of CUDA 3.1 and not failed."""
    context = top(call)
    if context.narrow is None and not context.destroyed:
        raise CONTEXT_IS_OF_CUDA_3_1.broken(context=context)
    require_usable_context(context)
    return context


@guard
def _queued(call: Call, *args: Any) -> None:
    """Check the context of a form whose last argument is a stream."""
    stream = args[-1]
    if call.thread.stack or stream <= PER_THREAD:
        _narrow(call)
        return
    known = call.process.streams.get(stream)
    if known is not None and known.context.narrow is None:
        raise CONTEXT_IS_OF_CUDA_3_1.broken(context=known.context)


ROWS: dict[str, Callable[..., Any]] = {
    "cuArray3DCreate_v1": array3d_create,
    "cuArrayCreate_v1": array_create,
    "cuMemAlloc_v1": mem_alloc,
    "cuMemAllocHost_v1": mem_alloc_host,
    "cuMemAllocPitch_v1": mem_alloc_pitch,
    "cuMemcpyAtoA_v1": memcpy_array.memcpy_atoa,
    "cuMemcpyAtoD_v1": memcpy_array.memcpy_atod,
    "cuMemcpyAtoH_v1": memcpy_array.memcpy_atoh,
    "cuMemcpyAtoHAsync_v1": memcpy_array.memcpy_atoh_async,
    "cuMemcpyDtoA_v1": memcpy_array.memcpy_dtoa,
    "cuMemcpyDtoD_v1": memcpy.memcpy_dtod,
    "cuMemcpyDtoDAsync_v1": memcpy.memcpy_dtod_async,
    "cuMemcpyDtoH_v1": memcpy.memcpy_dtoh,
    "cuMemcpyDtoHAsync_v1": memcpy.memcpy_dtoh_async,
    "cuMemcpyHtoA_v1": memcpy_array.memcpy_htoa,
    "cuMemcpyHtoAAsync_v1": memcpy_array.memcpy_htoa_async,
    "cuMemcpyHtoD_v1": memcpy.memcpy_htod,
    "cuMemcpyHtoDAsync_v1": memcpy.memcpy_htod_async,
    "cuMemsetD16_v1": memset.memset_d16,
    "cuMemsetD2D16_v1": memset.memset_d2d16,
    "cuMemsetD2D32_v1": memset.memset_d2d32,
    "cuMemsetD2D8_v1": memset.memset_d2d8,
    "cuMemsetD32_v1": memset.memset_d32,
    "cuMemsetD8_v1": memset.memset_d8,
}
"""Forms that check their context first, and then do what the newest form does."""
for _name, _function in ROWS.items():
    forward(FORMS, __name__, _name, _function, _queued if _name in QUEUED else _narrow)


@guard
def _of_known_types(copy: Copy | None, source: int, target: int, sizes: int) -> None:
    """Check that a nonempty copy has memory types of CUDA 3.1."""
    if copy is not None and all(copy[-sizes:]) and UNIFIED in (copy[source], copy[target]):
        raise MEMORY_TYPE_IS_OF_CUDA_3_1.broken(copy=copy)


@guard
def _flat(call: Call, copy: Copy | None, stream: int = 0) -> None:
    """Check the context and the memory types of a CUDA_MEMCPY2D."""
    _queued(call, stream)
    _of_known_types(copy, *FLAT)


@guard
def _solid(call: Call, copy: Copy | None, stream: int = 0) -> None:
    """Check the context and the memory types of a CUDA_MEMCPY3D."""
    _queued(call, stream)
    _of_known_types(copy, *SOLID)


forward(FORMS, __name__, "cuMemcpy2D_v1", memcpy_rows.memcpy2d, _flat)
forward(FORMS, __name__, "cuMemcpy2DAsync_v1", memcpy_rows.memcpy2d_async, _flat)
forward(FORMS, __name__, "cuMemcpy2DUnaligned_v1", memcpy_rows.memcpy2d_unaligned, _flat)
forward(FORMS, __name__, "cuMemcpy3D_v1", memcpy_rows.memcpy3d, _solid)
forward(FORMS, __name__, "cuMemcpy3DAsync_v1", memcpy_rows.memcpy3d_async, _solid)


def _declare_of_array(name: str, function: Callable[[Call, int], Any]) -> None:
    """Declare a form that checks its array before its context."""

    @FORMS.op(name)
    def descriptor_v1(call: Call, array: int) -> Any:
        """Return the descriptor of an array in a context of CUDA 3.1."""
        # CHECK
        require_driver_up(call)
        if not array:
            raise ARRAY_IS_GIVEN.broken()
        stack, found = call.thread.stack, call.process.arrays.get(array)
        newer = isinstance(found, Array) and found.context.narrow is None
        if stack and (stack[-1].destroyed or not newer):
            require_usable_context(stack[-1])
        if found is not None and newer:
            raise CONTEXT_IS_OF_CUDA_3_1.broken(context=found.context)
        # EFFECT
        return function(call, array)


_declare_of_array("cuArrayGetDescriptor_v1", array_get_descriptor)
_declare_of_array("cuArray3DGetDescriptor_v1", array3d_get_descriptor)


@FORMS.op("cuMemFree_v1")
def mem_free_v1(call: Call, dptr: int) -> None:
    """Free memory of the current context; do nothing without a context."""
    # CHECK
    require_initialized(call)
    if call.thread.stack:
        _narrow(call)
    elif dptr:
        raise POINTER_IS_A_BASE.broken(pointer=dptr, found=call.process.memory.at(dptr))
    # EFFECT
    mem_free(call, dptr)


@FORMS.op("cuMemGetAddressRange_v1")
def mem_get_address_range_v1(call: Call, dptr: int) -> tuple[int, int]:
    """Return the address range around an address; for mapped memory, the host's."""
    # CHECK
    if len(call.nulls) < BOTH:
        _narrow(call)
    # EFFECT
    start, size = mem_get_address_range(call, dptr)
    item = call.process.memory.at(start)
    return (item.host.start & MOST if isinstance(item, Mapped) else start), size


@FORMS.op("cuMemGetInfo_v1")
def mem_get_info_v1(call: Call) -> tuple[int, int]:
    """Return free and total bytes of the current device's memory, as far as addresses of 32 bits reach them."""
    # CHECK
    narrow = _narrow(call).narrow
    assert narrow is not None
    # EFFECT
    free, total = mem_get_info(call)
    return min(free, narrow.unused), min(total, MOST)


@FORMS.op("cuMemHostGetDevicePointer_v1")
def mem_host_get_device_pointer_v1(call: Call, p: int, flags: int) -> int:
    """Return the device pointer of host pointer ``p``, which lies in mapped memory. ``flags`` must be 0."""
    # CHECK
    narrow = _narrow(call).narrow
    assert narrow is not None
    mem_host_get_device_pointer(call, p, flags)
    item = call.process.memory.at(p)
    if not isinstance(item, Pinned | Registered):
        unmodelled("cuMemHostGetDevicePointer_v1 of a mapping of cuMemMap")
    mapped = narrow.mapped.get(item)
    if mapped is None:
        raise MEMORY_IS_MAPPED.broken(memory=item)
    # EFFECT
    return mapped.start + p - item.start


@FORMS.op("cuModuleGetGlobal_v1")
def module_get_global_v1(call: Call, module: int, name: bytes | None) -> tuple[int, int]:
    """Return address and size of a module's variable in a context of CUDA 3.1; either result may be null."""
    # CHECK
    require_initialized(call)
    if not module:
        raise MODULE_IS_GIVEN.broken()
    known = call.process.loaded.get(module) or call.process.freed.get(module)
    if isinstance(known, Module):
        if known.context.destroyed:
            raise CONTEXT_OF_THE_MODULE_LIVES.broken(module=known)
        if known.context.narrow is None and not known.ended:
            _narrow(call)
    # EFFECT
    return module_get_global(call, module, name)


@FORMS.op("cuDeviceTotalMem_v1")
def device_total_mem_v1(call: Call, dev: int) -> int:
    """Return the bytes of a device's memory, at most 4 GiB - 1."""
    return min(device_total_mem(call, dev), MOST)
