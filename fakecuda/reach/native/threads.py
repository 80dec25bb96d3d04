"""The end of threads that Python did not make.

Python's thread-local storage lasts for a single callback in such a thread. The C library knows better: it calls the
destructor of a key when a thread that has set the key ends. The destructor is a stub of the library, so that it is
harmless once Python is gone.
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
    """Tells of the end of threads.

    Args:
        library: The driver library.
        ended: Called in the thread that ends, with its native id.
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
            msg = "no thread-specific key is left in this process"
            raise OSError(msg)

    def watch(self) -> None:
        """Tell of the calling thread's end if Python did not make it; of its own threads Python tells."""
        if isinstance(threading.current_thread(), threading._DummyThread):  # noqa: SLF001 - there is no public test
            self._set(self._key.value, 1)
