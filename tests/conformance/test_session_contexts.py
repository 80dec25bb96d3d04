"""Contexts in sessions: which context a world leaves for the next one, and what follows the end of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.kit.case import Case, Entry, World
from conformance.targets.target import Target
from tests.conformance.test_sessions import LARGE, PROFILE, Stand, peers, real, session

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.targets.sessions import Lasting

__all__ = ["real", "session"]

pytestmark = pytest.mark.usefixtures("entries_apart")


def calls_of(session: Lasting) -> list[str]:
    """Return the calls of the last world that make, end and push contexts."""
    wanted = {"cuCtxCreate", "cuCtxDestroy", "cuCtxPushCurrent"}
    steps = session.recorder.program.steps
    start = next(number for number, step in enumerate(steps) if step["call"] == "world")
    return [step["call"] for step in steps[start:] if step["call"] in wanted]


def test_a_second_context_is_kept_for_the_next_world(session: Lasting, real: Stand) -> None:
    """It is as a new one, pushed instead of made, and in the program that runs by itself; it can become the own one."""
    for number in range(3):
        world = session.world("")
        peers(world)
        world.finish()
        assert calls_of(session)[0] == ("cuCtxPushCurrent" if number else "cuCtxCreate")
        assert "cuCtxDestroy" not in calls_of(session)
    assert not session.costs.dropped
    world = session.world("")
    peers(world)
    told, process = session.recorder.told(), world.used[0][1]
    process.thread("t").ok.cuCtxDestroy(process.context)
    world.finish()
    spare = session.spares[process.name, 1]
    world = session.world("")
    assert world.process(1).name == process.name
    assert session.own[process.name] == spare
    assert calls_of(session) == ["cuCtxPushCurrent"]
    world.finish()
    assert session.recorder.found == []
    scope: dict[str, Any] = {}
    exec(told, scope)  # noqa: S102 - it is what a person would run
    scope["play"](real)


def flags(w: World) -> None:
    """Make a context with flags."""
    w.process().ok.cuCtxCreate(None, 4, 0)


def two(w: World) -> None:
    """Make two contexts of one device."""
    a = w.process()
    a.ok.cuCtxCreate(None, 0, 1)
    a.ok.cuCtxCreate(None, 0, 1)


def limited(w: World) -> None:
    """Set a limit of a second context."""
    a = w.process()
    a.ok.cuCtxCreate(None, 0, 1)
    a.ok.cuCtxSetLimit(0, 2048)


@pytest.mark.parametrize(("build", "kept"), [(flags, 0), (two, 1), (limited, 0)])
def test_what_is_not_as_a_new_context_is_destroyed(session: Lasting, build: Callable[[World], None], kept: int) -> None:
    """And so is what is too many."""
    world = session.world("")
    build(world)
    world.finish()
    assert len(session.spares) == kept
    assert calls_of(session).count("cuCtxDestroy") == 1
    assert not session.costs.dropped


def after_destruction() -> list[Case]:
    """Return pairs of which each destroys a context before a call with a wrong argument."""
    entry = Entry("cuMemAlloc", lambda w: w.process().call("cuMemAlloc", bytesize=LARGE))
    entry.breaks("SIZE_IS_POSITIVE", bytesize=0)
    entry.breaks("SIZE_IS_POSITIVE", "again", bytesize=0)
    return [case for case in entry.pairs() if case.after_destruction]


def test_many_calls_follow_one_destruction(real: Stand) -> None:
    """They share a world."""
    target = Target("both", PROFILE, real)
    cases = after_destruction()
    target.check(cases)
    assert [case.name.partition("+")[2] for case in cases] == ["destroyed_context"] * 2 + ["second_thread"]
    assert target._costs.counts["cuCtxDestroy"] == 1
    assert target._costs.counts["cuMemAlloc"] == 3


def test_where_calls_that_share_a_world_differ_each_is_made_in_its_own(
    real: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first difference would hide the others."""
    asked: list[int] = []

    def check(_self: Target, cases: list[Case], _session: Lasting) -> list[str]:
        asked.append(len(cases))
        return [f"{len(cases)} differ"] if len(asked) in {1, 3} else []  # two of the three agree in new processes

    monkeypatch.setattr(Target, "_check_world", check)
    with pytest.raises(AssertionError, match=r"^1 differ$"):
        Target("both", PROFILE, real).check(after_destruction())
    assert asked == [3, 1, 1, 1]
