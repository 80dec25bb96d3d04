"""Rules of calls with a CUmodule or a CUfunction: the module is loaded.

The handle of the module or function determines the context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code.module import Function, Module
from fakecuda.rules.core import Rule, guard, observed, undefined
from fakecuda.rules.driver.context.current import failed
from fakecuda.rules.driver.core.initialized import require_driver_callable, require_initialized
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

MODULE_IS_GIVEN = Rule(
    "the module is not null",
    Result.INVALID_HANDLE,
    observed("cuModuleGetFunction", "the driver answers INVALID_HANDLE to a null argument"),
    fix="pass the handle that cuModuleLoadData returned",
)
MODULE_IS_KNOWN = Rule(
    "the handle is a module of this process",
    Result.INVALID_HANDLE,
    undefined(
        "cuModuleGetFunction",
        "the manual says nothing about any other value; driver 580 uses the value as a pointer (segmentation fault)",
    ),
    fix="pass the handle that cuModuleLoadData returned in this process",
)
MODULE_IS_LOADED = Rule(
    "the module has not been unloaded",
    Result.INVALID_HANDLE,
    observed("cuModuleUnload", "the driver answers INVALID_HANDLE to a module that was unloaded"),
    fix="call cuModuleUnload, or destroy the context, after the last use of the module",
)
CONTEXT_OF_CODE_LIVES = Rule(
    "the context of the module, or of the function's module, has not been destroyed",
    Result.CONTEXT_IS_DESTROYED,
    undefined(
        "cuModuleUnload",
        "the manual says nothing about modules of a destroyed context; driver 580 reads freed memory, and "
        "answers CONTEXT_IS_DESTROYED or INVALID_HANDLE",
    ),
    fix="destroy the context after the last use of its modules and functions",
)
FUNCTION_IS_GIVEN = Rule(
    "the function is not null",
    Result.INVALID_HANDLE,
    observed("cuFuncGetAttribute", "the driver answers INVALID_HANDLE to a null argument"),
    fix="pass the handle that cuModuleGetFunction returned",
)
FUNCTION_IS_KNOWN = Rule(
    "the handle is a function of this process",
    Result.INVALID_HANDLE,
    undefined(
        "cuFuncGetAttribute",
        "the manual says nothing about any other value; driver 580 uses the value as a pointer (segmentation fault)",
    ),
    fix="pass the handle that cuModuleGetFunction returned in this process",
)
FUNCTION_IS_LOADED = Rule(
    "the function's module has not been unloaded",
    Result.INVALID_HANDLE,
    observed("cuFuncGetAttribute", "the driver answers INVALID_HANDLE to a function whose module was unloaded"),
    fix="keep the module loaded while its functions are in use",
)
FUNCTION_IS_NO_KERNEL = Rule(
    "the handle is a CUfunction, not a CUkernel",
    Result.INVALID_HANDLE,
    observed(
        "cuFuncGetAttribute",
        "the driver answers INVALID_HANDLE to a CUkernel in place of a CUfunction; launches and occupancy calls "
        "accept a CUkernel",
    ),
    fix="get the function of a kernel with cuKernelGetFunction, or use the call for kernels",
)
NAME_IS_GIVEN = Rule(
    "the name is neither null nor empty",
    Result.INVALID_VALUE,
    observed("cuModuleGetFunction", "the driver answers INVALID_VALUE to null and an empty name"),
    fix="pass a name that is not empty",
)


@guard
def outlived(call: Call, module: Module) -> None:
    """Check that the context of an unloaded module was not destroyed."""
    if module.context.handle not in call.process.contexts:
        call.undefined(CONTEXT_OF_CODE_LIVES, module=module)
        raise CONTEXT_OF_CODE_LIVES.broken(module=module)


@guard
def module_of(call: Call, handle: int) -> Module:
    """Return the module of a handle."""
    process = require_initialized(call)
    if not handle:
        raise MODULE_IS_GIVEN.broken(module=handle)
    module = process.loaded.get(handle)
    if not isinstance(module, Module):
        ended = process.freed.get(handle)
        if isinstance(ended, Module):
            outlived(call, ended)
            raise MODULE_IS_LOADED.broken(module=ended)
        call.undefined(MODULE_IS_KNOWN, module=handle)
        raise MODULE_IS_KNOWN.broken(module=handle)
    if module.context.lost:
        failed(module.context)
    return module


@guard
def function_of(call: Call, handle: int) -> Function:
    """Return the function of a nonzero handle."""
    process = call.process
    function = process.loaded.get(handle)
    if isinstance(function, Function):
        if function.module.context.lost:
            failed(function.module.context)
        return function
    ended = process.freed.get(handle)
    if isinstance(ended, Function):
        outlived(call, ended.module)
        raise FUNCTION_IS_LOADED.broken(function=ended)
    if function is not None:
        raise FUNCTION_IS_NO_KERNEL.broken(function=function)
    call.undefined(FUNCTION_IS_KNOWN, function=handle)
    raise FUNCTION_IS_KNOWN.broken(function=handle)


@guard
def used_function_of(call: Call, handle: int) -> Function:
    """Return the function of a nonzero handle, for a call that loads the function."""
    function = function_of(call, handle)
    if not function.loaded:
        function.load()
    return function


@guard
def given_function_of(call: Call, handle: int) -> Function:
    """Return the function of a handle, for a call that loads it."""
    require_initialized(call)
    if not handle:
        raise FUNCTION_IS_GIVEN.broken(function=handle)
    return used_function_of(call, handle)


@guard
def early_function_of(call: Call, handle: int) -> Function:
    """Return the function of a handle, for a call that checks null before cuInit."""
    require_driver_callable(call)
    if not handle:
        raise FUNCTION_IS_GIVEN.broken(function=handle)
    require_initialized(call)
    return function_of(call, handle)


@guard
def early_module_of(call: Call, handle: int) -> Module:
    """Return the module of a handle, for a call that checks null before cuInit."""
    require_driver_callable(call)
    if not handle:
        raise MODULE_IS_GIVEN.broken(module=handle)
    return module_of(call, handle)


@guard
def named(name: bytes | None, *, empty: bool = False) -> str:
    """Return a name that is not null, and not empty unless that is allowed."""
    if name is None or not (name or empty):
        raise NAME_IS_GIVEN.broken(name=name)
    return name.decode(errors="replace")
