"""Controls of a machine that are interrupted; ``python -m conformance.fuzz.controls`` tries every instruction."""

from __future__ import annotations

import signal
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fuzz.controls import CONTROLS, KINDS, interrupt
from conformance.fuzz.interrupts import Stop
from fakecuda import Machine
from fakecuda.model.os import interruption
from tests.rotation import part

if TYPE_CHECKING:
    from collections.abc import Callable

STEP = 61
FIRST = 13
"""Fewer instructions than the shortest control on Python 3.13.0."""
PARTS = 3
"""The number of commits that together interrupt each control in each way."""
READS = ("snapshot", "check_invariants", "draw", "simulate")
"""Controls with many instructions."""


# The loop's handler may raise in a finaliser, too: Python then prints its exception, Stop, and goes on.
@pytest.mark.filterwarnings(
    r"ignore:(?s)Exception ignored in. <function Machine.__del__ .*\binterrupts.Stop:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize(("name", "kind"), part(product(CONTROLS, KINDS), PARTS))
def test_a_control_happens_or_does_not(name: str, kind: str) -> None:
    """Whatever comes at whichever instruction; a machine is closed when that is asked for again."""
    first = 1 + (len(name) + len(kind)) % FIRST
    trials = interrupt(name, kind, STEP * (29 if name in READS else 1), first)
    assert trials.counts["points"]
    assert not trials.wrong


@pytest.mark.usefixtures("broken_machines")
@pytest.mark.parametrize("kind", KINDS)
def test_a_control_that_is_cut_is_found(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that nothing waits for."""
    monkeypatch.setattr(interruption, "CONTROLS", set())
    name = "leaks" if kind == "calls" else "kill"
    assert interrupt(name, kind, STEP).wrong


def test_what_a_handler_raises_comes_out_behind_a_control(
    handled: list[Callable[[], Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process is there then."""

    def stop() -> None:
        raise Stop

    handled.append(stop)
    with Machine("h200") as machine:
        adopt = machine.adopt

        def interrupted(*args: Any) -> Any:
            signal.raise_signal(signal.SIGUSR2)
            return adopt(*args)

        monkeypatch.setattr(machine, "adopt", interrupted)
        with pytest.raises(Stop):
            machine.spawn("a", visible_devices="0")
        assert machine.processes["a"].visible_devices == "0"
