"""What drawn programs reach: each call of the driver succeeds in a fixed sample, and each situation is met."""

from __future__ import annotations

import warnings
from functools import cache, partial
from random import Random

import pytest

import fakecuda
from conformance.drawing.chapters import CHAPTERS, NEVER
from conformance.drawing.patterns import PATTERNS
from conformance.kit.kinds import newest
from conformance.kit.program import MAIN
from conformance.search.drawing import Drawn
from conformance.search.lockstep import FAULTS, Ahead
from conformance.search.planted import Card
from conformance.search.process_pool import Stable
from conformance.search.reached import Reached
from conformance.search.situations import ALL
from fakecuda import profiles
from fakecuda.errors import NotModelledWarning
from fakecuda.rules.registry import DRIVER, FORMS, RUNTIME
from fakecuda.spec.codes import Result
from fakecuda.spec.forms import CALLS
from realcuda.guard import guarded
from tests.each import each

ROUNDS = 80
"""The maximum number of programs of the sample."""
TRIES = 12
"""The number of attempts at a call that has not succeeded yet."""
LASTING = 4
"""One program in this many makes slow calls."""
REFUSED = {
    "cuArrayGetPlane": "no array of planes is modelled",
    "cuCtxDetach": "ends the context that a process has",
    "cuDeviceGetByPCIBusId": "is asked for a device that no machine has, since programs name none by its bus",
    "cuDeviceGetLuid": "succeeds on Windows alone",
    "cuLibraryGetUnifiedFunction": "no card of the recordings has unified functions",
    "cuModuleGetSurfRef": "no image of today has references",
    "cuModuleGetTexRef": "no image of today has references",
    **{
        f"cuStream{does}_v1": "no card takes the memory operations of CUDA 8"
        for does in ("BatchMemOp", "WaitValue32", "WaitValue64", "WriteValue32", "WriteValue64")
    },
}
"""Drawn calls that never succeed, with the reasons."""
DRAWN = {call for calls in CHAPTERS.values() for call in calls}
WITH_TWINS = {"cuDeviceTotalMem_v1"}
NARROW = {
    "CUdeviceptr_v1",
    *(f"CUDA_{kind}_v1" for kind in ("ARRAY_DESCRIPTOR", "ARRAY3D_DESCRIPTOR", "MEMCPY2D", "MEMCPY3D")),
}
"""Types of CUDA 3.1."""


def is_narrow(call: str) -> bool:
    """Return whether a call is a form of CUDA 3.1: its addresses and sizes have 32 bits."""
    if call not in CALLS or call in WITH_TWINS or not call.endswith("_v1"):
        return False
    wide = {param.name: param.type for param in DRIVER.calls[newest(call)].params}
    return any(
        (param.type == "unsigned int" or param.type in NARROW) and wide.get(param.name) not in {None, param.type}
        for param in CALLS[call].params
    )


@cache
def expected() -> frozenset[str]:
    """Return the calls of the driver that are to succeed."""
    return frozenset(call for call in DRAWN if call not in REFUSED and call not in RUNTIME.ops and not is_narrow(call))


@pytest.fixture(scope="module")
def reached() -> Reached:
    """Return what the sample reaches."""
    found = Reached()
    profile = profiles.load("h200-x2")
    with fakecuda.Machine(profile, strict=False, seed=0) as model, warnings.catch_warnings():
        warnings.simplefilter("ignore", NotModelledWarning)
        model.scheduler.census.alone = True
        card = Card(profile)
        for number in range(ROUNDS):
            if not missing(found):
                break
            ahead = Ahead(Stable(card), model, found)
            played(ahead, number, found)
            ahead.finish()
        card.close()
    return found


def wanted(found: Reached) -> set[str]:
    """Return the calls of the driver that have not succeeded, and the others that were not made."""
    others = DRAWN - expected()
    return set(expected() - found.succeeded) | (others - found.calls.keys())


def missing(found: Reached) -> set[str]:
    """Return the calls that the sample still wants, and the situations that were not met."""
    return wanted(found) | (set(ALL) - set(found.situations))


def played(ahead: Ahead, number: int, found: Reached) -> None:
    """Draw a program, all patterns, and the calls that the sample still wants."""
    random = Random(number)  # noqa: S311 - a seed repeats it
    drawing = Drawn(random, ahead.model, runtime=number % 4 == 1)
    drawing.lasting = number % LASTING == 0
    drawing.play(ahead)

    def alive(process: str) -> bool:
        return not ahead.over and ahead.model.processes[process].alive

    for pattern in random.sample(PATTERNS, len(PATTERNS)):
        process = random.choice("ab")
        if alive(process):
            pattern(drawing, process, partial(drawing.made, ahead))
    for call in sorted(wanted(found)):
        for process in "ab" * TRIES:
            values = drawing.arguments(process, call) if alive(process) and call in wanted(found) else None
            if values is not None:
                drawing.make(ahead, process, MAIN, call, values)


def test_every_modelled_call_of_the_driver_is_drawn() -> None:
    """But those that a guard refuses on a card, and those that have a reason; older forms are drawn, too."""
    left = {call for call in {*DRIVER.ops, *FORMS.ops} if call not in DRAWN and not guarded(call)}
    assert left <= set(NEVER)
    assert not any(guarded(call) for call in DRAWN)


def test_each_of_them_succeeds(reached: Reached) -> None:
    """A call for which only wrong arguments are drawn would go unnoticed."""
    assert sorted(expected() - reached.succeeded) == []


def test_each_call_is_made(reached: Reached) -> None:
    """A call whose arguments cannot be drawn would go unnoticed; calls of the runtime API are made, too."""
    assert sorted(DRAWN - reached.calls.keys()) == []


def test_what_no_card_takes_is_drawn_all_the_same(reached: Reached) -> None:
    """A call that succeeds leaves the list; no context of today takes addresses of 32 bits, and some have a fault."""
    narrow = {call for call in FORMS.ops if is_narrow(call)}
    assert sorted((narrow | set(REFUSED)) & reached.succeeded) == []
    assert {code for call, code in reached.answers if call in narrow} - FAULTS == {Result.INVALID_CONTEXT}


@each("situation", ALL)
def test_each_situation_is_met(reached: Reached, situation: str) -> None:
    """What programs are to meet is met."""
    assert reached.situations[situation] > 0


def test_situations_are_listed(reached: Reached) -> None:
    """A new one that the sample reaches belongs to the list."""
    assert sorted(set(reached.situations) - set(ALL)) == []
