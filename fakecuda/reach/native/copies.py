"""Loaded files of a library, and their data words."""

from __future__ import annotations

import ctypes
from typing import Any

from attrs import frozen

from fakecuda.reach.native import callers, stubs


@frozen
class Copy:
    """A loaded file of a library, with its own data words.

    Attributes:
        loaded: The file as a ctypes object.
        table: The slots.
        default: The answer of a stub with an empty slot.
        pending: Whether an exception is to be raised after the current callback.
        raising: The functions that raise it, its type and itself.
    """

    loaded: ctypes.CDLL
    table: Any
    default: Any
    pending: Any
    raising: Any

    @classmethod
    def of(cls, loaded: ctypes.CDLL, count: int) -> Copy:
        """Return the data words of a loaded file.

        Args:
            loaded: The file.
            count: The number of its slots.
        """
        found = cls(
            loaded,
            (ctypes.c_uint64 * count).in_dll(loaded, "fakecuda_table"),
            ctypes.c_uint32.in_dll(loaded, "fakecuda_default"),
            ctypes.c_uint32.in_dll(loaded, "fakecuda_pending"),
            (ctypes.c_uint64 * 4).in_dll(loaded, "fakecuda_raise"),
        )
        found.raising[0] = address(ctypes.pythonapi.Py_AddPendingCall)
        found.raising[1] = address(ctypes.pythonapi.PyErr_SetObject)
        ctypes.c_uint64.in_dll(loaded, "fakecuda_frame").value = ctypes.addressof(callers.FRAME)
        python = (ctypes.c_uint64 * len(stubs.PYTHON)).in_dll(loaded, "fakecuda_python")
        python[:] = [address(getattr(ctypes.pythonapi, name)) for name in stubs.PYTHON]
        return found


def watch_fork(loaded: ctypes.CDLL) -> None:
    """Empty the table of a file in forked children.

    A thread that the child does not have may hold the GIL.
    """
    this = ctypes.CDLL(None)
    forget = ctypes.cast(loaded.fakecuda_forget, ctypes.c_void_p)
    register = getattr(this, "__register_atfork", None)
    if register is not None:
        register(None, None, forget, None)
    else:
        this.pthread_atfork(None, None, forget)


def address(function: Any) -> int:
    """Return the address of a ctypes function."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0
