"""Waiting streams, calls that wait for them, and threads with calls."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import EndlessWait, Machine

from .world import done

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Process

    Call = Callable[[], tuple[Any, ...]]

LONG = 30.0
"""Seconds after which a test that waits for another thread fails."""
NON_BLOCKING = 1
GEQ, EQUAL, AND, NOR = range(4)


def word(a: Process) -> int:
    """Return the address of four bytes of zeros in a device's memory."""
    address = int(done(a.c.cuMemAlloc(4)))
    done(a.c.cuMemsetD8(address, 0, 4))
    return address


def blocked(a: Process, place: int = 0) -> tuple[int, int]:
    """Return a stream that waits for a 1, and the address where that shall be, new memory of a device by default."""
    if not place:
        place = word(a)
        done(a.c.cuStreamSynchronize(0))
    stream = int(done(a.c.cuStreamCreate(NON_BLOCKING)))
    done(a.c.cuStreamWaitValue32(stream, place, 1, EQUAL))
    return stream, place


def written(a: Process, place: int) -> None:
    """Write the 1."""
    done(a.c.cuStreamWriteValue32(done(a.c.cuStreamCreate(NON_BLOCKING)), place, 1, 0))


def waits(machine: Machine) -> None:
    """Return when a call waits."""
    with machine.lock:
        while not machine.scheduler.census.waiting:
            machine.scheduler.progress.wait(0.001)


def endless(call: Callable[[], object]) -> list[str]:
    """Return the lines of the error of a call that nothing can wake."""
    with pytest.raises(EndlessWait) as caught:
        call()
    return str(caught.value).split("\n  ")


class Beside:
    """A thread that makes a call.

    Args:
        call: The call.
    """

    def __init__(self, call: Callable[[], object]) -> None:
        self.answer: Any = None
        self._call = call
        self._thread = threading.Thread(target=self._make)
        self._thread.start()

    def _make(self) -> None:
        try:
            self.answer = self._call()
        except EndlessWait as error:
            self.answer = str(error)

    def end(self) -> Any:
        """Return what the call has answered."""
        self._thread.join(LONG)
        assert not self._thread.is_alive()
        return self.answer
