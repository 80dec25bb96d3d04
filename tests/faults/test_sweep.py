"""The sweep meets each fault of a program, and says what is wrong then: nothing of what is right."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import fakecuda
from fakecuda import FakeCudaError, Machine
from fakecuda.machine import machine as machines
from fakecuda.machine.runs.sweep import Outcome
from fakecuda.model import invariants
from fakecuda.model.effect import EFFECTS
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.spec.codes import Result
from tests.faults.programs import GRANULE, PINNED, CallError, done, kinds, started

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 4096


GROWN = """
import fakecuda
from cuda import core

def grown():
    device = core.Device(0)
    device.set_current()
    options = core.VirtualMemoryResourceOptions(handle_type=None)
    resource = core.VirtualMemoryResource(device, config=options)
    buffer = resource.allocate(4096)
    try:
        buffer = resource.modify_allocation(buffer, 4 << 20)
    finally:
        buffer.close()

for one in fakecuda.sweep(grown).found:
    print(one.call, one.nth, one.code.name, *(text.split("  ")[0] for text in one.noticed), sep=", ")
"""


@pytest.mark.skipif(not NATIVE, reason=NEEDS)
def test_bugs_of_cuda_core_are_found() -> None:
    """Museum 2 and 6 are in the memory code of the release that is installed.

    In a process of its own: cuda.core keeps objects of the driver for as long as its process lives.
    """
    if find_spec("cuda") is None or find_spec("cuda.core") is None or version("cuda-core") != "1.2.2":
        pytest.skip("cuda-core 1.2.2, of which they were reported, is not installed")
    done = subprocess.run([sys.executable, "-c", GROWN], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "cuMemAddressReserve, 2, OUT_OF_MEMORY, refused",
        "cuMemMap, 2, OUT_OF_MEMORY, no access",
        "cuMemCreate, 2, OUT_OF_MEMORY, no access",
        "cuMemMap, 3, OUT_OF_MEMORY, no access",
    ]


def context(machine: Machine) -> Any:
    """Return the calls of a process with a context."""
    c = started(machine)
    done(c.cuCtxCreate(None, 0, 0))
    return c


def one_allocation(machine: Machine) -> None:
    """Allocate and free, and look at each answer; the context is left in any case."""
    c = context(machine)
    done(c.cuMemFree(done(c.cuMemAlloc(SIZE))))


def swallowing(machine: Machine) -> None:
    """Look at no answer."""
    c = context(machine)
    c.cuMemsetD8(c.cuMemAlloc(SIZE)[1] or 0, 7, SIZE)


def advising(machine: Machine) -> None:
    """Get on without what is only of use."""
    c = context(machine)
    start = done(c.cuMemAlloc(SIZE))
    with suppress(CallError):
        done(c.cuCtxSetLimit(0, 1 << 12))
    done(c.cuMemFree(start))


def expecting(machine: Machine) -> None:
    """Get on without it, and say so."""
    c = context(machine)
    start = done(c.cuMemAlloc(SIZE))
    with suppress(AssertionError), fakecuda.expect():
        c.cuCtxSetLimit(0, 1 << 12)
    done(c.cuMemFree(start))


def retrying(machine: Machine) -> None:
    """Ask again."""
    c = context(machine)
    code, start = c.cuMemAlloc(SIZE)
    done(c.cuMemFree(done(c.cuMemAlloc(SIZE // 2)) if code else start))


def telling(machine: Machine) -> None:
    """Tell what has failed, and go on."""
    c = context(machine)
    code, start = c.cuMemAlloc(SIZE)
    if code:
        c.cuGetErrorName(code)
    c.cuMemFree(start or 0)


def test_what_a_program_leaves_anyway_is_not_wrong() -> None:
    """The context that is left without a fault, too."""
    found = fakecuda.sweep(one_allocation)
    assert found.found == ()
    assert [(one.call, one.nth, one.code.name) for one in found.outcomes if one.call == "cuMemAlloc"] == [
        ("cuMemAlloc", 1, "OUT_OF_MEMORY")
    ]
    assert found.calls == 4


@pytest.mark.parametrize(
    ("program", "codes", "wrong"),
    [
        (advising, ["UNSUPPORTED_LIMIT"], ["swallowed"]),
        (expecting, ["UNSUPPORTED_LIMIT"], []),
        (retrying, ["OUT_OF_MEMORY"], []),
    ],
)
def test_an_error_is_swallowed_where_nobody_does_anything_else(
    program: Callable[[Machine], None], codes: list[str], wrong: list[str]
) -> None:
    """Not where it is expected, raised, or answered by other calls; asking what it is called is no answer."""
    found = fakecuda.sweep(program, codes=codes)
    assert [kind for one in kinds(found).values() for kind in one] == wrong
    assert all(one.came for one in found.outcomes)


def test_findings_and_refusals_behind_the_fault_are_wrong() -> None:
    """A program that goes on with what it has not."""
    found = fakecuda.sweep(swallowing, codes=["OUT_OF_MEMORY"])
    wrong = kinds(found)["cuMemAlloc", 1, "OUT_OF_MEMORY"]
    assert {"refused", "swallowed"} <= set(wrong) or "undefined" in wrong
    assert "swallowed" in kinds(fakecuda.sweep(telling))["cuMemAlloc", 1, "OUT_OF_MEMORY"]


def test_each_outcome_has_one_fix() -> None:
    """By what was noticed; findings and leaks have their own."""
    one = Outcome(1, "cuMemAlloc", 1, Result.OUT_OF_MEMORY, "a", "", True, "", ())
    for noticed, fix in (
        (("refused    cuMemFree -> INVALID_VALUE", "swallowed  no exception"), "and make no call that needs"),
        (("swallowed  no exception",), "and raise, retry or do without"),
        (("no access  mapping",), "call cuMemSetAccess on the mapping that is made where cuMemAlloc fails"),
        (("left       allocation; fix: free it",), ""),
        ((), ""),
    ):
        rows = [line for line in attrs.evolve(one, noticed=noticed).report.splitlines() if line.startswith("  fix  ")]
        assert [fix in row for row in rows] == [True] * bool(fix), rows


def test_what_a_failed_call_would_have_given_back_is_spared() -> None:
    """It is left, and nobody can do anything about that; what else is left counts."""

    def released(machine: Machine) -> None:
        c = started(machine)
        first, second = (done(c.cuMemCreate(GRANULE, PINNED, 0)) for _ in range(2))
        try:
            done(c.cuMemRelease(first))
        finally:
            done(c.cuMemRelease(second))

    def forgotten(machine: Machine) -> None:
        c = started(machine)
        first, second = (done(c.cuMemCreate(GRANULE, PINNED, 0)) for _ in range(2))
        done(c.cuMemRelease(first))
        done(c.cuMemRelease(second))

    codes = ["NOT_SUPPORTED"]
    assert all(call != "cuMemRelease" for call, *_ in kinds(fakecuda.sweep(released, codes=codes)))
    assert kinds(fakecuda.sweep(forgotten, codes=codes))["cuMemRelease", 1, "NOT_SUPPORTED"] == ["left"]


@pytest.mark.usefixtures("by_itself")
def test_waiting_for_ever_is_wrong() -> None:
    """What would have let it go on has failed."""

    def waiting(machine: Machine) -> None:
        c = context(machine)
        word = done(c.cuMemAlloc(SIZE))
        done(c.cuMemsetD8(word, 0, SIZE))
        c.cuStreamWriteValue32(0, word, 1, 0)
        done(c.cuStreamWaitValue32(0, word, 1, 1))
        done(c.cuCtxSynchronize())

    found = fakecuda.sweep(waiting, codes=["NOT_SUPPORTED"])
    assert "stuck" in kinds(found)["cuStreamWriteValue32", 1, "NOT_SUPPORTED"]


def test_a_broken_invariant_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told with its text."""

    def check(machine: Machine) -> None:
        invariants.check(machine)
        assert not any("injected" in (one.facts or {}) for one in machine.log), "references do not add up"

    monkeypatch.setattr(machines, "check", check)
    found = fakecuda.sweep(one_allocation, codes=["OUT_OF_MEMORY"])
    assert found.found
    assert all("invariant  references do not add up" in one.noticed[0] for one in found.found)


def test_the_program_may_prepare_itself() -> None:
    """What its first run alone calls is no place for a fault; what each run calls otherwise is told."""
    runs: list[int] = []

    def prepared(machine: Machine) -> None:
        c = context(machine)
        runs.append(1)
        if len(runs) == 1:
            done(c.cuMemFree(done(c.cuMemAlloc(SIZE))))

    assert all(one.call != "cuMemAlloc" for one in fakecuda.sweep(prepared).outcomes)

    def other(machine: Machine) -> None:
        c = context(machine)
        runs.append(1)
        if len(runs) < 3:
            done(c.cuMemFree(done(c.cuMemAlloc(SIZE))))

    runs.clear()
    (missed,) = (one for one in fakecuda.sweep(other).outcomes if one.call == "cuMemAlloc")
    assert not missed.came
    assert missed.end.startswith("not met again")


def test_a_function_without_arguments() -> None:
    """Calls by whatever door arrive."""
    driver = pytest.importorskip("cuda.bindings.driver")

    def program() -> None:
        if driver.cuInit(0)[0]:
            raise RuntimeError

    found = fakecuda.sweep(program, door="lookalike")
    assert found.calls == 1
    assert {one.error for one in found.outcomes} == {"RuntimeError"}


async def later() -> None:
    """Nobody awaits it."""


@pytest.mark.parametrize(
    ("function", "options", "told"),
    [
        (7, {}, "pass a function"),
        (later, {}, "coroutine function"),
        (one_allocation, {"only": 0}, "only=0"),
        (one_allocation, {"only": 99}, r"only=99 is more than the number of faults of the sweep: use at most \d"),
        (one_allocation, {"budget": -1}, "budget=-1"),
        (one_allocation, {"budget": True}, "budget=True"),
        (one_allocation, {"codes": "OUT_OF_MEMORY"}, r"write a list, \['OUT_OF_MEMORY'\]"),
        (one_allocation, {"codes": ["OUT_OF_MEMRY"]}, "did you mean: OUT_OF_MEMORY"),
        (one_allocation, {"wait_timeout": -1}, "wait_timeout"),
    ],
)
def test_what_is_wrong_is_refused(function: Any, options: dict[str, Any], told: str) -> None:
    """With what to write."""
    with pytest.raises(FakeCudaError, match=told):
        fakecuda.sweep(function, **options)


def test_an_error_without_a_fault_is_the_programs() -> None:
    """It comes out as it is."""

    def fails() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        fakecuda.sweep(fails)
    assert all(getattr(one.home, one.function.__name__) is one.function for one in EFFECTS.values())
