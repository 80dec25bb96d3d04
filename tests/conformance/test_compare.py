"""Answers: which differences count."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.kit.compare import compare, differences
from conformance.kit.program import SKIPPED, Program

NEW = {"new": "a.ctx1"}
OLD = {"name": "a.ctx1", "plus": 0}


def answer(code: int = 0, **outs: Any) -> dict[str, Any]:
    """Return an answer."""
    return {"code": code, "outs": outs}


@pytest.mark.parametrize(
    ("call", "expected", "got", "equal"),
    [
        ("cuMemAlloc", answer(dptr={"new": "a.dptr1"}), answer(dptr={"new": "a.dptr9"}), True),
        ("cuMemAlloc", answer(), answer(2), False),
        ("cuCtxGetCurrent", answer(pctx=OLD), answer(pctx=NEW), False),
        ("cuCtxGetCurrent", answer(pctx=OLD), answer(pctx={"name": "a.ctx1", "plus": 8}), False),
        ("cuCtxGetCurrent", answer(pctx=OLD), answer(pctx=0), False),
        ("cuMemGetInfo", answer(free={"volatile": True}, total=5), answer(free={"volatile": True}, total=5), True),
        ("cuMemGetInfo", answer(free={"volatile": True}, total=5), answer(free=None, total=5), False),
        ("cuDeviceGet", answer(device=0), answer(device=1), False),
        ("cuDeviceGet", answer(device={"untold": True}), answer(device=1), True),
        ("cuDeviceGet", answer(device={"untold": True}), answer(1), False),
        ("cuGraphInstantiate_v1", answer(logBuffer={"hex": ""}), answer(logBuffer=None), False),
        ("cudaMemcpy3D", answer(p=[1, {"untold": True}]), answer(p=[1, 2]), True),
        ("cudaMemcpy3D", answer(p=[1, {"untold": True}]), answer(p=[2, 2]), False),
        ("cudaMemcpy3D", answer(p=[1, {"untold": True}]), answer(p=[1]), False),
        ("cuEventQuery", answer(600), answer(), True),
        ("cuEventQuery", answer(), answer(600), False),
        ("cuEventElapsedTime", answer(600), answer(pMilliseconds={"volatile": True}), True),
        ("cuEventElapsedTime_v1", answer(600), answer(pMilliseconds={"volatile": True}), True),
        ("cuEventSynchronize", answer(600), answer(), False),
    ],
)
def test_a_result_compares_as_its_parameter_says(call: str, expected: Any, got: Any, equal: bool) -> None:  # noqa: FBT001
    """Fresh results are both new, aliases name the same, literals are equal."""
    assert (differences(expected, got, call) == []) is equal


def test_either_of_two_cards_may_be_early() -> None:
    """A card may find work under way that another one found done; a model does not."""
    assert differences(answer(600), answer(), "cuEventQuery", cards=True) == []
    assert differences(answer(), answer(600), "cuEventQuery", cards=True) == []
    assert differences(answer(1), answer(), "cuEventQuery", cards=True) != []


def test_a_profile_s_value_is_compared_on_its_machine_alone() -> None:
    """What a machine reports of itself differs on another one."""
    pair = answer(count=2), answer(count=8)
    assert [len(differences(*pair, "cuDeviceGetCount", profile=profile)) for profile in (True, False)] == [1, 0]


def test_a_lingering_context_may_have_a_name_or_none() -> None:
    """Once a context of the process has ended, its value may or may not be another one's."""
    pair = answer(pctx=OLD), answer(pctx=NEW)
    assert [len(differences(*pair, "cuCtxGetCurrent", ended=ended)) for ended in (False, True)] == [1, 0]


def test_what_follows_a_difference_waits_for_the_next_world() -> None:
    """One difference hides the rest of its stretch, and nothing of the next."""
    labels = [{"process": "", "call": "world", "args": [name]} for name in "xy"]
    step = {"process": "a", "call": "cuCtxSynchronize", "args": []}
    program = Program("p", [labels[0], step, step, labels[1], step], [answer() for _ in range(5)])
    found = compare(program, [answer(), answer(1), answer(1), answer(), answer(3)])
    assert [(one.step, one.label, one.got) for one in found] == [(1, "x", 1), (4, "y", 3)]


def test_a_skipped_step_says_nothing() -> None:
    """A step that could not be made is no answer."""
    step = {"process": "a", "call": "cuCtxSynchronize", "args": []}
    assert compare(Program("p", [step], [answer()]), [answer(SKIPPED)]) == []


def test_a_difference_reads_well() -> None:
    """Its text names the step and both answers."""
    code, value = (
        differences(answer(), answer(201), "cuCtxSynchronize", step=3, process="a", label="w")[0],
        differences(answer(device=0), answer(device=1), "cuCtxGetDevice", step=3, process="a")[0],
    )
    assert str(code) == "step 3 a.cuCtxSynchronize [w]: INVALID_CONTEXT instead of SUCCESS"
    assert str(value) == "step 3 a.cuCtxGetDevice: device is 1 instead of 0"
