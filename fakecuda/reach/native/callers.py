"""Finds the C library that called the driver.

Python code does not see it, but the machine's stack has it.
The stub that called Python is the last frame that the unwinder knows. It has a frame pointer, and behind it lies the
stub's return address.
"""

from __future__ import annotations

import ctypes
import platform
from functools import cache
from typing import Any

from fakecuda.model.memory.space import mapped_access

POINTERS = {"x86_64": 6, "aarch64": 29}
"""The register number of the frame pointer, by processor."""
WORD = ctypes.sizeof(ctypes.c_void_p)
GO_ON = 0
OURS = ("libffi", "_ctypes", "libpython", "python")
"""Prefixes of the files by which Python calls C. Behind them, the caller is Python code."""
BINDINGS = "/cuda/bindings/"
_Trace = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class _Place(ctypes.Structure):
    """The dynamic loader's Dl_info."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def libraries() -> tuple[str, ...]:
    """Return the file of the C library that called a stub.

    The result is empty if Python did or if it is unknown.
    """
    unwinder, register = _unwinder(), POINTERS.get(platform.machine())
    if unwinder is None or register is None:
        return ()
    frames: list[tuple[int, int]] = []

    def trace(context: int, _: int) -> int:
        frames.append((unwinder._Unwind_GetIP(context), unwinder._Unwind_GetGR(context, register)))  # noqa: SLF001 - libgcc's names
        return GO_ON

    unwinder._Unwind_Backtrace(_Trace(trace), None)  # noqa: SLF001 - libgcc's names
    last, pointer = frames[-1] if frames else (0, 0)
    if not _is_stub(_file_at(last)) or not mapped_access(pointer + WORD, WORD):
        return ()
    file = _file_at(ctypes.c_size_t.from_address(pointer + WORD).value)
    name = file.rpartition("/")[2]
    return (file,) if file and not name.startswith(OURS) and BINDINGS not in file else ()


def _is_stub(file: str) -> bool:
    """Return whether a file is a library written by fakecuda."""
    return file.rpartition("/")[2].startswith(("libcuda.so", "libcudart", "libamdhip64", "libnvidia-ml"))


def _file_at(address: int) -> str:
    """Return the file that an address of code belongs to; empty if unknown."""
    place = _Place()
    found = ctypes.pythonapi.dladdr(ctypes.c_void_p(address), ctypes.byref(place))
    return (place.file or b"").decode(errors="replace") if found else ""


@cache
def _unwinder() -> Any:
    """Return the library that unwinds the stack; None if it is not installed."""
    try:
        library = ctypes.PyDLL("libgcc_s.so.1")
    except OSError:
        return None
    library._Unwind_GetIP.restype = ctypes.c_size_t  # noqa: SLF001 - libgcc's names
    library._Unwind_GetIP.argtypes = [ctypes.c_void_p]  # noqa: SLF001
    library._Unwind_GetGR.restype = ctypes.c_size_t  # noqa: SLF001
    library._Unwind_GetGR.argtypes = [ctypes.c_void_p, ctypes.c_int]  # noqa: SLF001
    return library
