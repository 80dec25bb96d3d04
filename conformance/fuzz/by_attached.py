"""Garbage programs in an attached process, a fork that makes the calls on request."""

from __future__ import annotations

import faulthandler
import os
import signal
import traceback
from functools import cache
from importlib import import_module
from multiprocessing.connection import Pipe
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError, MachineClosed, MachineCorrupted, ProcessDied
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.rules.registry import EVERY_OP

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from fakecuda import Machine

NOT_MEANT = (MachineCorrupted, MachineClosed, ProcessDied)
"""Simulator errors that no argument may cause."""


class Attached:
    """An attached process, whose calls are attributes.

    Args:
        machine: The machine, which this process owns.
    """

    def __init__(self, machine: Machine) -> None:
        _import()
        self._sharing = machine.shared(export=False)
        offer = self._sharing.__enter__()
        machine.scheduler.census.outside = list  # nobody else brings about what the process waits for
        self._line, theirs = Pipe()
        self._ended = ""
        self._pid = os.fork()
        if not self._pid:
            try:
                faulthandler.disable()  # whoever started it tells how it ended
                self._line.close()
                _obey(RemoteMachine(offer.path), theirs)
            finally:
                os._exit(0)
        theirs.close()

    def end(self) -> None:
        """End the process."""
        if not self._ended:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        self._line.close()
        self._sharing.__exit__(None, None, None)

    def __getattr__(self, name: str) -> Callable[..., tuple[Any, ...]]:
        """Return a function that makes a call and returns its C-level result."""

        def made(*args: Any) -> tuple[Any, ...]:
            if self._ended:
                raise FakeCudaError(self._ended)
            try:
                self._line.send((name, args))
                answer, refused, wrong = self._line.recv()
            except (EOFError, OSError) as error:
                self._ended = f"{name} has ended the attached process"
                os.waitpid(self._pid, 0)
                raise AssertionError(self._ended) from error
            if wrong:
                raise AssertionError(wrong)
            if refused:
                raise FakeCudaError(refused)
            return answer  # type: ignore[no-any-return]

        return made


@cache
def _import() -> None:
    """Import the modules that calls need, before the forks."""
    tuple(EVERY_OP.values())
    import_module("fakecuda.explain.ledger.codes")


def _obey(machine: RemoteMachine, line: Connection[Any, Any]) -> None:
    """Make received calls, and report each result, refusal or error."""
    while True:
        try:
            name, args = line.recv()
        except EOFError:
            return
        answer, refused, wrong = None, "", ""
        try:
            answer = getattr(machine.here.c, name)(*args)
        except BaseException as error:  # noqa: BLE001 - whatever comes is told
            if isinstance(error, FakeCudaError) and not isinstance(error, NOT_MEANT):
                refused = str(error) or type(error).__name__
            else:
                wrong = "".join(traceback.format_exception(error))
        line.send((answer, refused, wrong))
