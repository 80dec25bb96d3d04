"""cudaGetDriverEntryPoint and cudaGetDriverEntryPointByVersion: addresses of functions of the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api.runtime import ENUMS
from fakecuda.codes import Result
from fakecuda.rule import Rule, guard, manual, op
from fakecuda.spec.core.get_proc_address import get_proc_address
from fakecuda.spec.runtime.active import RESULTS_ARE_GIVEN, initialised

if TYPE_CHECKING:
    from fakecuda.model.process import Thread

FLAGS = frozenset(ENUMS["cudaGetDriverEntryPointFlags"].values())

FLAGS_ARE_KNOWN = Rule(
    "the flags are one of cudaGetDriverEntryPointFlags",
    Result.INVALID_VALUE,
    manual("cudaGetDriverEntryPoint", "The requested flags can be"),
)


@guard
def searched(call: Thread, symbol: bytes, version: int, flags: int) -> tuple[int, int]:
    """Return a function's address, 0 if none suits, and how the search ended."""
    initialised(call)
    if "funcPtr" in call.nulls:
        raise RESULTS_ARE_GIVEN.broken(nulls=call.nulls)
    if flags not in FLAGS:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    return get_proc_address(call, symbol, version, flags)


@op("cudaGetDriverEntryPoint")
def get_driver_entry_point(call: Thread, symbol: bytes, flags: int) -> tuple[int, int]:
    """Return the address of the version of a function that the runtime library was made for."""
    return searched(call, symbol, min(call.process.runtime_version, call.machine.profile.driver_version), flags)


@op("cudaGetDriverEntryPointByVersion")
def get_driver_entry_point_by_version(call: Thread, symbol: bytes, cuda_version: int, flags: int) -> tuple[int, int]:
    """Return the address of the version of a function that a CUDA version has.

    Args:
        call: The calling thread.
        symbol: The function's name in the manual, ``cuMemAlloc``.
        cuda_version: 1000 * major + 10 * minor.
        flags: cudaGetDriverEntryPointFlags.
    """
    return searched(call, symbol, cuda_version, flags)
