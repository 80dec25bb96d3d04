"""Processes of a search, which draw blocks of programs and restart if they die."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
import traceback
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from conformance.search.journal import Block
from conformance.search.planted import Card
from conformance.search.process_pool import Stable
from conformance.search.reached import Reached
from conformance.search.searcher import BLOCK, Searcher
from conformance.targets.divergences import load
from fakecuda import profiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from multiprocessing.connection import Connection
    from pathlib import Path

    from conformance.search.journal import Journal
    from fakecuda.profiles import Profile

OFTEN = 2.0
"""Seconds between writes of the journal."""
STUCK = 90.0
"""Seconds without a message after which a worker is restarted."""
ENDING = 2.0
"""Seconds for a worker that is about to end."""
UNSTARTED = 3
"""The number of workers that may end before their first program."""
GRACE = 12.0
"""Seconds for workers to finish their current programs."""


class NoWorkerError(Exception):
    """No worker reaches its first program; the text says why."""


@frozen
class Setup:
    """The settings of every worker.

    Attributes:
        profile: The model's profile, a name or a path.
        seed: What programs are drawn from.
        real: Whether a card is asked; a model stands for it otherwise.
        planted: The bugs of that model.
        library: The driver's library, or None for the system's.
        cudart: The runtime library, or None for the one that is found.
        limit: Seconds that one call may take.
        chapters: The chapters whose calls are drawn; all by default.
    """

    profile: str
    seed: int
    real: bool = True
    planted: tuple[str, ...] = ()
    library: str | None = None
    cudart: str | None = None
    limit: float = 10.0
    chapters: tuple[str, ...] = ()


def searcher_of(setup: Setup) -> Searcher:
    """Return the object that draws programs and asks a card."""
    profile = profiles.load(setup.profile)
    if not setup.real:
        return _searcher(setup, profile, Card(profile, setup.planted))
    import realcuda  # noqa: PLC0415 - a model needs none of it

    machine = realcuda.Machine(
        limit=setup.limit, library=setup.library, cudart=setup.cudart, preloaded=("cuda.bindings.driver",)
    )
    return _searcher(setup, profile, machine)


def _searcher(setup: Setup, profile: Profile, machine: Any) -> Searcher:
    return Searcher(profile, Stable(machine), setup.seed, profile.driver_version, load(), setup.chapters)


def draw(searcher: Searcher, numbers: Iterable[int], begin: Callable[[int], None], until: float) -> Block:
    """Draw programs and return the results.

    Args:
        searcher: Draws them.
        numbers: The programs' numbers.
        begin: Takes the number of each program that begins.
        until: When to end, seconds since the epoch.
    """
    searcher.reached, searcher.problems = Reached(), {}
    searcher.stable.ended.clear()
    searcher.stable.started = 0
    searcher.costs.seconds.clear()
    before = dict(searcher.seen)
    told = []
    for number in numbers:
        if time.time() >= until:
            break
        begin(number)
        found = searcher.run(number)
        if found is not None:
            told.append(found)
    begin(-1)
    again = {codes: count - before.get(codes, 0) for codes, count in searcher.seen.items()}
    return Block(
        searcher.reached,
        told,
        {codes: count for codes, count in again.items() if count},
        searcher.problems,
        dict(searcher.stable.ended),
        dict(searcher.costs.seconds),
        set(searcher.lacking),
        searcher.stable.started,
    )


def work(line: Connection, current: Any, asked: Any, setup: Setup, until: float) -> None:
    """Draw each received block and send its results, until None arrives.

    The first word is None, or why it can't start.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the search's own process ends the workers
    try:
        searcher = searcher_of(setup)
    except Exception:  # noqa: BLE001 - the search tells it
        line.send(traceback.format_exc())
        return

    def begin(number: int) -> None:
        current.value = number

    def ask() -> None:
        asked.value += 1

    searcher.asking = ask
    try:
        line.send(None)
        while (given := line.recv()) is not None:
            block, seen, lacking = given
            searcher.lacking |= lacking
            for codes in seen:
                searcher.seen[codes] = max(searcher.seen.get(codes, 0), seen[codes])
            line.send(draw(searcher, range(block * BLOCK, (block + 1) * BLOCK), begin, until))
    except EOFError:
        pass
    finally:
        searcher.close()
    os._exit(0)  # what a driver left behind does not matter any more


@define(eq=False)
class Worker:
    """A worker, from the view of the search.

    Attributes:
        number: Its number; every second worker draws programs of the runtime API, too.
        process: Its process.
        line: The line to it.
        current: The program that it makes, or -1.
        asked: How often it has asked a program again, to make it smaller.
        heard: When it last said something, went on to another program, or asked one again.
        started: Whether it has said that it can draw.
        made: That program, and that count.
    """

    number: int
    process: Any
    line: Connection
    current: Any
    asked: Any
    heard: float = field(factory=time.monotonic)
    made: tuple[int, int] = (-1, 0)
    started: bool = False

    def listen(self) -> None:
        """Note whether the worker has progressed since the last call."""
        at = self.current.value, self.asked.value
        if self.made != at:
            self.made, self.heard = at, time.monotonic()


@define
class Search:
    """A search with several workers.

    Attributes:
        setup: What every worker is told.
        journal: Takes what the programs have reached.
        jobs: How many workers there are.
        until: When to end, seconds since the epoch.
        most: How many programs to draw, or 0 for as many as there is time for.
        path: Where the journal is kept, or None.
        tell: Takes lines of text.
    """

    setup: Setup
    journal: Journal
    jobs: int
    until: float
    most: int = 0
    path: Path | None = None
    tell: Callable[[str], None] = field(default=print)
    _workers: list[Worker] = field(factory=list, init=False)
    _started: bool = field(default=False, init=False)
    _unstarted: int = field(default=0, init=False)
    _saved: float = field(default=0.0, init=False)
    _seen: dict[tuple[str, ...], int] = field(factory=dict, init=False)
    _lacking: set[str] = field(factory=set, init=False)

    def run(self) -> None:
        """Search until time is up, all programs are drawn, or the user interrupts.

        Raises:
            NoWorkerError: No worker comes to its first program.
        """
        begun, before = time.monotonic(), self.journal.seconds
        self._seen.update(self.journal.again)
        end = min(self.journal.next) + -(-self.most // BLOCK) if self.most else 0
        try:
            self._workers = [self._start(number) for number in range(self.jobs)]
            while self._workers and time.time() < self.until + GRACE:
                spoken = wait([one.line for one in self._workers], timeout=0.2)
                for worker in list(self._workers):
                    worker.listen()
                    alive = worker.process.is_alive()
                    if worker.line in spoken or (not alive and worker.line.poll()):  # its last words
                        self._hear(worker, end)
                    elif time.monotonic() > worker.heard + STUCK or not alive:
                        self._lose(worker, "it was stuck" if alive else "it died")
                self._save(begun, before)
        except KeyboardInterrupt:
            sys.stderr.write("search: interrupted; this is what is known\n")
        finally:
            for worker in self._workers:
                worker.process.kill()
                worker.process.join()
                worker.line.close()
            self._saved = 0.0
            self._save(begun, before)

    def _start(self, number: int) -> Worker:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        ours, theirs = context.Pipe()
        current, asked = context.Value("q", -1, lock=False), context.Value("q", 0, lock=False)
        process = context.Process(target=work, args=(theirs, current, asked, self.setup, self.until), daemon=False)
        process.start()
        theirs.close()
        return Worker(number, process, ours, current, asked)

    def _hear(self, worker: Worker, end: int) -> None:
        """Handle a worker's message, and give it another block."""
        try:
            block = worker.line.recv()
        except (EOFError, OSError):
            self._lose(worker, "it died")
            return
        if isinstance(block, str):
            self._fail(worker, block)
            return
        worker.heard, worker.started = time.monotonic(), True
        self._started = True
        if block is not None:
            self._take(block)
        parity = worker.number % 2
        if time.time() >= self.until or (end and self.journal.next[parity] >= end):
            worker.line.send(None)
            worker.process.join(GRACE)
            self._workers.remove(worker)
            return
        worker.line.send((self.journal.next[parity], self._seen, self._lacking))
        self.journal.next[parity] += 2

    def _take(self, block: Block) -> None:
        for codes, count in block.again.items():
            self._seen[codes] = self._seen.get(codes, 0) + count
        self._lacking |= block.lacking
        self.journal.count(block)
        for told in block.told:
            if self.journal.add(told):
                self.tell(f"{told.kind}: {told.text} [{told.key.rule or 'no rule'}; {told.key.state}]")

    def _fail(self, worker: Worker, why: str) -> None:
        """Restart a worker that ended before its first program; fail after several."""
        self._end(worker)
        self._unstarted += 1
        if not self._started and self._unstarted >= UNSTARTED:
            raise NoWorkerError(why)
        if self._unstarted < UNSTARTED * self.jobs:
            self._workers.append(self._start(worker.number))

    def _end(self, worker: Worker) -> None:
        """End a worker, but keep the exit status of one that has ended already."""
        worker.process.join(ENDING)
        worker.process.kill()
        worker.process.join()
        worker.line.close()
        self._workers.remove(worker)

    def _lose(self, worker: Worker, how: str) -> None:
        """Note the program that ended a worker, and start another worker."""
        if not worker.started:
            self._fail(worker, f"a worker ended before its first program: {how}; its words stand above, if it had any")
            return
        self._end(worker)
        self.journal.lost.append((worker.current.value, f"{how} ({worker.process.exitcode})"))
        self.tell(f"search: a worker was lost in program {worker.current.value}: {how}")
        if time.time() < self.until and len(self.journal.lost) < 10 * self.jobs:
            self._workers.append(self._start(worker.number))

    def _save(self, begun: float, before: float) -> None:
        self.journal.seconds = before + time.monotonic() - begun
        if self.path is not None and time.monotonic() > self._saved + OFTEN:
            self._saved = time.monotonic()
            self.journal.save(self.path)
