"""Calls of processes that are locked or put away answer as an H100 did: at once, later, or never."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.kit.case import ENTRIES, Case
from conformance.kit.program import Recorder
from conformance.kit.world import Session
from conformance.record.halted.calls import AT_ONCE, LATER, NEVER, PUT_AWAY, Keeper, wrong
from conformance.record.recorder import load_cases
from fakecuda import EndlessWait
from fakecuda.model.snapshot import check
from tools.codegen.halted import CHECKPOINTS, CRASH, ENDS, RECORDING, VALID

if TYPE_CHECKING:
    from collections.abc import Iterable

LINES: dict[str, list[dict[str, Any]]] = defaultdict(list)
with gzip.open(RECORDING, "rt") as file:
    for one in map(json.loads, file):
        again = one.get("state") == PUT_AWAY and any(part in one["call"] for part in ENDS)  # it was made once before
        if one.get("when") not in {None, NEVER} and not one["call"].startswith(CHECKPOINTS) and not again:
            LINES[one["call"]].append(one)


@pytest.fixture(scope="module", autouse=True)
def _cases() -> None:
    load_cases()


def answers(call: str) -> Iterable[tuple[dict[str, Any], str, int]]:
    """Yield for each line of the recording about a call when the model answers, and what."""
    with fakecuda.Machine("h100-x2", strict=False) as machine:
        keeper = Keeper(machine.spawn("keeper"))
        keeper.process.c.cuInit(0)
        recorder = Recorder(machine, call)
        case = Case(ENTRIES[call])
        world = Session(recorder).world(call)
        invocation = case.prepare(world)
        invocation.process.ok.cuInit(0)
        twist = wrong(case)
        refused = None if twist is None else twist.act(world, invocation)
        pid = recorder.processes[invocation.process.name].pid
        for line in LINES[call]:
            made = invocation if line["case"] == VALID else refused
            assert made is not None
            assert not keeper.halt(pid, line["state"])
            try:
                code, when = int(made.run()[0]), AT_ONCE
            except EndlessWait:
                when = LATER
            check(machine)
            keeper.let_go(pid, line["state"])
            if when == LATER:
                code = int(made.run()[0])
            yield line, when, code


@pytest.mark.usefixtures("by_itself")
@pytest.mark.parametrize("call", sorted(LINES))
def test_calls_answer_as_an_h100_did(call: str) -> None:
    """Each valid call, and one with a wrong argument."""
    for line, when, code in answers(call):
        said = code if line["code"] != CRASH else CRASH * bool(code)  # what crashes a driver is refused here
        assert (line["state"], line["case"], when, said) == (line["state"], line["case"], line["when"], line["code"])
