"""Fixtures of HIP's rules: machines of both releases, and the codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import fakecuda
from fakecuda.spec import hip

if TYPE_CHECKING:
    from collections.abc import Callable

OLD, NEW = "hip-clr-2024", "hip-clr-2026"
SIZE = 4096
CODES = hip.ENUMS["hipError_t"]
INVALID, DEVICE, NOT_SUPPORTED = (
    CODES[f"hipError{name}"] for name in ("InvalidValue", "InvalidDevice", "NotSupported")
)
HANDLE, DESTROYED, POINTER, UNSUPPORTED = (
    CODES[f"hipError{name}"]
    for name in ("InvalidHandle", "ContextIsDestroyed", "InvalidDevicePointer", "UnsupportedLimit")
)
NOT_READY = CODES["hipErrorNotReady"]
ENUMS = hip.ENUMS


def on(profile: str, program: Callable[[Any], Any], *, strict: bool = True) -> Any:
    """Run a program on a process of a machine, which is sound afterwards."""
    with fakecuda.Machine(profile, strict=strict) as machine:
        answer = program(machine.spawn())
        machine.check_invariants()
        return answer


def got(c: Any, name: str, *args: Any) -> Any:
    """Make a call that succeeds, and return its results."""
    code, *results = getattr(c, name)(*args)
    assert code == 0, (name, args, code)
    return results[0] if len(results) == 1 else tuple(results)
