"""Real signals that stop and kill attached processes at some frames; ``python -m conformance.fuzz.signals`` tries all."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from conformance.fuzz import damage, frames
from conformance.fuzz.exchanges import EXCHANGES
from conformance.fuzz.signals import KINDS, Real, tried
from conformance.fuzz.trials import Trials
from fakecuda.reach.remote.owner.session import Session

SEED = 16


@pytest.mark.parametrize("kind", KINDS)
def test_signals_harm_nobody_else(kind: str) -> None:
    """One that is stopped goes on, and of one that is killed nothing is left."""
    trials = tried(kind, seed=SEED, most=12)
    assert not trials.wrong
    assert trials.counts["frames"] > 6
    assert ("killed by 9" in trials.outcomes) is (kind == "SIGKILL")


def test_what_is_left_of_a_killed_process_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where its owner does not note its end."""
    monkeypatch.setattr(damage, "LIMIT", 1.0)
    real, trials = Session.end, Trials()
    with ExitStack() as ending:
        bench = Real(ending)
        place = bench.record("getters")[-1].place
        with monkeypatch.context() as patch:
            ended: list[Session] = []

            def end(session: Session) -> None:
                ended.append(session)

            patch.setattr(Session, "end", end)
            bench.strike("getters", place, "SIGKILL", trials)
        for session in ended:
            real(session)
    assert any("leaves" in line for line in trials.wrong)


@pytest.mark.parametrize("bad", ["first", "last"])
def test_the_status_counts_each_kind(bad: str) -> None:
    """Whichever kind shows what does not hold."""
    for wrong, status in (([], 0), (["a line"], 1)):
        assert frames.status_of(0, ("first", "last"), lambda kind: Trials(wrong=wrong if kind == bad else [])) == status  # noqa: B023


def test_what_a_stopped_process_must_not_hear_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a mistake in what goes on behind the stop."""

    def mistaken(*_: object) -> None:
        raise KeyError

    trials = Trials()
    with ExitStack() as ending:
        bench = Real(ending)
        place = bench.record("getters")[0].place
        monkeypatch.setitem(EXCHANGES, "getters", mistaken)
        bench.strike("getters", place, "SIGSTOP", trials)
    assert any("KeyError" in line for line in trials.wrong)
