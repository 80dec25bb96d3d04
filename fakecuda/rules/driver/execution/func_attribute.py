"""cuFuncGetAttribute, cuFuncSetAttribute, cuFuncSetCacheConfig, cuFuncSetSharedMemConfig: attributes of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.ctx_set_shared_mem_config import known as width
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_callable
from fakecuda.rules.driver.execution.attributes import ATTRIBUTE, cache, known, settable, value_of
from fakecuda.rules.driver.module.handle import early_function_of, given_function_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call


OF_LOADED = {ATTRIBUTE[name] for name in ("MAX_THREADS_PER_BLOCK", "CONST_SIZE_BYTES", "MAX_DYNAMIC_SHARED_SIZE_BYTES")}
"""Attributes that only a loaded function has."""

FUNCTION_WAS_LOADED = Rule(
    "`hfunc` is loaded if `attrib` is MAX_THREADS_PER_BLOCK, CONST_SIZE_BYTES or MAX_DYNAMIC_SHARED_SIZE_BYTES",
    Result.FUNCTION_NOT_LOADED,
    manual(
        "cuFuncGetAttribute",
        "CUDA_ERROR_FUNCTION_NOT_LOADED is returned if the attribute requires a fully loaded function but the function is "
        "not loaded",
    ),
    fix="call cuFuncLoad first, or get the function with cuModuleGetFunction",
)


@DRIVER.op("cuFuncGetAttribute")
def func_get_attribute(call: Call, attribute: int, handle: int) -> int:
    """Return an attribute of a function: its own value, else the value of its kernel, else the value in the image."""
    # CHECK
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    function = early_function_of(call, handle)
    known(attribute)
    if not function.loaded and attribute in OF_LOADED:
        raise FUNCTION_WAS_LOADED.broken(function=function)
    # EFFECT
    return value_of(function.entry, function.module.context.device, attribute, function.attribute(attribute))


@DRIVER.op("cuFuncSetAttribute")
def func_set_attribute(call: Call, handle: int, attribute: int, value: int) -> None:
    """Set an attribute of a function. The value overrides the attribute of the function's kernel."""
    # CHECK
    function = given_function_of(call, handle)
    given = settable(function.entry, function.module.context.device, attribute, value)
    # EFFECT
    function.set_attribute(attribute, given)


@DRIVER.op("cuFuncSetCacheConfig")
def func_set_cache_config(call: Call, handle: int, config: int) -> None:
    """Set the cache preference of a function, which decides how much shared memory occupancy calls assume."""
    # CHECK
    function = given_function_of(call, handle)
    cache(config)
    # EFFECT
    function.set_cache_config(config)


@DRIVER.op("cuFuncSetSharedMemConfig")
def func_set_shared_mem_config(call: Call, handle: int, config: int) -> None:
    """Do nothing: the width of shared memory banks is fixed."""
    # CHECK
    given_function_of(call, handle)
    width(config)
