"""How long a test waits for another thread or process, even on a busy machine.

``HANGS`` in ``tests/session.py`` is longer: what hangs without such a limit ends the worker that runs it.
"""

from __future__ import annotations

import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONG = 300.0
"""Seconds."""


def until(condition: Callable[[], bool]) -> bool:
    """Return whether a condition comes true in time."""
    limit = time.monotonic() + LONG
    while not condition() and time.monotonic() < limit:
        time.sleep(0.001)
    return condition()


@contextmanager
def started(command: list[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Give a process, and wait for its end. A test that fails kills it, and does not wait for ever."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise
