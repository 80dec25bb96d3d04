"""Forked children of tests with preloaded imports, to save their start.

:func:`run` takes a command line of Python, as :func:`subprocess.run` does. The child is a process of its own, with its own environment
variables, folder, files and exit handlers. It differs from a new interpreter: ``sys.modules`` already holds pytest, bindings and the
modules of fakecuda's machine, usual profiles and libraries are made, ``/proc`` shows the command line and the environment of the
process it is forked from, and the stacks of the main thread begin in this file. Behind the exit handlers of pytest, or of a program
whose end is not asked for, no module is taken apart. A test that asks about these asks for a new interpreter. The workers of
pytest-xdist are forks, too, of the process that runs pytest, from before it does.
"""

from __future__ import annotations

import atexit
import builtins
import faulthandler
import gc
import json
import os
import re
import runpy
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import warnings
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).parents[1]
PRELOADED = (
    "pytest",
    *("fakecuda.testing.fixture_lifecycle", "fakecuda.testing.both", "fakecuda.testing.verdict"),
    *("fakecuda.reach.install.modules", "fakecuda.reach.native.door", "fakecuda.reach.remote.owner.endpoint"),
    *("fakecuda.reach.bindings.driver", "fakecuda.reach.bindings.runtime", "fakecuda.reach.remote.linked.build"),
    *("fakecuda.machine.simulating", "fakecuda.explain.reports.text", "fakecuda.rules.driver.core.init"),
    *("fakecuda.testing.outlived", "fakecuda.testing.summary", "pdb"),
)
"""Modules that children need not import; pytest imports the plugin itself."""
INSTALLED = (
    "hypothesis",
    "hypothesis.strategies",
    "hypothesis.internal.detection",
    "pytest_benchmark.plugin",
    "xdist.plugin",
)
"""Imports of pytest's other plugins, if installed."""
AT_START = ("LD_", "GLIBC_", "MALLOC_", "PYTHON")
"""Prefixes of environment variables that Python reads only at its start."""
NOTICED = {"PYTHONPATH", "PYTHONFAULTHANDLER"}
"""Those environment variables that a fork follows."""
HANDED_ON: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
"""The default signal handling of a new interpreter."""
_lock = threading.Lock()


def run(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    input: str = "",  # noqa: A002 - as subprocess.run has it
    merged: bool = False,
    fresh: bool = False,
    preloaded: tuple[str, ...] = (),
    ends: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Run a command line of this Python in a fork; in a new interpreter if a fork would differ in more than what it has imported.

    Args:
        command: ``sys.executable``, options ``-W``, and ``-c``, ``-m`` or a file, with arguments.
        cwd: Its folder; None for this process's.
        env: Its environment variables; None for this process's.
        input: What it reads from standard input.
        merged: Whether standard error goes to standard output.
        fresh: Whether a new interpreter runs it all the same.
        preloaded: Further modules that the forked Python has imported; there is one Python for each such tuple.
        ends: Whether modules are taken apart behind its exit handlers, for 40 ms of CPU. They never are behind those of pytest.
    """
    environ = dict(os.environ if env is None else env)
    words = _words(list(command[1:]))
    with _lock:
        if fresh or words is None or _at_start(environ) != _at_start(_server(preloaded).environ):
            error = subprocess.STDOUT if merged else subprocess.PIPE
            return subprocess.run(command, cwd=cwd, env=environ, input=input, stdout=-1, stderr=error, text=True)  # noqa: PLW1510
        asked = words | {
            "cwd": str(cwd or Path.cwd()),
            "environ": environ,
            "command": list(command),
            "ignored": _ignored(),
            "ends": ends and not _is_pytest(words),
        }
        return subprocess.CompletedProcess(command, *_server(preloaded).run(asked, input, merged=merged))


def _words(rest: list[str]) -> dict[str, Any] | None:
    """Return what a command line asks for; None if a fork cannot follow an option."""
    filters = []
    while rest[:1] == ["-W"]:
        filters.append(rest[1])
        del rest[:2]
    if rest and rest[0] in {"-c", "-m"}:
        return {"filters": filters, "way": rest[0], "what": rest[1], "arguments": rest[2:]}
    return {"filters": filters, "way": "", "what": rest[0], "arguments": rest[1:]} if rest[0][0] != "-" else None


def _is_pytest(asked: dict[str, Any]) -> bool:
    return bool(asked["way"] == "-m" and asked["what"] == "pytest")


def _at_start(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in environ.items() if name.startswith(AT_START) and name not in NOTICED}


class Server:
    """The Python process that forks children, a child of this process.

    Args:
        preloaded: The modules that it imports besides :data:`PRELOADED`.

    Attributes:
        environ: The environment variables that were read at its start.
    """

    def __init__(self, preloaded: tuple[str, ...]) -> None:
        self._line, theirs = socket.socketpair()
        self.environ = dict(os.environ)
        self.pid = os.getpid()
        command = [sys.executable, str(Path(__file__)), str(theirs.fileno()), *preloaded]
        self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()
        atexit.register(self.close)

    def run(self, asked: dict[str, Any], entered: str, *, merged: bool) -> tuple[int, str, str]:
        """Return the status, the output and the errors of a fork."""
        with tempfile.TemporaryFile("w+") as stdin:
            stdin.write(entered)
            stdin.seek(0)
            out, out_end = os.pipe()
            error, error_end = (out, out_end) if merged else os.pipe()
            _ask(self._line, asked, [stdin.fileno(), out_end, error_end])
            for end in {out_end, error_end}:
                os.close(end)
            texts = _read({out, error})
        (status,) = struct.unpack("i", _whole(self._line, 4))
        return status, texts[out], "" if merged else texts[error]

    def close(self) -> None:
        """End it; its time counts as a child's of this process."""
        if self.pid == os.getpid():
            self._line.close()
            self._process.wait()


def _ignored() -> list[signal.Signals]:
    """Return the signals that a new interpreter would ignore, as this process does."""
    return [number for number in HANDED_ON if signal.getsignal(number) is signal.SIG_IGN]


def _ask(line: socket.socket, asked: dict[str, Any], ends: list[int]) -> None:
    """Ask for a command line, with files for its input, output and errors."""
    text = json.dumps(asked).encode()
    socket.send_fds(line, [struct.pack("I", len(text))], ends)
    line.sendall(text)


def _read(ends: set[int]) -> dict[int, str]:
    """Return all that comes from pipes, and close them."""
    found = dict.fromkeys(ends, b"")
    with selectors.DefaultSelector() as chosen:
        for end in ends:
            chosen.register(end, selectors.EVENT_READ)
        while chosen.get_map():
            for key, _ in chosen.select():
                if not (part := os.read(key.fd, 1 << 16)):
                    chosen.unregister(key.fd)
                    os.close(key.fd)
                found[key.fd] += part
    return {end: text.decode().replace("\r\n", "\n") for end, text in found.items()}


def _whole(line: socket.socket, size: int) -> bytes:
    text = b""
    while len(text) < size and (part := line.recv(size - len(text))):
        text += part
    return text


_servers: dict[tuple[str, ...], Server] = {}


def _server(preloaded: tuple[str, ...]) -> Server:
    """Return a server of this process, which is started when it is first asked for."""
    if preloaded not in _servers or _servers[preloaded].pid != os.getpid():
        _servers[preloaded] = Server(preloaded)
    return _servers[preloaded]


def _heard(line: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Return a question, and the files for its input, output and errors; None after the last one."""
    size, ends, *_ = socket.recv_fds(line, 4, 3)
    return (json.loads(_whole(line, *struct.unpack("I", size))), ends) if size else None


def _serve(line: socket.socket) -> dict[str, Any] | None:
    """Fork for each question; return it in the fork, and None once nobody asks any more."""
    while (heard := _heard(line)) is not None:
        asked, ends = heard
        if not (pid := os.fork()):
            line.close()
            _redirect(ends)
            return asked
        for end in ends:
            os.close(end)
        line.sendall(struct.pack("i", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))
    return None


def _redirect(ends: list[int]) -> None:
    """Take files as input, output and errors."""
    for number, end in enumerate(ends):
        os.dup2(end, number)
    for end in ends:
        os.close(end)


spares: list[tuple[socket.socket, int]] = []
"""Spare forks for pytest-xdist, each with its connection and id."""


def _workers(arguments: list[str]) -> int:
    """Return how many workers the arguments of pytest ask for."""
    found = re.search(r"(?:^|\0)-n\0?([0-9]+)", "\0".join(arguments))
    return int(found[1]) if found else 0


def _spare(count: int) -> dict[str, Any] | None:
    """Fork spare processes; return what a worker is asked in the fork that becomes it, and None in this process."""
    for _ in range(count):
        line, theirs = socket.socketpair()
        if pid := os.fork():
            theirs.close()
            spares.append((line, pid))
            continue
        for other in (line, *(one for one, _ in spares)):
            other.close()
        spares.clear()
        heard = _heard(theirs)
        if heard is None:
            os._exit(0)
        theirs.close()
        _redirect(heard[1])
        return heard[0]
    return None


class Worker:
    """A pytest-xdist worker that is a spare fork, with execnet's Popen interface.

    Args:
        command: Its command line.

    Attributes:
        stdin: What it reads.
        stdout: What it writes.
    """

    def __init__(self, command: list[str]) -> None:
        line, self._pid = spares.pop(0)
        read, write = os.pipe()
        self.stdin = os.fdopen(write, "wb")
        out, out_end = os.pipe()
        self.stdout = os.fdopen(out, "rb")
        asked: dict[str, Any] = {"filters": [], "way": "-c", "what": command[-1], "arguments": [], "command": command}
        asked |= {"cwd": str(Path.cwd()), "environ": dict(os.environ), "ignored": _ignored(), "ends": False}
        _ask(line, asked, [read, out_end, 2])
        line.close()
        os.close(read)
        os.close(out_end)

    def wait(self) -> int:
        """Wait until it has ended, and return its status."""
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def kill(self) -> None:
        """End it with SIGKILL."""
        os.kill(self._pid, signal.SIGKILL)


def _fork_workers() -> None:
    """Have pytest-xdist start its workers from the spare processes."""
    from execnet import gateway_base, gateway_io  # noqa: PLC0415 - most runs of pytest have no worker

    class Forked(gateway_io.Popen2IOMaster):
        def __init__(self, args: list[str], execmodel: Any) -> None:
            if not spares or args[:3] != [sys.executable, "-u", "-c"]:
                super().__init__(args, execmodel)
                return
            self.popen = made = Worker(args)
            gateway_base.Popen2IO.__init__(self, made.stdin, made.stdout, execmodel=execmodel)

    gateway_io.Popen2IOMaster = Forked  # type: ignore[misc]


def _become(asked: dict[str, Any]) -> None:
    """Run what is asked as this process's program."""
    if _is_pytest(asked) and (count := _workers(asked["arguments"])):
        worker = _spare(count)
        if worker is not None:
            _become(worker)
            return
        _fork_workers()
    os.environ.clear()
    os.environ.update(asked["environ"])
    os.chdir(asked["cwd"])
    for number, handler in HANDED_ON.items():
        signal.signal(number, signal.SIG_IGN if number in asked["ignored"] else handler)
    if "PYTHONFAULTHANDLER" in os.environ:
        faulthandler.enable()
    for text in asked["filters"]:
        sys.warnoptions.append(text)
    warnings._processoptions(asked["filters"])  # type: ignore[attr-defined]
    path = [str(Path(one).absolute()) for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
    way, what = asked["way"], asked["what"]
    first = {"-c": "", "-m": str(Path.cwd())}.get(way, str(Path(what).absolute().parent))
    sys.path[:] = [first, *path, *sys.path]
    sys.orig_argv[:] = asked["command"]
    sys.argv[:] = [way or what, *asked["arguments"]]
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    program = partial(_run, way, what, main)
    if asked["ends"]:
        program()
    else:
        _end_after(program)


def _run(way: str, what: str, main: ModuleType) -> None:
    """Run a module, a text or a file as Python would."""
    if way == "-m":
        runpy._run_module_as_main(what)  # type: ignore[attr-defined]  # what -m does
    elif way:
        exec(compile(what, "<string>", "exec"), main.__dict__)  # noqa: S102 - what -c does
    else:
        main.__file__ = what
        exec(compile(Path(what).read_bytes(), what, "exec"), main.__dict__)  # noqa: S102 - a test's program


def _end_after(program: Callable[[], object]) -> None:
    """Run a program, run the exit handlers and end. Python would take all modules apart, for a third of a run's time."""
    status = 0
    try:
        program()
    except SystemExit as exited:
        if not isinstance(exited.code, int):
            raise
        status = exited.code
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    del sys.path[0]  # this folder, in which html is another package
    for module in (*PRELOADED, *sys.argv[2:]):
        import_module(module)
    from fakecuda.machine.install import DEFAULT
    from fakecuda.machine.late_uses import NOWHERE, NOWHERE_HIP
    from fakecuda.profiles import load
    from fakecuda.reach.native import objects

    before = set(sys.modules)
    for module in INSTALLED:
        if find_spec(module.partition(".")[0]):
            import_module(module)
    for module in sys.modules.keys() - before:
        sys.modules[module].__doc__ = "PYTEST_DONT_REWRITE"  # pytest would warn that it cannot
    for module in sys.modules["_pytest.config"].default_plugins:
        import_module(f"_pytest.{module}")
    for profile in (DEFAULT, NOWHERE, NOWHERE_HIP):
        load(profile)
    for library in (objects.driver(), objects.management()):
        library.content()
    gc.collect()
    gc.freeze()  # children ask the collector often, which would look at all of it, and copy its pages
    question = _serve(socket.socket(fileno=int(sys.argv[1])))
    if question is not None:
        _become(question)
