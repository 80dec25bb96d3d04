"""The process that calls the real driver.

It is started as ``python -m realcuda.child <descriptor> <library> <libcudart>``.

The descriptor is a Unix socket to the parent. Further sockets arrive over it, one for each worker thread. Each worker
answers one request at a time over its own socket. The worker ``main`` is the process's main thread. When the parent
closes the first socket, the process ends at once.

A request is (number, operation, ...). Its answer is (number, "answer", value) or (number, "error", type name, text).
The operations are:

- ``c`` calls a symbol of the library, or of libcudart, through ctypes. ``forked`` does so in a forked child, and
``inside``
  within a function that a stream calls.
- ``driver`` calls a function of cuda.bindings.driver.
- ``host_memory`` allocates host memory, ``write_memory`` and ``read_memory`` access it, and ``c_function`` returns the address of a C
library function.
- ``renew`` resets the count of managed memory, and ``shapes`` receives the struct types.
- ``begin_exit`` runs the exit handlers, and ``exit`` ends the process regularly (main worker only).
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import importlib
import mmap
import os
import pickle
import queue
import re
import resource
import signal
import socket
import sys
import threading
from typing import Any

from realcuda import cudart, nvml, wire
from realcuda.arguments import RESULTS, argument_of, owned, result_of
from realcuda.guard import OPTION, Managed, refuse

PR_SET_PDEATHSIG = 1
MAKER = re.compile(r"^[A-Za-z_][\w.]*:\w+$")
LASTING = frozenset({"cuLinkCreate_v2"})
"""Symbols whose arguments must outlive the call, such as linker options."""


class Driver:
    """The ways to call the driver: by symbols, and by functions of the bindings.

    Args:
        library: The path or name of the library, or ``module:function`` with a function that makes it.
        runtime: The same for the runtime library. Empty to search for it on first use.
        multicast: Whether multicast calls may be made.
    """

    def __init__(self, library: str, runtime: str = "", *, multicast: bool = False) -> None:
        self.runtime = runtime
        self.cudart: Any = None
        self.cudart_version = 0
        self.multicast = multicast
        self.managed = Managed()
        self.shapes: wire.Shapes = {}
        self.library: ctypes.CDLL | None = None
        self.bindings: Any = None
        self.missing: dict[str, str] = {}
        self.maps: list[mmap.mmap] = []
        self.functions: list[Any] = []
        self.lasting: list[Any] = []
        self.management: ctypes.CDLL | None = None
        self.last: socket.socket | None = None
        self.libc = ctypes.CDLL(None)
        # Exit handlers run in reverse order of registration, so this one runs after those of the library. It is Python
        # code. The process therefore ends by the C library's exit, while the interpreter is alive (see begin_exit and
        # main).
        self.handler = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.after_exit)
        self.libc["__cxa_atexit"](self.handler, None, None)
        try:
            self.library = ctypes.CDLL(str(made_by(library)))
        except OSError as error:
            self.missing["library"] = f"cannot load {library}: {error}"
        try:
            driver = importlib.import_module("cuda.bindings.driver")
        except ImportError as error:
            self.missing["bindings"] = f"cannot import cuda.bindings.driver: {error}"
        else:
            self.bindings = driver

    def host_memory(self, _: list[int], size: int) -> tuple[int, list[int]]:
        """Return the address of new host memory, which lives as long as the process."""
        self.maps.append(mmap.mmap(-1, size))
        return ctypes.addressof(ctypes.c_char.from_buffer(self.maps[-1])), []

    def write_memory(self, _: list[int], address: int, content: bytes) -> tuple[None, list[int]]:
        """Write bytes to a memory address."""
        ctypes.memmove(address, content, len(content))
        return None, []

    def read_memory(self, _: list[int], address: int, size: int) -> tuple[bytes, list[int]]:
        """Return bytes from an address."""
        return ctypes.string_at(address, size), []

    def c_function(self, _: list[int], name: str) -> tuple[int, list[int]]:
        """Return the address of a function of the C library."""
        return ctypes.cast(self.libc[name], ctypes.c_void_p).value or 0, []

    def renew(self, _: list[int]) -> tuple[None, list[int]]:
        """Reset the count of managed memory for the process."""
        self.managed = Managed()
        return None, []

    def begin_exit(self, line: socket.socket | None) -> None:
        """Run Python's and C's exit handlers and end.

        The last handler still answers requests of a line.
        """
        self.last = line
        atexit._run_exitfuncs()  # noqa: SLF001 - the only way to run them while the interpreter is alive
        self.libc.exit(0)

    def after_exit(self, _: object) -> None:
        """Answer requests after the library's own exit handlers have run."""
        if self.last is not None:
            work(self, self.last)

    def c(self, arriving: list[int], symbol: str, arguments: list[tuple[str, Any]]) -> tuple[Any, list[int]]:
        """Call a driver function by symbol.

        Return (code, contents of the result arguments) and the descriptors to send.
        """
        refuse(symbol, allowed=self.multicast)
        self.managed.check(symbol, arguments)
        function = self.function(symbol)
        function.restype = ctypes.c_char_p if arguments and arguments[-1][0] == "returned" else ctypes.c_int
        made = [(tag, *argument_of(tag, content, arriving)) for tag, content in arguments]
        if symbol in LASTING:
            self.lasting.append(made)
        code = function(*(passed for tag, passed, _ in made if tag != "returned"))
        if function.restype is ctypes.c_char_p:
            return (0, [code]), []
        leaving: list[int] = []
        results = []
        for tag, _, (held, size) in made:
            if tag == "owned":
                results.append(owned(held, size, made, code))
            elif tag in RESULTS:
                results.append(result_of(tag, held, size, code, leaving))
        if code == 0:
            self.managed.note(symbol, arguments, results)
        return (code, results), leaving

    def function(self, symbol: str) -> Any:
        """Return the function of a symbol; the first symbol of libcudart and of NVML loads the library."""
        if symbol.startswith("cuda"):
            if self.cudart is None:
                made = made_by(self.runtime)
                self.cudart = cudart.load(made) if isinstance(made, str) else made
                self.cudart_version = cudart.version_of(self.cudart)
            function = getattr(self.cudart, cudart.symbol_of(symbol, self.cudart_version), None)
            if function is None:
                msg = f"this libcudart exports no {symbol}"
                raise wire.MissingFunction(msg)
            return function
        if symbol.startswith("nvml"):
            nvml.refuse(symbol)
            self.management = self.management or ctypes.CDLL(nvml.LIBRARY)
            function = getattr(self.management, symbol, None)
            if function is None:
                msg = f"this libnvidia-ml exports no {symbol}"
                raise wire.MissingFunction(msg)
            return function
        if self.library is None:
            raise OSError(self.missing["library"])
        function = getattr(self.library, symbol, None)
        if function is None:
            msg = f"this driver exports no {symbol}"
            raise wire.MissingFunction(msg)
        return function

    def forked(self, arriving: list[int], symbol: str, arguments: list[tuple[str, Any]]) -> tuple[Any, list[int]]:
        """Make a C-level call in a new forked child.

        The answer is None if the child dies of it.
        """
        refuse(symbol, allowed=self.multicast)
        ours, theirs = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(ours)
            with os.fdopen(theirs, "wb") as line:
                pickle.dump(self.c(arriving, symbol, arguments)[0], line)
            os._exit(0)
        os.close(theirs)
        with os.fdopen(ours, "rb") as line:
            content = line.read()
        os.waitpid(pid, 0)
        return pickle.loads(content) if content else None, []  # noqa: S301 - our own child

    def inside(self, arriving: list[int], symbol: str, arguments: list[tuple[str, Any]]) -> tuple[Any, list[int]]:
        """Make a C-level call within a host function of the first device's default stream."""
        if self.library is None:
            raise OSError(self.missing["library"])
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def function(_: object) -> None:
            try:
                answers.put(self.c(arriving, symbol, arguments))
            except Exception as error:  # noqa: BLE001 - raised again below
                answers.put(error)

        # The function object must live on: it still returns after it has put its answer.
        self.functions.append(ctypes.CFUNCTYPE(None, ctypes.c_void_p)(function))
        context = ctypes.c_void_p()
        codes = [
            self.library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
            self.library.cuCtxPushCurrent_v2(context),
            self.library.cuLaunchHostFunc(None, self.functions[-1], None),
        ]
        if any(codes):
            msg = f"cannot call a host function: the driver returned {codes}"
            raise OSError(msg)
        answer = answers.get()
        self.library.cuStreamSynchronize(None)
        self.library.cuCtxPopCurrent_v2(ctypes.byref(context))
        self.library.cuDevicePrimaryCtxRelease_v2(0)
        if isinstance(answer, Exception):
            raise answer
        result: tuple[Any, list[int]] = answer
        return result

    def driver(
        self,
        arriving: list[int],
        name: str,
        arguments: Any,
        keywords: dict[str, Any],
        exports: bool,  # noqa: FBT001 - passed by position
    ) -> tuple[Any, list[int]]:
        """Call a function of the bindings.

        Return its encoded result, the buffers' contents and descriptors.
        """
        refuse(name, allowed=self.multicast)
        if self.bindings is None:
            raise ImportError(self.missing["bindings"])
        args = wire.decode(arguments, self.bindings, arriving)
        named = {key: wire.decode(value, self.bindings, arriving) for key, value in keywords.items()}
        if name == "cuMemAllocManaged" and args:
            self.managed.check(name, [("out", None), ("L", int(args[0]))])
        result = getattr(self.bindings, name)(*args, **named)
        leaving: list[int] = []
        if exports and isinstance(result, tuple):
            result = tuple(wire.Descriptor(item) if type(item) is int else item for item in result)
        data = wire.encode(result, self.shapes, leaving)
        buffers = [bytes(item) for item in (*args, *named.values()) if isinstance(item, bytearray)]
        return (data, buffers), leaving


def made_by(library: str) -> Any:
    """Return a library from its path, or from a function.

    ``module:function`` names the function.

    The function may also return the library itself.
    """
    if not MAKER.match(library):
        return library
    module, _, function = library.partition(":")
    return getattr(importlib.import_module(module), function)()


def work(driver: Driver, line: socket.socket) -> bool:
    """Answer the requests of a worker; return whether the last one was ``exit``."""
    while True:
        try:
            request, arriving = wire.receive(line)
        except (wire.LineClosed, OSError):
            line.close()
            return False
        number, operation, *content = request
        if operation == "exit":
            line.close()
            return True
        if operation == "begin_exit":
            wire.send(line, (number, "answer", None))
            driver.begin_exit(line)
        leaving: list[int] = []
        try:
            if operation == "shapes":
                driver.shapes.update(content[0])
                answer: Any = driver.missing
            else:
                answer, leaving = getattr(driver, operation)(arriving, *content)
            reply: tuple[Any, ...] = (number, "answer", answer)
        except Exception as error:  # noqa: BLE001 - raised again in the parent
            reply = (number, "error", type(error).__name__, str(error))
        with contextlib.suppress(wire.LineClosed):
            wire.send(line, reply, leaving)
        for descriptor in (*arriving, *leaving):
            os.close(descriptor)


def listen(driver: Driver, control: socket.socket, mains: queue.SimpleQueue[socket.socket]) -> None:
    """Start a worker for each socket that arrives.

    End the process when the parent has gone.
    """
    while True:
        try:
            name, arriving = wire.receive(control)
        except (wire.LineClosed, OSError):
            os.kill(os.getpid(), signal.SIGKILL)
        line = socket.socket(fileno=arriving[0])
        if name == "main":
            mains.put(line)
        else:
            threading.Thread(target=work, args=(driver, line), name=name, daemon=True).start()


def main(descriptor: int, library: str, runtime: str, *options: str) -> None:
    """Serve the parent at the other end of a socket until ``exit`` or its end."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # A limit of one byte prevents core files. Unlike zero, it also holds if cores are piped to a program.
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (min(1, hard) if hard != resource.RLIM_INFINITY else 1, hard))
    control = socket.socket(fileno=descriptor)
    driver = Driver(library, runtime, multicast=OPTION in options)
    mains: queue.SimpleQueue[socket.socket] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(driver, control, mains), name="listen", daemon=True).start()
    wire.send(control, "ready")
    try:
        while not work(driver, mains.get()):
            pass
    finally:
        driver.begin_exit(None)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
