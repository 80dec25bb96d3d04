"""A libcudart for ctypes.

An object like ``ctypes.CDLL`` whose functions reach a machine.
Its functions are C functions with addresses, so ``restype``, ``argtypes``, ``byref`` and structs by value work as for a
loaded library. Python code calls them, so exceptions (undefined behaviour, a warning that is an error) are raised
there. While a machine is installed, ``ctypes.CDLL`` of a libcudart returns such a library.
"""

from __future__ import annotations

import ctypes
import threading
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError, HandleSizeWarning
from fakecuda.reach.bindings.lookalike import warn_once
from fakecuda.reach.native.generated import cudart as generated
from fakecuda.reach.native.library import argument
from fakecuda.rules.registry import RUNTIME
from fakecuda.spec.codes import RUNTIME_NAMES, Result
from fakecuda.spec.runtime import CALLS
from fakecuda.spec.sizes import BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.os.thread import Thread
    from fakecuda.spec.description import Function as Described

HANDLE = 64
HANDLES = {
    name: number
    for name, call in CALLS.items()
    for number, param in enumerate(call.params)
    if param.type in {"cudaIpcMemHandle_t", "cudaIpcEventHandle_t"}
}
"""The index of the IPC handle among a call's arguments."""
_raised = threading.local()


def soname(version: int) -> str:
    """Return the library's file name for a version.

    The version is 1000 * major + 10 * minor.
    """
    return f"libcudart.so.{version // 1000}"


_FuncPtr: Any = getattr(ctypes, "_CFuncPtr")  # noqa: B009 - the private base of functions of a ctypes.CDLL


class Function(_FuncPtr):  # type: ignore[misc] # a class that the stubs do not have
    """A function of the library; ``__name__`` is its name."""

    _flags_ = ctypes._FUNCFLAG_CDECL  # type: ignore[attr-defined] # noqa: SLF001 - as in ctypes.CDLL
    _restype_ = ctypes.c_int

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Make the call; raise the exception that it raised."""
        name: str = self.__name__
        if name in HANDLES:
            _check_handle(name, args)
        try:
            answer = super().__call__(*args, **keywords)
        finally:
            error = _raised.__dict__.pop("error", None)
            if error is not None:
                raise error
        return answer


class Functions:
    """Makes the functions of libraries, as ``ctypes.CDLL`` requests them.

    Args:
        find: Returns the calling thread.
    """

    def __init__(self, find: Callable[[], Thread]) -> None:
        self.find = find
        self._callbacks: dict[str, Any] = {}

    def __call__(self, asked: tuple[str, ctypes.CDLL]) -> Function:
        """Return a new function, as for ``library[name]``.

        Raises:
            AttributeError: The library has no such function.
        """
        name, library = asked
        call = CALLS.get(name)
        if call is None:
            msg = f"{library._name}: undefined symbol: {name}"  # noqa: SLF001 - the loader's message
            raise AttributeError(msg)
        callback = self._callbacks.get(name)
        if callback is None:
            callback = self._callbacks[name] = self._callback(call)
        function: Any = Function(ctypes.cast(callback, ctypes.c_void_p).value)
        function.__name__ = name
        function.library = self  # keeps the callback alive
        return function  # type: ignore[no-any-return]

    def _callback(self, call: Described) -> Any:
        """Return the C function of a call."""
        if call.name not in RUNTIME.ops:
            return ctypes.CFUNCTYPE(ctypes.c_int)(partial(self._arrive, partial(_not_modelled, call.name)))
        result = ctypes.c_void_p if call.name in generated.RETURNED else ctypes.c_int
        kind = ctypes.CFUNCTYPE(result, *map(argument, generated.ARGUMENTS[call.name]))
        return kind(partial(self._arrive, getattr(generated, call.name)))

    def _arrive(self, function: Callable[..., int], *args: Any) -> int:
        try:
            return function(self.find().call, *args)
        except BaseException as error:  # noqa: BLE001 - raised again after the call
            _raised.error = error
            return int(Result.UNKNOWN)


class Cudart(ctypes.CDLL):
    """A libcudart: ``cudart.cudaMalloc(byref(pointer), 4096)``.

    Args:
        functions: Makes its functions.
        name: The name of the library.
    """

    def __init__(self, functions: Functions, name: str) -> None:
        lead(self, name, functions)


def lead(library: ctypes.CDLL, name: str, functions: Functions) -> None:
    """Turn an uninitialised CDLL into a libcudart, without loading a library.

    Args:
        library: The object.
        name: The name or path of the library.
        functions: Makes its functions.
    """
    library._name = name  # noqa: SLF001 - the attributes of a ctypes.CDLL
    library._handle = ctypes.pythonapi._handle  # noqa: SLF001 - the program's own handle, which dlclose always accepts
    library._FuncPtr = functions  # type: ignore[assignment] # noqa: SLF001


def _not_modelled(name: str, call: Call) -> int:
    """Answer cudaErrorNotSupported for a function that is not modelled, and warn once."""
    assert RUNTIME.remember is not None
    RUNTIME.remember(call.thread, int(Result.NOT_SUPPORTED), name)
    call.thread.answer_unmodelled(name, int(Result.NOT_SUPPORTED))
    warn_once(call.machine, name, RUNTIME_NAMES[Result.NOT_SUPPORTED])
    return int(Result.NOT_SUPPORTED)


def _check_handle(name: str, args: tuple[Any, ...]) -> None:
    """Check the declared size of an IPC handle.

    Warn if it is too large, which is harmless. Refuse the call if it is too small.

    Raises:
        FakeCudaError: The library would read or write past its end.
    """
    number = HANDLES[name]
    given = args[number] if number < len(args) else None
    given = getattr(given, "_obj", given)  # the object of byref()
    if isinstance(given, ctypes._Pointer):  # noqa: SLF001 - there is no public base
        given = given.contents if given else None
    if not isinstance(given, ctypes.Structure | ctypes.Array):
        return
    size = ctypes.sizeof(given)
    kind = CALLS[name].params[number].type
    if size < BYTES[kind]:
        msg = f"{name}: {type(given).__name__} has {size} bytes, but {kind} has {HANDLE}: declare c_char * {HANDLE}"
        raise FakeCudaError(msg)
    if size > BYTES[kind] and isinstance(given, ctypes.Structure):
        msg = (
            f"{name}: {type(given).__name__} has {size} bytes, but {kind} has {HANDLE}: declare c_char * {HANDLE}, "
            "because the call does not use the rest"
        )
        warnings.warn(msg, HandleSizeWarning, stacklevel=3)
