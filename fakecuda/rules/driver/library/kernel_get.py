"""cuKernelGetLibrary, cuKernelGetName, cuKernelGetParamInfo: queries of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_callable
from fakecuda.rules.driver.library.handle import given_kernel_of, kernel_of
from fakecuda.rules.driver.library.module import run_by
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Entry

OFFSET = "paramOffset"

KERNEL_IS_NAMED = Rule(
    "the kernel or function is not null",
    Result.INVALID_VALUE,
    observed(
        "cuKernelGetName", "the driver answers INVALID_VALUE to a null kernel, as it does to a null result pointer"
    ),
    fix="pass the handle of a kernel or a function",
)
PARAMETER_IS_ONE = Rule(
    "`paramIndex` is less than the number of parameters of the kernel or function",
    Result.INVALID_VALUE,
    manual("cuKernelGetParamInfo", "paramIndex must be less than the number of parameters that kernel takes"),
    fix="pass an index below the kernel's number of parameters",
)


@guard
def require_offset_result(call: Call) -> None:
    """Check that the result pointer for a parameter's offset is not null."""
    if OFFSET in call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)


@guard
def parameter(entry: Entry, index: int) -> tuple[int, int]:
    """Return the offset and the bytes of a kernel's parameter."""
    if index >= len(entry.params):
        raise PARAMETER_IS_ONE.broken(index=index, count=len(entry.params))
    return entry.params[index]


@DRIVER.op("cuKernelGetLibrary")
def kernel_get_library(call: Call, handle: int) -> int:
    """Return a kernel's library."""
    # CHECK
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    kernel = given_kernel_of(call, handle)
    # EFFECT
    return kernel.library.handle


@DRIVER.op("cuKernelGetName")
def kernel_get_name(call: Call, handle: int) -> bytes:
    """Return a kernel's name."""
    # CHECK
    require_driver_callable(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not handle:
        raise KERNEL_IS_NAMED.broken(kernel=handle)
    kernel = given_kernel_of(call, handle)
    # EFFECT
    return kernel.entry.name.encode()


@DRIVER.op("cuKernelGetParamInfo")
def kernel_get_param_info(call: Call, handle: int, index: int) -> tuple[int, int]:
    """Return the offset and the bytes of a kernel's parameter."""
    # CHECK
    require_driver_callable(call)
    require_offset_result(call)
    if not handle:
        raise KERNEL_IS_NAMED.broken(kernel=handle)
    context = current(call)
    kernel = kernel_of(call, handle)
    run_by(kernel.library, context)
    # EFFECT
    return parameter(kernel.entry, index)
