"""One machine for all workers of pytest-xdist: ``--fakecuda-shared``.

Without the option, each worker's tests make their own machines. With it, the process that distributes the tests owns
one machine. Each test runs as a new attached process of that machine.
"""

from __future__ import annotations

import os
import time
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.machine import deadlocks, findings, leaks
from fakecuda.machine.call_record import CallRecord
from fakecuda.machine.machine import Machine
from fakecuda.machine.story import story
from fakecuda.model.machine import CALLS_KEPT
from fakecuda.model.work import bystander
from fakecuda.modes import ERROR
from fakecuda.reach.install import garbage
from fakecuda.reach.native import door
from fakecuda.reach.remote import VARIABLE
from fakecuda.reach.remote.client.client import LEAVING, RemoteMachine
from fakecuda.reach.remote.client.door import lead_away, lead_to
from fakecuda.reach.remote.client.remote_process import caller_of
from fakecuda.reach.remote.owner.children import Children
from fakecuda.reach.remote.owner.owner import Sharing
from fakecuda.reach.remote.protocol import outcome
from fakecuda.reach.remote.protocol.questions import Note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.machine.story import Story
    from fakecuda.model.finding import Finding
    from fakecuda.model.leaks import Leak
    from fakecuda.model.work.deadlock import Deadlock
    from fakecuda.reach.remote.owner.session import Session


def offer(profile: str, kernels: str = ERROR) -> tuple[Machine, ExitStack]:
    """Offer a machine to the workers.

    Return the machine and the exit stack that ends it.

    Args:
        profile: The machine's profile.
        kernels: What it does with launches of kernels without a Python function.
    """
    Sharing.report, Sharing.story = staticmethod(_told), staticmethod(_story)
    ending = ExitStack()
    machine = ending.enter_context(Machine(profile, seed=0, kernels=kernels))
    offer = ending.enter_context(machine.shared(export=False))
    offer.export()
    sharing, census = offer.open(), machine.scheduler.census
    census.group, census.members = sharing.group, sharing.members
    return machine, ending


def _told(session: Session, traced: bool) -> tuple[Any, ...]:  # noqa: FBT001 - a hook
    """Return the new findings, leaks and deadlocks of a test's processes.

    Args:
        session: The session of the test's process.
        traced: Whether the leaks get the calls that made them.
    """
    machine = session.sharing.machine
    with machine.lock:
        family = session.sharing.family(session)
    mine = [one for one in findings.untold(machine) if one.process in family]
    findings.tell(machine, mine)
    left = [leak for leak in leaks.judged(machine) if leak.process in family]
    leaks.tell(machine, left)
    if traced:
        left = leaks.traced(machine, left)
    waited = [one for one in machine.deadlocks if not family.isdisjoint(one.processes)]
    return outcome.told(mine, left, waited)


def _story(session: Session) -> tuple[Any, ...]:
    """Return the last calls of a test, and pictures of the machine.

    The calls are those of the test's process and its children. The pictures show the current state.
    """
    machine = session.sharing.machine
    with machine.lock:
        family = session.sharing.family(session)
    calls, pictures = story(machine, family)
    return tuple(calls), tuple(pictures)


class TestMachine(RemoteMachine):
    """The shared machine, as seen by a test that is one of its processes.

    It reports only on that test.
    """

    __test__ = False

    def __init__(self) -> None:
        self._found: list[Finding] = []
        self._items: dict[int, object] = {}
        self._calls: deque[tuple[Any, ...]] = deque(maxlen=CALLS_KEPT)
        super().__init__(os.environ[VARIABLE], attached=door.offer)
        self._children = Children(os.environ[VARIABLE])
        self.record = self._calls.append

    @property
    def is_uncalled(self) -> bool:
        """Whether neither the test's own process has made a call nor a child may have."""
        return not self._calls and not self._children.has_any()

    def __getattr__(self, name: str) -> Any:
        msg = (
            f"the test's machine has no {name!r}: with --fakecuda-shared it belongs to another OS process, and the test is one "
            "of its processes; run this test without that option"
        )
        raise AttributeError(msg)

    @property
    def log(self) -> list[CallRecord]:
        """The last 10,000 calls of the test's own process, oldest first.

        Only the owner knows those of its children.
        """
        return [
            CallRecord(thread.process.name, thread.name, op.name, args, code, outs, rule, facts)
            for thread, op, args, code, outs, rule, facts in list(self._calls)
        ]

    @log.setter
    def log(self, _: list[CallRecord]) -> None:
        """Ignore the value: the log is computed from the calls."""

    @property
    def findings(self) -> list[Finding]:
        """The findings of the test, oldest first."""
        self.left()
        return self._found

    @findings.setter
    def findings(self, _: list[Finding]) -> None:
        """Ignore the value: the owner keeps the findings."""

    @property
    def deadlocks(self) -> list[Deadlock]:
        """The deadlocks of the test's processes."""
        self.left()
        return super().deadlocks

    def left(self, *, traced: bool = False) -> list[Leak]:
        """Return what the test's live and ended processes hold.

        Args:
            traced: Whether the leaks get the calls that made them.
        """
        if not self.token and self._children.has_any():
            with suppress(FakeCudaError):  # the machine has ended: nothing more is known of them
                self.attach()
        if not self.token or self.lost:
            return []
        note = Note.ORIGINS if traced else Note.OUTCOME
        told = caller_of(self.here.current_thread()).report(time.monotonic() + LEAVING, note)
        found, left = outcome.made(told, self._items, self.waited)
        self._found += found
        return left

    def story(self) -> Story:
        """Return the last calls of the test's processes, and pictures of the machine.

        The result is empty if not attached.
        """
        if not self.token or self.lost:
            return [], []
        return caller_of(self.here.current_thread()).story(time.monotonic() + LEAVING)


@contextmanager
def attached(_profile: Any) -> Iterator[TestMachine]:
    """Attach this OS process to the shared machine as a new process, for one test."""
    machine = TestMachine()
    lead_to(machine)
    garbage.begin(machine)
    deadlocks.judge(machine)
    try:
        with bystander.named():
            yield machine
    finally:
        machine.leave()
        lead_away(machine)
        machine.close()
