"""Busy streams: host functions that stand for kernels such as ``usleep``.

A real driver's programs sleep for parts of a second, so that it shows which calls wait for that. On a model a nap is over
once a call waits in the machine: whatever could be seen meanwhile has been seen then. So replays take no time, and no
machine is too busy for them.
"""

from __future__ import annotations

import ctypes
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakecuda import Machine

NAME = "usleep"
GLANCE = 0.0005
"""Seconds between two checks whether a call waits."""
MICROSECONDS = 1e-6


class Nap:
    """A host function that ends when a call waits, or after some microseconds.

    Args:
        machine: The model.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._sleep)

    @property
    def address(self) -> int:
        """The address of the host function."""
        return ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def _sleep(self, microseconds: int | None) -> None:
        end = time.monotonic() + (microseconds or 0) * MICROSECONDS
        while not self._machine.scheduler.census.waiting and time.monotonic() < end:
            time.sleep(GLANCE)
