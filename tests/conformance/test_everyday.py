"""The everyday corpus: what it keeps, and when a program that is left out is replayed all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.kit.case import ENTRIES
from conformance.kit.program import Recorder
from conformance.mutate.mutation import DROPPED, MUTATED, Mutant, install
from conformance.record import choice, everyday, recordings
from conformance.record.recorder import load_cases
from conformance.record.recordings import Header, files, hash_of, place_of, read
from conformance.record.replay import check
from conformance.runner.group import met_once
from fakecuda.profiles import HERE as PROFILES

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.kit.program import Program

BUDGET = 58_000_000
"""The maximum size in characters of the everyday programs."""
SIZE = "memory.mem_alloc.SIZE_IS_POSITIVE"


def program(name: str, *calls: tuple[Any, ...]) -> Program:
    """Return a program of one process, as a model answers it."""
    with fakecuda.Machine("h200", strict=False, seed=0) as machine:
        recorder = Recorder(machine, name)
        process = recorder.spawn()
        for call, *inputs in (("cuInit", 0), ("cuCtxCreate", None, 0, 0), *calls):
            getattr(process.c, call)(*inputs)
        recorder.close()
    return recorder.program


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Return a recording: the second program is the first one and more of it, the third one alone breaks a rule."""
    programs = [
        program("allocates", ("cuMemAlloc", 4096)),
        program("allocates again", ("cuMemAlloc", 4096), ("cuMemAlloc", 8192)),
        program("allocates nothing", ("cuMemAlloc", 0)),
    ]
    path = tmp_path / "mine.jsonl"
    recordings.write(path, Header("h200", 13000, "", "h200", hash_of(PROFILES / "h200.toml")), programs)
    return path


def chosen(path: Path) -> list[bool]:
    """Return which programs of a recording the choice keeps."""
    return choice.chosen([choice.facts(path, number) for number in range(len(read(path).programs))])


def test_a_mutant_that_one_program_finds_is_found_every_day(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program that says the same as a shorter one is left out; what notices the dropped rule is kept."""
    kept = chosen(recorded)
    assert kept == [True, False, True]
    monkeypatch.setattr(MUTATED["cuMemAlloc"], "invoke", MUTATED["cuMemAlloc"].invoke)
    install(Mutant("cuMemAlloc", SIZE, DROPPED))
    found = []
    for number, stays in enumerate(kept):
        if stays:
            try:
                check(recorded, number, "recordings")
            except AssertionError:
                found.append(number)
    assert found == [2]


def test_a_program_that_differs_from_the_model_stays(recorded: Path) -> None:
    """Nothing else says that it still differs; here it also shows what a shorter program does, which goes."""
    found = read(recorded)
    programs = list(found.programs)
    programs[1].answers[-1]["outs"] = {"dptr": 1}
    recordings.write(recorded.with_name("differs.jsonl"), found.header, programs)
    assert chosen(recorded.with_name("differs.jsonl")) == [False, True, True]


def test_an_order_of_two_rules_stays_with_the_shortest_program_that_shows_it() -> None:
    """Two rules that a call broke at once are a fact beyond each of them; a pair of the same rules is no new one."""
    load_cases()
    first, further = met_once(ENTRIES["cuMemMap"].pairs())
    other = further[0]
    one = next(
        pair for pair in first if {twist.rule for twist in pair.twists} == {twist.rule for twist in other.twists}
    )
    third = next(pair for pair in first if pair is not one)
    answer = ("cuMemMap", "some.RULE", 1)
    facts = [set(choice._order("pairs", pair.id, {answer})) for pair in (one, other, third)]
    assert facts[0] == facts[1] != facts[2]
    assert set(choice._order("pairs", "a label of old", {answer})) == {("a label of old", frozenset({answer}))}
    assert not set(choice._order("case", "a label of old", {answer}))


def test_a_recording_that_changes_is_replayed_whole(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So is a new one, until the command has run again."""
    known: dict[str, dict[str, str]] = {}
    monkeypatch.setattr(everyday, "_chosen", lambda: known)
    assert everyday.left_out(recorded) == frozenset()
    known[place_of(recorded)] = everyday.entry(recorded, [0, 1, 2, 5, 7, 8])
    assert known[place_of(recorded)]["left out"] == "0-2,5,7-8"
    assert everyday.left_out(recorded) == {0, 1, 2, 5, 7, 8}
    recorded.write_text(recorded.read_text().replace("allocates again", "allocates once more"))
    assert everyday.left_out(recorded) == frozenset()


def test_the_corpus_keeps_within_its_budget() -> None:
    """If recordings are added, python -m tools.codegen everyday chooses again; what names no recording is an error."""
    size, names = 0, set()
    for path in files():
        programs, further = read(path).programs, everyday.left_out(path)
        names.add(place_of(path))
        assert all(number < len(programs) for number in further), path
        size += sum(programs.length(number) for number in range(len(programs)) if number not in further)
    assert everyday._chosen().keys() <= names
    assert size <= BUDGET, f"{size:,} characters are more than {BUDGET:,}: run python -m tools.codegen everyday"
    # A stale file leaves nothing out, and would pass the line above only by chance.
    assert size > BUDGET // 2


def test_each_two_rules_of_a_call_meet_every_day() -> None:
    """A pair is left out if another one breaks the same two rules."""
    load_cases()
    pairs = ENTRIES["cuMemMap"].pairs()
    first, further = met_once(pairs)
    rules = [frozenset(twist.rule or twist.name for twist in pair.twists) for pair in first]
    assert len(set(rules)) == len(rules)
    assert {frozenset(twist.rule or twist.name for twist in pair.twists) for pair in further} <= set(rules)
    assert sorted(pair.id for pair in (*first, *further)) == sorted(pair.id for pair in pairs)
    assert further
