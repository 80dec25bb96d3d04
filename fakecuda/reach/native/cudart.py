"""A libcudart for code that calls it through ctypes: an object like ``ctypes.CDLL``, whose functions arrive at a machine.

Its functions are C functions at an address, so ctypes treats ``restype``, ``argtypes``, ``byref`` and structs by value as
it does those of a library that was loaded. They are called by Python: what a call raises (undefined behaviour, a warning
that is an error) is raised there. While a machine is installed, ``ctypes.CDLL`` of a libcudart gives such a library.
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
"""Which argument of a call is an IPC handle."""
_raised = threading.local()


def soname(version: int) -> str:
    """Return the name of the library of a version, 1000 * major + 10 * minor."""
    return f"libcudart.so.{version // 1000}"


_FuncPtr: Any = getattr(ctypes, "_CFuncPtr")  # noqa: B009 - what ctypes.CDLL makes its functions of, as private


class Function(_FuncPtr):  # type: ignore[misc] # a class that the stubs do not have
    """A function of the library; ``__name__`` is its name."""

    _flags_ = ctypes._FUNCFLAG_CDECL  # type: ignore[attr-defined] # noqa: SLF001 - likewise
    _restype_ = ctypes.c_int

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Make the call; raise what it raised."""
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
    """Makes the functions of libraries that lead to the same place: as ``ctypes.CDLL`` asks for them.

    Args:
        find: Returns the calling thread.
    """

    def __init__(self, find: Callable[[], Thread]) -> None:
        self.find = find
        self._callbacks: dict[str, Any] = {}

    def __call__(self, asked: tuple[str, ctypes.CDLL]) -> Function:
        """Return a new function, as ``library[name]`` does.

        Raises:
            AttributeError: The library has none of that name.
        """
        name, library = asked
        call = CALLS.get(name)
        if call is None:
            msg = f"{library._name}: undefined symbol: {name}"  # noqa: SLF001 - as the loader words it
            raise AttributeError(msg)
        callback = self._callbacks.get(name)
        if callback is None:
            callback = self._callbacks[name] = self._callback(call)
        function: Any = Function(ctypes.cast(callback, ctypes.c_void_p).value)
        function.__name__ = name
        function.library = self  # the callback lives as long
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
        except BaseException as error:  # noqa: BLE001 - it is raised behind the call
            _raised.error = error
            return int(Result.UNKNOWN)


class Cudart(ctypes.CDLL):
    """A libcudart: ``cudart.cudaMalloc(byref(pointer), 4096)``.

    Args:
        functions: Where its functions lead.
        name: Its name.
    """

    def __init__(self, functions: Functions, name: str) -> None:
        lead(self, name, functions)


def lead(library: ctypes.CDLL, name: str, functions: Functions) -> None:
    """Make a CDLL that is not initialised a libcudart; nothing is loaded.

    Args:
        library: The object.
        name: Its name, a path or the name of a library.
        functions: Where its functions lead.
    """
    library._name = name  # noqa: SLF001 - what ctypes.CDLL consists of
    library._handle = ctypes.pythonapi._handle  # noqa: SLF001 - the program's, which dlclose takes, however often
    library._FuncPtr = functions  # type: ignore[assignment] # noqa: SLF001


def _not_modelled(name: str, call: Call) -> int:
    """Answer cudaErrorNotSupported for a function that is not modelled, and warn once."""
    call.thread.last_error = int(Result.NOT_SUPPORTED)
    call.thread.answer_unmodelled(name, int(Result.NOT_SUPPORTED))
    warn_once(call.machine, name, RUNTIME_NAMES[Result.NOT_SUPPORTED])
    return int(Result.NOT_SUPPORTED)


def _check_handle(name: str, args: tuple[Any, ...]) -> None:
    """Warn of an IPC handle that is declared too large, which does no harm; refuse one that is too small.

    Raises:
        FakeCudaError: The library would read or write past its end.
    """
    number = HANDLES[name]
    given = args[number] if number < len(args) else None
    given = getattr(given, "_obj", given)  # of byref
    if isinstance(given, ctypes._Pointer):  # noqa: SLF001 - there is no public base
        given = given.contents if given else None
    if not isinstance(given, ctypes.Structure | ctypes.Array):
        return
    size = ctypes.sizeof(given)
    kind = CALLS[name].params[number].type
    if size < BYTES[kind]:
        msg = f"{name}: {type(given).__name__} has {size} bytes, and a {kind} has {HANDLE}: declare c_char * {HANDLE}"
        raise FakeCudaError(msg)
    if size > BYTES[kind] and isinstance(given, ctypes.Structure):
        msg = f"{name}: {type(given).__name__} has {size} bytes, and a {kind} has {HANDLE}: the rest is not used"
        warnings.warn(msg, HandleSizeWarning, stacklevel=3)
