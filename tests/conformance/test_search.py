"""The random search, on models in a card's place: what is planted is found, made small and told once, and nothing else is."""

from __future__ import annotations

import json
import os
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

import fakecuda
from conformance.cases.driver.va.fixtures import TILE_POOL, prop
from conformance.drawing.shapes import SOLID
from conformance.kit.program import Recorder
from conformance.record import recordings
from conformance.search import command
from conformance.search.drawing import Drawn
from conformance.search.journal import Journal, JournalError, read
from conformance.search.planted import PLANTED, Card
from conformance.search.process_pool import Stable
from conformance.search.searcher import BLOCK, Searcher, Told
from conformance.search.workers import Worker
from fakecuda import profiles

if TYPE_CHECKING:
    from pathlib import Path

    from fakecuda.profiles import Profile

ENOUGH = 400
"""The number of programs that find each planted bug."""
FOUND = {
    "code": ("pool",),
    "order": ("memory",),
    "count": ("va",),
    "sequence": ("stream", "pool", "va"),
    "capture": ("stream", "graph"),
    "image": ("module", "library"),
}
"""Planted bugs, with chapters whose programs find each of them soon."""
GRANULE = 2 << 20
SPARSE, DEFERRED = 64, 128
"""CUDA_ARRAY3D_SPARSE and _DEFERRED_MAPPING."""
WITHOUT_KERNELS = b".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align 4 .u32 alone;\n\0"
LONGEST = 12
"""The number of steps of a shrunk program."""


@pytest.fixture(scope="module")
def profile() -> Profile:
    """Return the profile of model and card."""
    return profiles.load("h200-x2")


def search(profile: Profile, *bugs: str, programs: int = ENOUGH, found: int = 1) -> tuple[Searcher, list[Told]]:
    """Search until so many differences are told."""
    chapters = tuple(name for bug in bugs for name in FOUND[bug])
    searcher = Searcher(profile, Stable(Card(profile, bugs)), 7, profile.driver_version, chapters=chapters)
    told: list[Told] = []
    for number in range(programs):
        one = searcher.run(number)
        told += [one] if one is not None else []
        if len(told) >= found:
            break
    searcher.close()
    searcher.stable.machine.close()
    return searcher, told


@pytest.mark.parametrize("bug", FOUND)
def test_a_planted_bug_is_found_and_made_small(profile: Profile, bug: str) -> None:
    """Whatever differs in a planted call differs for the bug alone, in a program of a few steps that new processes show."""
    _, told = search(profile, bug)
    assert told
    assert {one.kind for one in told} == {"difference"}
    assert {one.key.call for one in told} == {PLANTED[bug].call}
    assert min(len(one.steps) for one in told) <= LONGEST


def test_models_that_agree_differ_in_nothing(profile: Profile) -> None:
    """Processes that are used again answer as new ones do, and calls of all chapters are made."""
    searcher, told = search(profile, programs=60)
    assert (told, searcher.problems) == ([], {})
    reached = searcher.reached
    assert reached.programs == 60
    assert sum(reached.calls.values()) > 1000
    assert len(reached.calls) > 150
    assert searcher.stable.started < 2 * reached.programs


def test_a_first_call_that_does_not_return_ends_its_program(profile: Profile) -> None:
    """The other process is not begun: the model would know nothing of it. The search says which call it was."""
    searcher = Searcher(profile, Stable(Card(profile, ("hang",))), 7, profile.driver_version)
    told = searcher.run(BLOCK)
    searcher.close()
    searcher.stable.machine.close()
    assert told is not None
    assert told.key.codes == ("cudaSetDevice", "hang", "SUCCESS", "")
    assert [step["call"] for step in told.steps] == ["spawn", "cudaSetDevice"]
    assert not searcher.problems


def test_a_difference_that_is_known_by_its_codes_is_not_asked_again(profile: Profile) -> None:
    """Another worker has told it: it is counted."""
    searcher, told = search(profile, "order")
    again = Searcher(profile, Stable(Card(profile, ("order",))), 7, profile.driver_version, chapters=FOUND["order"])
    again.seen[told[0].key.codes] = 5
    assert again.run(told[0].number) is None
    assert again.seen[told[0].key.codes] == 6
    again.close()
    assert searcher.seen[told[0].key.codes] >= 1


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Return where a journal is kept."""
    return tmp_path / "journal.json"


def command_line(out: Path, *more: str) -> list[str]:
    """Return a search of models."""
    return ["--target", "model", "--profile", "h200-x2", "--seed", "7", "--jobs", "2", "--out", str(out), *more]


def test_a_search_is_gone_on_from_its_journal(
    tmp_path: Path, journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second slice draws the programs behind the first; both are told, with what was found as a recording."""
    line = command_line(
        tmp_path,
        "--programs",
        "40",
        "--minutes",
        "5",
        "--resume",
        str(journal),
        "--planted",
        "count",
        "--chapters",
        "va",
    )
    status = command.main(line)
    first = read(journal)
    assert (first.next, first.reached.programs) == ([4, 5], 4 * BLOCK)
    assert command.main(line) in {status, 1}
    second = read(journal)
    assert (second.next, second.reached.programs) == ([8, 9], 8 * BLOCK)
    assert second.reached.pairs >= first.reached.pairs
    assert set(second.told) >= set(first.told)
    assert len(second.told) >= 1
    recording = recordings.read(tmp_path / "search.jsonl")
    assert len(recording.programs) == len(second.told)
    assert "80 programs" in capsys.readouterr().out


def test_a_worker_that_is_killed_is_started_again_and_its_program_told(tmp_path: Path, journal: Path) -> None:
    """Whatever ends a worker costs its block alone."""
    line = command_line(tmp_path, "--programs", "60", "--minutes", "5", "--resume", str(journal), "--planted", "death")
    assert command.main(line) == 1
    known = read(journal)
    assert known.lost
    assert all(number >= 0 for number, _ in known.lost)
    assert known.next == [6, 7]


def test_an_interrupt_ends_a_search_with_what_is_known(
    tmp_path: Path, journal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C comes while a difference is told: the report has it, and the journal goes on from there."""

    def interrupted(text: str) -> None:
        if text.startswith("difference"):
            raise KeyboardInterrupt
        told.append(text)

    told: list[str] = []
    monkeypatch.setattr(command, "tell", interrupted)
    line = command_line(tmp_path, "--minutes", "5", "--resume", str(journal), "--planted", "count", "--chapters", "va")
    assert command.main(line) == 1
    assert "interrupted" in capsys.readouterr().err
    assert "1 differences" in told[-1]
    assert len(read(journal).told) == 1


def test_a_file_that_is_no_journal_is_refused(
    tmp_path: Path, journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not written over, and the text says what to do; so is a journal of another seed."""
    journal.write_text("{}")
    with pytest.raises(JournalError, match="name another file"):
        read(journal)
    assert command.main(command_line(tmp_path, "--resume", str(journal))) == 2
    assert journal.read_text() == "{}"
    Journal(8).save(journal)
    assert command.main(command_line(tmp_path, "--resume", str(journal))) == 2
    assert "its seed is 8" in capsys.readouterr().err
    assert json.loads(journal.read_text())["seed"] == 8


def test_a_worker_that_makes_a_program_smaller_is_heard(profile: Profile) -> None:
    """Each program that is asked again is a word: one whose calls hang is made smaller in more time than a worker has."""
    searcher = Searcher(profile, Stable(Card(profile, ("order",))), 7, profile.driver_version, chapters=FOUND["order"])
    current, asked = SimpleNamespace(value=3), SimpleNamespace(value=0)

    def ask() -> None:
        asked.value += 1

    searcher.asking = ask
    assert any(searcher.run(number) for number in range(ENOUGH))
    searcher.close()
    searcher.stable.machine.close()
    assert asked.value
    worker = Worker(0, None, cast("Any", None), current, asked)
    worker.heard, asked.value = 0.0, 0
    worker.listen()
    assert worker.heard
    worker.heard = 0.0
    worker.listen()
    assert not worker.heard
    ask()
    worker.listen()
    assert worker.heard


def test_what_is_no_string_is_null(profile: Profile) -> None:
    """No number is drawn in the place of a string, which no target could read."""
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        model = Recorder(machine)
        model.spawn("a")
        model.call("a", "main", "cuInit", (0,))
        model.call("a", "main", "cuGraphCreate", (0,))
        drawing = Drawn(Random(0), model)  # noqa: S311 - a seed repeats it
        drawn = [drawing.arguments("a", "cudaGraphDebugDotPrint", 1) for _ in range(20)]
        assert {type(given[1]) for given in drawn if given is not None} == {bytes, type(None)}
        model.close()


def test_maps_of_memory_to_arrays_are_drawn_sound_and_odd(profile: Profile) -> None:
    """Whatever is drawn as legal succeeds; with one odd argument, many rules are broken."""
    shapes = [one for one in SOLID if one[-1] & (SPARSE | DEFERRED)]
    broken: set[str] = set()
    with fakecuda.Machine(profile, seed=0) as machine:
        model = Recorder(machine)
        model.spawn("a")
        model.call("a", "main", "cuInit", (0,))
        model.call("a", "main", "cuCtxCreate", (None, 0, 0))
        drawing = Drawn(Random(0), model)  # noqa: S311 - a seed repeats it
        assert drawing.arguments("a", "cuMemMapArrayAsync") is None
        for shape in shapes:
            model.call("a", "main", "cuArray3DCreate", (shape,))
            model.call("a", "main", "cuMipmappedArrayCreate", (shape, 3))
        for size, usage in ((GRANULE, 0), (GRANULE, TILE_POOL)):
            model.call("a", "main", "cuMemCreate", (size, prop(handle_types=0, capabilities=(0, 0, usage)), 0))
        for place in (None, 0) * 150:
            given = drawing.arguments("a", "cuMemMapArrayAsync", place)
            assert given is not None
            model.call("a", "main", "cuMemMapArrayAsync", given)
            rule = model.rules[-1]
            assert (rule is None) == (place is None), given
            broken.update([rule.id.rpartition(".")[2]] if rule is not None else ())
        model.close()
    assert broken >= {
        "MEMORY_IS_FOR_TILES",
        "MEMORY_SPANS_THE_PART",
        "BOX_IS_OF_TILES",
        "TAIL_IS_OF_PAGES",
        "LEVEL_HAS_TILES",
    }
    assert len(broken) > 10


def test_workers_that_cannot_start_end_a_search_with_the_reason(
    tmp_path: Path, journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A worker that fails before its first program says why, and not all of them are started again and again."""
    line = command_line(tmp_path, "--minutes", "5", "--resume", str(journal), "--planted", "no such bug")
    assert command.main(line) == 2
    told = capsys.readouterr().err
    assert "no worker starts: Traceback" in told
    assert "KeyError: 'no such bug'" in told
    assert read(journal).lost == []
    assert read(journal).reached.programs == 0


def test_workers_that_end_without_a_word_end_a_search(
    tmp_path: Path, journal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What nobody could catch, as the end of an interpreter, is told, too."""
    monkeypatch.setattr("conformance.search.workers.work", os.abort)
    assert command.main(command_line(tmp_path, "--minutes", "5", "--resume", str(journal))) == 2
    assert "a worker ended before its first program: it died" in capsys.readouterr().err
