"""cuModuleGetFunction, cuModuleGetFunctionCount, cuModuleEnumerateFunctions: the functions of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import module_effects
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_callable
from fakecuda.rules.driver.module.handle import early_module_of, module_of, named
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FUNCTION_IS_IN_THE_MODULE = Rule(
    "the module `hmod` has a kernel with the name `name`",
    Result.NOT_FOUND,
    manual(
        "cuModuleGetFunction", "If no function of that name exists, cuModuleGetFunction() returns CUDA_ERROR_NOT_FOUND"
    ),
    fix='pass the name that the kernel has in the image: declare it extern "C", or pass the mangled name',
)


@DRIVER.op("cuModuleGetFunction")
def module_get_function(call: Call, handle: int, name: bytes | None) -> int:
    """Return a kernel of a module by its name, as a CUfunction. Equal calls return the same handle."""
    # CHECK
    module = module_of(call, handle)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    wanted = named(name)
    entry = module.image.entries.get(wanted)
    if entry is None:
        raise FUNCTION_IS_IN_THE_MODULE.broken(name=wanted, module=module, known=list(module.image.entries))
    # EFFECT
    return module_effects.function_of(module, entry).handle


@DRIVER.op("cuModuleGetFunctionCount")
def module_get_function_count(call: Call, handle: int) -> int:
    """Return the number of kernels of a module."""
    # CHECK
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    module = early_module_of(call, handle)
    # EFFECT
    return len(module.image.entries)


@DRIVER.op("cuModuleEnumerateFunctions")
def module_enumerate_functions(call: Call, count: int, handle: int) -> tuple[int, ...]:
    """Return ``count`` functions of a module, the last function of an image with debug information first. Missing functions are 0."""
    # CHECK
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    module = early_module_of(call, handle)
    # EFFECT
    found = module_effects.functions_of(
        module, list(module.image.entries.values())[:: -1 if module.debug else 1][:count]
    )
    return (*found, *[0] * (count - len(found)))
