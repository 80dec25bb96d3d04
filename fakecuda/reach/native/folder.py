"""Temporary folders of this OS process.

A folder is locked while its process lives. It is removed when the process ends. If the process is killed, a later
process finds the folder unlocked and removes it: :func:`fakecuda.reach.remote.owner.rendezvous.sweep`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from weakref import finalize

PREFIX = "fakecuda-run-"
"""Prefix of the names of temporary folders."""


class Folder:
    """A temporary folder that only this user can enter.

    Attributes:
        path: Its path.

    Raises:
        OSError: The system provides no folder, or no descriptor for its lock.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._closing = finalize(self, _remove, self.path, os.getpid())
        self._held = -1
        try:
            self._held = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            self.remove()
            raise
        with contextlib.suppress(OSError):  # some file systems have no locks
            fcntl.flock(self._held, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Remove the folder before the process ends."""
        self._closing()
        self._unlock()

    def abandon(self) -> None:
        """Forget the folder in a forked child, because the parent owns it."""
        self._closing.detach()
        self._unlock()

    def _unlock(self) -> None:
        if self._held >= 0:
            with contextlib.suppress(OSError):
                os.close(self._held)
            self._held = -1


def _remove(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # the exit handlers of a fork run, too
        shutil.rmtree(path, ignore_errors=True)


_own: list[Folder] = []


def own() -> Folder:
    """Return the folder of this OS process, which holds its libraries.

    The first call makes it. A later call makes another one if a cleaner of temporary folders has removed it.

    Raises:
        OSError: As for :class:`Folder`.
    """
    if not _own or not _own[-1].path.exists():
        _own.append(Folder())
    return _own[-1]


def _in_child() -> None:
    for one in _own:
        one.abandon()
    _own.clear()


os.register_at_fork(after_in_child=_in_child)
