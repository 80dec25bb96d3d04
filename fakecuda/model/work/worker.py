"""Worker threads for host functions; each context has one, as in CUDA."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING
from weakref import ref

from attrs import define, field

from fakecuda.model.os.scarcity import started
from fakecuda.model.os.thread import forbid

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.os.process import Process

    Job = tuple[Callable[[], None], Callable[[], None]]


@define(eq=False)
class Worker:
    """A thread that runs functions without the machine's lock, from its creation on.

    While the thread waits it holds no reference to the machine. A dropped machine can therefore be collected, and stops
    it.

    Attributes:
        process: The process whose functions they are.
        name: The name of the thread.
        thread: The thread.
        given: How many functions were submitted to it.
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
        """Run a function after all earlier functions, and then call ``then``."""
        self.given += 1
        self._jobs.put((function, then))

    def stop(self) -> None:
        """End the thread when the submitted functions have returned."""
        self._jobs.put(None)

    @property
    def busy(self) -> bool:
        """Whether a function runs or waits to run."""
        return self.given != self._returned[0]


def _work(jobs: SimpleQueue[Job | None], returned: list[int], of: ref[Process]) -> None:
    """Run jobs until None arrives, and count them in ``returned``."""
    number = threading.get_native_id()
    process = of()
    assert process is not None  # the caller that starts the thread holds it
    forbid(process, number)
    del process
    try:
        while (job := jobs.get()) is not None:
            function, then = job
            function()
            then()
            del job, function, then  # before the count: they hold the machine
            returned[0] += 1
    finally:
        if (process := of()) is not None:
            process.threads.pop(number, None)
