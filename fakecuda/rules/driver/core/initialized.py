"""The first rules of nearly every call: the driver is initialised, and its exit handler has not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.os.process import DEINITIALIZED, NOT_INITIALIZED, READY, UP
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.os.process import Process

DRIVER_IS_INITIALIZED = Rule(
    "the process has called cuInit successfully",
    Result.NOT_INITIALIZED,
    manual("cuInit", "any function from the driver API will return CUDA_ERROR_NOT_INITIALIZED"),
    fix="call cuInit(0) first; start child processes of an initialised process with spawn, not with fork",
)
RESULT_IS_GIVEN = Rule(
    "no required result pointer is null",
    Result.INVALID_VALUE,
    manual("cuDriverGetVersion", "returns CUDA_ERROR_INVALID_VALUE if driverVersion is NULL"),
    fix="pass an address for each result",
)


DRIVER_IS_UP = Rule(
    "the process is not shutting down",
    Result.DEINITIALIZED,
    observed("cuInit", "after the exit handler of libcuda has run, every call answers DEINITIALIZED, even cuInit"),
    fix="make the call before the process exits, not in a finalizer that runs at exit",
)
CALLS_ARE_PERMITTED = Rule(
    "the call is not made from inside a host function or callback that a stream runs",
    Result.NOT_PERMITTED,
    manual("cuStreamAddCallback", "Attempting to use a CUDA API will result in CUDA_ERROR_NOT_PERMITTED"),
    fix="make no driver calls in functions that cuLaunchHostFunc runs",
)


@guard
def require_driver_up(call: Call) -> None:
    """Check that the process is not being torn down, for calls that need no cuInit."""
    if call.process.state == DEINITIALIZED:
        raise DRIVER_IS_UP.broken(process=call.process)


@guard
def require_calls_permitted(call: Call) -> None:
    """Check that the calling thread may make calls beyond version and error texts."""
    if call.thread.in_function:
        raise CALLS_ARE_PERMITTED.broken(thread=call.thread.name)


@guard
def require_driver_callable(call: Call) -> None:
    """Check that the thread may call, for calls that check arguments before cuInit."""
    require_driver_up(call)
    require_calls_permitted(call)


@guard
def require_cu_init_called(call: Call) -> None:
    """Check that cuInit was called, for a call that works in forks and host functions."""
    require_driver_up(call)
    if call.process.state == NOT_INITIALIZED:
        raise DRIVER_IS_INITIALIZED.broken(process=call.process)


@guard
def require_initialized(call: Call) -> Process:
    """Return the calling process, whose driver must be initialised."""
    process = call.process
    if process.state != READY or call.thread.in_function:
        require_driver_up(call)
        require_calls_permitted(call)
        if process.state in UP:
            return process
        raise DRIVER_IS_INITIALIZED.broken(process=process)
    return process
