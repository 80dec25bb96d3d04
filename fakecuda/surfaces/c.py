"""The C level: plain values in, ``(code, *plain results)`` out, null result pointers by name.

What no Python argument of the bindings can say is said here; the conformance suite drives every target through it. A call
that the machine's driver lacks answers CUDA_ERROR_NOT_FOUND.
"""

from __future__ import annotations

import ctypes
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from attrs import frozen

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
        return partial(_invoke, _entry(name), self._find, self._done)

    def __dir__(self) -> list[str]:
        """List every call of the driver API."""
        return sorted(CALLS)


@frozen
class _Entry:
    """What is known of a call before it is made.

    Attributes:
        call: Its description.
        op: Its operation, if it is modelled.
        inputs: How many inputs it takes.
        hosts: Whether one of them is memory of the host.
        results: The names of its results.
        nothing: The results of a call that fails.
    """

    call: Call
    op: Op | None
    inputs: int
    hosts: bool
    results: frozenset[str]
    nothing: tuple[None, ...]


@cache
def _entry(name: str) -> _Entry:
    call, op = described(name)
    hosts = any(param.kind == "host" for param in call.inputs)
    results = frozenset(param.name for param in call.outputs)
    return _Entry(call, op, len(call.inputs), hosts, results, (None,) * len(call.outputs))


def _invoke(
    entry: _Entry,
    find: Callable[[], Thread],
    done: Callable[[Thread], None] | None,
    *args: Any,  # noqa: ANN401 - plain values
    null: str = "",
) -> tuple[Any, ...]:
    """Make a call; return ``(code, *plain results)``."""
    call, op, nothing = entry.call, entry.op, entry.nothing
    if len(args) != entry.inputs:
        wanted = ", ".join(param.name for param in call.inputs)
        msg = f"{call.name} takes ({wanted}); {len(args)} values were given"
        raise TypeError(msg)
    if op is None:
        return _not_modelled(call.name, find(), nothing)
    kept: list[Any] = []
    if entry.hosts:
        args = tuple(
            _host(value, kept) if p.kind == "host" else value for p, value in zip(call.inputs, args, strict=True)
        )
    nulls = NO_NULLS
    if null:
        nulls = frozenset(null.split())
        if not nulls <= entry.results:
            msg = f"{call.name} has no result {', '.join(sorted(nulls - entry.results))}"
            raise TypeError(msg)
    thread = find()
    if call.version > thread.machine.profile.driver_version:
        return (int(Result.NOT_FOUND), *nothing)
    thread.nulls = nulls
    try:
        code, outs = op.invoke(thread, *args)
    finally:
        thread.nulls = NO_NULLS
        if done is not None:
            done(thread)
    if code or not nothing:
        return (code, *nothing)
    values = (outs,) if len(nothing) == 1 else outs
    if nulls:
        values = tuple(None if p.name in nulls else v for p, v in zip(call.outputs, values, strict=True))
    return (code, *values)


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


def _not_modelled(name: str, thread: Thread, nothing: tuple[None, ...]) -> tuple[Any, ...]:
    """Answer that a call is not supported, and warn once."""
    kind = next((kind for kind in REFUSALS if name.startswith(kind)), "cu")
    warn_once(thread.machine, name, REFUSALS[kind])
    if kind == "cuda":
        thread.last_error = int(Result.NOT_SUPPORTED)
    return (int(Result.NOT_SUPPORTED), *nothing)


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
