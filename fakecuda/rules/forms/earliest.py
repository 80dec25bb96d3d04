"""Functions of CUDA 3.1, with 32-bit addresses and sizes. Contexts of cuCtxCreate_v2 and later refuse them.

Contexts that take them are those of the oldest form of cuCtxCreate, which is not modelled. Three forms answer without such a context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.code.module import Module
from fakecuda.rules.core import Rule, guard, observed
from fakecuda.rules.driver.array.handle import ARRAY_IS_GIVEN
from fakecuda.rules.driver.context.current import current, require_usable_context
from fakecuda.rules.driver.core.initialized import require_driver_up, require_initialized
from fakecuda.rules.driver.device.device_total_mem import device_total_mem
from fakecuda.rules.driver.memory.mem_free import POINTER_IS_A_BASE
from fakecuda.rules.driver.module.handle import MODULE_IS_GIVEN
from fakecuda.rules.registry import FORMS
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

MOST = 2**32 - 1
"""The most bytes that 32 bits tell."""
BOTH = 2
"""How many results two calls have."""
PLAIN = (
    *("cuArray3DCreate_v1", "cuArrayCreate_v1"),
    *("cuMemAlloc_v1", "cuMemGetInfo_v1", "cuMemAllocHost_v1", "cuMemAllocPitch_v1", "cuMemHostGetDevicePointer_v1"),
    *("cuMemcpy2D_v1", "cuMemcpy2DAsync_v1", "cuMemcpy2DUnaligned_v1", "cuMemcpy3D_v1", "cuMemcpy3DAsync_v1"),
    *("cuMemcpyAtoA_v1", "cuMemcpyAtoD_v1", "cuMemcpyAtoH_v1", "cuMemcpyAtoHAsync_v1", "cuMemcpyDtoA_v1"),
    *("cuMemcpyDtoD_v1", "cuMemcpyDtoDAsync_v1", "cuMemcpyDtoH_v1", "cuMemcpyDtoHAsync_v1", "cuMemcpyHtoA_v1"),
    *("cuMemcpyHtoAAsync_v1", "cuMemcpyHtoD_v1", "cuMemcpyHtoDAsync_v1"),
    *("cuMemsetD16_v1", "cuMemsetD2D16_v1", "cuMemsetD2D32_v1", "cuMemsetD2D8_v1", "cuMemsetD32_v1", "cuMemsetD8_v1"),
)
"""Forms that look at their context first."""

CONTEXT_IS_OF_CUDA_3_1 = Rule(
    "the current context was made by the oldest form of cuCtxCreate, which is not modelled",
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


@guard
def _refused(call: Call) -> None:
    """Refuse a call in the current context."""
    context = current(call)
    raise CONTEXT_IS_OF_CUDA_3_1.broken(context=context)


def _declare(name: str) -> None:
    """Declare a form that looks at its context first."""

    @FORMS.op(name)
    def refused(call: Call, *_: Any) -> None:
        """Refuse the call, because current contexts use 64-bit addresses."""
        _refused(call)


for _name in PLAIN:
    _declare(_name)


def _declare_of_array(name: str) -> None:
    """Declare a form that looks at its array before its context."""

    @FORMS.op(name)
    def refused(call: Call, _descriptor: int, array: int) -> None:
        """Refuse to describe an array in 32 bits."""
        require_driver_up(call)
        if not array:
            raise ARRAY_IS_GIVEN.broken()
        stack = call.thread.stack
        if stack:
            require_usable_context(stack[-1])
        raise CONTEXT_IS_OF_CUDA_3_1.broken(context=stack[-1] if stack else None)


for _name in ("cuArrayGetDescriptor_v1", "cuArray3DGetDescriptor_v1"):
    _declare_of_array(_name)


@FORMS.op("cuMemFree_v1")
def mem_free_v1(call: Call, dptr: int) -> None:
    """Refuse to free memory in the current context. Without a current context the call does nothing."""
    require_initialized(call)
    if call.thread.stack:
        _refused(call)
    if dptr:
        raise POINTER_IS_A_BASE.broken(pointer=dptr, found=call.process.memory.at(dptr))


@FORMS.op("cuMemGetAddressRange_v1")
def mem_get_address_range_v1(call: Call, _dptr: int) -> tuple[int, int]:
    """Refuse to return the range of an address. If both result pointers are null, the call succeeds."""
    if len(call.nulls) < BOTH:
        _refused(call)
    current(call)
    return 0, 0


@FORMS.op("cuModuleGetGlobal_v1")
def module_get_global_v1(call: Call, module: int, _name: bytes | None) -> None:
    """Refuse to return the address of a variable in 32 bits."""
    require_initialized(call)
    if not module:
        raise MODULE_IS_GIVEN.broken()
    known = call.process.loaded.get(module) or call.process.freed.get(module)
    if isinstance(known, Module) and known.context.destroyed:
        raise CONTEXT_OF_THE_MODULE_LIVES.broken(module=known)
    _refused(call)


@FORMS.op("cuDeviceTotalMem_v1")
def device_total_mem_v1(call: Call, dev: int) -> int:
    """Return the bytes of a device's memory, at most 4 GiB - 1."""
    return min(device_total_mem(call, dev), MOST)
