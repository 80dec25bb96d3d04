"""The museum's bugs that only a failure shows: the sweep finds each where it was reported, and tells it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from tests.faults.programs import kinds

pytest.importorskip("cuda.bindings.driver")

from tools.museum.exhibits import undone_wrongly, woken_half

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.museum.exhibit import Program

BUGS = {
    "museum 2": (undone_wrongly.noted_first, ("cuMemAddressReserve", 1, "OUT_OF_MEMORY"), "refused"),
    "museum 6": (undone_wrongly.back_in_place, ("cuMemCreate", 2, "OUT_OF_MEMORY"), "no access"),
    "museum 9": (woken_half.woken, ("cuMemCreate", 2, "OUT_OF_MEMORY"), "left"),
}


def with_bug(program: Program, *, fixed: bool = False) -> Callable[[Any], None]:
    """Return a program of the museum to sweep."""

    def run(machine: Any) -> None:
        program(machine, fixed=fixed)

    return run


@pytest.mark.parametrize(("program", "wrong", "kind"), BUGS.values(), ids=BUGS)
def test_bugs_of_the_museum_are_found(program: Program, wrong: tuple[str, int, str], kind: str) -> None:
    """Each where it was reported, for what it is."""
    assert kind in kinds(fakecuda.sweep(with_bug(program)))[wrong]


@pytest.mark.parametrize("program", [program for program, _, _ in BUGS.values()], ids=BUGS)
def test_their_fixes_are_silent(program: Program) -> None:
    """With every fault there is, which are more than a few."""
    found = fakecuda.sweep(with_bug(program, fixed=True))
    assert kinds(found) == {}
    assert len(found.outcomes) == found.faults > 10
    assert all(one.came and one.error.startswith("RuntimeError") for one in found.outcomes)
    found.check()


def test_one_fault_is_run_again_by_its_number() -> None:
    """It is the one that the whole sweep has under that number, and is told with its traceback."""
    program = with_bug(woken_half.woken)
    whole = fakecuda.sweep(program)
    first = whole.found[0]
    alone = fakecuda.sweep(program, only=first.number)
    assert [(one.number, one.call, one.nth, one.code) for one in alone.outcomes] == [
        (first.number, first.call, first.nth, first.code)
    ]
    assert alone.found[0].noticed == first.noticed
    assert "Traceback (most recent call last)" in alone.report
    assert "Traceback" not in whole.report
    assert (
        f'fakecuda.fail("{first.call}", nth={first.nth}, code="OUT_OF_MEMORY"), or only={first.number}' in alone.report
    )


def test_the_budget_ends_it() -> None:
    """What was not run is counted."""
    found = fakecuda.sweep(with_bug(woken_half.woken), budget=0)
    assert found.outcomes == ()
    assert found.report.endswith(f"not run: {found.faults}")


def test_the_report() -> None:
    """First what is wrong, with what leads there again; then a line for each other fault."""
    found = fakecuda.sweep(with_bug(undone_wrongly.back_in_place))
    lines = found.report.splitlines()
    assert lines[0] == f"sweep of run: 14 calls, {found.faults} injected failures, 1 handled wrongly"
    assert re.match(
        r"#\d+  cuMemCreate \(no. 2\) -> OUT_OF_MEMORY, in process here, at .*undone_wrongly.py:\d+ in back_in_place",
        lines[1],
    )
    assert re.match(r"  no access  mapping .* mapped at .*undone_wrongly.py:\d+ in back_in_place", lines[2])
    assert lines[3] == "  came out   RuntimeError: CUDA_ERROR_OUT_OF_MEMORY"
    assert lines[-1] == "#19  cuMemMap (no. 2) -> OUT_OF_MEMORY: RuntimeError: CUDA_ERROR_OUT_OF_MEMORY"
    assert str(found) == found.report
    with pytest.raises(AssertionError, match="1 handled wrongly"):
        found.check()
