"""Helpers of a fleet: real processes, whose deaths are answers, and the command line on this host."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from attrs import asdict

from conformance.fleet import command
from conformance.fleet.handlers import Helper, code
from conformance.fleet.helper import LIST
from conformance.fleet.lanes import CannotStartError, Lane, SliceFailedError
from conformance.fleet.slices import AGAIN, AGREES, RECORD, SEARCH, SUITE, Slice
from conformance.record import recordings
from conformance.record.recorder import load_cases
from conformance.record.recording_plan import tasks
from tests.conformance.fleets import Helped, StandIn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CARD = {"target": "model", "profile": "h200", "text": "", "seed": 1, "machine": "h200"}
REST = {"library": None, "cudart": None, "limit": 1.0, "chapters": ()}


def given(*planted: str, **more: Any) -> dict[str, Any]:
    """Return what a slice is told."""
    return {"card": {**CARD, **REST, "planted": planted, **more}, "shared": {}}


@pytest.fixture
def lane() -> Iterator[Lane]:
    """Return a lane."""
    made = Lane()
    yield made
    made.close()


def test_a_death_costs_the_item_during_which_it_came(lane: Lane) -> None:
    """The slice goes on without it, in another process; the item is told, with how."""
    one = Slice("search/h200 x1/0", SEARCH, "h200", items=[0, 1, 2])
    found = lane.run(one, given("death", chapters=("va",)), 600.0)
    assert {how for _, how in found["lost"]} == {"was ended by SIGKILL"}
    made = found["journal"]["programs"] if "journal" in found else 0
    assert len(found["lost"]) + made + len(found["left"]) == 3


def test_the_suite_is_collected_once_and_checks_are_named_by_their_place(lane: Lane) -> None:
    """A planted bug fails the checks that show it; on one device what needs two is told, with how many."""
    listing = lane.run(Slice(LIST, LIST), given(profile=""), 0.0)["listing"]
    chosen = [
        group
        for group in listing
        if group["id"].endswith(
            ("test_mem_alloc.py::test_mem_alloc", "test_pointer_get_attribute.py::test_pointer_get_attribute")
        )
    ]
    items = [[group["id"], place] for group in chosen for place in range(len(group["weights"]))]
    assert len(items) > 20
    assert all(group["real"] for group in chosen)
    assert any(not any(group["weights"]) for group in listing)  # programs of state machines are slices of their own
    told = {**given("order"), "shared": {"widest": 2}}
    found = lane.run(Slice("suite/h200/0", SUITE, "h200", items=items), told, 600.0)
    assert {name.partition("[")[0].rpartition("::")[2] for name in found["names"].values()} == {"test_mem_alloc"}
    assert {devices for _, devices in found["lacks"]} == {2}
    counts = [chapter[0] for chapter in found["report"]["chapters"].values()]
    assert sum(one["cases"] for one in counts) == len(items) - len(found["lacks"])
    assert sum(one.get("failed", 0) for one in counts) == len(found["failed"]) > 0
    nothing = lane.run(Slice("suite/h200/0", SUITE, "h200", items=items), told, 0.0)
    assert nothing["left"] == list(range(len(items)))


def test_a_helper_that_does_not_begin_is_told(lane: Lane) -> None:
    """With the reason; so is a slice that raises something."""
    with pytest.raises(CannotStartError, match="no helper begins: Traceback"):
        lane.run(Slice("suite/x/0", SUITE, "x", items=[["a", 0]]), given(profile="no such profile"), 1.0)
    with pytest.raises(SliceFailedError, match="no such bug"):
        lane.run(Slice("search/x/0", SEARCH, "x", items=[0]), given("no such bug"), 1.0)


def test_recorded_cases_replay() -> None:
    """A slice of the recorder brings programs with their answers."""
    load_cases()
    task = next(task for task in tasks("cuMemAlloc", 0, 0, "case") if not task.alone)
    item = {**asdict(task), "numbers": list(task.numbers)}
    found = Helper(given()["card"]).handle(RECORD, [item], {}, lambda _: None, 60.0)
    assert found["problems"] == []
    assert [step["call"] for step in found["programs"][0]["steps"]].count("cuMemAlloc") >= len(task.numbers)


def test_a_run_on_this_host_leaves_reports_recordings_and_a_journal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And is gone on with, with the options that it had."""
    helped = Helped()
    does = StandIn({"odd": 2}, helped)
    line = ["--local", "--target", "model", "--out", str(tmp_path), "--seed", "5", "--kinds", "search", "--slices", "6"]
    line += ["--chapters", "memory", "--size", "20", "--planted", "odd=order"]
    # the code that a host has is compared with this one's
    does.answer = lambda one, node, told: {
        **helped(one, node, told),
        **({"code": code()} if one.kind == "describe" else {}),
    }
    assert command.main(line, does) == command.DIFFERENT
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["ended"] == "all is done"
    text = (tmp_path / "report.txt").read_text()
    assert capsys.readouterr().out == text
    assert "cuMemAlloc: INVALID_VALUE on the card" in text
    assert "<details>" in (tmp_path / "report.html").read_text()
    recording = recordings.read(tmp_path / "recordings" / "h200-x2" / "search.jsonl.gz")
    assert len(recording.programs) >= len(report["differences"])
    assert recording.profile() == tmp_path / "recordings" / "h200-x2" / "profile.toml"
    done = len(does.done)
    assert command.main(line, does) == command.UNASKED
    assert "go on with --resume" in capsys.readouterr().err
    assert command.main(["--local", "--resume", str(tmp_path)], does) == command.DIFFERENT
    assert [one.kind for one, *_ in does.done[done:]] == ["describe"]
    assert json.loads((tmp_path / "report.json").read_text())["differences"] == report["differences"]
    helped.close()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--kinds", "suites"], "no kind suites: there are suite, search, examples, record"),
        (["--planted", "odd=bug"], "no bug bug"),
        (["--planted", "bug"], "no bug bug"),
        (["--chapters", "books"], "no chapter books"),
        (["--profile", "odd=l4"], ""),
    ],
)
def test_a_mistake_in_the_use_is_told(
    tmp_path: Path, more: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written, and the text says what there is."""
    line = ["--local", "--target", "model", "--out", str(tmp_path / "new"), "--kinds", "search", "--hours", "0", *more]
    assert command.main(line, StandIn({})) == command.UNASKED
    assert told in capsys.readouterr().err
    assert (tmp_path / "new").exists() is (not told)


def test_without_ray_a_cluster_cannot_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text names the extra, and what does without it."""
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "conformance.fleet.on_ray", raising=False)
    line = ["--address", "auto", "--target", "model", "--kinds", "search", "--out", str(tmp_path)]
    assert command.main(line) == command.UNASKED
    told = capsys.readouterr().err
    assert "pip install 'fakecuda[fleet]'" in told
    assert "--local" in told


def test_a_difference_is_asked_where_it_was_not_found() -> None:
    """On a model without the bug the program agrees."""
    odd = Helper(given("order", chapters=("memory",), seed=4)["card"])
    for first in range(0, 480, 40):
        found = odd.handle(SEARCH, list(range(first, first + 40)), {}, lambda _: None, 600.0)
        told = [one for one in found["journal"]["told"] if one["kind"] == "difference"]
        if told:
            break
    assert told
    sound = Helper(given()["card"])
    verdicts = sound.handle(AGAIN, told, {}, lambda _: None, 600.0)["verdicts"]
    assert {verdict for verdict, _ in verdicts} == {AGREES}
    odd.close()
    sound.close()
