"""The shared objects of this process.

Written, loaded, and bound to Python functions.
Each is loaded once and is never unloaded. Its Python functions also live on, because C code may be inside them at any
time. Later searches for ``libcuda.so.1`` or ``libnvidia-ml.so.1`` find it by its SONAME. Searches for ``libcuda.so`` find
an empty library of that SONAME, which needs the other.

The file that was loaded stays in a folder of the process. The folders for programs have hard links to it, and the
loader knows a file by its inode. So this process also finds the loaded library by a path in such a folder. Where a folder
needs another file, this process loads that file, too, as a *copy* of the library, with the same functions.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import threading
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.reach.native import callers, elf, folder, objects, stubs
from fakecuda.reach.native.copies import Copy, address, watch_fork

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.reach.native.objects import SharedObject

NOW = os.RTLD_GLOBAL | os.RTLD_NOW

ALIAS = "fakecuda-alias"
"""The name of in-memory files without code, which must not contain ``libcuda``."""
LINK_MAP = 2
"""The request of ``dlinfo`` for the dynamic loader's entry of a library."""
NOT_LOADED = OSError, UnicodeDecodeError
"""Exceptions of ctypes for a library that cannot be loaded."""

DRIVER_ADVICE = "driver", "make the machine before anything calls the driver, or use door='lookalike'"
ADVICE = {
    "libcudart.so": ("runtime", "call fakecuda.load_cudart() before you import what brings that library"),
}
"""By short name, a library's title, and advice if another library is loaded."""

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
        addresses: The functions that return an address.
    """

    def __init__(self, loaded: ctypes.CDLL, kind: SharedObject) -> None:
        self.addresses = kind.addresses
        self._loaded = loaded
        self._closed = kind.closed
        self._numbers = {name: number for number, name in enumerate(kind.symbols)}
        self._copies = [Copy.of(loaded, len(kind.symbols))]
        self._kept: dict[str, Any] = {}
        self._every: dict[int, Any] = {}
        self._error: BaseException | None = None
        callers.unloads_at[0] = address(loaded.fakecuda_unloads)
        watch_fork(loaded)

    def add(self, path: Path) -> None:
        """Load another file of the library, whose functions count from now on.

        Do nothing if the loader does not accept the file, or if it takes the file for one that is loaded.
        """
        try:
            loaded = ctypes.CDLL(str(path), mode=os.RTLD_LOCAL | os.RTLD_NOW)
        except NOT_LOADED:
            return
        start = ctypes.addressof(ctypes.c_uint64.in_dll(loaded, "fakecuda_table"))
        if start in [ctypes.addressof(copy.table) for copy in self._copies]:
            return
        made = Copy.of(loaded, len(self._numbers))
        made.table[:] = self._copies[0].table[:]
        made.default.value = self._copies[0].default.value
        self._copies.append(made)
        watch_fork(loaded)

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
        self._fill(symbol, callback)
        return before

    def _fill(self, symbol: str, callback: Any) -> None:
        number, start = self._numbers[symbol], address(callback)
        for copy in self._copies:
            copy.table[number] = start

    @contextlib.contextmanager
    def lent(self, symbol: str, callback: Any) -> Iterator[None]:
        """Bind a symbol's stub to another function inside the block; see :meth:`bind`."""
        self._every[id(callback)] = callback
        self._fill(symbol, callback)
        try:
            yield
        finally:
            self._fill(symbol, self._kept[symbol])

    def unbind_all(self, answer: int) -> None:
        """Unbind all stubs, so that they return a code without calling Python.

        Args:
            answer: The code.
        """
        for copy in self._copies:
            copy.default.value = answer
            ctypes.memset(copy.table, 0, ctypes.sizeof(copy.table))

    def bind_again(self) -> None:
        """Bind the stubs again to their former functions."""
        for symbol, callback in self._kept.items():
            self._fill(symbol, callback)
        for copy in self._copies:
            copy.default.value = self._closed

    def address(self, symbol: str) -> int:
        """Return the address of a symbol's stub."""
        return address(getattr(self._loaded, symbol))

    def raise_later(self, error: BaseException) -> int:
        """Raise an exception in the main thread after the current callback.

        Returns:
            The value that the callback has to return.
        """
        self._error = error
        copy = self._copies[0] if len(self._copies) == 1 else self._called()
        # In CPython an object's id is its address. The library holds no references; this object does.
        copy.raising[2] = id(type(error))
        copy.raising[3] = id(error)
        copy.pending.value = 1
        return 0

    def _called(self) -> Copy:
        """Return the file whose stub called Python; the first one if unknown.

        In each file, the table follows the stubs.
        """
        stub = callers.innermost_stub()
        behind = [copy for copy in self._copies if ctypes.addressof(copy.table) > stub > 0]
        return min(behind, key=lambda copy: ctypes.addressof(copy.table), default=self._copies[0])


_lock = threading.RLock()


def _in_child() -> None:
    global _lock  # noqa: PLW0603 - a thread that the child does not have may hold the old lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_in_child)
_libraries: dict[str, Library] = {}
_placed: dict[str, list[Path]] = {}
"""Files that were written before this process loaded the library, by name."""
_from_memory = count()
"""Serial numbers of files that were loaded from memory."""


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
            atexit.register(made.unbind_all, stubs.SUCCESS)
            _libraries[kind.soname] = made
            for path in _placed.pop(kind.soname, []):
                made.add(path)
            _offer_short_name(kind)
    return made


def place(directory: Path, kind: SharedObject, *, linked: bool = False) -> None:
    """Put a library into a directory for programs, also under its short name.

    If this process opens it there, it gets its own loaded library.

    Args:
        directory: An existing directory. It has the client, if the library is linked.
        kind: The library.
        linked: As for :func:`write_library`.

    Raises:
        FakeCudaError: There are no stubs for this processor.
        OSError: The file cannot be written.
    """
    with _lock:
        if linked or not _link(directory, kind):
            _join(kind, write_library(directory, kind, linked=linked))
    if kind.short_name not in kind.names:
        with contextlib.suppress(FileExistsError):
            (directory / kind.short_name).symlink_to(kind.soname)


def _link(directory: Path, kind: SharedObject) -> bool:
    """Put this process's own files of a library into a directory; return whether that was possible."""
    try:
        own = _own_file(kind)
        for name in kind.names:
            (directory / name).hardlink_to(own.with_name(name))
    except OSError:  # no room for a second folder, or a file system without hard links
        return False
    return True


def _own_file(kind: SharedObject) -> Path:
    """Return a library's file in this process's folder, which the first call writes."""
    path = folder.own().path / kind.soname
    if not path.exists():
        write_library(path.parent, kind)
        _join(kind, path)
    return path


def _join(kind: SharedObject, path: Path) -> None:
    """Make a file of a library call the same functions as the library."""
    made = _libraries.get(kind.soname)
    if made is not None:
        made.add(path)
    else:
        _placed.setdefault(kind.soname, []).append(path)


def _offer_short_name(kind: SharedObject) -> None:
    """Make a library findable by its short name in this process."""
    name = kind.short_name
    try:
        ctypes.CDLL(name, mode=os.RTLD_NOLOAD | NOW)
    except OSError:
        with contextlib.suppress(AttributeError, *NOT_LOADED):
            _load_from_memory(ALIAS, elf.alias(name, kind.soname))


def offer_at(kind: SharedObject, path: str) -> None:
    """Make a loaded library findable at another file's path, for C code.

    The dynamic loader compares what it is asked for with the SONAME of each loaded object before it opens a file. So an
    empty object gets the path as its SONAME. It needs the library.

    Args:
        kind: The library.
        path: The path of the file, exactly as C code writes it.
    """
    with contextlib.suppress(AttributeError, *NOT_LOADED):
        _load_from_memory(ALIAS, elf.alias(path, kind.soname))


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
    path = _path_of(found) or kind.soname
    try:
        digest = ctypes.c_uint64.in_dll(found, "fakecuda_digest").value
    except ValueError:
        what, fix = ADVICE.get(kind.short_name, DRIVER_ADVICE)
        msg = (
            f"another {what} library, {path}, is already loaded in this process, and calls would reach it instead of "
            f"the machine: {fix}"
        )
        raise FakeCudaError(msg) from None
    if digest != elf.digest(kind.symbols):
        msg = (
            f"this process has loaded {path}, which another version of fakecuda has written: remove the file from "
            "LD_LIBRARY_PATH and LD_PRELOAD"
        )
        raise FakeCudaError(msg)
    return found


def _path_of(loaded: ctypes.CDLL) -> str:
    """Return the path from which the dynamic loader has loaded a library; empty if unknown."""
    link_map = ctypes.POINTER(ctypes.c_char_p)()  # its members: an address, the name
    handle = ctypes.c_void_p(loaded._handle)  # noqa: SLF001 - CDLL has no other name for it
    if ctypes.CDLL(None).dlinfo(handle, LINK_MAP, ctypes.byref(link_map)):
        return ""
    return os.fsdecode(link_map[1] or b"")


def _load(kind: SharedObject) -> ctypes.CDLL:
    """Load a library from this process's folder, in which no other user can write."""
    try:
        own = _own_file(kind)
        loaded = [ctypes.CDLL(str(own.with_name(name)), mode=NOW) for name in kind.names]
        return loaded[0]
    except NOT_LOADED as error:
        problem: Exception = error
    # If temporary files cannot be executed, a file in memory can.
    if hasattr(os, "memfd_create"):
        with contextlib.suppress(*NOT_LOADED):
            loaded = [_load_from_memory(name, content) for name, content in kind.files().items()]
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
