"""cuLaunchHostFunc: a stream calls a host function.

A context has one thread for all functions of its streams, and runs them one after the other. They are called by their
addresses, in the OS process that made the call.
"""

from __future__ import annotations

import ctypes
from functools import partial
from typing import TYPE_CHECKING

from fakecuda.model.os.system import CALLS_NULL
from fakecuda.model.work import stream_scheduler
from fakecuda.rules.core import Rule, undefined
from fakecuda.rules.driver.stream.function import called
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
"""CUhostFn."""

FUNCTION_IS_GIVEN = Rule(
    "`fn` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuLaunchHostFunc",
        "the manual says nothing about a null function; driver 580 answers INVALID_VALUE, but cuda.bindings "
        "wraps null in a callable, which then crashes",
    ),
    fix="pass cuLaunchHostFunc a function",
)


@DRIVER.op("cuLaunchHostFunc")
def launch_host_func(call: Call, stream: int, function: int, user_data: int) -> None:
    """Have a stream call a host function. Later work of the stream waits until the function returns.

    It may make no calls, and is not called when work of the context has failed.

    Args:
        call: The call.
        stream: The stream.
        function: Its address.
        user_data: Its argument.
    """
    # CHECK
    if not function:
        call.undefined(FUNCTION_IS_GIVEN)
        raise FUNCTION_IS_GIVEN.broken()
    calling = stream_of(call, stream, "cuLaunchHostFunc")
    if function == CALLS_NULL:
        call.undefined(FUNCTION_IS_GIVEN)
    # EFFECT
    stream_scheduler.call(calling, partial(called(call, FUNCTION_IS_GIVEN, FUNCTION, function), user_data))
