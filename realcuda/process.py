"""Processes that call the real driver, with the interface of simulated ones."""

from __future__ import annotations

import builtins
import importlib
import os
import threading
from typing import TYPE_CHECKING, Any

from fakecuda.errors import ProcessDied
from fakecuda.spec.both import CALLS
from fakecuda.spec.codes import CRASH, HANG
from fakecuda.spec.descriptors import EXPORTS, IMPORTS
from fakecuda.spec.nvml import CALLS as NVML
from realcuda import plain, wire
from realcuda.layouts import shapes
from realcuda.spawn import Child, Died, Late, Line, Remote

if TYPE_CHECKING:
    from collections.abc import Callable

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
        """Whether it can make calls."""
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
        address, _ = _ask(self, self.line(MAIN), "host_memory", size, descriptors=[])
        return int(address)

    def write_memory(self, address: int, content: bytes) -> None:
        """Write bytes into host memory of the process, as code of the host does."""
        _ask(self, self.line(MAIN), "write_memory", address, content, descriptors=[])

    def read_memory(self, address: int, size: int) -> bytes:
        """Return bytes of the process's memory, as code of the host reads them."""
        content, _ = _ask(self, self.line(MAIN), "read_memory", address, size, descriptors=[])
        return bytes(content)

    def c_function(self, name: str) -> int:
        """Return the address of a C library function, for a stream to call."""
        address, _ = _ask(self, self.line(MAIN), "c_function", name, descriptors=[])
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
        _ask(self, self.line(MAIN), "renew", descriptors=[])

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
        _ask(self, self.line(MAIN), "begin_exit", descriptors=[])

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
        """Return the line to the thread with a name."""
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


class C:
    """The C-level calls: plain values in, ``(code, *plain results)`` out.

    ``null=`` names null result pointers.
    """

    def __init__(self, process: Process, line: Callable[[], Line], operation: str = "c") -> None:
        self._process = process
        self._line = line
        self._operation = operation

    def __getattr__(self, name: str) -> Callable[..., tuple[Any, ...]]:
        if name not in CALLS and name not in NVML:
            msg = f"neither the driver API, nor the runtime API, nor NVML has a function {name}"
            raise AttributeError(msg)

        def call(*inputs: object, null: str = "") -> tuple[Any, ...]:
            request = plain.prepare(name, inputs, null)
            answer, arrived = _ask(
                self._process,
                self._line(),
                self._operation,
                request.symbol,
                request.arguments,
                descriptors=request.descriptors,
            )
            if answer is None or isinstance(answer, int):
                return (CRASH if answer is None else answer, *(None for _ in request.outs))
            code, results = answer
            return plain.finish(request, code, results, arrived)

        call.__name__ = name
        setattr(self, name, call)
        return call

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *CALLS})


class Bindings:
    """A look-alike of ``cuda.bindings.driver`` with functions that run in the process.

    Its classes are those of this process.
    """

    def __init__(self, process: Process, line: Callable[[], Line]) -> None:
        self._process = process
        self._line = line

    def __getattr__(self, name: str) -> Any:
        module = importlib.import_module("cuda.bindings.driver")
        target = getattr(module, name)
        if not name.startswith("cu") or isinstance(target, type):
            setattr(self, name, target)
            return target

        def call(*args: object, **keywords: object) -> tuple[Any, ...]:
            return self._call(module, name, args, keywords)

        call.__name__ = name
        call.__doc__ = getattr(target, "__doc__", None)
        setattr(self, name, call)
        return call

    def _call(self, module: Any, name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
        leaving: list[int] = []
        given = [*args, *keywords.values()]
        args, keywords = _with_descriptors(name, args, keywords)
        data = wire.encode(args, SHAPES, leaving)
        named = {key: wire.encode(value, SHAPES, leaving) for key, value in keywords.items()}
        exports = _is(name, EXPORTS.get(name), args, keywords)
        answer, arrived = _ask(self._process, self._line(), "driver", name, data, named, exports, descriptors=leaving)
        if isinstance(answer, int):
            known = CALLS.get(name)  # None for a function of a later release of the bindings
            return (answer, *(None for _ in (known.outputs if known else ())))
        result, contents = answer
        buffers = [view for value in given if (view := _writable(value)) is not None]
        for view, content in zip(buffers, contents, strict=True):
            view[:] = content
        made: tuple[Any, ...] = wire.decode(result, module, arrived)
        return made

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module("cuda.bindings.driver"))


SHAPES = shapes()


def _ask(
    process: Process, line: Line, operation: str, *content: object, descriptors: list[int]
) -> tuple[Any, list[int]]:
    """Send a request.

    An exception of the child's Python is raised here with its type and text.
    """
    try:
        return process.call(line, operation, *content, descriptors=descriptors)
    except Remote as error:
        name, text = error.args
        kind = wire.MissingFunction if name == "MissingFunction" else getattr(builtins, name, RuntimeError)
        if kind is RuntimeError and name != "RuntimeError":
            text = f"{name}: {text}"
        raise kind(text) from None


def _argument(name: str, index: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    return args[index] if index < len(args) else keywords.get(CALLS[name].inputs[index].keyword)


def _is(name: str, place: tuple[int, int] | None, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Return whether an argument, by index, has some value."""
    if place is None:
        return False
    value = _argument(name, place[0], args, keywords)
    return isinstance(value, int) and int(value) == place[1]


def _with_descriptors(
    name: str, args: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Mark an argument that is an open descriptor of this process.

    An argument that is not an open descriptor stays a number.
    """
    place = IMPORTS.get(name)
    if place is None or not _is(name, place[1:], args, keywords):
        return args, keywords
    value = _argument(name, place[0], args, keywords)
    try:
        os.fstat(value)
    except (OSError, TypeError, OverflowError):
        return args, keywords
    if place[0] < len(args):
        return (*args[: place[0]], wire.Descriptor(value), *args[place[0] + 1 :]), keywords
    return args, {**keywords, CALLS[name].inputs[place[0]].keyword: wire.Descriptor(value)}


def _writable(value: object) -> memoryview | None:
    """Return a view of a buffer that a call may fill. None for any other argument."""
    if value is None or isinstance(value, (*wire.SIMPLE, list, tuple)):
        return None
    try:
        view = memoryview(value)  # type: ignore[arg-type]
    except TypeError:
        return None
    return None if view.readonly else view.cast("B")
