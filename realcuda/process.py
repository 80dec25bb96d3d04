"""Processes that call the real driver, with the interface of simulated ones."""

from __future__ import annotations

import threading
from typing import Any

from fakecuda.errors import ProcessDied
from fakecuda.spec.codes import CRASH, HANG
from realcuda import wire
from realcuda.bindings import Bindings, C, ask
from realcuda.spawn import Child, Died, Late, Line

MAIN = "main"


class Process:
    """A spawned OS process that calls the real driver.

    A call that ends the process returns ``CRASH``. A call that does not return within the limit returns ``HANG``. The
    process is dead then.

    Args:
        child: The process.
        name: Its name.
        limit: The most seconds of a call.

    Attributes:
        name: Its name.
        driver: The look-alike of ``cuda.bindings.driver``. Each calling Python thread has its own thread in the
            process.
        c: The C-level calls, with threads as for ``driver``.
        forked: The C-level calls, each in a new child that the main thread forks.
        inside: The C-level calls, each within a host function that a stream calls.
    """

    def __init__(self, child: Child, name: str, limit: float) -> None:
        self.name = name
        self.limit = limit
        self._child = child
        self._lines: dict[str, Line] = {MAIN: child.main}
        self._twins = threading.local()
        self._lock = threading.Lock()
        self._end = ""
        self.driver = Bindings(self, self._twin)
        self.c = C(self, self._twin)
        self.forked = C(self, lambda: self.line(MAIN), "forked")
        self.inside = C(self, lambda: self.line(MAIN), "inside")

    @property
    def alive(self) -> bool:
        """Whether the process can make calls."""
        return not self._end and not self._child.ended()

    @property
    def pid(self) -> int:
        """The id of the OS process."""
        number: int = self._child.pid
        return number

    @property
    def status(self) -> int | None:
        """The exit status, or the negative number of a signal.

        None while the process runs.
        """
        if self._child.ended():
            self._child.kill()
        code: int | None = self._child.process.returncode
        return code

    def thread(self, name: str) -> Thread:
        """Return the process's thread with a name, made on first use.

        ``main`` is its main thread.
        """
        return Thread(self, name)

    def host_memory(self, size: int) -> int:
        """Return the address of new host memory in the process.

        It consists of whole zeroed pages, and lives until the process ends.
        """
        address, _ = ask(self, self.line(MAIN), "host_memory", size, descriptors=[])
        return int(address)

    def write_memory(self, address: int, content: bytes) -> None:
        """Write bytes into the process's host memory, as host code does."""
        ask(self, self.line(MAIN), "write_memory", address, content, descriptors=[])

    def read_memory(self, address: int, size: int) -> bytes:
        """Return bytes of the process's memory, as host code reads them."""
        content, _ = ask(self, self.line(MAIN), "read_memory", address, size, descriptors=[])
        return bytes(content)

    def c_function(self, name: str) -> int:
        """Return the address of a C library function, for a stream to call."""
        address, _ = ask(self, self.line(MAIN), "c_function", name, descriptors=[])
        return int(address)

    def renew(self) -> None:
        """End the named threads, and reset the limit of managed memory.

        The caller must make sure that no other traces of earlier work are left.
        """
        with self._lock:
            others = [name for name in self._lines if name != MAIN]
            lines = [self._lines.pop(name) for name in others]
        for line in lines:
            line.close()
        ask(self, self.line(MAIN), "renew", descriptors=[])

    def exit(self) -> None:
        """End the process regularly, with Python's and C's exit handlers.

        Kill it if it does not end.
        """
        if not self._finish("it has exited"):
            return
        line = self._lines[MAIN]
        try:
            if line.lock.acquire(timeout=self.limit):
                try:
                    wire.send(line.socket, (next(line.numbers), "exit"))
                finally:
                    line.lock.release()
        except (wire.LineClosed, OSError):
            pass
        self._collect()

    def begin_exit(self) -> None:
        """Run the C library's exit handlers, including the driver's.

        The main thread can still make calls.

        Later calls on the main thread reach a driver that has shut down. ``exit`` ends the process.
        """
        ask(self, self.line(MAIN), "begin_exit", descriptors=[])

    def kill(self) -> None:
        """Kill the process and wait until it is gone."""
        self._finish("it was killed")
        self._child.kill()
        self._close()

    def call(self, line: Line, operation: str, *content: object, descriptors: list[int]) -> tuple[Any, list[int]]:
        """Send a request over a line.

        Return its answer, or the int ``CRASH`` or ``HANG``, with descriptors.

        Raises:
            ProcessDied: The process has ended.
            Remote: Python in the child raised an exception.
        """
        self._check()
        if self._child.ended():
            self._finish("it ended between calls")
            self._check()
        try:
            return self._child.ask(line, self.limit, operation, *content, descriptors=descriptors)
        except Late:
            if self._finish("a call did not return within the limit"):
                self._child.kill()
                self._close()
                return HANG, []
        except Died:
            if self._finish("a call crashed it") or self._end == "a call crashed it":
                self._collect()
                return CRASH, []
        self._check()
        raise AssertionError

    def line(self, name: str) -> Line:
        """Return the connection to the thread with a name."""
        self._check()
        with self._lock:
            line = self._lines.get(name)
            if line is None:
                line = self._lines[name] = self._open(name)
        return line

    def _twin(self) -> Line:
        line: Line | None = getattr(self._twins, "line", None)
        if line is None:
            if threading.current_thread() is threading.main_thread():
                line = self.line(MAIN)
            else:
                self._check()
                line = self._open(threading.current_thread().name)
            self._twins.line = line
        return line

    def _open(self, name: str) -> Line:
        try:
            return self._child.open(name)
        except Died:
            self._finish("it ended by itself")
            self._check()
            raise

    def _check(self) -> None:
        if self._end:
            msg = f"process {self.name} has ended ({self._end}): spawn another one with machine.spawn()"
            raise ProcessDied(msg)

    def _finish(self, reason: str) -> bool:
        """Mark the process as ended; return False if it was marked before."""
        with self._lock:
            if self._end:
                return False
            self._end = reason
            return True

    def _collect(self) -> None:
        """Wait until the process and its children have ended; kill them after the limit."""
        self._child.ended(self.limit)
        self._child.kill()
        self._close()

    def _close(self) -> None:
        with self._lock:
            lines = list(self._lines.values())
        for line in lines:
            line.close()

    def __repr__(self) -> str:
        return f"<realcuda.Process {self.name} pid {self.pid}{'' if self.alive else ' ended'}>"


class Thread:
    """A named thread of a process.

    Args:
        process: The process.
        name: Its name. The same name is the same thread.

    Attributes:
        name: The name.
        driver: The look-alike of ``cuda.bindings.driver`` on this thread.
        c: The C-level calls on this thread.
    """

    def __init__(self, process: Process, name: str) -> None:
        self.name = name
        self.driver = Bindings(process, lambda: process.line(name))
        self.c = C(process, lambda: process.line(name))
