"""The shared objects of this process.

Written, loaded, and bound to Python functions.
Each is loaded once and is never unloaded. Its Python functions also live on, because C code may be inside them at any
time. Later searches for ``libcuda.so.1`` or ``libnvidia-ml.so.1`` find it by its SONAME.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import re
import tempfile
import threading
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.model.memory import space
from fakecuda.reach.native import callers, elf, objects, stubs

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.reach.native.objects import SharedObject

PREFIX = "fakecuda-run-"
"""Prefix of the names of temporary directories."""
NOW = os.RTLD_GLOBAL | os.RTLD_NOW

NOT_LOADED = OSError, UnicodeDecodeError
"""Exceptions of ctypes for a library that cannot be loaded; UnicodeDecodeError if its folder's name is not UTF-8."""

# ctypes treats these like the types of a prototype. The C library calls them without the GIL.
INTEGERS = {
    "P": ctypes.c_uint64,
    "Q": ctypes.c_uint64,
    "I": ctypes.c_uint32,
    "i": ctypes.c_int32,
    "H": ctypes.c_uint16,
    "B": ctypes.c_uint8,
    "f": ctypes.c_float,
}
"""The ctypes classes of arguments, by kind. Python gets plain numbers, also for pointers."""


@cache
def argument(kind: str) -> Any:
    """Return the ctypes class of an argument of a kind."""
    if kind in INTEGERS:
        return INTEGERS[kind]
    return type(kind, (ctypes.Structure,), {"_fields_": [("content", ctypes.c_uint8 * int(kind[1:]))]})


def write_library(directory: str | os.PathLike[str], kind: SharedObject | None = None, *, linked: bool = False) -> Path:
    """Write a library for programs that are started with LD_LIBRARY_PATH.

    Return its path.
    Without an attached machine its functions answer that they are not initialised.

    Args:
        directory: An existing directory.
        kind: The library; ``libcuda.so.1`` by default.
        linked: Whether the client in the same directory serves the library until Python does.

    Raises:
        FakeCudaError: There are no stubs for this processor.
    """
    kind = kind or objects.driver()
    for name, content in kind.files(linked=linked).items():
        path = Path(directory) / name
        # A process may have mapped the old file and keeps it. The name then refers to a new file.
        new = path.with_name(f".{name}.{os.getpid()}")
        new.write_bytes(content)
        new.chmod(0o755)
        new.replace(path)
    return Path(directory) / kind.soname


class Library:
    """A loaded library.

    Args:
        loaded: The library as a ctypes object.
        kind: The description of the library.

    Attributes:
        table: The slots.
        pending: Whether an exception is to be raised after the current callback.
    """

    def __init__(self, loaded: ctypes.CDLL, kind: SharedObject) -> None:
        self._loaded = loaded
        self._closed = kind.closed
        self._numbers = {name: number for number, name in enumerate(kind.symbols)}
        self._default = ctypes.c_uint32.in_dll(loaded, "fakecuda_default")
        self._kept: dict[str, Any] = {}
        self._every: dict[int, Any] = {}
        self._error: BaseException | None = None
        self.table = (ctypes.c_uint64 * len(kind.symbols)).in_dll(loaded, "fakecuda_table")
        self.pending = ctypes.c_uint32.in_dll(loaded, "fakecuda_pending")
        self._raising = (ctypes.c_uint64 * 4).in_dll(loaded, "fakecuda_raise")
        self._raising[0] = _address(ctypes.pythonapi.Py_AddPendingCall)
        self._raising[1] = _address(ctypes.pythonapi.PyErr_SetObject)
        ctypes.c_uint64.in_dll(loaded, "fakecuda_frame").value = ctypes.addressof(callers.FRAME)
        callers.unloads_at[0] = _address(loaded.fakecuda_unloads)
        python = (ctypes.c_uint64 * len(stubs.PYTHON)).in_dll(loaded, "fakecuda_python")
        python[:] = [_address(getattr(ctypes.pythonapi, name)) for name in stubs.PYTHON]

    def bind(self, symbol: str, callback: Any) -> Any:
        """Bind a symbol's stub to a function; return the previous function, or None.

        Args:
            symbol: The symbol.
            callback: A ctypes function that returns 64 bits: :data:`fakecuda.reach.native.stubs.TAG` above the code. It
                is kept alive for the life of the process.
        """
        before = self._kept.get(symbol)
        self._kept[symbol] = callback
        self._every[id(callback)] = callback
        self.table[self._numbers[symbol]] = _address(callback)
        return before

    def unbind_all(self, answer: int) -> None:
        """Empty all slots, so that stubs return a code without calling Python.

        Args:
            answer: The code.
        """
        self._default.value = answer
        ctypes.memset(self.table, 0, ctypes.sizeof(self.table))

    def bind_again(self) -> None:
        """Fill the slots again with the functions that they were bound to."""
        for symbol, callback in self._kept.items():
            self.table[self._numbers[symbol]] = _address(callback)
        self._default.value = self._closed

    def address(self, symbol: str) -> int:
        """Return the address of a symbol's stub."""
        return _address(getattr(self._loaded, symbol))

    def raise_later(self, error: BaseException) -> int:
        """Raise an exception in the main thread after the current callback.

        Returns:
            The value that the callback has to return.
        """
        self._error = error
        # In CPython an object's id is its address. The library holds no references; this object does.
        self._raising[2] = id(type(error))
        self._raising[3] = id(error)
        self.pending.value = 1
        return 0


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


_lock = threading.Lock()
_libraries: dict[str, Library] = {}
_from_memory = count()
"""Serial numbers of the files loaded from memory."""


def library(kind: SharedObject, prepare: Callable[[Library], None]) -> Library:
    """Return a library of this process. The first call loads it.

    Args:
        kind: The library.
        prepare: Binds the freshly loaded library.

    Raises:
        FakeCudaError: Another library of that name is loaded, or it cannot be loaded; the text says what to do.
    """
    with _lock:
        made = _libraries.get(kind.soname)
        if made is None:
            made = Library(_loaded(kind) or _load(kind), kind)
            prepare(made)
            _watch_fork(made)
            atexit.register(made.unbind_all, stubs.SUCCESS)
            _libraries[kind.soname] = made
    return made


def _loaded(kind: SharedObject) -> ctypes.CDLL | None:
    """Return the library if LD_LIBRARY_PATH or LD_PRELOAD has loaded it.

    Otherwise, return None.
    """
    found = None
    for name in (*kind.aliases, kind.soname):
        with contextlib.suppress(OSError):
            found = ctypes.CDLL(name, mode=os.RTLD_NOLOAD | NOW)
    if found is None:
        return None
    name = re.escape(kind.soname.removesuffix(".1"))
    maps = space.maps()
    paths = re.findall(rf"^\S+ \S+ \S+ \S+ \S+ +(/.*{name}.*)$", maps, re.MULTILINE)
    path = paths[0] if paths else kind.soname
    try:
        digest = ctypes.c_uint64.in_dll(found, "fakecuda_digest").value
    except ValueError:
        msg = (
            f"another driver library, {path}, is already loaded in this process, and calls would reach it instead of "
            "the machine: make the machine before anything calls the driver, or use door='lookalike'"
        )
        raise FakeCudaError(msg) from None
    if digest != elf.digest(kind.symbols):
        msg = (
            f"this process has loaded {path}, which another version of fakecuda has written: remove the file from "
            "LD_LIBRARY_PATH and LD_PRELOAD"
        )
        raise FakeCudaError(msg)
    return found


def _load(kind: SharedObject) -> ctypes.CDLL:
    """Load a library from a temporary file that no other user can write."""
    made = kind.files()
    try:
        with tempfile.TemporaryDirectory(prefix=PREFIX) as directory:
            for name, content in made.items():
                (Path(directory) / name).write_bytes(content)
            loaded = [ctypes.CDLL(str(Path(directory) / name), mode=NOW) for name in made]
            return loaded[0]
    except NOT_LOADED as error:
        problem: Exception = error
    # If temporary files cannot be executed, a file in memory can.
    if hasattr(os, "memfd_create"):
        with contextlib.suppress(*NOT_LOADED):
            loaded = [_load_from_memory(name, content) for name, content in made.items()]
            return loaded[0]
    msg = (
        f"{kind.soname} cannot be loaded ({problem}): set TMPDIR to a folder that is not mounted noexec, or use the "
        "option door='lookalike' (pytest --fakecuda-door=lookalike)"
    )
    raise FakeCudaError(msg)


def _load_from_memory(name: str, content: bytes) -> ctypes.CDLL:
    with open(os.memfd_create(name), "wb") as file:  # noqa: PTH123 - a descriptor, not a path
        file.write(content)
        file.flush()
        # The loader recognises files by their paths, so each needs a different one.
        folder = f"/proc/self/task/{threading.get_native_id()}/fd/{'./' * next(_from_memory)}"
        return ctypes.CDLL(f"{folder}{file.fileno()}", mode=NOW)


def _watch_fork(made: Library) -> None:
    """Empty the table in forked children at once.

    A thread that the child does not have may hold the GIL.
    """
    this = ctypes.CDLL(None)
    forget = ctypes.cast(made._loaded.fakecuda_forget, ctypes.c_void_p)  # noqa: SLF001 - this module's class
    register = getattr(this, "__register_atfork", None)
    if register is not None:
        register(None, None, forget, None)
    else:
        this.pthread_atfork(None, None, forget)
