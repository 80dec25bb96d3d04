"""Queries of a function (cuFuncGetModule and others), and cuFuncLoad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.os.process import NOT_INITIALIZED
from fakecuda.rules.core import guard
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_callable, require_initialized
from fakecuda.rules.driver.library.kernel_get import KERNEL_IS_NAMED, parameter, require_offset_result
from fakecuda.rules.driver.module.handle import early_function_of, function_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.module import Function

LOADED, UNLOADED = (
    ENUMS["CUfunctionLoadingState"][f"CU_FUNCTION_LOADING_STATE_{state}"] for state in ("LOADED", "UNLOADED")
)


@guard
def described(call: Call, handle: int) -> Function:
    """Return the function of a handle, for a query that needs a function."""
    if not handle:
        raise KERNEL_IS_NAMED.broken(function=handle)
    require_initialized(call)
    return function_of(call, handle)


@DRIVER.op("cuFuncGetModule")
def func_get_module(call: Call, handle: int) -> int:
    """Return a function's module."""
    # CHECK
    require_driver_callable(call)
    if call.process.state == NOT_INITIALIZED:
        require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    function = described(call, handle)
    # EFFECT
    return function.module.handle


@DRIVER.op("cuFuncGetName")
def func_get_name(call: Call, handle: int) -> bytes:
    """Return a function's name."""
    # CHECK
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    function = described(call, handle)
    # EFFECT
    return function.entry.name.encode()


@DRIVER.op("cuFuncGetParamInfo")
def func_get_param_info(call: Call, handle: int, index: int) -> tuple[int, int]:
    """Return the offset and the bytes of a function's parameter."""
    # CHECK
    require_driver_callable(call)
    require_offset_result(call)
    function = described(call, handle)
    # EFFECT
    return parameter(function.entry, index)


@DRIVER.op("cuFuncIsLoaded")
def func_is_loaded(call: Call, handle: int) -> int:
    """Return whether a function is loaded. An enumerated function is loaded at its first use."""
    # CHECK
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    function = early_function_of(call, handle)
    # EFFECT
    return LOADED if function.loaded else UNLOADED


@DRIVER.op("cuFuncLoad")
def func_load(call: Call, handle: int) -> None:
    """Load a function, if it is not loaded yet."""
    # CHECK
    function = early_function_of(call, handle)
    # EFFECT
    function.load()
