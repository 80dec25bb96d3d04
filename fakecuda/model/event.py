"""Events: what they are, what time they hold, and what their IPC handles name."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model import history

if TYPE_CHECKING:
    from fakecuda.model.context import Context

TICK = 500
"""Nanoseconds between two times that differ: the resolution of recorded times."""


@define(eq=False)
class Event:
    """An event of a context. Work completes at once, so a recorded event has completed.

    Attributes:
        handle: The CUevent.
        context: Its context; of an opened one, that of the opener.
        flags: CUevent_flags.
        recorded: When it was last recorded, ticks of a monotonic clock; None before that.
        ipc_handle: The 64 bytes by which other processes open it; none before somebody asked.
        exported: The event of another process that an opened one stands for.
        destroyed: Whether cuEventDestroy ended it; one that went with its context was not destroyed.
        created: The stack that created it.
        ended: The stack that ended it.
    """

    handle: int
    context: Context
    flags: int
    recorded: int | None = None
    ipc_handle: bytes = field(default=b"", repr=False)
    exported: Event | None = field(default=None, repr=False)
    destroyed: bool = False
    created: history.Stack = field(default=history.NOWHERE, repr=False)
    ended: history.Stack = field(default=history.NOWHERE, repr=False)

    def record(self) -> None:
        """Take the time."""
        self.recorded = time.monotonic_ns() // TICK

    def __repr__(self) -> str:
        return f"{'destroyed ' if self.destroyed else ''}event {self.handle:#x} of {self.context}"

    def history(self) -> list[str]:
        """Return where it was created and where it ended, a line each."""
        return history.story(self.created, self.ended, ("created", "ended"))
