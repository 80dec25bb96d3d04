"""Advice about resources that the system has run out of."""

from __future__ import annotations

import errno
import time
from typing import TYPE_CHECKING, TypeGuard, TypeVar

from fakecuda.errors import FakeCudaError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable

T = TypeVar("T")

NO_DESCRIPTORS = frozenset({errno.EMFILE, errno.ENFILE})
SCARCE = NO_DESCRIPTORS | {errno.ENOMEM, errno.ENOBUFS, errno.ETOOMANYREFS}
"""Errors of scarce resources, which may disappear a moment later."""
PAUSES: tuple[float, ...] = (0.001, 0.01, 0.05, 0.2, 0.5)
"""Seconds between retries."""
THREADS = "end some threads, or raise the limit of the user (ulimit -u)"
MEMORY = "free some memory, or raise the limit of the process (ulimit -v)"
FOLDER = "set TMPDIR to a writable folder with free space"
OTHER = "remove the cause of this error of the system, and run the program again"
ADVICE = {
    errno.EMFILE: "close some file descriptors, or raise the limit of the process (ulimit -n)",
    errno.ENFILE: "close some file descriptors of any process, or raise the limit of the system (sysctl fs.file-max)",
    errno.ETOOMANYREFS: (
        "too many file descriptors are being sent between processes: raise the limit of the process (ulimit -n)"
    ),
    errno.ENOMEM: MEMORY,
    errno.ENOBUFS: MEMORY,
    errno.EAGAIN: THREADS,
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM), FOLDER),
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EIO), FOLDER),
}
"""Advice by system error."""


def is_scarce(error: BaseException | None) -> TypeGuard[OSError]:
    """Return whether an error means that the system lacks a resource."""
    return isinstance(error, OSError) and error.errno in SCARCE


def scarcity(error: BaseException) -> str:
    """Return what the system refused, with advice.

    Args:
        error: What was raised: an OSError, a MemoryError, or the RuntimeError of a thread that does not start.
    """
    if isinstance(error, OSError) and error.errno:
        path = f", {error.filename}" if error.filename else ""
        text = f"{error.strerror} ({errno.errorcode.get(error.errno, error.errno)}{path})"
        return f"{text}: {ADVICE.get(error.errno, OTHER)}"
    if isinstance(error, MemoryError):
        return f"no memory is left: {MEMORY}"
    return f"{error}: {THREADS}"


def patiently(function: Callable[[], T], pauses: Iterable[float] | None = None) -> T:
    """Retry a function while the system lacks a resource.

    Pauses separate the calls.

    Args:
        function: The function, which asks the system.
        pauses: The seconds between tries, ``PAUSES`` by default.

    Raises:
        OSError: The last try has failed, or a try has failed for another reason.
    """
    for pause in PAUSES if pauses is None else pauses:
        try:
            return function()
        except OSError as error:
            if not is_scarce(error):
                raise
            time.sleep(pause)
    return function()


def started(thread: threading.Thread, purpose: str) -> threading.Thread:
    """Start a thread, and return it.

    Args:
        thread: The thread.
        purpose: What it is for, as the error says after "started".

    Raises:
        FakeCudaError: The system cannot start the thread.
    """
    try:
        thread.start()
    except RuntimeError as error:
        msg = f"fakecuda cannot start a thread {purpose} ({error}): {THREADS}"
        raise FakeCudaError(msg) from error
    return thread
