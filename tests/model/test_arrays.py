"""Arrays and batches answer as an H200 did: the questions of conformance.record.arrays, put to the look-alike."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance import SUITE
from conformance.record.arrays import processes, questions, textures
from conformance.record.arrays.asking import QUESTIONS, Asker
from fakecuda.model.left import left_on

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDED: dict[str, list[list[Any]]] = json.loads((SUITE / "data" / "arrays" / "h200.json").read_text())
LEFT_OUT = {
    "refusals": (" 64", " 128"),  # arrays that are sparse or mapped later are not modelled
    "rows": ("lined layers",),  # of layers of lines and layers of planes the card mixes rows
    "level_when_gone": ("described",),  # the card reads what is left of it
    "surfaces": ("handle",),  # which numbers come again
    "batches": ("attribute",),  # the binding on the card's machine refused to ask
}
"""Answers that the model does not give, by how their labels begin or end."""
OF_PROCESSES = ("checkpoint_states", "checkpoint")
"""Questions of the process that asks them, by its number."""
ASKED = (
    *("batches", "formats", "flat_formats", "limits", "refusals", "sizes", "descriptors", "levels"),
    *("profiler", *OF_PROCESSES, "tensor_maps", "image_maps", "surfaces"),
    *("textures_of_formats", "textures_refused", "textures_described", "textures_of_contexts"),
    *("destroyed_twice", "copied_when_gone", "level_when_gone", "unknown_handles", "ended_context", "lines", "rows"),
)
"""The questions of what is modelled."""
MAPS = ("tensor_maps", "image_maps")
"""Those in which the binding refuses some arguments, enums below zero for one, before it asks a driver."""


def _ask(name: str) -> list[list[Any]]:
    """Return the model's answers to a question."""
    said: list[list[Any]] = []
    with fakecuda.simulate("h200-x2", strict=False) as machine:
        process = machine.here if name in OF_PROCESSES else machine.spawn("p")
        QUESTIONS[name](Asker(process.driver, said.append))
    answers: list[list[Any]] = json.loads(json.dumps(said))
    return answers


def _told(name: str, answers: list[list[Any]]) -> Iterator[list[Any]]:
    """Yield the answers to a question that are compared."""
    for answer in answers:
        label = str(answer[0])
        if not any(label.startswith(part) or label.endswith(part) for part in LEFT_OUT.get(name, ())):
            yield answer


@pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")
@pytest.mark.parametrize("name", ASKED)
def test_a_card_has_answered_so(name: str) -> None:
    """Up to where the card crashed, or hung."""
    recorded = RECORDED[name]
    if recorded[-1][0] == "ended":
        recorded = recorded[:-1]
    answers = _ask(name)[: len(recorded)]
    refused = {place for place, answer in enumerate(recorded) if name in MAPS and isinstance(answer[-1], str)}
    asked = [[one for place, one in enumerate(said) if place not in refused] for said in (answers, recorded)]
    mine, theirs = (list(_told(name, said)) for said in asked)
    if name in MAPS:  # labels have been worded otherwise since
        mine, theirs = ([one[1:] for one in said] for said in (mine, theirs))
    assert mine == theirs


def test_questions_are_those_that_were_recorded() -> None:
    """A question that is added, or lost, is asked of a card anew."""
    assert {questions.__name__, textures.__name__, processes.__name__} == {ask.__module__ for ask in QUESTIONS.values()}
    assert set(QUESTIONS) == set(RECORDED)


def test_what_nobody_has_destroyed_is_told() -> None:
    """An array and a mipmapped one, whose levels are no leak of their own."""
    with fakecuda.simulate("h200") as machine:
        process = machine.spawn("p")
        c = process.c
        assert c.cuInit(0) == (0,)
        _, context = c.cuCtxCreate(None, 0, 0)
        before = machine.devices[0].memory.used
        _, made = c.cuArrayCreate((64, 16, 1, 1))
        _, levels = c.cuMipmappedArrayCreate((64, 16, 0, 1, 1, 0), 3)
        _, level = c.cuMipmappedArrayGetLevel(levels, 1)
        assert [str(leak.item) for leak in left_on(machine) if leak.kind == "array"] == [
            f"array {made:#x} of 64 x 16 elements on device 0",
            f"mipmapped array {levels:#x} of 64 x 16 elements on device 0",
        ]
        machine.check_invariants()
        assert str(process.arrays[level]) == f"level {level:#x} of 32 x 8 elements on device 0"
        assert c.cuCtxDestroy(context) == (0,)
        assert not process.arrays
        assert machine.devices[0].memory.used < before
