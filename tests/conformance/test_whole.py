"""What the loops ask of a machine behind each call."""

from __future__ import annotations

import threading

import pytest

import fakecuda
from conformance.fuzz import whole


def test_a_lock_that_another_thread_has_for_a_moment_is_free() -> None:
    """As a thread has it that does a stream's work behind a call."""
    taken = threading.Event()

    def work() -> None:
        with machine.lock:
            taken.set()
            asked.wait()

    with fakecuda.Machine("h200") as machine:
        asked = threading.Event()
        other = threading.Thread(target=work)
        other.start()
        taken.wait()
        threading.Timer(0.05, asked.set).start()
        assert not list(whole.harm(machine))
        other.join()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_lock_that_is_not_given_back_is_held(monkeypatch: pytest.MonkeyPatch, *, elsewhere: bool) -> None:
    """By the thread that asks, or by one that is no more."""
    monkeypatch.setattr(whole, "TIMEOUT", 0.01)
    with fakecuda.Machine("h200") as machine:
        former = machine.lock
        if elsewhere:
            other = threading.Thread(target=former.acquire)
            other.start()
            other.join()
        else:
            former.acquire()
        assert list(whole.harm(machine)) == ["the lock is held"]
        machine.lock = threading.RLock()


def test_a_machine_that_is_not_whole_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line says where it is not."""

    def fails(_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("fakecuda.machine.machine.check", fails)
    with fakecuda.Machine("h200") as machine:
        (line,) = whole.harm(machine)
        assert line.startswith("the machine is not whole")
        assert "in fails" in line
