"""Functions of the host that streams call: a context has a thread that runs them one after the other, as CUDA has."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING
from weakref import ref

from attrs import define, field

from fakecuda.model.os.scarcity import started

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.os.process import Process

    Job = tuple[Callable[[], None], Callable[[], None]]


@define(eq=False)
class Worker:
    """A thread that runs functions without the machine's lock; it is started with the worker.

    While the thread waits it holds no part of the machine, which may be dropped meanwhile; it is stopped with that.

    Attributes:
        process: The process whose functions they are.
        name: What it is called in lists of threads.
        thread: The thread.
        given: How many functions it was given.
    """

    process: Process = field(repr=False)
    name: str
    thread: threading.Thread = field(init=False, repr=False)
    given: int = field(default=0, repr=False)
    _returned: list[int] = field(factory=lambda: [0], repr=False)
    _jobs: SimpleQueue[Job | None] = field(factory=SimpleQueue, repr=False)

    def __attrs_post_init__(self) -> None:
        given = self._jobs, self._returned, ref(self.process)
        thread = threading.Thread(target=_work, args=given, name=self.name, daemon=True)
        self.thread = started(thread, "for the functions that streams call")

    def run(self, function: Callable[[], None], then: Callable[[], None]) -> None:
        """Have it run a function when those before have returned, and call ``then``."""
        self.given += 1
        self._jobs.put((function, then))

    def stop(self) -> None:
        """Have it end when what it was given has returned."""
        self._jobs.put(None)

    @property
    def busy(self) -> bool:
        """Whether a function runs, or is about to."""
        return self.given != self._returned[0]


def _work(jobs: SimpleQueue[Job | None], returned: list[int], of: ref[Process]) -> None:
    """Run functions as they come, until there is None; ``returned`` counts those that have returned."""
    number = threading.get_native_id()
    process = of()
    assert process is not None  # what it was started for holds it
    process.forbid(number)
    del process
    try:
        while (job := jobs.get()) is not None:
            function, then = job
            function()
            then()
            returned[0] += 1
            del job, function, then
    finally:
        if (process := of()) is not None:
            process.threads.pop(number, None)
