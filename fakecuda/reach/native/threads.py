"""Detects the end of threads that Python did not create.

In such a thread, Python's thread-local storage lasts only for one callback. So a thread-specific key of the C library
is used: when a thread that has set the key ends, the library calls the key's destructor. The destructor is a stub, so
that it is harmless after the end of Python.
"""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING

from fakecuda.reach.native.objects import THREAD_END

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.reach.native.library import Library


class ThreadEnds:
    """Reports the end of threads.

    Args:
        library: The driver library.
        ended: Called in the ending thread, with its native id.
    """

    def __init__(self, library: Library, ended: Callable[[int], None]) -> None:
        process = ctypes.CDLL(None)
        self._set = process.pthread_setspecific
        self._set.argtypes = (ctypes.c_uint, ctypes.c_void_p)
        self._key = ctypes.c_uint()

        def end(_value: int) -> int:
            ended(threading.get_native_id())
            return 0

        library.bind(THREAD_END, ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)(end))
        destructor = ctypes.c_void_p(library.address(THREAD_END))
        if process.pthread_key_create(ctypes.byref(self._key), destructor):
            msg = "this process has no thread-specific key left (PTHREAD_KEYS_MAX): create fewer keys"
            raise OSError(msg)

    def watch(self) -> None:
        """Report the end of the calling thread, unless Python created it.

        Python reports its own threads.
        """
        if isinstance(threading.current_thread(), threading._DummyThread):  # noqa: SLF001 - there is no public test
            self._set(self._key.value, 1)
