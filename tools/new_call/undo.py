"""Undoes the steps of a call if a later step fails.

Then the tree is left unchanged.
"""

from __future__ import annotations

import contextlib
import shutil
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import FrameType


@contextlib.contextmanager
def undone(paths: Iterable[Path]) -> Iterator[None]:
    """Restore files if the body ends with an exception, including KeyboardInterrupt.

    During the body, SIGTERM and SIGHUP raise KeyboardInterrupt.

    Args:
        paths: The files that the body may write or delete. A folder stands for all files in it. New files are deleted,
            with the folders that the body makes for them.
    """
    given = list(paths)
    before = {path: path.read_bytes() for one in given for path in _files(one)}
    made = {folder for path in given for folder in path.parents if not folder.exists()}
    handlers = {number: signal.signal(number, _interrupted) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    except BaseException:
        handlers[signal.SIGINT] = signal.getsignal(signal.SIGINT)
        for number in handlers:
            signal.signal(number, signal.SIG_IGN)  # so that a second Ctrl-C does not interrupt this
        for path in {path for one in given for path in _files(one)} - before.keys():
            path.unlink()
        for path, data in before.items():
            if not path.exists() or path.read_bytes() != data:
                path.write_bytes(data)
        for folder in sorted(made):
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _files(path: Path) -> list[Path]:
    """Return the existing file, or the existing files of the folder.

    Compiled Python files are left out.
    """
    found = path.rglob("*") if path.is_dir() else [path]
    return [one for one in found if one.is_file() and one.suffix != ".pyc"]


def _interrupted(number: int, _: FrameType | None) -> None:
    raise KeyboardInterrupt(signal.Signals(number).name)
