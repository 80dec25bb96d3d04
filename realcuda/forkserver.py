"""A server that starts children in a hundredth of the time, by forks.

A fork of a process that has loaded a driver cannot use it. So the server never loads one: cuda.bindings loads it at the
first call of a function. The requesting process becomes the parent of the started process, because it adopts orphans
(as a subreaper).
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

from realcuda.spawn import ROOT, Child

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PR_SET_CHILD_SUBREAPER = 36
LONGEST = 4096
GLANCE = 0.0005


class Forked:
    """A process that was forked for this one, like a :class:`subprocess.Popen`.

    Args:
        pid: Its process id.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status. None while the process runs."""
        if self.returncode is None:
            with contextlib.suppress(ChildProcessError):
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait until the process has ended.

        Raises:
            subprocess.TimeoutExpired: It has not ended in time.
        """
        end = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() >= end:
                raise subprocess.TimeoutExpired(cmd=[], timeout=timeout)
            time.sleep(GLANCE)
        assert self.returncode is not None
        return self.returncode

    def kill(self) -> None:
        """Kill the process."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


class Server:
    """The server process, which forks.

    Args:
        modules: The modules that it imports. A missing module is left to the forks.
        environ: Additional environment variables of the server and its forks.
    """

    def __init__(self, modules: Sequence[str], environ: Mapping[str, str]) -> None:
        variables = {**os.environ, **environ}
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), variables.get("PYTHONPATH"))))
        self._lock = threading.Lock()
        self.owner = os.getpid()
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._line, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-m", "realcuda.forkserver", str(theirs.fileno()), *modules],
                env=variables,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

    def start(self, descriptor: int, arguments: Sequence[str]) -> Forked:
        """Start ``realcuda.child`` with a socket and further arguments.

        Raises:
            RuntimeError: The server has ended.
        """
        with self._lock:
            try:
                socket.send_fds(self._line, [json.dumps(arguments).encode()], [descriptor])
                answer = self._line.recv(LONGEST)
            except OSError:
                answer = b""
        if not answer:
            msg = "the server that forks children has ended: see its messages above"
            raise RuntimeError(msg)
        return Forked(int(answer))

    def close(self) -> None:
        """End the server; the processes that it has started go on.

        In a fork of its owner, only forget it.
        """
        self._line.close()
        if os.getpid() == self.owner:
            self._process.wait()
        else:
            self._process.returncode = 0

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self.close()


class Fork(Child):
    """A child that is a fork of the server.

    Args:
        server: The server.
        library: The driver's library, as for :class:`realcuda.spawn.Child`.
        multicast: Whether multicast calls may be made in it.
        cudart: The runtime library, as for :class:`realcuda.spawn.Child`.
    """

    def __init__(self, server: Server, library: str, *, multicast: bool, cudart: str) -> None:
        self._server = server
        super().__init__(library, multicast=multicast, cudart=cudart)

    def start(
        self, arguments: Sequence[str], _environment: Mapping[str, str], _prefix: Sequence[str], theirs: socket.socket
    ) -> Forked:
        """Start the process."""
        return self._server.start(theirs.fileno(), arguments)


def main(descriptor: int, *modules: str) -> None:
    """Fork for the owner at the other end of a socket, until it closes the socket."""
    for module in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    from realcuda import child  # noqa: PLC0415 - the forks use it

    gc.collect()
    gc.freeze()  # the forks share memory that is not touched
    with socket.socket(fileno=descriptor) as line:
        while True:
            content, descriptors, _, _ = socket.recv_fds(line, LONGEST, 1)
            if not content:
                return
            ours, theirs = os.pipe()
            between = os.fork()
            if not between:
                between = os.getpid()
                pid = os.fork()
                if pid:
                    os.write(theirs, str(pid).encode())
                    os._exit(0)
                try:
                    line.close()
                    os.setsid()
                    while os.getppid() == between:
                        time.sleep(GLANCE)
                    child.main(descriptors[0], *json.loads(content))
                finally:
                    os._exit(1)
            os.waitpid(between, 0)
            line.send(os.read(ours, LONGEST))
            for one in (ours, theirs, *descriptors):
                os.close(one)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
