"""cuGetErrorName: the name of a result code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

STRING_IS_GIVEN = Rule(
    "`pStr` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuGetErrorName",
        "the manual says nothing about a null pStr; driver 580 writes to the null pointer (segmentation fault)",
    ),
    fix="pass the address of a pointer for the string",
)
CODE_IS_KNOWN = Rule(
    "`error` is a CUresult",
    Result.INVALID_VALUE,
    manual("cuGetErrorName", "If the error code is not recognized, CUDA_ERROR_INVALID_VALUE will be returned"),
    fix="pass a CUresult that a driver call returned; other libraries have their own error names",
)


@guard
def known(call: Call, error: int) -> None:
    """Check that the driver knows a result code."""
    require_driver_up(call)
    if call.nulls:
        call.undefined(STRING_IS_GIVEN)
        raise STRING_IS_GIVEN.broken()
    if error not in call.machine.profile.strings:
        raise CODE_IS_KNOWN.broken(error=error)


@DRIVER.op("cuGetErrorName")
def get_error_name(call: Call, error: int) -> bytes:
    """Return the name of a CUresult, such as ``CUDA_ERROR_INVALID_VALUE``; cuInit is not needed."""
    # CHECK
    known(call, error)
    # EFFECT
    return Result(error).cname.encode()
