"""The random search, on models in a card's place: what is planted is found, made small and told once, and nothing else is."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from attrs import evolve

import fakecuda
from conformance.cases.driver.va.fixtures import TILE_POOL, maps, prop
from conformance.drawing.shapes import SOLID
from conformance.kit.compare import Difference
from conformance.kit.kernels import PTX
from conformance.kit.program import Recorder
from conformance.record import recordings
from conformance.search import command
from conformance.search.drawing import Drawn
from conformance.search.ignorable import counts
from conformance.search.journal import Journal, JournalError, read
from conformance.search.lockstep import Ahead
from conformance.search.planted import PLANTED, Bug, Card
from conformance.search.process_pool import ALL, Stable, kinds_of
from conformance.search.reached import Reached
from conformance.search.searcher import BLOCK, Searcher, Told
from conformance.search.workers import Worker
from fakecuda import profiles
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.kit.program import Step
    from fakecuda.profiles import Profile

ENOUGH = 400
"""Programs in which each planted bug shows."""
FOUND = {
    "code": ("pool",),
    "order": ("memory",),
    "count": ("va",),
    "sequence": ("stream", "pool", "va"),
    "capture": ("stream", "graph"),
    "image": ("module", "library"),
}
"""Planted bugs, each with chapters in whose programs it shows soon."""
GRANULE = 2 << 20
SPARSE, DEFERRED = 64, 128
"""CUDA_ARRAY3D_SPARSE and _DEFERRED_MAPPING."""
WITHOUT_KERNELS = b".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align 4 .u32 alone;\n\0"
LONGEST = 12
"""Steps of a program that is made small."""


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


@contextmanager
def leading(profile: Profile) -> Iterator[tuple[Ahead, Reached]]:
    """Give a model that makes each call before a card, with a process ``a``, and what it counts."""
    with fakecuda.Machine(profile, strict=False, seed=0) as model:
        model.scheduler.census.alone = True
        reached = Reached()
        card = Card(profile)
        ahead = Ahead(Stable(card), model, reached)
        ahead.begin("a", runtime=False, device=0)
        yield ahead, reached
        ahead.finish()
        card.close()


def test_a_card_is_not_asked_what_is_undefined(profile: Profile) -> None:
    """The model makes each call first: what it says is undefined is left out, and counted."""
    with leading(profile) as (ahead, reached):
        ahead.lead("a", "main", "cuStreamCreate", (0,))
        stream = ahead.model.names.by_text["a.stream1"].value
        ahead.lead("a", "main", "cuStreamDestroy", (stream,))
        steps = len(ahead.program.steps)
        assert ahead.lead("a", "main", "cuStreamDestroy", (stream,)) < 0
        assert (reached.undefined, len(ahead.program.steps), len(ahead.model.program.steps)) == (1, steps, steps)


def test_a_card_is_not_asked_what_it_answers_and_dies_of_later(profile: Profile) -> None:
    """A call that succeeds and is undefined leaves the model as it was; what follows is made."""
    with leading(profile) as (ahead, reached):
        ahead.other({"process": "a", "call": "function", "args": ["getpid"]})
        function = ahead.model.names.by_text["a.function1"].value
        assert ahead.lead("a", "main", "cuUserObjectCreate", (0, function, 1, 1)) == 0
        thing = ahead.model.names.by_text["a.object1"].value
        steps = len(ahead.program.steps)
        assert ahead.lead("a", "main", "cuUserObjectRelease", (thing, 2)) < 0
        assert (reached.undefined, len(ahead.program.steps), len(ahead.model.program.steps)) == (1, steps, steps)
        assert not ahead.model.machine.strict
        assert ahead.lead("a", "main", "cuUserObjectRelease", (thing, 1)) == 0
        assert not ahead.found


def test_a_card_comes_to_what_fails_before_a_call_that_tells_it(
    profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model does work at once; a card's device comes to it some milliseconds later."""
    made: list[str] = []

    def noted(call: str, _: Any, answer: tuple[Any, ...], __: Any) -> tuple[Any, ...]:
        made.append(call)
        return answer

    for call in ("cuCtxSynchronize", "cuEventCreate"):
        monkeypatch.setitem(PLANTED, call, Bug("none", call, partial(noted, call)))
    with fakecuda.Machine(profile, strict=False, seed=0) as model:
        model.scheduler.census.alone = True
        card = Card(profile, ("cuCtxSynchronize", "cuEventCreate"))
        ahead = Ahead(Stable(card), model, Reached())
        ahead.begin("a", runtime=False, device=0)
        assert ahead.lead("a", "main", "cuArray3DCreate", ((64, 64, 0, 1, 1, DEFERRED),)) == 0
        array = ahead.model.names.by_text["a.array1"].value
        assert ahead.lead("a", "main", "cuMemcpyHtoA", (array, 0, bytes(16), 16)) == 0
        assert ahead.lead("a", "main", "cuEventCreate", (0,)) == Result.LAUNCH_FAILED
        assert made == ["cuCtxSynchronize", "cuEventCreate"]
        assert ahead.program.steps[-2]["call"] == "cuMemcpyHtoA"
        ahead.finish()
        card.close()


def test_what_a_process_is_for_is_told_by_its_first_calls() -> None:
    """A program that is made again takes processes that are as those that it began with."""

    def step(process: str, call: str, *args: int, **more: str) -> Step:
        return {"process": process, "call": call, "args": list(args), **more}

    steps = [
        step("a", "spawn"),
        step("a", "cudaSetDevice", 1),
        step("a", "cudaSetDevice", 0),
        step("b", "spawn"),
        step("b", "memory", 4096),
        step("b", "cuInit", 0),
        step("c", "cuInit", 0, thread="second"),
        step("d", "cudaSetDevice", 1),
        step("d", "cudaMalloc", 1),
    ]
    assert kinds_of(steps) == {"a": (ALL, 0), "b": ("initialised", 0), "c": ("new", 0), "d": ("runtime", 1)}


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


def test_what_outlasts_a_program_is_no_difference(profile: Profile) -> None:
    """The most that a default pool ever held is that of all programs of a process; in a new process it counts."""
    one = Difference(0, "a", "cuMemPoolGetAttribute", "value", expected=4096, got=0, out="value")
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        model = Recorder(machine)
        model.spawn("a")
        model.call("a", "main", "cuInit", (0,))
        model.call("a", "main", "cuDeviceGetDefaultMemPool", (0,))
        step = {"process": "a", "call": one.call, "args": [{"ref": "a.pool1"}, 8]}
        assert not counts(one, step, model, fresh=False)
        assert counts(one, step, model, fresh=True)
        assert counts(one, {**step, "args": [{"ref": "a.pool1"}, 4]}, model, fresh=False)
        model.close()


def test_an_address_of_no_descriptors_is_no_difference(profile: Profile) -> None:
    """A driver may use memory of a destroyed graph again; with descriptors, or another size, the parameters differ."""
    props = [1, 0, [1, 0], 0, 0, 0, 0]
    expected = [props, {"name": "a.host1", "plus": 0}, 0, 64, {"new": "a.dptr2"}]
    got = [props, {"new": "a.host2"}, 0, 64, {"new": "a.dptr2"}]
    one = Difference(0, "a", "cuGraphMemAllocNodeGetParams", "value", expected, got, out="params_out")
    step = {"process": "a", "call": one.call, "args": [{"ref": "a.node1"}]}
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        model = Recorder(machine)
        assert not counts(one, step, model, fresh=True)
        assert counts(evolve(one, got=[*got[:3], 128, got[4]]), step, model, fresh=True)
        assert counts(evolve(one, got=[*got[:2], 1, *got[3:]]), step, model, fresh=True)
        model.close()


def test_what_lies_behind_a_reservation_is_no_difference(profile: Profile) -> None:
    """The model's next reservation lies there, and on a card the driver's own memory may; a range that fits counts."""
    one = Difference(0, "a", "cuMemUnmap", "code", expected=1, got=0)
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        model = Recorder(machine)
        model.spawn("a")
        model.call("a", "main", "cuInit", (0,))
        for _ in range(2):
            model.call("a", "main", "cuMemAddressReserve", (GRANULE, 0, 0, 0))
        for pages, is_one in ((1, True), (2, False), (5, False)):
            step = {"process": "a", "call": "cuMemUnmap", "args": [{"ref": "a.va1"}, pages * GRANULE]}
            assert counts(one, step, model, fresh=True) is is_one
        model.close()


def test_names_of_what_went_with_another_object_are_released(profile: Profile) -> None:
    """A card gives a new kernel, node or graph the handle of one that is gone, and the model memory the address of an image."""
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        machine.scheduler.census.alone = True
        card = Card(profile)
        ahead = Ahead(Stable(card), machine, Reached())
        ahead.begin("a", runtime=False, device=0)
        names = ahead.model.names.by_text

        def make(call: str, *inputs: Any) -> None:
            assert ahead.lead("a", "main", call, inputs) == 0

        make("cuLibraryLoadData", PTX, None, None, 0, None, None, 0)
        make("cuLibraryGetKernel", names["a.library1"].value, b"empty")
        make("cuGraphCreate", 0)
        make("cuGraphAddEmptyNode", names["a.graph1"].value, None, 0)
        make("cuLinkCreate", 0, None, None)
        make("cuLinkAddData", names["a.linker1"].value, 1, PTX, len(PTX), None, 0, None, None)
        make("cuLinkComplete", names["a.linker1"].value)
        make("cuModuleLoadData", PTX)
        for _ in range(2):
            make("cuModuleEnumerateFunctions", 2, names["a.module1"].value)
        make("cuLibraryLoadData", WITHOUT_KERNELS, None, None, 0, None, None, 0)
        for _ in range(2):
            make("cuLibraryEnumerateKernels", 2, names["a.library2"].value)
        gone = ("a.kernel1", "a.node1", "a.graph1", "a.image1", "a.kernel2")
        assert all(one.by_text[text].live for text in gone for one in (ahead.names, ahead.model.names))
        make("cuLibraryUnload", names["a.library1"].value)
        make("cuGraphDestroy", names["a.graph1"].value)
        make("cuLinkDestroy", names["a.linker1"].value)
        make("cuModuleUnload", names["a.module1"].value)
        make("cuCtxSynchronize")
        assert not any(one.by_text[text].live for text in gone for one in (ahead.names, ahead.model.names))
        assert not ahead.found
        ahead.finish()
        card.close()


def test_a_process_that_had_graphs_is_as_a_new_one(profile: Profile) -> None:
    """What a device keeps for graphs is given back, its marks begin again, and the context has its flags again."""
    card = Card(profile)
    stable = Stable(card)
    allocation = ((1, 0, (1, 0), 0, 0, 0, 0), 0, 0, 4096, 0)
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        machine.scheduler.census.alone = True
        for _ in range(2):
            ahead = Ahead(stable, machine, Reached())
            ahead.begin("a", runtime=False, device=0)
            names = ahead.model.names.by_text
            for attribute in range(4):
                ahead.lead("a", "main", "cuDeviceGetGraphMemAttribute", (0, attribute))
            ahead.lead("a", "main", "cuGraphCreate", (0,))
            ahead.lead("a", "main", "cuGraphAddMemAllocNode", (names["a.graph1"].value, None, 0, allocation))
            memory, node = names["a.dptr1"].value, names["a.node1"].value
            ahead.lead("a", "main", "cuGraphAddMemFreeNode", (names["a.graph1"].value, (node,), 1, memory))
            ahead.lead("a", "main", "cuGraphInstantiate", (names["a.graph1"].value, 0))
            assert ahead.lead("a", "main", "cuGraphLaunch", (names["a.executable1"].value, 0)) == 0
            ahead.lead("a", "main", "cuCtxGetFlags", ())
            ahead.lead("a", "main", "cuModuleLoadData", (PTX,))
            ahead.lead("a", "main", "cuModuleGetFunction", (names["a.module1"].value, b"empty"))
            ahead.lead("a", "main", "cuGraphCreate", (0,))
            launch = (names["a.kernel1"].value, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0)
            ahead.lead("a", "main", "cuGraphAddKernelNode", (names["a.graph2"].value, None, 0, launch))
            assert ahead.lead("a", "main", "cuGraphInstantiate", (names["a.graph2"].value, 0)) == 0
            assert not ahead.found
            ahead.finish()
    assert (stable.started, stable.ended) == (1, {})
    card.close()


def test_a_capture_that_the_card_ends_otherwise_leaves_a_difference(profile: Profile) -> None:
    """The model's graph has no name on the card: what is taken back after the program leaves it out."""
    broken = int(Result.STREAM_CAPTURE_INVALIDATED)
    card = Card(profile)
    card.bugs["cuStreamEndCapture"] = Bug("a lost capture", "cuStreamEndCapture", lambda *_: (broken, None))
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        machine.scheduler.census.alone = True
        ahead = Ahead(Stable(card), machine, Reached())
        ahead.begin("a", runtime=False, device=0)
        ahead.lead("a", "main", "cuStreamCreate", (0,))
        stream = ahead.model.names.by_text["a.stream1"].value
        ahead.lead("a", "main", "cuStreamBeginCapture", (stream, 2))
        assert not ahead.found
        ahead.finish()
    assert [(one.call, one.expected, one.got) for one, _ in ahead.found] == [("cuStreamEndCapture", broken, 0)]
    assert ahead.failed is None
    card.close()


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


def test_a_card_has_mapped_memory_before_it_is_released(profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its device comes to a map some milliseconds later, and crashes the process if the memory is gone."""
    made: list[str] = []

    def noted(call: str, _: Any, answer: tuple[Any, ...], __: Any) -> tuple[Any, ...]:
        made.append(call)
        return answer

    noticed = "cuMemMapArrayAsync", "cuStreamSynchronize", "cuMemRelease"
    for call in noticed:
        monkeypatch.setitem(PLANTED, call, Bug("none", call, partial(noted, call)))
    with fakecuda.Machine(profile, strict=False, seed=0) as model:
        model.scheduler.census.alone = True
        card = Card(profile, noticed)
        ahead = Ahead(Stable(card), model, Reached())
        ahead.begin("a", runtime=False, device=0)
        assert ahead.lead("a", "main", "cuArray3DCreate", ((64, 64, 0, 1, 1, DEFERRED),)) == 0
        assert (
            ahead.lead("a", "main", "cuMemCreate", (GRANULE, prop(handle_types=0, capabilities=(0, 0, TILE_POOL)), 0))
            == 0
        )
        array, memory = (ahead.model.names.by_text[f"a.{kind}1"].value for kind in ("array", "handle"))
        assert ahead.lead("a", "main", "cuMemMapArrayAsync", (maps(array, memory), 1, 0)) == 0
        assert ahead.lead("a", "main", "cuMemRelease", (memory,)) == 0
        assert made == [*noticed]
        ahead.finish()
        card.close()


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
