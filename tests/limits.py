"""How long a test waits for another thread or process: no busy machine takes so long, only what hangs comes to its end.

``HANGS`` in ``tests/session.py`` is longer: what hangs without such a limit ends the worker that runs it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LONG = 300.0
"""Seconds."""


def until(condition: Callable[[], bool]) -> bool:
    """Return whether a condition comes true in time."""
    limit = time.monotonic() + LONG
    while not condition() and time.monotonic() < limit:
        time.sleep(0.001)
    return condition()
