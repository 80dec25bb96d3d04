"""The generator of random programs: which calls each loop draws, that its table fits, and that Hypothesis makes it smaller."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

import fakecuda
from conformance.drawing import objects, runtime_values, values
from conformance.drawing.arguments import Arguments
from conformance.drawing.chapters import CHAPTERS
from conformance.drawing.table import FITTING
from conformance.fuzz import threads
from conformance.fuzz.garbage import APIS
from conformance.fuzz.machine import TOGETHER, calls_of, machine_on
from conformance.kit.kernels import PTX
from conformance.kit.program import Recorder
from fakecuda.profiles import load
from fakecuda.rules.dispatch import Op
from fakecuda.rules.registry import DRIVER, api_of
from fakecuda.spec.both import CALLS

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST = {
    "machine": {"driver": 318, "runtime": 132},
    "search": {"driver": 318, "runtime": 134},
    "threads": {"driver": 28},
    "garbage": {"driver": 359, "runtime": 259, "hip": 232},
}
"""The minimum number of calls of each API that a loop draws."""


def count(calls: Iterable[str]) -> Counter[str]:
    """Return how many calls of each API there are."""
    return Counter(api_of(call).name for call in set(calls))


def test_each_loop_draws_as_many_calls_as_before() -> None:
    """A call that a loop no longer draws would go unnoticed."""
    found = {
        "machine": count(call for chapters in TOGETHER.values() for call in calls_of(chapters)),
        "search": count(call for calls in CHAPTERS.values() for call in calls),
        "threads": count(threads.CALLS),
        "garbage": count(call for api in APIS.values() for call in api.ops),
    }
    fewer = {
        (loop, api): found[loop][api] for loop, least in LEAST.items() for api in least if found[loop][api] < least[api]
    }
    assert fewer == {}


def test_the_state_machine_draws_every_chapter_once() -> None:
    """A new chapter belongs to one of its rules."""
    assert sorted(chapter for chapters in TOGETHER.values() for chapter in chapters) == sorted(CHAPTERS)


def test_values_stand_for_parameters_that_exist() -> None:
    """An entry whose call or parameter has another name fits nothing."""
    tables = (values.CHOICES, objects.VALUES, runtime_values.BY_CALL)
    known = {(call, param.name) for call, description in CALLS.items() for param in description.inputs}
    assert sorted({key for table in tables for key in table} - known) == []


def test_a_call_of_the_runtime_api_has_the_values_of_the_driver_s() -> None:
    """Its own come first, then those of the driver's call of that name, then those of the parameter's name."""
    assert FITTING["cudaMemAdvise", "advice"] == values.CHOICES["cuMemAdvise", "advice"]
    assert FITTING["cudaIpcOpenMemHandle", "flags"] == values.CHOICES["cuIpcOpenMemHandle", "Flags"]
    assert FITTING["cudaHostAlloc", "flags"] == runtime_values.BY_CALL["cudaHostAlloc", "flags"]
    assert FITTING["cudaMemset", "count"] == runtime_values.BY_NAME["count"]


def test_a_call_fills_a_buffer_of_its_own() -> None:
    """A program keeps the size of a buffer alone: what an earlier call left there would stand behind what the next one fills."""
    with fakecuda.Machine("h200", strict=False) as machine:
        recorder = Recorder(machine)
        process = recorder.spawn("a")
        process.c.cuInit(0)
        process.c.cuCtxCreate(None, 0, 0)
        process.c.cuArrayCreate((64, 16, 1, 1))
        drawn = Arguments(Random(0), recorder)  # noqa: S311 - a seed repeats it
        first, second = (drawn.arguments("a", "cuMemcpyAtoH") for _ in range(2))
        assert first is not None
        assert second is not None
        assert first[0] == second[0] == bytearray(64)
        assert first[0] is not second[0]
        recorder.close()


def test_a_list_of_handles_is_drawn_one_by_one() -> None:
    """A list has one name, for all kernels of a library; a call gets one of them, also behind the end of the library."""
    with fakecuda.Machine("h200", strict=False) as machine:
        recorder = Recorder(machine)
        process = recorder.spawn("a")
        process.c.cuInit(0)
        process.c.cuCtxCreate(None, 0, 0)
        library = process.c.cuLibraryLoadData(PTX, None, None, 0, None, None, 0)[1]
        kernels = process.c.cuLibraryEnumerateKernels(2, library)[1]
        drawn = Arguments(Random(0), recorder)  # noqa: S311 - a seed repeats it
        for ended in (False, True):
            if ended:
                process.c.cuLibraryUnload(library)
            found = [drawn.arguments("a", "cuKernelGetName", place) for place in (None, 0) for _ in range(20)]
            assert {one[0] for one in found if one} == ({0, kernels[-1]} if ended else {0, *kernels})
        recorder.close()


def test_a_failed_call_that_changes_something_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The state machine draws calls of graphs, too, and Hypothesis makes a program of a few of them."""
    function = DRIVER.ops["cuGraphCreate"].function

    def leaky(call: Any, flags: int) -> Any:
        if flags:
            function(call, 0)
        return function(call, flags)

    monkeypatch.setitem(DRIVER.ops, "cuGraphCreate", Op("cuGraphCreate", DRIVER, leaky))
    chosen = settings(
        max_examples=200,
        stateful_step_count=10,
        phases=(Phase.generate, Phase.shrink),
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    machine = machine_on(load("h200-x2"), wanted={"cuGraphCreate"})
    with pytest.raises(AssertionError, match="cuGraphCreate failed and changed the machine") as caught:
        run_state_machine_as_test(seed(2)(machine), settings=chosen)
    program = next(note for note in caught.value.__notes__ if "def play" in note)
    assert "cuGraphCreate(1)" in program
    assert program.count(".cu") < 8
