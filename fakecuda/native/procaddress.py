"""cuGetProcAddress: the door's own function, since it answers addresses of its stubs."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.native.callbacks import SUCCESS, failed
from fakecuda.native.library import Symbol, symbols

if TYPE_CHECKING:
    from fakecuda.native.library import Library

FOUND, NOT_FOUND, VERSION_NOT_SUFFICIENT = 0, 1, 2
"""CUdriverProcAddressQueryResult."""
PER_THREAD_DEFAULT_STREAM = 2
FLAGS = 3
"""The flags that cuda.h names."""


@cache
def _forms() -> dict[str, tuple[Symbol, ...]]:
    """Return the symbols of each function, the newest first, a per-thread variant before its like."""
    found: dict[str, list[Symbol]] = {}
    for symbol in symbols():
        found.setdefault(symbol.base, []).append(symbol)
    return {
        base: tuple(sorted(forms, key=lambda s: (s.version, s.stream), reverse=True)) for base, forms in found.items()
    }


def choose(name: str, version: int, flags: int) -> tuple[Symbol | None, int]:
    """Return the symbol that a function's base name stands for, and the status of the search.

    Args:
        name: The base name, ``cuMemAlloc``.
        version: The CUDA version that the caller knows: the newest symbol that is not newer is chosen.
        flags: CUdriverProcAddress_flags.
    """
    forms = [s for s in _forms().get(name, ()) if not s.stream or flags & PER_THREAD_DEFAULT_STREAM]
    if not forms:
        return None, NOT_FOUND
    chosen = next((s for s in forms if s.version <= version), None)
    return chosen, FOUND if chosen else VERSION_NOT_SUFFICIENT


def get_proc_address(library: Library, name: int, result: int, version: int, flags: int, status: int = 0) -> int:
    """Write the address of a function's stub.

    Args:
        library: The library.
        name: The address of the base name.
        result: Where the address goes; null when none is found.
        version: The CUDA version that the caller knows.
        flags: CUdriverProcAddress_flags.
        status: Where the status of the search goes, or 0; without it a failed search is CUDA_ERROR_NOT_FOUND.
    """
    try:
        if not name or not result or flags & ~FLAGS:
            return SUCCESS | Result.INVALID_VALUE
        symbol, found = choose(ctypes.string_at(name).decode(errors="replace"), version, flags)
        ctypes.c_uint64.from_address(result).value = library.address(symbol.name) if symbol else 0
        if status:
            ctypes.c_int32.from_address(status).value = found
        elif symbol is None:
            return SUCCESS | Result.NOT_FOUND
    except BaseException as error:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGetProcAddress", error)
    return SUCCESS
