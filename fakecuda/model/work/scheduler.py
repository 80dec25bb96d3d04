"""The scheduler of a machine's streams: pending work and waits."""

from __future__ import annotations

from threading import Condition
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model.work.wait_graph import WaitGraph

if TYPE_CHECKING:
    from threading import RLock

    from fakecuda.model.work.stream import Stream
    from fakecuda.model.work.worker import Worker


@define(eq=False)
class Scheduler:
    """The scheduler of a machine.

    Attributes:
        manual: Whether work is done only when a call waits for it.
        wait_timeout: Seconds that a call waits for what another thread, another OS process or the host may do.
        untimed: Threads, by the system's numbers, whose limited waits no time ends. A replay ends such a wait itself: it sets the limit to 0.
        progress: Wakes calls that wait, when some work is done.
        pending: Streams with work that is not done.
        workers: Threads that call host functions for streams; some may have ended.
        census: Who calls, and who waits.
    """

    manual: bool
    wait_timeout: float
    untimed: set[int] = field(factory=set, init=False)
    progress: Condition
    pending: dict[Stream, None] = field(factory=dict, init=False)
    workers: list[Worker] = field(factory=list, init=False)
    census: WaitGraph = field(factory=WaitGraph, init=False)

    def renew(self, lock: RLock) -> None:
        """Replace the lock, in a forked child, which has none of the parent's waits."""
        self.progress = Condition(lock)
