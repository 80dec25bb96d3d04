"""What is recorded, and in which order."""

from __future__ import annotations

from collections import Counter

import pytest

from conformance.kit.case import ENTRIES, PROCESS, is_asked
from conformance.record.recorder import load_cases
from conformance.record.recording_plan import BATCH, CHUNK, KINDS, again, cases_of, recorded, tasks
from conformance.record.recordings import ROOT, RecordingError, read
from fakecuda.rules.registry import DRIVER, RUNTIME, api_of

pytestmark = pytest.mark.usefixtures("uncollected")


@pytest.fixture(autouse=True, scope="module")
def _cases() -> None:
    assert load_cases() == []


def test_pairs_of_neighbouring_rules_come_first() -> None:
    """Each two rules are there once before any are there again, the nearest first."""
    place = {rule: number for number, rule in enumerate(DRIVER.ops["cuStreamBatchMemOp"].rules)}
    both = []
    for pair in cases_of("cuStreamBatchMemOp", "pairs"):
        if all(twist.stage != PROCESS for twist in pair.twists):
            rules = [twist.rule for twist in pair.twists]
            both.append(tuple(sorted(place[rule] if rule is not None else len(place) for rule in rules)))
    once = len(set(both))
    assert once < len(both)
    assert max(Counter(both[:once]).values()) == 1
    distances = [last - first for first, last in both[:once]]
    assert distances == sorted(distances)


def test_pairs_leave_out_what_needs_the_card_for_itself() -> None:
    """They would disturb the others, and a case tells as much."""
    assert any(case.alone for case in cases_of("cuMemAllocAsync", "case"))
    assert not any(case.alone for case in cases_of("cuMemAllocAsync", "pairs"))


def test_what_only_a_model_is_asked_is_no_task() -> None:
    """Its answer may hang on what the process that asks has in its memory; what is undefined is asked."""
    broken = {case.id for case in ENTRIES["cuLaunchKernel"].singles()}
    asked = {case.id for origin in ("case", "undefined") for case in cases_of("cuLaunchKernel", origin)}
    assert "cuLaunchKernel[FUNCTION_IS_NO_KERNEL]" in broken - asked
    assert "cuLaunchKernel[KERNEL_IS_LOADED]" in asked


def test_every_case_is_in_one_task() -> None:
    """A task holds few; what needs the card for itself has tasks of its own, and so has what is undefined."""
    made = tasks("cuMemAllocAsync,cuStreamQuery", 0, 0, "case,undefined")
    for call in ("cuMemAllocAsync", "cuStreamQuery"):
        for origin in ("case", "undefined"):
            mine = [task for task in made if (task.call, task.origin) == (call, origin)]
            cases = cases_of(call, origin)
            assert sorted(number for task in mine for number in task.numbers) == list(range(len(cases)))
            for task in mine:
                assert len(task.numbers) <= (CHUNK if origin == "case" else 1)
                assert {cases[number].alone for number in task.numbers} == {task.alone}
    assert len({task.name for task in made}) == len(made)


def test_the_runtime_api_is_a_kind_of_its_own() -> None:
    """Its cases, pairs and programs go into one file; the other kinds make no call of it. Calls of compiled programs are not asked."""
    others = tasks("*", 5, 0, ",".join(kind for kind in KINDS if kind != "runtime"))
    assert not any(task.call and api_of(task.call) is RUNTIME for task in others)
    made = tasks("*", 302, 7, "runtime")
    assert {task.origin for task in made} == {"runtime"}
    assert {task.kind for task in made} == {"case", "undefined", "pairs", "machine"}
    calls = {call for call in ENTRIES if api_of(call) is RUNTIME}
    compiled = {call for call in calls if not is_asked(call)}
    assert {"cudaLaunchKernel", "cudaGetKernel"} <= compiled
    assert {task.call for task in made if task.kind == "case"} == calls - compiled
    assert not any(task.call in compiled for task in made)
    programs = [task.programs for task in made if task.kind == "machine"]
    assert (sum(programs), max(programs)) == (302, BATCH)
    assert len({task.name for task in made}) == len(made)


def test_multicast_calls_are_never_asked() -> None:
    """Not even what is undefined of them."""
    made = tasks("cuMulticast*", 0, 0, "case,undefined,pairs")
    assert made == []


def test_what_recordings_hold_is_left_out() -> None:
    """Cases by their ids, and calls of which there is any."""
    labels, calls = recorded()
    assert ENTRIES["cuMemMap"].singles()[0].id in labels
    assert "cuMemMap" in calls
    assert tasks("cuMemMap", 0, 0, "case", "calls") == []
    for task in tasks("cuMemMap", 0, 0, "case", "cases"):
        assert all(cases_of("cuMemMap", "case")[number].id not in labels for number in task.numbers)


def test_recorded_programs_are_asked_again() -> None:
    """By their names; files of one name are told apart by their folders; programs that need the card are alone."""
    path = ROOT / "h200" / "questions.jsonl.gz"
    programs = read(path).programs
    made = again([path], "questions/streams/*")
    assert [task.name for task in made] == [one.name for one in programs if one.name.startswith("questions/streams/")]
    assert [programs[task.seed].name for task in made] == [task.name for task in made]
    assert {(task.kind, task.file, task.path) for task in made} == {("program", "questions", str(path))}
    both = again([path, ROOT / "h100-g"], "questions/device_graphs/*,questions/streams/*")
    assert {task.file for task in both} == {"h200-questions", "h100-g-questions"}
    alone = again([ROOT / "h200" / "cases-2.jsonl.gz"], "cuMemAllocAsync/case/*")
    assert {"/alone/" in task.name: task.alone for task in alone} == {True: True, False: False}
    with pytest.raises(RecordingError, match="no program of these recordings has such a name"):
        again([path], "nothing")


def test_programs_of_the_state_machine_are_chosen_in_turn_with_pairs() -> None:
    """By their number."""
    mixed = [task.origin for task in tasks("cuMemMap", 20, 7, "pairs,machine")]
    assert mixed[:4] == ["pairs", "machine"] * 2


def test_an_unknown_kind_is_refused() -> None:
    """The text names those there are."""
    with pytest.raises(ValueError, match=", ".join(KINDS)):
        tasks("*", 0, 0, "cases")
