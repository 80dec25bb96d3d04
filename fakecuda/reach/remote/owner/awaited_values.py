"""Values in an attached process's memory that streams wait for.

They become known without waiting for the process.
A look at a value returns its last known content and requests a new one. The process is also asked for all values before
and after each of its own calls, so that these see what it has written.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.model.work import stream_scheduler
from fakecuda.reach.remote.protocol.questions import What

if TYPE_CHECKING:
    from fakecuda.reach.remote.owner.session import Session

    Place = tuple[int, int]


class Values:
    """The last known values of a process.

    Args:
        session: The process.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._told: dict[Place, bytes] = {}
        self._wanted: dict[Place, None] = {}
        self._asked = False
        self._taking = threading.local()

    def look(self, address: int, size: int) -> bytes | None:
        """Return the last known content of some bytes, or None.

        The caller holds the machine's lock.
        """
        place = address, size
        self._wanted[place] = None
        if not self._asked and not getattr(self._taking, "now", False):
            places = tuple(self._wanted)
            self._asked = self._session.ask_later(partial(self._answered, places), What.VALUES, places)
        return self._told.get(place)

    def _answered(self, places: tuple[Place, ...], told: Any) -> None:
        self._asked = False
        self.take(places, told)

    def renew(self) -> bool:
        """Request current values, in the thread of the current call.

        The machine's lock is released meanwhile.

        Returns:
            Whether there were values to ask for.

        Raises:
            Gone: The process has ended or does not answer.
        """
        places = tuple(self._wanted)
        if places:
            self.take(places, self._session.ask(What.VALUES, places))
        return bool(places)

    def take(self, places: tuple[Place, ...], told: Any) -> None:
        """Store received values, and let waiting streams continue."""
        fits = type(told) is tuple and len(told) == len(places)
        if not (
            fits and all(type(one) is bytes and len(one) == size for one, (_, size) in zip(told, places, strict=True))
        ):
            return
        machine = self._session.sharing.machine
        self._taking.now = True
        try:
            with machine.lock:
                self._told = dict(zip(places, told, strict=True))
                self._wanted.clear()
                with suppress(FakeCudaError):  # the next call that waits raises it
                    stream_scheduler.look(machine)
                machine.scheduler.progress.notify_all()
        finally:
            self._taking.now = False
