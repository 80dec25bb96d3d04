"""Machines that nobody closes give back what they held: ``python -m benchmarks.leaks`` drops thousands of them."""

from __future__ import annotations

import gc
import tempfile
import threading
import weakref
from functools import partial
from typing import TYPE_CHECKING

import pytest

from benchmarks import leaks
from fakecuda import Machine
from fakecuda.model.memory.files import FEW, FILES

if TYPE_CHECKING:
    from pathlib import Path

FIRST, MORE = 20, 150
"""More machines than fit into the address space of a process at once."""


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the temporary files of other processes out of the count."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize("profile", ["h200-x2", "hip-clr-2026"])
def test_dropped(profile: str) -> None:
    """Files, addresses, exports and threads of dropped machines are no more than those of the first few."""
    early = leaks.after(FIRST, lambda: leaks.dropped(profile))
    assert not leaks.after(MORE, lambda: leaks.dropped(profile)).more_than(early)


@pytest.mark.parametrize("way", ["fixture", "look-alike", "shared"])
def test_ended(way: str) -> None:
    """So it is of what installs machines, and of offers to other OS processes that nobody takes back."""
    early = leaks.after(FIRST, leaks.WAYS[way])
    assert not leaks.after(2 * FIRST, leaks.WAYS[way]).more_than(early)


def test_threads_that_end_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are no part of what is held, though a machine lives whose thread does not end."""
    monkeypatch.setattr(leaks, "TIMEOUT", 0.0)
    machine, over = Machine(), threading.Event()
    leaks.use(machine)
    ending = threading.Thread(target=over.wait, name="functions of a machine that is gone")
    ending.start()
    helper = threading.Timer(0.2, over.set)
    helper.start()
    leaks.held()
    assert not ending.is_alive()
    assert machine.scheduler.workers[0].thread.is_alive()
    helper.join()


def wait_for(event: threading.Event) -> None:
    """Wait for an event."""
    event.wait()


def test_functions_that_return_are_waited_for() -> None:
    """What follows a function holds its machine: a machine dropped meanwhile is no part of what is held, nor is its thread."""
    machine, over = Machine(), threading.Event()
    leaks.use(machine)
    worker = machine.scheduler.workers[0]
    thread = worker.thread
    worker.run(partial(wait_for, over), machine.check_invariants)
    del machine, worker
    helper = threading.Timer(0.2, over.set)
    helper.start()
    leaks.held()
    assert not thread.is_alive()
    helper.join()


def test_the_collector_is_asked_in_time() -> None:
    """A new machine asks the collector for the dropped ones before their files are many."""
    gc.collect()
    gc.disable()
    try:
        most = max(FEW, FILES.enough) + 2
        for _ in range(most):
            leaks.dropped()
            assert FILES.mapped <= most
    finally:
        gc.enable()


def test_a_thread_that_waits_holds_no_machine() -> None:
    """The thread that calls functions for streams ends with its machine, which it does not keep."""
    machine = Machine()
    leaks.use(machine)
    thread = machine.scheduler.workers[0].thread
    assert thread.is_alive()
    known = weakref.ref(machine)
    del machine
    gc.collect()
    assert known() is None
    thread.join(60)
    assert not thread.is_alive()


def test_threads_that_called_hold_no_machine() -> None:
    """What is forgotten at a thread's end keeps no process until then."""
    machine = Machine()
    machine.here.driver.cuInit(0)
    known = weakref.ref(machine)
    del machine
    gc.collect()
    assert known() is None
