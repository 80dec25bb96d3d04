"""The memory and the functions of an attached process, as its owner reaches them: by asking it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from fakecuda.model.backing import Extent, HostMemory
from fakecuda.model.system import System
from fakecuda.sharing.questions import CHUNK, LARGE, What

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.sharing.attached import Session

LETTERS = {ctypes.c_void_p: "P", ctypes.c_int: "i"}
"""How a prototype's arguments are told: a letter each."""


class Gone(Exception):  # noqa: N818 - a fact about the process
    """The process has ended, or does not answer."""


class FarMemory(HostMemory):
    """Memory of an attached process that is not the driver's; a process that has ended has none, and nothing is moved.

    Args:
        session: The process.
    """

    __slots__ = ("_session",)
    near = False

    def __init__(self, session: Session) -> None:
        super().__init__(0, 0)
        self._session = session

    def before_write(self, extent: Extent, offset: int, size: int) -> None:
        """Note that bytes are about to be written: they are the caller's affair."""

    def give(self, extent: Extent) -> None:
        """Free an extent: it was the caller's before, and still is."""

    def put(self, extent: Extent, offset: int, source: int, size: int) -> None:
        """Copy ``size`` bytes from address ``source`` of this process to the extent."""
        self._move(extent.offset + offset, source, size, What.TO_MEMORY)

    def get(self, extent: Extent, offset: int, target: int, size: int) -> None:
        """Copy ``size`` bytes of the extent to address ``target`` of this process."""
        self._move(extent.offset + offset, target, size, What.TO_FILE)

    def fill(self, extent: Extent, offset: int, value: int, size: int) -> None:
        """Set ``size`` bytes from ``offset`` of the extent to a value."""
        for at in range(0, size, CHUNK):
            part = min(CHUNK, size - at)
            self._session.ask(What.STORE, extent.offset + offset + at, bytes([value]) * part)

    def _move(self, address: int, own: int, size: int, what: What) -> None:
        ask = self._session.ask
        place = self._session.sharing.place(own, size)
        if place is not None:
            file, offset = place
            for at in range(0, size, LARGE):
                ask(what, address + at, file, offset + at, min(LARGE, size - at))
            return
        for at in range(0, size, CHUNK):
            part = min(CHUNK, size - at)
            if what is What.TO_MEMORY:
                ask(What.STORE, address + at, ctypes.string_at(own + at, part))
            else:
                content = ask(What.LOAD, address + at, part)
                if type(content) is bytes and len(content) == part:
                    ctypes.memmove(own + at, content, part)


class FarSystem(System):
    """The system that an attached process runs on.

    Args:
        session: The process.
    """

    __slots__ = ("_memory", "_session")

    def __init__(self, session: Session) -> None:
        self._memory = FarMemory(session)
        super().__init__(self._memory)
        self._session = session

    def access_of(self, start: int, size: int) -> int:
        """Return how the process may use a range of its memory."""
        answer = self._session.ask(What.ACCESS, start, size)
        return answer if type(answer) is int else 0

    def registered(self, _known: HostMemory, address: int, size: int) -> Extent:
        """Return the extent of memory that the process owns."""
        extent = Extent(self._memory, address, size)
        extent.written = True
        return extent

    def function(self, prototype: Any, address: int) -> Callable[..., None]:  # noqa: ANN401 - a ctypes class
        """Return what has the process call a function, and returns when that has returned."""
        letters = "".join(LETTERS[kind] for kind in prototype._argtypes_)
        return lambda *args: self._session.run(letters, address, args)
