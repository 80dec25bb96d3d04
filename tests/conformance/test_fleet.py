"""Fleets, on hosts in this process: what is planned is done exactly once, whatever dies."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fleet import fleet as fleets
from conformance.fleet import roster
from conformance.fleet.fleet import Fleet
from conformance.fleet.journal import Journal, JournalError
from conformance.fleet.nodes import Ended
from conformance.fleet.report import as_json, as_text, differs
from conformance.fleet.settings import Settings, family, named
from conformance.fleet.slices import (
    DESCRIBE,
    PROBE,
    SUITE,
    Sizes,
    Slice,
    examples,
    of_suite,
    of_tasks,
    searches,
)
from tests.conformance.fleets import CODE, StandIn, listed, passed, scripted

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.fleet.nodes import Result

CHECKS = [
    listed(*[1] * 20),
    listed(1, 1, 0, 1, name="test_other.py::test_it"),
    listed(1, 1, name="m.py::m", real=False),
]
SMALL = Sizes(weight=3, programs=20, tasks=2)


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no host rest, and no fleet wait for others."""
    monkeypatch.setattr(roster, "REST", 0.0)


def settings(*kinds: str, **more: Any) -> Settings:
    """Return what a fleet of models is to do."""
    return Settings("model", 7, kinds, code=CODE, sizes=SMALL, idle_timeout=0.0, **more)


def asked(does: StandIn) -> Counter[tuple[str, str, int]]:
    """Return how often each check was asked, by the kind of machine."""
    return Counter((one.machine, *item) for one, *_ in does.of(SUITE) for item in one.items)


EVERY = {
    (machine, group.id, place): 1
    for machine in ("h200", "")
    for group in CHECKS
    for place, weight in enumerate(group.weights)
    if weight and group.real is bool(machine)
}


# What is planned


def test_each_check_is_in_one_slice() -> None:
    """Checks that weigh nothing are in none; those that need the card for themselves are in slices of their own."""
    groups = [listed(1, 2, 0, 5, alone=(1,)), listed(1, name="n.py::n"), listed(9, name="m.py::m", real=False)]
    found = of_suite(groups, "h200", Sizes(weight=6))
    assert [(one.items, one.alone) for one in found] == [
        ([["test_it.py::test_it", 0], ["test_it.py::test_it", 3]], False),
        ([["n.py::n", 0]], False),
        ([["test_it.py::test_it", 1]], True),
    ]
    assert [one.items for one in of_suite(groups, "", Sizes())] == [[["m.py::m", 0]]]
    assert len({one.id for one in found}) == len(found)


def test_slices_of_the_search_draw_each_program_once() -> None:
    """A slice draws programs that all make calls of the runtime API, or none does."""
    found = list(islice(searches("h200", 2, SMALL), 6))
    numbers = [number for one in found for number in one.items]
    assert sorted(numbers) == list(range(120))
    assert all(len({number // 10 % 2 for number in one.items}) == 1 for one in found)


def test_tasks_and_seeds_are_dealt_out() -> None:
    """Tasks of the recorder that need the card for themselves come alone; state machines take turns."""
    tasks = [{"name": str(number), "alone": number == 1} for number in range(4)]
    found = of_tasks(tasks, "h200", 2, SMALL)
    assert [([item["name"] for item in one.items], one.alone) for one in found] == [
        (["0", "2"], False),
        (["3"], False),
        (["1"], True),
    ]
    assert [one.items for one in islice(examples("h200", 2, ("a", "b")), 3)] == [[["a", 0]], [["b", 0]], [["a", 1]]]
    assert (family("h200-x2"), family("t4"), named("h200", 1), named("h200", 3)) == ("h200", "t4", "h200", "h200-x3")


# What is done where


def test_all_is_done_once() -> None:
    """Each kind of machine is asked every check and probed once; checks of the model alone are run on one host."""
    does = StandIn({"one": 2, "two": 1, "three": 1})
    run = Fleet(does, settings(SUITE, profiles={"three": "t4"}), CHECKS)
    run.run()
    assert (run.cut, run.unreached, does.closed) == ("", {}, True)
    assert asked(does) == EVERY | {("t4", group, place): 1 for machine, group, place in EVERY if machine}
    assert sorted(one.id for one, *_ in does.of(PROBE)) == ["probe/h200 x1", "probe/h200 x2", "probe/t4 x1"]
    report = as_json(run)
    assert [(one["machine"], one["checks"]["asked"], one["checks"]["of"]) for one in report["machines"]] == [
        ("the model alone", 2, 2),
        ("h200", 23, 23),
        ("h200", 0, 0),
        ("t4", 23, 23),
    ]
    assert not differs(report)


def test_what_died_with_its_host_is_done_elsewhere() -> None:
    """Hosts die while they do something and while they do nothing; one comes late. Nothing is lost or done twice."""
    does = StandIn({"one": 1, "two": 2, "three": 2})

    def happen(done: int) -> None:
        if done == 5:
            does.gpus.pop("two", None)
        if done == 8:
            does.gpus["four"] = 1
        if done == 10:
            does.gpus.pop("three", None)

    does.before = happen
    run = Fleet(does, settings(SUITE, jobs=2), CHECKS)
    run.run()
    assert asked(does) == EVERY
    assert run.gathered.twice == []
    assert {node for _, node, _ in run.losses.told} == {"two", "three"}
    assert run.losses.given_up == {}
    report = as_json(run)
    assert [one["name"] for one in report["hosts"] if one["out"]] == ["two", "three"]
    assert f"{len(run.losses.told)} slices lost and done again" in as_text(report)


def test_a_slice_whose_hosts_die_again_and_again_is_given_up() -> None:
    """It is told, and the others are done."""

    def answer(one: Slice, node: str, given: dict[str, Any]) -> Result | Ended:
        return Ended(one.id, problem="killed") if one.id == "suite/h200/1" else scripted(one, node, given)

    does = StandIn({"one": 1, "two": 1}, answer)
    run = Fleet(does, settings(SUITE), CHECKS)
    run.run()
    assert run.losses.given_up == {"suite/h200/1": "killed"}
    assert len(run.losses.told) == fleets.TRIES
    assert sum(asked(does).values()) == len(EVERY) - 3
    assert differs(as_json(run))


def test_checks_that_lack_devices_are_asked_on_more() -> None:
    """On hosts that have them; what was asked on one GPU is not asked again."""

    def answer(one: Slice, node: str, given: dict[str, Any]) -> Result:
        if one.kind == SUITE and one.machine and one.gpus == 1:
            lacks = [[place, 2] for place, (_, number) in enumerate(one.items) if number == 1]
            assert given["shared"]["widest"] == 3
            return passed(one, lacks=lacks)
        return scripted(one, node, given)

    does = StandIn({"one": 1, "two": 3}, answer)
    run = Fleet(does, settings(SUITE), CHECKS)
    run.run()
    wide = [(one.items, node, gpus) for one, node, gpus in does.of(SUITE) if one.gpus == 2]
    assert wide == [([[CHECKS[0].id, 1]], "two", 2), ([[CHECKS[1].id, 1]], "two", 2)]
    machines = {(place["machine"], place["gpus"]): place["checks"] for place in as_json(run)["machines"]}
    assert [(machines["h200", gpus]["asked"], machines["h200", gpus]["of"]) for gpus in (1, 2)] == [(21, 21), (2, 2)]


def test_what_is_left_is_done_by_another_slice() -> None:
    """A slice that ends early, since its time is over or helpers died, leaves the rest."""

    def answer(one: Slice, node: str, given: dict[str, Any]) -> Result:
        return passed(one, left=list(range(1, one.size))) if one.kind == SUITE else scripted(one, node, given)

    does = StandIn({"one": 1}, answer)
    run = Fleet(does, settings(SUITE), CHECKS)
    run.run()
    seen = run.gathered.seen(("h200", 1))
    assert len(seen.checks) == 23
    assert {len(one.items) for one, *_ in does.of(SUITE)} == {1, 2, 3}


def test_what_needs_a_card_for_itself_has_it() -> None:
    """Nothing else is under way in its group of GPUs."""
    busy: list[list[bool]] = []
    does = StandIn({"one": 1})
    does.before = lambda _: busy.append([one.alone for _, one, _ in does.waiting])
    Fleet(does, settings(SUITE, jobs=3), [listed(*[1] * 12, alone=(3, 4))]).run()
    assert max(map(len, busy)) == 3
    assert all(len(alone) == 1 for alone in busy if any(alone))
    assert any(any(alone) for alone in busy)


def test_hosts_that_cannot_begin_or_have_other_code_are_not_used() -> None:
    """Why is told, and what they had is done elsewhere."""

    def answer(one: Slice, node: str, given: dict[str, Any]) -> Result | Ended:
        if node == "broken":
            return Ended(one.id, problem="no driver", unstarted=True, kept=True)
        if node == "old" and one.kind == DESCRIBE:
            return {"machine": "h200", "code": "another"}
        if node == "mute" and one.kind == DESCRIBE:
            return Ended(one.id, problem="no card", kept=True)
        return scripted(one, node, given)

    does = StandIn({"broken": 1, "old": 1, "mute": 1, "one": 1}, answer)
    run = Fleet(does, settings(SUITE), CHECKS)
    run.run()
    assert asked(does) == EVERY
    out = {one["name"]: one["out"] for one in as_json(run)["hosts"] if one["out"]}
    assert (out["broken"], out["mute"]) == ("no driver", "no card")
    assert "another version" in out["old"]


def test_a_fleet_without_a_host_ends() -> None:
    """Where none has a GPU, and where what is left needs a host that is gone."""
    run = Fleet(StandIn({}), settings(SUITE), CHECKS)
    run.run()
    assert run.cut == "no host has a GPU"
    does = StandIn({"one": 1})
    does.before = lambda done: does.gpus.clear() if done == 4 else None
    run = Fleet(does, settings(SUITE), CHECKS)
    run.run()
    assert run.cut == "no host can do what is left"
    assert run.unreached[SUITE] > 0
    assert f"{run.unreached[SUITE]} of suite" in as_text(as_json(run))


# Ends and resumption


def test_the_time_is_over_and_a_run_is_gone_on_with(tmp_path: Path) -> None:
    """An interrupt ends with what is known; the next run does what is left, and tells the whole."""

    def interrupt(done: int) -> None:
        if done == 6:
            raise KeyboardInterrupt

    first = StandIn({"one": 1, "two": 1}, before=interrupt)
    run = Fleet(first, settings(SUITE), CHECKS, journal=Journal.of(tmp_path, {"seed": 7}, resume=False))
    run.run()
    assert run.cut == "interrupted"
    assert first.closed
    before = len(as_text(as_json(run)))
    with (tmp_path / "slices.jsonl").open("a") as file:
        file.write('{"slice": {"id": "cut sho')
    second = StandIn({"three": 1})
    run = Fleet(second, settings(SUITE), CHECKS, journal=Journal.of(tmp_path, {"seed": 7}, resume=True))
    run.resume()
    run.run()
    assert run.cut == ""
    assert asked(first) + asked(second) == EVERY
    assert second.of(PROBE) == []
    assert len(run.gathered.seen(("h200", 1)).checks) == 23
    assert before > 0
    third = StandIn({"one": 1})
    run = Fleet(third, settings(SUITE), CHECKS, journal=Journal.of(tmp_path, {"seed": 7}, resume=True))
    run.resume()
    run.run()
    assert [one.kind for one, *_ in third.done] == [DESCRIBE]


def test_the_time_limit_is_kept() -> None:
    """What is under way is heard, nothing more is begun, and what was not reached is counted."""
    does = StandIn({"one": 1})
    run = Fleet(does, settings(SUITE), CHECKS)
    does.before = lambda done: setattr(run, "until", 0.0) if done == 4 else None
    run.run()
    assert run.cut == "the time is over"
    assert run.running == {}
    assert run.unreached[SUITE] + len(does.of(SUITE)) == len(of_suite(CHECKS, "h200", SMALL)) + 1


@pytest.mark.parametrize(
    ("content", "told"), [("{}\n", "no journal"), ('{"schema": 1, "seed": 8}\n', "differs in seed")]
)
def test_a_file_of_another_run_is_refused(tmp_path: Path, content: str, told: str) -> None:
    """It is not written over, and the text says what to do."""
    (tmp_path / "slices.jsonl").write_text(content)
    with pytest.raises(JournalError, match=told):
        Journal.of(tmp_path, {"seed": 7}, resume=True)
    with pytest.raises(JournalError, match="go on with --resume"):
        Journal.of(tmp_path, {"seed": 7}, resume=False)
    assert (tmp_path / "slices.jsonl").read_text() == content
