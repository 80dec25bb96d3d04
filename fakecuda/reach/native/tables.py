"""The function table of cuda.bindings, which serves all machines of a process.

cuda.bindings looks up each function of the driver before its first call, and keeps the addresses. So its table is filled
here: when the driver library is loaded, or when cuda.bindings is imported later. The searches that fill it are not calls
of a machine, and they find every function of the library. Every other search is a call of the program: it finds
what the machine's driver has.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from importlib import import_module
from threading import get_ident
from typing import TYPE_CHECKING

from fakecuda.model.memory.space import MEMORY
from fakecuda.reach.native.after_import import AfterImport
from fakecuda.reach.native.generated.callbacks import cuGetProcAddress
from fakecuda.reach.native.library import argument
from fakecuda.reach.native.stubs import TAG
from fakecuda.rules.driver.core.get_proc_address import suited
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    from types import ModuleType

    from fakecuda.reach.native.library import Library

TABLES = ("cuda.bindings._internal.driver", "cuda.bindings._bindings.cydriver")
"""Modules with the function table, of cuda.bindings 13.4 and of earlier releases."""
FILL = "_inspect_function_pointers"
"""The module's function that fills an empty table."""
SEARCH = "cuGetProcAddress_v2"
"""The symbol by which the module searches for functions."""
EVERY = 1 << 30
"""A version above all symbols."""


def watch(library: Library) -> None:
    """Fill the table of cuda.bindings: now if it is imported, else at the end of its import.

    Args:
        library: The driver library, whose stubs are bound.
    """

    def imported(module: ModuleType) -> None:
        sys.meta_path.remove(watching)
        fill(library, module)

    watching = AfterImport(TABLES, imported)
    loaded = [name for name in TABLES if name in sys.modules]
    if not loaded:
        sys.meta_path.insert(0, watching)
    for name in loaded:
        fill(library, import_module(name))  # it waits for another thread that imports the module


def fill(library: Library, module: ModuleType) -> None:
    """Fill the table of a module, without making calls on a machine.

    Args:
        library: The driver library.
        module: The module.
    """
    number = get_ident()
    put_address, put_status = struct.Struct("Q").pack_into, struct.Struct("i").pack_into

    def search(symbol: int, pfn: int, version: int, flags: int, status: int) -> int:
        if get_ident() != number:  # another thread's search is a call
            return cuGetProcAddress(symbol, pfn, version, flags, status)
        address, how = suited(ctypes.string_at(symbol), version, flags, EVERY)
        put_address(MEMORY, pfn, address)
        if status:
            put_status(MEMORY, status, how)
        return TAG << 32

    kinds = next(symbol.args for symbol in symbols() if symbol.name == SEARCH)
    with library.lent(SEARCH, ctypes.CFUNCTYPE(ctypes.c_uint64, *map(argument, kinds))(search)):
        getattr(module, FILL, dict)()  # a release without the function searches at its first call, as any program
