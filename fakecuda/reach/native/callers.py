"""Finds the C code that called the driver.

Python code does not see it, but the machine's stack has it. The unwinder passes from Python's own code to the stub,
and from there to the callers: :mod:`fakecuda.reach.native.unwinding`.

A thread of C often makes a call again from the same place of its stack. So what was found is kept with the words of the
stack that prove it: the return addresses. While they are the same, nothing is unwound.
"""

from __future__ import annotations

import ctypes
import struct
from functools import cache
from itertools import pairwise
from threading import get_ident
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.model import history
from fakecuda.model.memory import space
from fakecuda.model.memory.space import MEMORY
from fakecuda.spec.export_tables import BINDINGS_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GO_ON, STOP = 0, 1
DEEPEST = 16
"""The maximum number of callers of a stub to examine."""
WORD = 8
"""The size of a stack word."""
RECORD = 16
"""The size of a frame record: the caller's frame pointer and the return address."""
FARTHEST = 512
"""The maximum stack words of a frame to search for a return address."""
LONGEST = 1000
"""The maximum length of a file path."""
KEPT = 1024
"""The maximum number of cached stacks."""
FRAME = ctypes.c_uint64()
"""The frame of the innermost stub, which stubs write while they hold the GIL."""
OURS = ("libffi", "_ctypes", "libpython", "python")
"""Prefixes of files by which Python calls C, so that the caller is Python code."""
STUBS = ("libcuda.so", "libcudart", "libamdhip64", "libnvidia-ml")
"""Prefixes of the libraries that fakecuda writes."""
_Trace = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_word = struct.Struct("Q").unpack_from
_Frame = tuple[int, int]
"""A return address, and the start of the stack when it was pushed."""


@frozen
class _Known:
    """A cached stack.

    Attributes:
        unloads: How many objects had been unloaded from the process.
        words: Reads the return addresses from the stub's frame on.
        addresses: The return addresses.
        stack: The stack.
    """

    unloads: int
    words: Callable[[Any, int], tuple[int, ...]]
    addresses: tuple[int, ...]
    stack: history.Stack


_known: dict[tuple[int, int], dict[int, _Known]] = {}
"""Cached stacks by thread, stub frame and return address."""
_sites: dict[int, tuple[str, int]] = {}
_code: list[tuple[int, int, str, int]] = []


def libraries() -> tuple[str, ...]:
    """Return the file of the C library that called a stub.

    The result is empty if Python did or if it is unknown.
    """
    file = caller()
    return (file,) if file and BINDINGS_FOLDER not in file else ()


def caller() -> str:
    """Return the file of the C code that called a stub; empty if Python did or if it is unknown."""
    _, callers = _unwound(1)
    _forget_unloaded()
    file = _site(callers[0][0])[0] if callers else ""
    return "" if file.rpartition("/")[2].startswith(OURS) else file


def innermost_stub() -> int:
    """Return an address in the stub that called Python; 0 if it is unknown."""
    _forget_unloaded()
    return _unwound(1)[0][0]


def stack() -> history.Stack:
    """Return the stack of the C code that called a stub.

    The result is empty if it is unknown.
    """
    frame, unloads = FRAME.value, _forget_unloaded()
    if (calls := _known.get((get_ident(), frame))) is not None:
        # The frame is this thread's, so its words can be read.
        known = calls.get(_word(MEMORY, frame + WORD)[0])
        if known is not None and known.unloads == unloads and known.words(MEMORY, frame) == known.addresses:
            return known.stack
    return _found(frame, unloads)


def _found(frame: int, unloads: int) -> history.Stack:
    """Unwind the stack, and cache it if it is the stack of a frame."""
    stub, callers = _unwound(DEEPEST)
    sites = [site for address, _ in callers if (site := _site(address))[0]]
    found = history.native_stack(sites)
    if callers and callers[0][1] - RECORD == frame:
        words = _words([stub, *callers])
        if words is not None:
            if len(_known) >= KEPT:
                _known.clear()
            calls = _known.setdefault((get_ident(), frame), {})
            if len(calls) >= KEPT:
                calls.clear()
            calls[callers[0][0]] = _Known(unloads, *_reading(frame, words[1:]), found)
    return found


def _reading(
    frame: int, words: tuple[tuple[int, int], ...]
) -> tuple[Callable[[Any, int], tuple[int, ...]], tuple[int, ...]]:
    """Return a function that reads several stack words at once, and the words.

    Args:
        frame: Where the function begins to read.
        words: Where the words lie, each behind the one before, and their values.
    """
    form, end = "<", frame
    for at, _ in words:
        form, end = f"{form}{at - end}xQ", at + WORD
    return struct.Struct(form).unpack_from, tuple(address for _, address in words)


def _words(frames: list[_Frame]) -> tuple[tuple[int, int], ...] | None:
    """Return the stack places of return addresses; None if one is not found.

    The first frame is a stub's. A return address lies in the frame of the called function, mostly at its end.
    """
    found = []
    for (_, start), (address, end) in pairwise(frames):
        places = range(end - 8, max(start, end - 8 * FARTHEST) - 8, -8)
        at = next((place for place in places if _word(MEMORY, place)[0] == address), None)
        if at is None:
            return None
        found.append((at, address))
    return tuple(found)


def _unwound(most: int) -> tuple[_Frame, list[_Frame]]:
    """Return the innermost stub's frame, and its callers, innermost first."""
    unwinder = _unwinder()
    found: list[_Frame] = []
    stubs: list[_Frame] = []

    def trace(context: int, _: int) -> int:
        frame = unwinder._Unwind_GetIP(context), unwinder._Unwind_GetCFA(context)  # noqa: SLF001 - libgcc's names
        if stubs:
            found.append(frame)
        elif _is_stub(frame[0]):
            stubs.append(frame)
        return STOP if len(found) == most else GO_ON

    if unwinder is not None:
        unwinder._Unwind_Backtrace(_Trace(trace), None)  # noqa: SLF001 - libgcc's names
    return (stubs or [(0, 0)])[0], found


def _is_stub(address: int) -> bool:
    """Return whether code belongs to a library written by fakecuda."""
    return _site(address)[0].rpartition("/")[2].removeprefix("memfd:").startswith(STUBS)


def _site(address: int) -> tuple[str, int]:
    """Return the file and offset of a call from its return address."""
    found = _sites.get(address)
    if found is None:
        inside = next((one for one in _code if one[0] < address <= one[1]), None)
        if inside is None:
            _code[:] = _read_code()
            inside = next((one for one in _code if one[0] < address <= one[1]), (0, 0, "", address - 1))
        found = _sites[address] = inside[2], address - 1 - inside[3]
    return found


def _read_code() -> Iterator[tuple[int, int, str, int]]:
    """Yield the bounds, the file and the start of each mapping with code.

    The dynamic loader could say it, too. But it has locks, which are held while a library is loaded whose constructors
    call the driver.
    """
    first: dict[str, int] = {}
    for line in space.maps().splitlines():
        bounds, rights, _, _, _, *path = line.split(None, 5)
        start, end = (int(bound, 16) for bound in bounds.split("-"))
        if path and path[0].startswith("/"):
            begin = first.setdefault(path[0], start)
            if "x" in rights and len(path[0]) <= LONGEST:
                yield start, end, path[0], begin - _linked_at(begin)


def _linked_at(start: int) -> int:
    """Return the link address of a loaded ELF file; 0 if position-independent."""
    if ctypes.string_at(start, 4) != b"\x7fELF":
        return 0
    (headers,), (size, count) = (
        struct.unpack_from("<Q", MEMORY, start + 32),
        struct.unpack_from("<HH", MEMORY, start + 54),
    )
    for number in range(count):
        kind, _, offset, address = struct.unpack_from("<IIQQ", MEMORY, start + headers + size * number)
        if kind == 1 and not offset:  # PT_LOAD
            return int(address)
    return 0


def _forget_unloaded() -> int:
    """Return the unload count of the process, and drop caches if it has changed."""
    if unloads_at[0]:
        _iterate()(unloads_at[0], _unloads_at)
    count = _unloads.value
    if count != _seen[0]:
        _seen[0] = count
        _sites.clear()
        _code.clear()
    return count


unloads_at = [0]
"""The address of ``fakecuda_unloads`` in a loaded library; 0 before one is loaded."""
_unloads = ctypes.c_uint64()
_unloads_at = ctypes.addressof(_unloads)
_seen = [0]


@cache
def _iterate() -> Any:
    """Return the dynamic loader's loop over loaded objects.

    It waits for the loader's lock, and another thread may hold that lock and wait for the GIL. So it runs without the GIL.
    """
    function = ctypes.CDLL(None).dl_iterate_phdr
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    return function


@cache
def _unwinder() -> Any:
    """Return the library that unwinds the stack; None if it is not installed."""
    try:
        library = ctypes.PyDLL("libgcc_s.so.1")
    except OSError:
        return None
    for function in (library._Unwind_GetIP, library._Unwind_GetCFA):  # noqa: SLF001 - libgcc's names
        function.restype = ctypes.c_size_t
        function.argtypes = [ctypes.c_void_p]
    return library
