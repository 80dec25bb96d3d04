"""Child processes that call the real driver: start, supervision and end."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from realcuda import wire
from realcuda.guard import OPTION
from realcuda.layouts import shapes

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).parent.parent
LIBRARY = "libcuda.so.1"
START = 120.0
"""Seconds for a child to start Python and load the library."""
REAP = 5.0
"""Seconds to wait for the end of a killed process."""
TICK = 0.05
SHORT = 0.002


class Died(Exception):  # noqa: N818 - a fact about the child
    """An exception: the child ended before it answered."""


class Late(Exception):  # noqa: N818 - a fact about the child
    """An exception: the child did not answer within the time limit."""


class Remote(Exception):  # noqa: N818 - converted at once
    """An exception: Python in the child raised an exception.

    The arguments are its type's name and its text.
    """


class _Spawner:
    """A thread that starts all children.

    A child dies with the *thread* that started it (PR_SET_PDEATHSIG).
    """

    def __init__(self) -> None:
        self.jobs: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        self.thread: threading.Thread | None = None
        self.lock = threading.Lock()

    def run(self, job: Callable[[], Any]) -> Any:
        """Run a job on the thread and return its result."""
        with self.lock:
            if self.thread is None or not self.thread.is_alive():  # a fork does not have the thread
                self.jobs = queue.SimpleQueue()
                self.thread = threading.Thread(target=self._serve, args=(self.jobs,), name="realcuda", daemon=True)
                self.thread.start()
            future: Future[Any] = Future()
            self.jobs.put((job, future))
        return future.result()

    @staticmethod
    def _serve(jobs: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]]) -> None:
        while True:
            job, future = jobs.get()
            try:
                future.set_result(job())
            except BaseException as error:  # noqa: BLE001 - passed to the waiting thread
                future.set_exception(error)


SPAWNER = _Spawner()


class Line:
    """A socket to one worker of a child; closing it ends the worker."""

    __slots__ = ("lock", "numbers", "poller", "socket")

    def __init__(self, line: socket.socket, watched: int) -> None:
        self.socket = line
        self.lock = threading.Lock()
        self.numbers = count(1)
        self.poller = select.poll()
        self.poller.register(line, select.POLLIN)
        if watched >= 0:
            self.poller.register(watched, select.POLLIN)

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()

    def __del__(self) -> None:
        self.socket.close()


class Child:
    """A child process.

    Args:
        library: The path or name of the driver's library.
        cudart: The path or name of the runtime library. Empty to search for it.
        environ: Additional environment variables. None without any.
        prefix: Words before the command line.
        multicast: Whether multicast calls may be made in the child.

    Attributes:
        pid: Its process id.
    """

    def __init__(
        self,
        library: str,
        environ: Mapping[str, str] | None = None,
        prefix: Sequence[str] = (),
        *,
        multicast: bool = False,
        cudart: str = "",
    ) -> None:
        self.library = library
        environment = {**os.environ, **(environ or {})}
        paths = [str(ROOT), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
        self.control, theirs = wire.pair()
        arguments = [library, cudart, *([OPTION] if multicast else [])]
        try:
            self.process: Any = self.start(arguments, environment, prefix, theirs)
        except BaseException:
            self.control.close()
            raise
        finally:
            theirs.close()
        self.pid = self.process.pid
        self.owner = os.getpid()
        try:
            self.watched = os.pidfd_open(self.pid)
        except OSError:  # an old kernel: the process is polled instead
            self.watched = -1
        self.missing: dict[str, str] | None = None
        self.lock = threading.Lock()
        self.opening = threading.Lock()
        self.ending = threading.RLock()

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], prefix: Sequence[str], theirs: socket.socket
    ) -> Any:
        """Start the process.

        Args:
            arguments: The arguments of :mod:`realcuda.child` after its socket.
            environment: All environment variables of the process.
            prefix: Words before its command line.
            theirs: The process's end of the socket.
        """
        number = theirs.fileno()
        command = [*prefix, sys.executable, "-m", "realcuda.child", str(number), *arguments]
        return SPAWNER.run(
            lambda: subprocess.Popen(  # noqa: S603 - our own interpreter and module
                command,
                env=environment,
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        )

    def ready(self) -> dict[str, str]:
        """Wait until the child has started, and return what it could not load.

        The keys are ``library`` and ``bindings``, the values the reasons.

        Raises:
            RuntimeError: The child did not start.
        """
        with self.lock:
            if self.missing is None:
                self.control.settimeout(START)
                try:
                    wire.receive(self.control)
                except (wire.LineClosed, OSError) as error:
                    self.kill()
                    msg = f"the child did not start (status {self.process.returncode}): see its messages above"
                    raise RuntimeError(msg) from error
                self.main = self.open("main")
                self.missing = self.ask(self.main, START, "shapes", shapes())[0]
        return self.missing

    def open(self, name: str) -> Line:
        """Return a line to a new worker; ``main`` names the process's main thread.

        Raises:
            Died: The child has ended.
        """
        ours, theirs = wire.pair()
        try:
            with self.opening:
                wire.send(self.control, name, [theirs.fileno()])
        except (wire.LineClosed, OSError) as error:
            ours.close()
            raise Died from error
        finally:
            theirs.close()
        return Line(ours, self.watched)

    def ask(
        self, line: Line, limit: float, operation: str, *content: object, descriptors: list[int] | None = None
    ) -> tuple[Any, list[int]]:
        """Send a request over a line, and return the answer with its descriptors.

        Args:
            line: The worker's line. Requests of several threads over one line take turns.
            limit: The most seconds to wait.
            operation: The operation, one of those of :mod:`realcuda.child`.
            content: Its arguments.
            descriptors: The descriptors to send.

        Raises:
            Died: The child ended before it answered.
            Late: The child did not answer within the limit.
            Remote: Python in the child raised an exception.
        """
        with line.lock:
            number = next(line.numbers)
            try:
                wire.send(line.socket, (number, operation, *content), descriptors or [])
            except (wire.LineClosed, OSError) as error:
                raise Died from error
            end = time.monotonic() + limit
            while True:
                self._await(line, end)
                try:
                    line.socket.settimeout(max(end - time.monotonic(), TICK))
                    (answered, kind, *answer), arrived = wire.receive(line.socket)
                except TimeoutError as error:
                    raise Late from error
                except (wire.LineClosed, OSError) as error:
                    raise Died from error
                finally:
                    if line.socket.fileno() >= 0:
                        line.socket.settimeout(None)
                if answered == number:
                    break
                for descriptor in arrived:  # the answer belongs to a call whose caller was interrupted
                    os.close(descriptor)
        if kind == "error":
            raise Remote(*answer)
        return answer[0], arrived

    def _await(self, line: Line, end: float) -> None:
        """Wait until the line has something to read, or has been closed."""
        while True:
            left = end - time.monotonic()
            ready = line.poller.poll(max(left if self.watched >= 0 else min(left, TICK), 0) * 1000)
            if any(descriptor == line.socket.fileno() for descriptor, _ in ready):
                return
            if ready or (self.watched < 0 and self.ended()):
                raise Died
            if left <= 0:
                raise Late

    def ended(self, limit: float = 0.0) -> bool:
        """Return whether the process has ended or ends within the limit; it is not reaped."""
        end = time.monotonic() + limit
        while not self._zombie():
            if time.monotonic() >= end:
                return False
            time.sleep(SHORT)
        return True

    def kill(self) -> None:
        """Kill the child and the processes that it started, and wait until it is gone."""
        if os.getpid() != self.owner:  # this is a fork's copy of the object: the child is not the fork's
            return
        with self.ending:
            # Until the child is reaped, the system does not give its process id, or its group's, to another process.
            if self.process.returncode is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
                self.process.kill()
                with contextlib.suppress(subprocess.TimeoutExpired):  # it hangs in the kernel, and ends when it can
                    self.process.wait(REAP)
            self.control.close()
            if self.watched >= 0:
                os.close(self.watched)
                self.watched = -1

    def _zombie(self) -> bool:
        if self.process.returncode is not None:
            return True
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def __del__(self) -> None:
        if hasattr(self, "ending"):
            self.kill()
