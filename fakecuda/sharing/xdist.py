"""One machine for all workers of pytest-xdist: ``--fakecuda-shared``.

Without it each worker's tests make machines of their own. With it the process that distributes the tests owns one machine,
and each test's process is an attached process of it, a new one for each test.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from fakecuda.native import door
from fakecuda.sharing import VARIABLE
from fakecuda.sharing.client import RemoteMachine
from fakecuda.sharing.door import lead_away, lead_to
from fakecuda.simulated.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Iterator


def offer(profile: str) -> tuple[Machine, ExitStack]:
    """Offer a machine to the workers; return it, and what ends it.

    Args:
        profile: Its profile.
    """
    ending = ExitStack()
    machine = ending.enter_context(Machine(profile, seed=0))
    sharing = ending.enter_context(machine.shared(export=False))
    for name, value in sharing.environ().items():
        ending.callback(_restore, name, os.environ.get(name))
        os.environ[name] = value
    return machine, ending


def _restore(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


@contextmanager
def attached(_profile: Any) -> Iterator[RemoteMachine]:  # noqa: ANN401 - what a test's mark says; the machine is one
    """Attach this OS process to the shared machine for a test, as a new process of it."""
    machine = RemoteMachine(os.environ[VARIABLE], attached=door.offer)
    lead_to(machine)
    try:
        yield machine
    finally:
        machine.leave()
        lead_away(machine)
        machine.close()
