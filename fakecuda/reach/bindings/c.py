"""Calls at the C level.

They take plain arguments and return ``(code, *plain results)``. Null result pointers are given by name.
It can pass arguments that the Python bindings cannot express. The conformance suite uses it for every target. A call
that the machine's driver lacks answers CUDA_ERROR_NOT_FOUND.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from fakecuda.model.call import NO_NULLS
from fakecuda.near import nearest
from fakecuda.reach.bindings.lookalike import warn_once
from fakecuda.rules.registry import DRIVER, api_of
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.os.thread import Thread
    from fakecuda.spec.description import Param


class CLevel:
    """``process.c``: every modelled call as a method.

    Args:
        find: Returns the calling thread.
        done: Called with the thread after each call; None for nothing.
    """

    __slots__ = ("_done", "_find")

    def __init__(self, find: Callable[[], Thread], done: Callable[[Thread], None] | None = None) -> None:
        self._find = find
        self._done = done

    @property
    def find(self) -> Callable[[], Thread]:
        """A function that returns the calling thread."""
        return self._find

    def __getattr__(self, name: str) -> Callable[..., tuple[Any, ...]]:
        """Return a call.

        Inputs are by position in C order, ``null="dptr size"`` is for null results.
        """
        setattr(CLevel, name, _method(name))  # so that the next lookup finds it
        made: Callable[..., tuple[Any, ...]] = getattr(self, name)
        return made

    def __dir__(self) -> list[str]:
        """List all calls of the driver API."""
        return sorted(DRIVER.calls)


def _method(name: str) -> Callable[..., tuple[Any, ...]]:
    """Return the method for a call."""
    api = api_of(name)
    if name not in api.calls:
        raise AttributeError(nearest(name, api.calls, f"function of {api.title}"))
    call, ops, made = api.calls[name], api.ops, api.ops.declared()
    inputs, outputs, version = call.inputs, call.outputs, call.version
    given, hosts = len(inputs), any(param.kind == "host" for param in inputs)
    images = [place for place, param in enumerate(inputs) if is_image(param)]
    single, nothing = len(outputs) == 1, (None,) * len(outputs)
    results = frozenset(param.name for param in outputs)

    def invoke(self: CLevel, *args: Any, null: str = "") -> tuple[Any, ...]:
        if len(args) != given:
            wanted = ", ".join(param.name for param in inputs)
            msg = f"{name} takes ({wanted}), but got {len(args)} values"
            raise TypeError(msg)
        op = made.get(name) or ops.get(name)
        if op is None:
            return _not_modelled(name, self._find(), nothing)
        if hosts:
            kept: list[Any] = []
            args = tuple(
                _host(value, kept) if p.kind == "host" else value for p, value in zip(inputs, args, strict=True)
            )
        for place in images:
            if isinstance(args[place], int):
                from fakecuda.reach.bindings.pointers import image  # noqa: PLC0415 - it loads the bindings

                args = (*args[:place], image(args[place]), *args[place + 1 :])
        nulls = NO_NULLS
        if null:
            nulls = frozenset(null.split())
            if not nulls <= results:
                msg = (
                    f"{name}() got null={null!r}, but {', '.join(sorted(nulls - results))} is not a result of the "
                    f"call: name results among {', '.join(sorted(results))}"
                )
                raise TypeError(msg)
        thread, done = self._find(), self._done
        if version > thread.machine.profile.driver_version:
            return (int(Result.NOT_FOUND), *nothing)
        try:
            code, outs = op.invoke(thread.call.without(nulls) if nulls else thread.call, *args)
        finally:
            if done is not None:
                done(thread)
        if outs is None or not nothing:
            return (code, *nothing)
        values = (outs,) if single else outs
        if nulls:
            values = tuple(None if p.name in nulls else v for p, v in zip(outputs, values, strict=True))
        return (code, *values)

    invoke.__name__ = name
    invoke.__qualname__ = f"{CLevel.__qualname__}.{name}"
    return invoke


def _not_modelled(name: str, thread: Thread, nothing: tuple[None, ...]) -> tuple[Any, ...]:
    """Answer that a call is not supported, and warn about it once."""
    api = api_of(name)
    thread.answer_unmodelled(name, api.not_supported)
    warn_once(thread.machine, name, api.cname(api.not_supported))
    if api.remember is not None:
        api.remember(thread, api.not_supported, name)
    return (api.not_supported, *nothing)


def is_image(param: Param) -> bool:
    """Return whether an argument is code: bytes, or the address of some."""
    return param.role == "string_in" and param.type == "void"


def _host(value: Any, kept: list[Any]) -> int:
    """Return the address of host memory.

    The argument is an address, None or a buffer, which ``kept`` keeps alive.
    """
    if value is None:
        return 0
    if isinstance(value, int):
        return value
    view = memoryview(value)
    array = ctypes.c_char * view.nbytes
    buffer = array.from_buffer_copy(view) if view.readonly else array.from_buffer(view)
    kept.append(buffer)
    return ctypes.addressof(buffer)
