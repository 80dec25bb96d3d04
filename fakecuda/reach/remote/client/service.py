"""Requests of the owner that an attached process serves.

It copies bytes, maps memory and runs functions.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import sys
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.model.memory import pointers
from fakecuda.model.memory.space import MAP_NORESERVE, PROT_NONE, READ, SPACE, WRITE, access_of, libc, map_memory
from fakecuda.model.os.scarcity import is_scarce, scarcity, started
from fakecuda.model.work import blocked
from fakecuda.reach.remote.protocol.frames import Kind, LineClosed, Malformed, close_all
from fakecuda.reach.remote.protocol.questions import What, fits

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.reach.remote.protocol.frames import Line

    Job = tuple[int, Callable[[], object]]

MAP_FIXED = 0x10
MAP_FIXED_NOREPLACE = 0x100000
KINDS = {"P": ctypes.c_void_p, "i": ctypes.c_int}
NO_QUESTION = "the message is not a known request: install the same release of fakecuda in both processes"
MAPPINGS = "do not use these bytes, or raise vm.max_map_count or the process's memory limit (ulimit -v)"
HOST = 0
"""The number of the file that holds host memory."""


class Service:
    """Does the owner's requests in an attached process.

    Args:
        line: The process's first connection.
        files: The descriptors of the machine's files.
        space: The range of the machine's device addresses.
        in_functions: Collects the ids of threads that run functions.

    Attributes:
        unknown: Memory that the owner requested and the process does not have, as addresses and sizes in bytes.
        failed: Why a request failed; the next call raises it.
    """

    def __init__(self, line: Line, files: list[int], space: tuple[int, int], in_functions: set[int]) -> None:
        self._line = line
        self._files = files
        self._mapped: dict[int, tuple[int, int]] = {}
        self._start, self._end = space
        self._in_functions = in_functions
        self._runners: dict[int, SimpleQueue[Job | None]] = {}
        self._sending = threading.Lock()
        self._moving = threading.RLock()  # a signal handler may make a call inside a call
        self._movers = 0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._refusal = ""
        self.unknown: list[tuple[int, int]] = []
        self.failed = ""
        reserve(*space)

    def start(self) -> None:
        """Serve the first connection in a thread, once."""
        if self._thread is not None:
            return
        with self._lock:
            if self._thread is None:
                thread = threading.Thread(target=self._serve, name="fakecuda service", daemon=True)
                self._thread = started(thread, "for requests of the machine's owner")

    def refusal(self, timeout: float) -> str:
        """Return why the process's connection was closed; empty if unknown.

        Args:
            timeout: Seconds to wait for the thread that reads the connection.
        """
        self.start()
        assert self._thread is not None
        self._thread.join(timeout)
        return self._refusal

    def take(self, question: tuple[Any, ...]) -> Any:
        """Do a request and return the answer.

        Raises:
            Malformed: It is not a request.
        """
        if not fits(question, len(self._files)):
            raise Malformed(NO_QUESTION)
        return self.do(*question)

    def check(self, changes: Any) -> None:
        """Check the mappings that the owner requests.

        Raises:
            Malformed: They are not memory of the machine.
        """
        if type(changes) is tuple and all(map(self._can_map, changes)):
            return
        msg = (
            f"the process that made the machine asks this process to map {changes!r}, which is not memory of the "
            "machine: install the same release of fakecuda in both processes"
        )
        raise Malformed(msg)

    def _can_map(self, change: Any) -> bool:
        if type(change) is not tuple or tuple(map(type, change)) != (int,) * 4:
            return False
        address, size, file, offset = change
        return (
            self._start <= address < address + size <= self._end
            and -1 <= file < len(self._files)
            and 0 <= offset < 1 << 63
            and not (address | size | offset) % mmap.PAGESIZE
        )

    def close(self) -> None:
        """Close the connection, so that the owner sees the process end.

        A second call does nothing.
        """
        self._line.close()
        close_all(self._files)
        self._files.clear()
        for jobs in self._runners.values():
            jobs.put(None)
        self._runners.clear()
        if self._moving.acquire(blocking=False):
            # The garbage collector may call this anywhere. While bytes are copied, the mappings stay.
            for base, size in self._mapped.values() if not self._movers else ():
                libc.munmap(base, size)
            self._mapped.clear()
            self._moving.release()

    def abandon(self) -> None:
        """Forget the connection and the files in a forked child.

        They belong to the parent.
        """
        self._line.socket.close()
        close_all(self._files)
        self._files.clear()
        self._runners.clear()

    def do(self, what: int, *arguments: Any) -> Any:
        """Do a request and return the answer."""
        if what == What.ACCESS:
            return access_of(*arguments)
        if what == What.LOAD:
            return self._load(*arguments)
        if what == What.VALUES:
            return tuple(self._load(*place) for place in arguments[0])
        if what == What.STORE:
            address, content = arguments
            if self._reaches(address, len(content), WRITE):
                ctypes.memmove(address, content, len(content))
        elif what == What.WITHIN:
            target, source, size = arguments
            if self._reaches(source, size, READ) and self._reaches(target, size, WRITE):
                ctypes.memmove(target, source, size)
        elif what == What.FILL:
            address, value, size = arguments
            if self._reaches(address, size, WRITE):
                ctypes.memset(address, value, size)
        elif what == What.PRINT:
            sys.stdout.write(arguments[0].decode())
        elif what == What.EACH:
            for question in arguments[0]:
                self.do(*question)
        else:
            self._exchange(what, *arguments)
        return None

    def _load(self, address: int, size: int) -> bytes:
        """Return bytes of the process's memory; zeros if it has no memory there."""
        return ctypes.string_at(address, size) if self._reaches(address, size, READ) else bytes(size)

    def _reaches(self, address: int, size: int, access: int) -> bool:
        """Return whether memory is accessible; if not, note the failure for the call."""
        if not size or pointers.is_mapped(address, size, access):
            return True
        self.unknown.append((address, size))
        return False

    def _exchange(self, what: int, address: int, file: int, offset: int, size: int) -> None:
        """Copy between memory and a file of the machine."""
        if not self._reaches(address, size, WRITE if what == What.TO_MEMORY else READ):
            return
        with self._moving:
            self._movers += 1
            try:
                base = self._base(file)
                if not base:
                    return
                place = base + offset
                ends = (place, address) if what == What.TO_FILE else (address, place)
                ctypes.memmove(*ends, size)
            finally:
                self._movers -= 1

    def map(self, changes: tuple[tuple[int, int, int, int], ...]) -> None:
        """Map files at device addresses, or unmap them.

        Raises:
            FakeCudaError: The system maps no more memory in this process.
        """
        for address, size, file, offset in changes:
            if file < 0:
                flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED
                libc.mmap(address, size, PROT_NONE, flags, -1, 0)
            else:
                flags = mmap.MAP_SHARED | MAP_NORESERVE | MAP_FIXED
                access = mmap.PROT_READ | mmap.PROT_WRITE
                if libc.mmap(address, size, access, flags, self._files[file], offset) != address:
                    msg = (
                        f"{size} bytes of the machine's memory at {address:#x} cannot be mapped in this process "
                        f"({os.strerror(ctypes.get_errno())}): {MAPPINGS}"
                    )
                    raise FakeCudaError(msg)

    def _base(self, file: int) -> int:
        """Return the address of a file in this process, which the first use maps.

        The result is 0 if it cannot be mapped.
        """
        if file == HOST:
            return self._start
        base, _ = self._mapped.get(file, (0, 0))
        if not base:
            size = os.fstat(self._files[file]).st_size
            flags = mmap.MAP_SHARED | MAP_NORESERVE
            base = map_memory(size, mmap.PROT_READ | mmap.PROT_WRITE, flags, self._files[file])
            if not base:
                self.failed = (
                    f"nothing was copied: this process has no address space for a device of {size >> 30} GiB; raise its "
                    "limit (ulimit -v unlimited)"
                )
                return 0
            self._mapped[file] = base, size
        return base

    def _serve(self) -> None:
        blocked.serve()
        try:
            while True:
                kind, value, arrived = self._line.receive()
                close_all(arrived)
                if kind == Kind.REFUSED and type(value) is str:
                    self._refusal = f"has closed the connection of this process: {value}"
                    return
                self._ask(kind, value)
        except LineClosed as error:
            if is_scarce(error.__cause__):
                self._refusal = f"cannot be read any more: {scarcity(error.__cause__)}"
        except Malformed as error:
            self._refusal = f"sent a message that this process cannot read: {error}"
        except FakeCudaError as error:
            self._refusal = f"has lost this process: {error}"
        finally:
            self._line.shut()  # so that the owner does not wait for an answer

    def _ask(self, kind: int, value: Any) -> None:
        """Answer a request, or leave it to another thread.

        Raises:
            Malformed: It is not a request.
        """
        if kind != Kind.QUESTION or type(value) is not tuple or not value or type(value[0]) is not int:
            raise Malformed(NO_QUESTION)
        number, *question = value
        if question[:1] == [What.RUN] and fits(tuple(question), len(self._files)):
            self._run(number, *question[1:])
        else:
            self._answer(number, self.take(tuple(question)))

    def _answer(self, number: int, value: object) -> None:
        with self._sending:
            self._line.send(Kind.ANSWER, (number, value))

    def _run(self, number: int, who: int, letters: str, address: int, *args: Any) -> None:
        """Run a function in a thread.

        One after another if the owner has one thread for them.
        """
        function = ctypes.CFUNCTYPE(None, *(KINDS[letter] for letter in letters))(address)
        jobs = self._runners.get(who)
        if jobs is None:
            jobs = SimpleQueue()
            thread = threading.Thread(target=self._run_all, args=(jobs,), name="fakecuda functions", daemon=True)
            started(thread, "for the host functions that streams call")
            self._runners[who] = jobs
        jobs.put((number, lambda: function(*args)))

    def _run_all(self, jobs: SimpleQueue[Job | None]) -> None:
        self._in_functions.add(threading.get_native_id())
        with contextlib.suppress(LineClosed):
            while (job := jobs.get()) is not None:
                number, function = job
                function()
                self._answer(number, None)


def reserve(start: int, end: int) -> None:
    """Reserve the machine's device addresses in this process.

    Then nothing else is mapped there.

    Raises:
        FakeCudaError: Something is mapped there already.
    """
    if (SPACE.start, SPACE.end) == (start, end):
        return
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE
    if map_memory(end - start, PROT_NONE, flags, -1, start) != start:
        msg = (
            f"the machine's device addresses {start:#x} to {end:#x} are not free in this process: run this "
            "process with the same Python as the process that made the machine, and call the driver before this "
            "process makes a machine of its own"
        )
        raise FakeCudaError(msg)
    if not SPACE.end:
        SPACE.share(start, end)
