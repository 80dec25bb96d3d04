"""Handles of new objects, including reuse of handles with ``handles="card"``."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from fakecuda.modes import CARD

if TYPE_CHECKING:
    from fakecuda.model.os.process import Process

LAST_FIRST = frozenset({"stream", "node"})
"""Kinds that reuse the handle of the last destroyed object first, not the oldest."""


def new_handle(process: Process, kind: str, owner: Any = None) -> int:
    """Return the handle for a new object.

    Args:
        process: Its process.
        kind: What it is: ``event``.
        owner: The object that alone gives handles of its objects again. None for the process.
    """
    territory = process.machine.territory
    if territory.ended:
        ended = territory.ended.get((owner or process, kind))
        if ended:
            handle = ended.pop() if kind in LAST_FIRST else ended.popleft()
            process.freed.pop(handle, None)
            territory.reused = True
            return handle
    return territory.new_handle()


def give_again(process: Process, kind: str, handle: int, owner: Any = None) -> None:
    """Give a destroyed object's handle to a new object, if ``handles`` allows it."""
    if process.machine.handles == CARD:
        process.machine.territory.ended.setdefault((owner or process, kind), deque()).append(handle)
