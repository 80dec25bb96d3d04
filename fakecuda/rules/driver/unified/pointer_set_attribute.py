"""cuPointerSetAttribute: set whether synchronous memory operations always wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.va import Mapping
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import OF_CONTEXTS, finished
from fakecuda.rules.driver.unified.attributes import ATTRIBUTE
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

SYNC_MEMOPS = ATTRIBUTE["SYNC_MEMOPS"]

CONTEXT_IS_ALIVE = Rule(
    "if the calling thread has a current context, it has not been destroyed",
    Result.INVALID_VALUE,
    observed(
        "cuPointerSetAttribute",
        "the driver answers INVALID_VALUE if the current context is destroyed; without "
        "a current context the call succeeds",
    ),
    fix="call cuPointerSetAttribute before cuCtxDestroy, or make another context current first",
)
VALUE_IS_GIVEN = Rule(
    "`value` is not null",
    Result.INVALID_VALUE,
    manual("cuPointerSetAttribute", "Pointer to memory containing the value to be set"),
    fix="pass the address of an unsigned int for the value",
)
MEMORY_IS_NO_MAPPING = Rule(
    "`ptr` does not lie in memory that cuMemMap mapped",
    Result.NOT_SUPPORTED,
    observed("cuPointerSetAttribute", "the driver answers NOT_SUPPORTED to a pointer into a mapping of cuMemMap"),
    fix="set the attribute on memory of cuMemAlloc; mappings of cuMemMap do not support the attribute",
)
ATTRIBUTE_CAN_BE_SET = Rule(
    "`attribute` is CU_POINTER_ATTRIBUTE_SYNC_MEMOPS",
    Result.INVALID_VALUE,
    manual("cuPointerSetAttribute", "The supported attributes are"),
    fix="pass CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, the only attribute that can be set",
)
POINTER_IS_KNOWN = Rule(
    "`ptr` lies in memory that CUDA allocated, mapped, imported or registered in this process",
    Result.INVALID_VALUE,
    manual("cuPointerSetAttribute", "Pointer to a memory region allocated using CUDA memory allocation APIs"),
    fix="pass an address in memory that CUDA allocated in this process and that has not been freed",
)


@DRIVER.op("cuPointerSetAttribute")
def pointer_set_attribute(call: Call, value: int | None, attribute: int, ptr: int) -> None:
    """Set an attribute of the memory that holds ``ptr``, once calls without a stream are done there.

    Args:
        call: The call.
        value: A boolean. None if its pointer is null.
        attribute: CU_POINTER_ATTRIBUTE_SYNC_MEMOPS.
        ptr: An address.
    """
    # CHECK
    process = require_initialized(call)
    stack = call.thread.stack
    if stack and stack[-1].destroyed:
        raise CONTEXT_IS_ALIVE.broken(context=stack[-1])
    if value is None:
        raise VALUE_IS_GIVEN.broken()
    item = process.memory.at(ptr)
    if isinstance(item, Mapping):
        raise MEMORY_IS_NO_MAPPING.broken(memory=item)
    if attribute != SYNC_MEMOPS:
        raise ATTRIBUTE_CAN_BE_SET.broken(attribute=attribute)
    if item is None:
        raise POINTER_IS_KNOWN.broken(pointer=ptr, found=process.freed.get(ptr))
    if value and isinstance(item, OF_CONTEXTS):
        finished(call, item)
    # EFFECT
    memory_effects.synchronise(item, value)
    race.synchronised(call)
