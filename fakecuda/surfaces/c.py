"""The C level: plain values in, ``(code, *plain results)`` out, null result pointers by name.

What no Python argument of the bindings can say is said here; the conformance suite drives every target through it. A call
that the machine's driver lacks answers CUDA_ERROR_NOT_FOUND.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from fakecuda.api import CALLS
from fakecuda.codes import Result
from fakecuda.model.process import NO_NULLS
from fakecuda.rule import HIP, OPS, RUNTIME
from fakecuda.surfaces.lookalike import warn_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.api import Call
    from fakecuda.model.process import Thread
    from fakecuda.rule import Op

REFUSALS = {
    "cuda": "cudaErrorNotSupported",
    "hip": "hipErrorNotSupported",
    "cu": "CUDA_ERROR_NOT_SUPPORTED",
}
"""What calls answer that are not modelled, by how their names begin."""


class CLevel:
    """``process.c``: every modelled call as a method.

    Args:
        find: Returns the calling thread.
        done: Called with it after each call, or None.
    """

    __slots__ = ("_done", "_find")

    def __init__(self, find: Callable[[], Thread], done: Callable[[Thread], None] | None = None) -> None:
        self._find = find
        self._done = done

    @property
    def find(self) -> Callable[[], Thread]:
        """What returns the calling thread."""
        return self._find

    def __getattr__(self, name: str) -> Callable[..., tuple[Any, ...]]:
        """Return the call of that name: inputs by position in C order, ``null="dptr size"`` for null results."""
        call, op = described(name)
        count = len(call.outputs)
        find, done = self._find, self._done

        def invoke(*args: Any, null: str = "") -> tuple[Any, ...]:  # noqa: ANN401 - plain values
            if len(args) != len(call.inputs):
                wanted = ", ".join(param.name for param in call.inputs)
                msg = f"{name} takes ({wanted}); {len(args)} values were given"
                raise TypeError(msg)
            if op is None:
                return _not_modelled(name, find(), count)
            kept: list[Any] = []
            plain = tuple(
                _host(value, kept) if p.kind == "host" else value for p, value in zip(call.inputs, args, strict=True)
            )
            unknown = set(null.split()) - {param.name for param in call.outputs}
            if unknown:
                msg = f"{name} has no result {', '.join(sorted(unknown))}"
                raise TypeError(msg)
            thread = find()
            if call.version > thread.machine.profile.driver_version:
                return (int(Result.NOT_FOUND), *[None] * count)
            nulls = frozenset(null.split())
            thread.nulls = nulls
            try:
                code, outs = op.invoke(thread, *plain)
            finally:
                thread.nulls = NO_NULLS
                if done is not None:
                    done(thread)
            if code or not count:
                return (code, *[None] * count)
            values = (outs,) if count == 1 else outs
            if nulls:
                values = tuple(None if p.name in nulls else v for p, v in zip(call.outputs, values, strict=True))
            return (code, *values)

        return invoke

    def __dir__(self) -> list[str]:
        """List every call of the driver API."""
        return sorted(CALLS)


def described(name: str) -> tuple[Call, Op | None]:
    """Return the description of a call of the driver or runtime API or of HIP, and its operation if it is modelled.

    Raises:
        AttributeError: There is no such call.
    """
    if name.startswith("hip"):
        from fakecuda.api import hip  # noqa: PLC0415 - as with the runtime API

        call, op = hip.CALLS.get(name), HIP.get(name)
    elif name.startswith("cuda"):
        from fakecuda.api import runtime  # noqa: PLC0415 - many machines are asked for driver calls alone

        call, op = runtime.CALLS.get(name), RUNTIME.get(name)
    else:
        call, op = CALLS.get(name), OPS.get(name)
    if call is None:
        api = "HIP" if name.startswith("hip") else f"the {'runtime' if name.startswith('cuda') else 'driver'} API"
        msg = f"{api} has no {name}"
        raise AttributeError(msg)
    return call, op


def _not_modelled(name: str, thread: Thread, count: int) -> tuple[Any, ...]:
    """Answer that a call is not supported, and warn once."""
    kind = next((kind for kind in REFUSALS if name.startswith(kind)), "cu")
    warn_once(thread.machine, name, REFUSALS[kind])
    if kind == "cuda":
        thread.last_error = int(Result.NOT_SUPPORTED)
    return (int(Result.NOT_SUPPORTED), *[None] * count)


def _host(value: Any, kept: list[Any]) -> int:  # noqa: ANN401 - an address or any buffer
    """Return the address of host memory given as an address, None or a buffer; ``kept`` keeps the buffer alive."""
    if value is None:
        return 0
    if isinstance(value, int):
        return value
    view = memoryview(value)
    array = ctypes.c_char * view.nbytes
    buffer = array.from_buffer_copy(view) if view.readonly else array.from_buffer(view)
    kept.append(buffer)
    return ctypes.addressof(buffer)
