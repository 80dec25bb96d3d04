"""cuLibraryGetModule, cuKernelGetFunction: a library's code in the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import module_effects
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_callable
from fakecuda.rules.driver.library.handle import given_kernel_of, library_of
from fakecuda.rules.driver.library.module import image_of, own_module_in
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuLibraryGetModule")
def library_get_module(call: Call, handle: int) -> int:
    """Return the module of a library in the current context. The module is unloaded with its library only."""
    # CHECK
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    library = library_of(call, handle)
    context = current(call)
    image_of(call, library)
    # EFFECT
    return own_module_in(call, library, context).handle


@DRIVER.op("cuKernelGetFunction")
def kernel_get_function(call: Call, handle: int) -> int:
    """Return the CUfunction of a kernel in the current context."""
    # CHECK
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    kernel = given_kernel_of(call, handle)
    context = current(call)
    # EFFECT
    return module_effects.function_of(own_module_in(call, kernel.library, context), kernel.entry).handle
