"""Attached processes that real signals stop and kill: ``python -m conformance.fuzz.signals [EXCHANGE] [--kind KIND] [--seed S]``.

A process of its own attaches to a machine through a relay. When one frame comes by, of either side, the process is stopped,
and continued when others have gone on (``SIGSTOP``), or it is killed (``SIGKILL``); the frame is passed on behind that.

One that is stopped hears nothing of it. Behind one that is killed another process's calls go on, the machine is whole and its
lock free, and nothing is left of it. The machine waits without end for whoever does not answer: nobody else may.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import threading
import traceback
from contextlib import ExitStack
from typing import TYPE_CHECKING

from conformance.fuzz.damage import SIGNAL, Bench
from conformance.fuzz.exchanges import EXCHANGES, Stop, cancelled
from conformance.fuzz.frames import options_of, parser_of, status_of
from conformance.fuzz.trials import Trials
from fakecuda.errors import FakeCudaError
from fakecuda.model.os.threads import running
from fakecuda.reach.remote.client.client import RemoteMachine

if TYPE_CHECKING:
    from conformance.fuzz.relay import Place

KINDS = ("SIGSTOP", "SIGKILL")
"""The signals that the process receives."""


class Real(Bench):
    """A machine with two attached processes; one is a fork that receives a signal.

    Args:
        ending: Ends it.
    """

    def __init__(self, ending: ExitStack) -> None:
        super().__init__(ending)
        self._pid = 0
        self._threads: frozenset[int] = frozenset()

    def strike(self, name: str, place: Place, kind: str, trials: Trials) -> None:
        """Send a signal to a process at a frame of an exchange, and check the effects."""
        before = self._descriptors()
        wrong: list[str] = []

        def do(content: bytes) -> tuple[bytes, bool]:
            trials.counts["frames"] += 1
            os.kill(self._pid, signal.Signals[kind])
            with contextlib.suppress(ChildProcessError):  # it has ended, and whoever waits for that came first
                os.waitid(os.P_PID, self._pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if kind == "SIGSTOP":
                wrong.extend(self._others())
                os.kill(self._pid, signal.SIGCONT)
            return content, False

        self.relay.begin(place, do)
        stood, over = list[str](), threading.Event()
        watch = threading.Thread(target=self._watch, args=(over, stood), name="watch")
        watch.start()
        outcome = self._exchange(name)
        trials.outcomes[outcome.partition(":")[0]] += 1
        if kind == "SIGSTOP" and outcome.partition(":")[0] not in {"", "UndefinedBehaviour"}:
            wrong.append(f"hears {outcome}")
        if outcome.startswith("!"):
            wrong.append(f"ends with {outcome[1:]}")
        wrong += self._left(self._threads, before)
        over.set()
        watch.join()
        wrong += [*stood, *self._harm()]
        trials.wrong += [f"{name}, {kind} at {place}: {line}" for line in wrong]

    def _exchange(self, name: str) -> str:
        """Run an exchange in a fork; return what it received, with ``!`` before errors."""
        (ours, theirs), (gate, opened) = os.pipe(), os.pipe()
        self.exchanging = True
        self._pid = os.fork()
        if not self._pid:
            outcome = "!nothing"
            os.close(opened)
            try:
                os.read(gate, 1)
                outcome = self._run(name)
            finally:
                os.write(theirs, outcome.encode())
                os._exit(0)
        self.exchanging = False
        self._threads = running()  # a fork has the owner listen in another thread
        for end in (theirs, opened, gate):  # that is what the fork waits for
            os.close(end)
        pid = self._pid
        if EXCHANGES[name] is cancelled:
            self.peer.when_waiting(lambda: os.kill(pid, SIGNAL))
        with os.fdopen(ours) as told:
            outcome = told.read()
        self.peer.over()
        status = os.waitpid(pid, 0)[1]
        return f"killed by {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else outcome

    def _run(self, name: str) -> str:
        """Run an exchange in this process; return what it received."""
        process = RemoteMachine(f"{self.relay.path}#{self._number}")
        self.peer.when_waiting = lambda _: None  # type: ignore[method-assign, assignment] # the owner sees when
        try:
            EXCHANGES[name](process, self.peer)
        except (FakeCudaError, Stop) as error:
            return f"{type(error).__name__}: {error}"
        except BaseException:  # noqa: BLE001 - what must not come
            return f"!{traceback.format_exc()}"
        return ""


def tried(kind: str, pattern: str = "", seed: int = 0, most: int = 0) -> Trials:
    """Send a signal at frames of the exchanges.

    Args:
        kind: Which, of ``KINDS``.
        pattern: Text in the names of the exchanges.
        seed: What draws.
        most: At how many frames, which are drawn; 0 for all of them.
    """
    trials, chance = Trials(), random.Random(seed)  # noqa: S311 - a seed repeats it
    with ExitStack() as ending:
        bench = Real(ending)
        every = [(name, frame.place) for name in EXCHANGES if pattern in name for frame in bench.record(name)]
        chance.shuffle(every)
        for name, place in every[: most or len(every)]:
            bench.strike(name, place, kind, trials)
    return trials


def main() -> int:
    """Run the command; return 1 if an invariant fails."""
    options = options_of(parser_of("signals", __doc__.partition("\n")[0], KINDS))
    return status_of(
        options.seed,
        options.kind or KINDS,
        lambda kind: tried(kind, options.pattern, options.seed, options.most),
    )


if __name__ == "__main__":
    sys.exit(main())
