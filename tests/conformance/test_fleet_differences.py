"""What differs on hosts of a fleet: asked on other hosts, and told by host, kind of machine and cause."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fleet import fleet as fleets
from conformance.fleet.fleet import Fleet
from conformance.fleet.gathered import FAILS, HOLDS, Gathered, cause_of
from conformance.fleet.page import as_html
from conformance.fleet.report import as_json, as_text, flat, where
from conformance.fleet.slices import AGAIN, AGREES, DIFFERS, EXAMPLES, PROBE, RECHECK, SEARCH, SUITE, UNASKED, Slice
from conformance.search.planted import PLANTED
from tests.conformance.fleets import Helped, StandIn, passed, scripted
from tests.conformance.test_fleet import CHECKS, hurried, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.fleet.nodes import Result
    from conformance.fleet.settings import Settings

__all__ = ["hurried"]
LONGEST = 12
"""The number of steps of a shrunk program."""


def searching(most: int = 4, **more: Any) -> Settings:
    """Return a search over a chapter in which a planted order of checks shows soon."""
    return settings(SEARCH, most=most, chapters=("memory",), **more)


# What differs


@pytest.fixture
def helped() -> Iterator[Helped]:
    """Return what answers as helpers do, on models."""
    made = Helped()
    yield made
    made.close()


def test_planted_bugs_are_told_of_the_hosts_that_have_them(helped: Helped) -> None:
    """Found by the search, made small, told once by call and codes; every host was asked, of whatever kind."""
    does = StandIn({"sound": 1, "odd": 1, "odd-too": 1, "other": 1}, helped)
    planted = {"odd": ("order",), "odd-too": ("order",)}
    run = Fleet(does, searching(planted=planted, profiles={"other": "l4"}), [])
    run.run()
    report = as_json(run)
    assert {one["call"] for one in report["differences"]} == {PLANTED["order"].call}
    for one in report["differences"]:
        verdicts = {name: verdict for name, (verdict, _) in one["hosts"].items()}
        assert verdicts == {"sound": AGREES, "odd": DIFFERS, "odd-too": DIFFERS, "other": AGREES}
        assert one["steps"] <= LONGEST
        assert "cuMemAlloc" in one["program"]
    assert len({(one["call"], one["card"], one["model"], one["rule"]) for one in report["differences"]}) == len(
        report["differences"]
    )
    drawn = [number for one, *_ in does.of(SEARCH) if one.machine == "h200" for number in one.items]
    assert len(drawn) == len(set(drawn)) == 4 * 20
    assert {one["machine"]: one["search"]["programs"] for one in report["machines"]} == {"h200": 4 * 20, "l4": 4 * 20}
    assert "h200: differs: INVALID_VALUE (odd, odd-too)" in as_text(report)
    assert len(does.of(AGAIN)) <= 3 * len(report["differences"])


def test_a_difference_that_cannot_be_asked_agrees_with_nothing(helped: Helped) -> None:
    """A program of two devices says nothing of a host that has one."""
    does = StandIn({"one": 1, "two": 2}, helped)
    run = Fleet(does, settings(SEARCH, most=1), [])
    run.run()
    steps = [
        {"process": "a", "call": "spawn"},
        {"process": "a", "call": "cuInit", "args": [0]},
        {"process": "a", "call": "cuCtxCreate", "args": [None, 0, 1]},
        {"process": "a", "call": "cuMemAlloc", "args": [0]},
    ]
    key = {"call": "cuMemAlloc", "card": "NOT_READY", "model": "INVALID_VALUE", "rule": "", "state": ""}
    answers = [
        {"code": 0, "outs": {}},
        {"code": 0, "outs": {}},
        {"code": 0, "outs": {"pctx": {"new": "a.ctx1"}}},
        {"code": 600, "outs": {}},
    ]
    told = {"key": key, "steps": steps, "answers": answers, "text": "", "number": 0, "kind": "difference", "model": ""}
    verdicts = {}
    for gpus in (1, 2):
        card = next(given["card"] for one, _, count, given in does.done if one.kind == PROBE and count == gpus)
        one = Slice("again/x", AGAIN, "h200", gpus, "two", [told])
        verdicts[gpus] = helped(one, "two", {"card": card, "shared": {}})["verdicts"][0][0]
    assert verdicts == {1: UNASKED, 2: AGREES}


@pytest.mark.long("it draws until a bug shows that ten programs meet with some seeds alone")
def test_what_fails_in_a_state_machine_is_an_example(helped: Helped, monkeypatch: pytest.MonkeyPatch) -> None:
    """On another host it holds; on one with the same bug it fails at once, whatever the seed is."""
    monkeypatch.setattr("conformance.fleet.handlers.SHRINKING", float("inf"))  # to make it small takes long
    monkeypatch.setattr("hypothesis.core.global_force_seed", None)  # what the tests set switches databases off
    card = {"target": "model", "profile": "h200", "text": "", "planted": ("order",), "seed": 3, "machine": "h200"}
    monkeypatch.setattr("conformance.fleet.handlers.SLICE", 200)  # ten programs meet the bug with some seeds alone
    one = Slice("examples/h200 x1/0", EXAMPLES, "h200", items=[["driver", 0]])
    found = helped(one, "odd", {"card": card, "shared": {}})
    assert cause_of(found["failures"][0][1]) == "cuMemAlloc: INVALID_CONTEXT instead of INVALID_VALUE"
    assert found["examples"]
    monkeypatch.setattr("conformance.fleet.handlers.SLICE", 1)  # the example, and nothing that is drawn
    shared = {"examples": found["examples"]}
    again = helped(one, "odd-too", {"card": card, "shared": shared})
    assert [cause_of(text) for _, text in again["failures"]] == [cause_of(found["failures"][0][1])]
    sound = helped(one, "sound", {"card": {**card, "planted": ()}, "shared": shared})
    assert (sound["failures"], sound["examples"]) == ([], {})
    assert sound["steps"] > 0


def test_examples_of_one_host_are_tried_on_each_other_once() -> None:
    """They are kept, whatever they are on the others; a host on which many fail draws no more."""

    def answer(one: Slice, node: str, given: dict[str, Any]) -> Result:
        if one.kind != EXAMPLES:
            return scripted(one, node, given)
        failures = [["driver", "step 3 a.cuX: A instead of B"]] if node == "odd" else []
        return {
            "failures": failures,
            "steps": 5,
            "examples": {"aa": ["bb"]} if failures else {},
            "left": [],
            "lost": [],
        }

    does = StandIn({"odd": 1, "sound": 1, "third": 1}, answer)
    run = Fleet(does, settings(EXAMPLES, most=20), [])
    run.run()
    tried = Counter(node for one, node, _, given in does.done if one.kind == EXAMPLES and given["shared"]["examples"])
    assert tried == {"odd": 1, "sound": 1, "third": 1}
    assert run.gathered.examples == {"aa": {"bb"}}
    assert Counter(node for _, node, _ in does.of(EXAMPLES))["odd"] == fleets.FAILURES
    assert len(does.of(EXAMPLES)) == 20
    assert run.gathered.failures["cuX: A instead of B"].nodes == {"odd": FAILS}


def test_failed_checks_are_asked_elsewhere_and_told_by_their_cause() -> None:
    """Checks that fail alike are one cause; the shortest is asked on other hosts, so many of each kind of machine."""

    def answer(one: Slice, node: str, given: dict[str, Any]) -> Result:
        if one.kind not in {SUITE, RECHECK} or not one.machine:
            return scripted(one, node, given)
        odd = [place for place, (_, number) in enumerate(one.items) if node == "odd" or (node == "two" and number == 7)]
        failed = [
            [place, f"x\nstep {number} a.cuX: A instead of B\n{'long' * number}"]
            for place in odd
            for number in [one.items[place][1]]
        ]
        return passed(
            one, failed=failed, names={str(place): f"{one.items[place][0]}[{one.items[place][1]}]" for place in odd}
        )

    does = StandIn({"odd": 1, "two": 1, "three": 1, "four": 1, "five": 1, "six": 1}, answer)
    run = Fleet(does, settings(SUITE, asked=4), CHECKS)
    run.run()
    (failure,) = as_json(run)["failures"]
    assert failure["cause"] == "cuX: A instead of B"
    assert len(failure["shown by"]) > 1
    assert failure["hosts"]["odd"] == FAILS
    assert Counter(failure["hosts"].values())[HOLDS] >= 2
    assert len(does.of(RECHECK)) <= 4


def test_hosts_that_are_gone_are_not_asked() -> None:
    """Others are, in their place; one that comes back is asked, too."""

    def answer(one: Slice, node: str, given: dict[str, Any]) -> Result:
        if one.kind == SUITE and one.machine and node == "odd":
            return passed(one, failed=[[0, "step 1 a.cuX: A instead of B"]], names={"0": "it"})
        return scripted(one, node, given)

    does = StandIn({"odd": 1, "two": 1}, answer)
    gone: list[int] = []

    def happen(done: int) -> None:
        if not gone and any(one.kind == RECHECK for _, one, _ in does.waiting):
            gone.append(done)
            del does.gpus["two"]
            does.gpus["three"] = 1

    does.before = happen
    run = Fleet(does, settings(SUITE), CHECKS[:1])
    run.run()
    assert run.cut == ""
    assert run.gathered.failures["cuX: A instead of B"].nodes == {"odd": FAILS, "three": HOLDS}
    assert {node for _, node, _ in does.of(RECHECK)} == {"three"}


def test_a_check_that_ends_its_process_fails() -> None:
    """It is told with the host, and asked on others."""

    def answer(one: Slice, node: str, given: dict[str, Any]) -> Result:
        if one.kind == SUITE and one.machine and node == "odd":
            return passed(one, lost=[[0, "was ended by SIGSEGV"]])
        return scripted(one, node, given)

    run = Fleet(StandIn({"odd": 1, "two": 1}, answer), settings(SUITE), CHECKS[:1])
    run.run()
    report = as_json(run)
    assert {FAILS, HOLDS} == {verdict for one in report["failures"] for verdict in one["hosts"].values()}
    assert all("was ended by SIGSEGV" in one["text"] for one in report["failures"])
    assert len(report["deaths"]) == len(report["failures"])
    assert len(run.gathered.seen(("h200", 1)).checks) == 20


def test_a_result_that_comes_twice_counts_once() -> None:
    """Whoever tells it again."""
    gathered = Gathered()
    one = Slice("suite/h200/0", SUITE, "h200", items=[["g", 0]])
    assert gathered.take(one, "one", "h200", passed(one)) == []
    assert gathered.take(one, "two", "h200", passed(one)) == []
    assert (gathered.done, gathered.twice) == ({one.id: "one"}, [one.id])
    assert gathered.seen(("h200", 1)).nodes == {"one": 1}


# What is told


def test_hosts_are_told_by_kind_of_machine() -> None:
    """Where all that were asked of a kind answer the same, they are not listed."""
    kinds = {"a": "h200", "b": "h200", "c": "h100", "d": "h100", "e": "t4"}
    told = where({"a": "agrees", "b": "agrees", "c": "agrees", "d": "differs", "e": "differs"}, kinds)
    assert told == [
        "h100: agrees (c)",
        "h100: differs (d)",
        "h200: agrees (all 2 that were asked)",
        "t4: differs (e)",
    ]


def test_profiles_are_compared_without_what_is_a_single_runs() -> None:
    """Paths of values, and nothing of dates and free memory."""
    data = {
        "date": "today",
        "device": [{"total_memory": 5, "free_memory": 4, "attributes": {"A": 1}}],
        "granularity": {"minimum": 2},
    }
    assert flat(data) == {"device.0.total_memory": 5, "device.0.attributes.A": 1, "granularity.minimum": 2}
    assert cause_of("h: said\nstep 3 a.cuX: A instead of B\nmore") == "cuX: A instead of B"
    assert cause_of("AssertionError: x\ny") == "AssertionError: x"


def test_the_page_shows_what_the_text_tells(helped: Helped) -> None:
    """Escaped, with every machine, host and difference, and nothing from elsewhere."""
    does = StandIn({"odd<1>": 1}, helped)
    run = Fleet(does, searching(planted={"odd<1>": ("order",)}), [])
    run.run()
    report = json.loads(json.dumps(as_json(run)))
    page = as_html(report)
    assert "odd&lt;1&gt;" in page
    assert "odd<1>" not in page
    assert page.count("<details>") == len(report["differences"]) > 0
    assert "http" not in page
    assert "cuMemAlloc: INVALID_VALUE on the card, INVALID_CONTEXT by the model" in as_text(report)
