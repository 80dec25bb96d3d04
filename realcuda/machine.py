"""The machine that this program runs on, whose driver spawned processes call."""

from __future__ import annotations

import os
from functools import cache
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from fakecuda.spec.codes import CRASH, HANG, name_of
from realcuda.forkserver import Fork, Server
from realcuda.process import Process
from realcuda.spawn import LIBRARY, Child

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType


class Machine:
    """The real machine.

    ``spawn`` returns processes with the interface of simulated ones.

    Args:
        warm: How many started processes to keep ready. The driver is not yet initialised in them.
        limit: The most seconds of a call.
        library: The path of the driver's library. None for the system's ``libcuda.so.1``. ``module:function`` names a
            function that makes the library in the process and returns its path. A library for the bindings, too, must
            have the SONAME ``libcuda.so.1``.
        cudart: The path of the runtime library, or a function as for ``library``. None for the library that is loaded,
            in a wheel, or the system's. The first call of the runtime API loads it.
        preloaded: Modules. If some are given, processes are forks of a process that has imported them. They start in a
            hundredth of the time. ``cuda.bindings.driver`` is for the bindings. A process with an environment of its
            own is started as usual.
        environ: Additional environment variables of all processes.
        allow_multicast: Whether multicast calls are made. On a shared host they can put other people's GPUs out of
            service, as :mod:`realcuda.guard` explains.
    """

    def __init__(
        self,
        *,
        warm: int = 0,
        limit: float = 30.0,
        library: str | Path | None = None,
        cudart: str | Path | None = None,
        preloaded: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        allow_multicast: bool = False,
    ) -> None:
        self.allow_multicast = allow_multicast
        self.limit = limit
        self.library = str(library or LIBRARY)
        self.cudart = str(cudart or "")
        self.warm = warm
        self.processes: dict[str, Process] = {}
        self._pool: list[Child] = []
        self._names = _names()
        self.environ = dict(environ or {})
        self.preloaded = tuple(preloaded)
        self._server: Server | None = None
        self._lock = Lock()
        self._starting = Lock()
        self._facts: tuple[int, int] | None = None
        self._problem: str | None = None
        self._closed = False
        self._fill()

    def spawn(
        self, name: str | None = None, environ: Mapping[str, str] | None = None, prefix: Sequence[str] = ()
    ) -> Process:
        """Start a process.

        Args:
            name: Its name. None for the next letter.
            environ: Additional environment variables.
            prefix: Words before its command line, for a program that starts it, such as ``unshare --ipc``.

        Raises:
            RuntimeError: The machine is closed, or the process did not start.
        """
        child = self._take(environ, prefix)
        self._fill()
        child.ready()
        with self._lock:
            name = name or next(n for n in self._names if n not in self.processes)
            process = self.processes[name] = Process(child, name, self.limit)
        return process

    @property
    def device_count(self) -> int:
        """The number of devices of the driver, 0 without a driver.

        The first use starts a process that asks the driver.
        """
        return self._ask()[1]

    @property
    def driver_version(self) -> int:
        """The answer of cuDriverGetVersion, or 0 without a driver."""
        return self._ask()[0]

    @property
    def cudart_problem(self) -> str:
        """The reason why the runtime library is missing; empty if it exists.

        The first use starts a process that asks the driver.
        """
        if self._problem is None:
            child = self._take(None, ())
            child.ready()
            process = Process(child, "cudart", self.limit)
            try:
                code, *_ = process.c.cudaRuntimeGetVersion()
                self._problem = f"cudaRuntimeGetVersion answered {name_of(code)}" if code else ""
            except (OSError, AttributeError) as error:
                self._problem = str(error)
            finally:
                process.kill()
        return self._problem

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            self._closed = True
            pool, self._pool = self._pool, []
        for child in pool:
            child.kill()
        for process in self.processes.values():
            process.kill()
        if self._server is not None:
            self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, environ: Mapping[str, str] | None, prefix: Sequence[str]) -> Child:
        with self._lock:
            if self._closed:
                msg = "the machine is closed: make another realcuda.Machine()"
                raise RuntimeError(msg)
            if self._pool and not environ and not prefix:
                return self._pool.pop(0)
        return self.child(environ, prefix)

    def child(self, environ: Mapping[str, str] | None = None, prefix: Sequence[str] = ()) -> Child:
        """Start a process without a name."""
        if self.preloaded and not environ and not prefix:
            return Fork(self._forking(), self.library, multicast=self.allow_multicast, cudart=self.cudart)
        variables = {**self.environ, **(environ or {})}
        return Child(self.library, variables, prefix, multicast=self.allow_multicast, cudart=self.cudart)

    def _forking(self) -> Server:
        """Return the server that forks, started on first use.

        A fork of this process starts its own.
        """
        with self._starting:
            if self._server is None or self._server.owner != os.getpid():
                self._server = Server(self.preloaded, self.environ)
            return self._server

    def with_environ(self, environ: Mapping[str, str]) -> Machine:
        """Return a machine like this one with additional environment variables."""
        return Machine(
            warm=self.warm,
            limit=self.limit,
            library=self.library,
            cudart=self.cudart or None,
            preloaded=self.preloaded,
            environ={**self.environ, **environ},
            allow_multicast=self.allow_multicast,
        )

    def _fill(self) -> None:
        with self._lock:
            while len(self._pool) < self.warm and not self._closed:
                self._pool.append(self.child())

    def _ask(self) -> tuple[int, int]:
        if self._facts is None:
            child = self._take(None, ())
            child.ready()
            process = Process(child, "facts", self.limit)
            try:
                self._facts = _facts(process)
            finally:
                process.kill()
        return self._facts


def _facts(process: Process) -> tuple[int, int]:
    try:
        _, version = process.c.cuDriverGetVersion()
        if process.alive and process.c.cuInit(0)[0] == 0:
            return version or 0, process.c.cuDeviceGetCount()[1] or 0
    except OSError:
        return 0, 0
    return version or 0, 0


@cache
def available(library: str | Path | None = None) -> str:
    """Return why no driver or no device can be used, or ""; never raise.

    The reason is one line of text.
    """
    try:
        with Machine(library=library) as machine:
            return _reason(machine.spawn())
    except (RuntimeError, OSError) as error:
        return " ".join(str(error).split())


def _reason(process: Process) -> str:
    def failure(call: str, code: int) -> str:
        how = {CRASH: "ended the process", HANG: "did not return"}.get(code, f"answered {name_of(code)}")
        return f"{call} {how}"

    code, *_ = process.c.cuInit(0)
    if code:
        return failure("cuInit", code)
    answer: tuple[Any, ...] = process.c.cuDeviceGetCount()
    if answer[0]:
        return failure("cuDeviceGetCount", answer[0])
    return "" if answer[1] else "the driver shows no device"


def _names() -> Iterator[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    yield from letters
    yield from (f"{letter}{number}" for number in count(2) for letter in letters)
