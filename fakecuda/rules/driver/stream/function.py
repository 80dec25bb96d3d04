"""Host functions that a stream calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.os.system import CALLS_NULL, OWN

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.rules.core import Rule


def called(call: Call, rule: Rule, prototype: Any, address: int) -> Callable[..., None]:
    """Return a function that calls a host function.

    A call of null crashes the process, real or simulated.

    Args:
        call: The call.
        rule: That null is no function.
        prototype: The ctypes class of its prototype.
        address: Its address.
    """
    process = call.process
    if address != CALLS_NULL or process.system is not OWN:
        return process.system.function(prototype, address)
    finding = call.finding(rule)
    return lambda *_: process.machine.crash(process, finding)
