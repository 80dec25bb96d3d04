"""The ways to call the driver in a process: C level, and a look-alike."""

from __future__ import annotations

import builtins
import importlib
import os
from typing import TYPE_CHECKING, Any

from fakecuda.spec.both import CALLS
from fakecuda.spec.codes import CRASH
from fakecuda.spec.descriptors import EXPORTS, IMPORTS
from fakecuda.spec.nvml import CALLS as NVML
from realcuda import plain, wire
from realcuda.layouts import shapes
from realcuda.spawn import Line, Remote

if TYPE_CHECKING:
    from collections.abc import Callable

    from realcuda.process import Process


class C:
    """The C-level calls: plain values in, ``(code, *plain results)`` out.

    ``null=`` names null result pointers.
    """

    def __init__(self, process: Process, line: Callable[[], Line], operation: str = "c") -> None:
        self._process = process
        self._line = line
        self._operation = operation

    def __getattr__(self, name: str) -> Callable[..., tuple[Any, ...]]:
        if name not in CALLS and name not in NVML:
            msg = f"neither the driver API, nor the runtime API, nor NVML has a function {name}"
            raise AttributeError(msg)

        def call(*inputs: object, null: str = "") -> tuple[Any, ...]:
            request = plain.prepare(name, inputs, null)
            answer, arrived = ask(
                self._process,
                self._line(),
                self._operation,
                request.symbol,
                request.arguments,
                descriptors=request.descriptors,
            )
            if answer is None or isinstance(answer, int):
                return (CRASH if answer is None else answer, *(None for _ in request.outs))
            code, results = answer
            return plain.finish(request, code, results, arrived)

        call.__name__ = name
        setattr(self, name, call)
        return call

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *CALLS})


class Bindings:
    """A look-alike of ``cuda.bindings.driver`` with functions that run in the process.

    Its classes are those of this process.
    """

    def __init__(self, process: Process, line: Callable[[], Line]) -> None:
        self._process = process
        self._line = line

    def __getattr__(self, name: str) -> Any:
        module = importlib.import_module("cuda.bindings.driver")
        target = getattr(module, name)
        if not name.startswith("cu") or isinstance(target, type):
            setattr(self, name, target)
            return target

        def call(*args: object, **keywords: object) -> tuple[Any, ...]:
            return self._call(module, name, args, keywords)

        call.__name__ = name
        call.__doc__ = getattr(target, "__doc__", None)
        setattr(self, name, call)
        return call

    def _call(self, module: Any, name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
        leaving: list[int] = []
        given = [*args, *keywords.values()]
        args, keywords = _with_descriptors(name, args, keywords)
        data = wire.encode(args, SHAPES, leaving)
        named = {key: wire.encode(value, SHAPES, leaving) for key, value in keywords.items()}
        exports = _is(name, EXPORTS.get(name), args, keywords)
        answer, arrived = ask(self._process, self._line(), "driver", name, data, named, exports, descriptors=leaving)
        if isinstance(answer, int):
            known = CALLS.get(name)  # None for a function of a later release of the bindings
            return (answer, *(None for _ in (known.outputs if known else ())))
        result, contents = answer
        buffers = [view for value in given if (view := _writable(value)) is not None]
        for view, content in zip(buffers, contents, strict=True):
            view[:] = content
        made: tuple[Any, ...] = wire.decode(result, module, arrived)
        return made

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module("cuda.bindings.driver"))


SHAPES = shapes()


def ask(
    process: Process, line: Line, operation: str, *content: object, descriptors: list[int]
) -> tuple[Any, list[int]]:
    """Send a request.

    An exception of the child's Python is raised here with its type and text.
    """
    try:
        return process.call(line, operation, *content, descriptors=descriptors)
    except Remote as error:
        name, text = error.args
        kind = wire.MissingFunction if name == "MissingFunction" else getattr(builtins, name, RuntimeError)
        if kind is RuntimeError and name != "RuntimeError":
            text = f"{name}: {text}"
        raise kind(text) from None


def _argument(name: str, index: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    return args[index] if index < len(args) else keywords.get(CALLS[name].inputs[index].keyword)


def _is(name: str, place: tuple[int, int] | None, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Return whether an argument has one of some values."""
    if place is None:
        return False
    value = _argument(name, place[0], args, keywords)
    return isinstance(value, int) and int(value) == place[1]


def _with_descriptors(
    name: str, args: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Mark an argument that is an open descriptor of this process.

    An argument that is not an open descriptor stays a number.
    """
    place = IMPORTS.get(name)
    if place is None or not _is(name, place[1:], args, keywords):
        return args, keywords
    value = _argument(name, place[0], args, keywords)
    try:
        os.fstat(value)
    except (OSError, TypeError, OverflowError):
        return args, keywords
    if place[0] < len(args):
        return (*args[: place[0]], wire.Descriptor(value), *args[place[0] + 1 :]), keywords
    return args, {**keywords, CALLS[name].inputs[place[0]].keyword: wire.Descriptor(value)}


def _writable(value: object) -> memoryview | None:
    """Return a view of a buffer that a call may fill; None for other arguments."""
    if value is None or isinstance(value, (*wire.SIMPLE, list, tuple)):
        return None
    try:
        view = memoryview(value)  # type: ignore[arg-type]
    except TypeError:
        return None
    return None if view.readonly else view.cast("B")
