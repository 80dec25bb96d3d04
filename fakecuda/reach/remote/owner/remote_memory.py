"""The memory and functions of an attached process.

The owner reaches them by requests.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.errors import FakeCudaError, ProcessDied
from fakecuda.model.call import WAITING, RetryCall, under_way
from fakecuda.model.memory.backing import Extent
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.os.system import System
from fakecuda.reach.remote.owner.deferred_copies import Errands, acting, do, left
from fakecuda.reach.remote.protocol.questions import CHUNK, LARGE, What

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.reach.remote.owner.session import Session

LETTERS = {ctypes.c_void_p: "P", ctypes.c_int: "i"}
"""Letters for the arguments of a prototype."""
PROC = "/proc"
OWN_FILES = {"/proc/self/": "", "/dev/fd/": "fd/", "/dev/stdin": "fd/0"}
"""Prefixes of paths that depend on the process, with their targets in /proc."""


class Gone(Exception):  # noqa: N818 - a fact about the process
    """The process has ended or does not answer."""


@frozen(eq=False)
class Told:
    """An answer of the process's system, kept for the repetition of a call.

    Attributes:
        key: What was asked.
        value: The answer.
    """

    key: object
    value: Any


class FarMemory(HostMemory):
    """Memory of an attached process outside the driver. Accesses to it are deferred.

    Args:
        session: The process.
    """

    __slots__ = ("_session",)
    near = False

    def __init__(self, session: Session) -> None:
        super().__init__(0, 0)
        self._session = session

    def before_write(self, extent: Extent, offset: int, size: int) -> None:
        """Do nothing: the caller protects its own memory."""

    def give(self, extent: Extent) -> None:
        """Do nothing: the memory belongs to the caller before and after."""

    def put(self, extent: Extent, offset: int, source: int, size: int) -> None:
        """Copy ``size`` bytes from address ``source`` of this process to the extent."""
        address = extent.offset + offset
        if not self._exchange(address, source, size, What.TO_MEMORY):
            for at in range(0, size, CHUNK):
                part = min(CHUNK, size - at)
                self._note(part, What.STORE, address + at, ctypes.string_at(source + at, part))

    def get(self, extent: Extent, offset: int, target: int, size: int) -> None:
        """Copy ``size`` bytes of the extent to address ``target`` of this process.

        It happens at once if the address is not in a mapped file.
        """
        address = extent.offset + offset
        if not self._exchange(address, target, size, What.TO_FILE):
            for at in range(0, size, CHUNK):
                part = min(CHUNK, size - at)
                ctypes.memmove(target + at, self._session.load(address + at, part), part)

    def within(self, target: int, source: int, size: int) -> None:
        """Copy ``size`` bytes between two addresses of the process."""
        for at in range(0, size, LARGE):
            self._note(min(LARGE, size - at), What.WITHIN, target + at, source + at, min(LARGE, size - at))

    def fill(self, extent: Extent, offset: int, value: int, size: int) -> None:
        """Set ``size`` bytes from ``offset`` of the extent to a value."""
        start = extent.offset + offset
        for at in range(0, size, LARGE):
            self._note(min(LARGE, size - at), What.FILL, start + at, value, min(LARGE, size - at))

    def told(self, extent: Extent, offset: int, size: int) -> bytes | None:
        """Return the last known content of some bytes, or None.

        Request their current content.
        """
        return self._session.values.look(extent.offset + offset, size)

    def change(self, extent: Extent, offset: int, size: int, function: Callable[[bytes], bytes]) -> None:
        """Replace some bytes by the result of a function."""
        address, session = extent.offset + offset, self._session
        left().tasks.append(
            lambda: session.ask(What.STORE, address, function(session.load(address, size))),
        )

    def _note(self, size: int, *question: object) -> None:
        left().tasks.append((self._session, question, size))

    def _exchange(self, address: int, own: int, size: int, what: What) -> bool:
        """Defer a copy to or from a file that both processes have.

        Return whether the bytes are in one.
        """
        sharing = self._session.sharing
        place = sharing.place(own, size)
        if place is None:
            return False
        file, offset = place
        if file:
            left().hold(sharing.memory_of(file), offset, size)
        for at in range(0, size, LARGE):
            part = min(LARGE, size - at)
            self._note(part, what, address + at, file, offset + at, part)
        return True


class FarSystem(System):
    """The operating system of an attached process.

    Args:
        session: The process.

    Attributes:
        printed: What its kernels have printed since its last call.
    """

    __slots__ = ("_memory", "_session", "printed")

    def __init__(self, session: Session) -> None:
        self.printed: list[str] = []
        self._memory = FarMemory(session)
        super().__init__(self._memory)
        self._session = session

    def write(self, text: str) -> None:
        """Have the process print a text before its current or next call returns."""
        self.printed.append(text)

    def path(self, name: bytes) -> str:
        """Return the path of the process's file for this OS process.

        Raises:
            FakeCudaError: This OS process may not see them.
        """
        text, own = os.fsdecode(name), f"{PROC}/{self._session.process.pid}"
        for start, place in OWN_FILES.items():
            if text.startswith(start):
                return f"{own}/{place}{text.removeprefix(start)}"
        root = f"{own}/root" if text.startswith("/") else f"{own}/cwd"
        try:
            Path(root).stat()
        except OSError as error:
            msg = (
                f"the files of attached {self._session.process} cannot be seen from the process of the machine ({error}): pass "
                "the content of the file in place of its path"
            )
            raise FakeCudaError(msg) from error
        return f"{root}/{text}"

    def deliver(self, errands: Errands) -> None:
        """Attach pending texts to the process's next answer."""
        text, self.printed = "".join(self.printed).encode(), []
        for start in range(0, len(text), CHUNK):
            errands.tasks.append((self._session, (What.PRINT, text[start : start + CHUNK]), LARGE))

    def access_of(self, start: int, size: int) -> int:
        """Return the access of the process to a range of its memory."""
        answer = self._outside((start, size), lambda: self._session.ask(What.ACCESS, start, size))
        return answer if type(answer) is int else 0

    def load(self, *places: tuple[int, int]) -> tuple[bytes, ...]:
        """Fetch bytes without the machine's lock; unreadable addresses give zeros.

        Raises:
            RetryCall: As :meth:`_outside`.
            ProcessDied: As :meth:`_outside`.
        """
        if sum(size for _, size in places) <= CHUNK:
            told = self._outside(("load", places), lambda: self._session.ask(What.VALUES, places))
        else:
            told = self._outside(("load", places), lambda: tuple([self._whole(*place) for place in places]))
        return tuple([one if type(one) is bytes else b"" for one in told])

    def _whole(self, start: int, size: int) -> bytes:
        return b"".join(self._session.load(start + at, min(CHUNK, size - at)) for at in range(0, size, CHUNK))

    def stage(self, place: tuple[int, int], shape: Any, stage: Callable[[], Any]) -> Any:
        """Fetch bytes without the machine's lock.

        Large ranges are first checked for being mapped.
        """

        def fetch() -> Any:
            if place[1] > CHUNK and not self._session.ask(What.ACCESS, *place):
                msg = (
                    f"not all of the {place[1]} bytes of host memory at {place[0]:#x} are mapped in "
                    f"{self._session.process}: pass mapped memory, because a real driver would crash the process with a "
                    "segmentation fault"
                )
                raise FakeCudaError(msg)
            return stage()

        return self._outside((place, shape), fetch)

    def _outside(self, key: object, ask: Callable[[], Any]) -> Any:
        """Send a request to the process without the machine's lock.

        Other calls run meanwhile, so the call is repeated.

        Raises:
            RetryCall: The process was asked now; the call has to be repeated.
            ProcessDied: The process has ended or does not answer.
        """
        call, _ = under_way() or (None, None)
        for told in call.awaited if call else ():
            if isinstance(told, Told) and told.key == key:
                return told.value
        lock: Any = self._session.sharing.machine.lock
        held = lock._release_save()  # noqa: SLF001 - as conditions do
        try:
            value = ask()
        except Gone as error:
            msg = f"attached {self._session.process} has ended or does not answer: see its output for the reason"
            raise ProcessDied(msg) from error
        finally:
            lock._acquire_restore(held)  # noqa: SLF001 - as conditions do
        raise RetryCall(Told(key, value))

    def collect(self, act: Callable[[], None]) -> Callable[[], None] | None:
        """Run a stream's work.

        Return a function for its deferred copies, or None without copies.
        """
        lock = self._session.sharing.machine.lock
        outer, acting.errands = acting.errands, Errands()
        try:
            act()
        except BaseException:
            acting.errands.give_up(lock)
            raise
        finally:
            errands, acting.errands = acting.errands, outer
        if not errands.tasks:
            return None

        def carry_out() -> None:
            with contextlib.suppress(Gone):
                errands.carry_out(lock)

        return carry_out

    def use(
        self, owned: Iterable[tuple[int, int, int]], act: Callable[[], None], fail: Callable[[int, int], None]
    ) -> None:
        """Have the process check its memory before an action's deferred copies.

        The memory must be mapped.
        """
        errands, session = left(), self._session
        first = len(errands.tasks)
        act()
        tasks = errands.tasks[first:]
        del errands.tasks[first:]

        def use() -> None:
            for start, size, access in owned:
                found = session.ask(What.ACCESS, start, size)
                if type(found) is not int or found & access != access:
                    with session.sharing.machine.lock:
                        fail(start, size)
                    return
            do(tasks)

        errands.tasks.append(use)

    def registered(self, _known: HostMemory, address: int, size: int) -> Extent:
        """Return the extent of memory that the process owns."""
        extent = Extent(self._memory, address, size)
        extent.written = True
        return extent

    def function(self, prototype: Any, address: int) -> Callable[..., None]:
        """Return a function that runs a function of the process and waits for its end."""
        letters = "".join(LETTERS[kind] for kind in prototype._argtypes_)
        return lambda *args: self._session.run(letters, address, args)


WAITING.add(FarSystem._outside.__code__)  # noqa: SLF001 - the process may make calls meanwhile
