"""cudaGetDriverEntryPoint and cudaGetDriverEntryPointByVersion: addresses of functions of the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, undefined
from fakecuda.rules.driver.core.get_proc_address import get_proc_address
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import initialised
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POINTER_IS_GIVEN = Rule(
    "`funcPtr` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cudaGetDriverEntryPoint",
        "the manual says nothing about a null funcPtr; driver 580 writes to the null pointer (segmentation fault)",
    ),
    fix="pass the address of a function pointer",
)


@guard
def searched(call: Call, symbol: bytes, version: int, flags: int) -> tuple[int, int]:
    """Return a function's address, or 0, and the status of the search."""
    initialised(call)
    if "funcPtr" in call.nulls:
        call.undefined(POINTER_IS_GIVEN)
        raise POINTER_IS_GIVEN.broken()
    return get_proc_address(call, symbol, version, flags)


@RUNTIME.op("cudaGetDriverEntryPoint")
def get_driver_entry_point(call: Call, symbol: bytes, flags: int) -> tuple[int, int]:
    """Return a driver function's address, in the runtime library's own CUDA version."""
    return searched(call, symbol, min(call.process.runtime_version, call.machine.profile.driver_version), flags)


@RUNTIME.op("cudaGetDriverEntryPointByVersion")
def get_driver_entry_point_by_version(call: Call, symbol: bytes, cuda_version: int, flags: int) -> tuple[int, int]:
    """Return a driver function's address, in the version of a given CUDA release.

    Args:
        call: The call.
        symbol: The function's name in the manual, ``cuMemAlloc``.
        cuda_version: 1000 * major + 10 * minor.
        flags: cudaGetDriverEntryPointFlags.
    """
    return searched(call, symbol, cuda_version, flags)
