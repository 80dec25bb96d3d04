"""Damaged frames of both sides: some of those that ``python -m conformance.fuzz.frames`` tries, and what it must find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgpack
import pytest

from conformance.fuzz import damage
from conformance.fuzz.bare import Bare
from conformance.fuzz.exchanges import HERE, SIZE
from conformance.fuzz.frames import KINDS, tried
from conformance.fuzz.whole import is_held
from fakecuda.model.memory.space import WRITE
from fakecuda.reach.remote.client import rpc
from fakecuda.reach.remote.protocol import frames as wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine
    from fakecuda.reach.remote.owner.endpoint import Offer

SEED = 16
ALREADY_REGISTERED = 712


@pytest.mark.usefixtures("impatient")  # a damaged call may wait for what nobody brings about
@pytest.mark.parametrize("kind", KINDS)
def test_damage_harms_nobody_else(kind: str) -> None:
    """The process hears a documented error, and nothing is left of it."""
    trials = tried((kind,), seed=SEED, most=40)
    assert not trials.wrong
    assert trials.counts["frames"] > 20
    assert ({"FakeCudaError", "MachineClosed"} & trials.outcomes.keys() == set()) is (kind == "stop")


@pytest.mark.usefixtures("impatient")
def test_a_slow_system_reaches_each_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exchange that ended before the frame to damage has more time. Some frames of another thread come in some exchanges alone."""
    monkeypatch.setattr(damage, "TIMEOUT", 0.0)
    trials = tried(("kill",), seed=SEED, most=40)
    assert not trials.wrong
    assert trials.counts["frames"] > 35


def unread(body: bytes) -> object:
    """Read a body, and let out whatever MessagePack says of it."""
    return msgpack.unpackb(body, use_list=False)


PLANTED: dict[str, tuple[str, str, int, Callable[[pytest.MonkeyPatch], None]]] = {
    "what cannot be read ends a thread": (
        "flip",
        "getters",
        60,
        lambda patch: patch.setattr(wire, "_unpacked", unread),
    ),
    "answers are not checked": (
        "flip",
        "mappings",
        1500,  # few bytes of few frames meet it; the first that does ends the search
        lambda patch: patch.setattr(rpc.Caller, "_is_answer", lambda *_: True),
    ),
    "half a frame is waited for": (
        "short",
        "getters",
        20,
        lambda patch: patch.setattr(damage, "TIMEOUT", float("inf")),
    ),
}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in the exchange that meets it."""
    kind, exchange, most, plant = PLANTED[bug]
    plant(monkeypatch)
    monkeypatch.setattr(damage, "LIMIT", 2.0)
    assert tried((kind,), exchange, SEED, most, first=True).wrong


def test_a_call_that_comes_instead_of_an_answer(sharing: Offer, machine: Machine) -> None:
    """It is made before the other one goes on, and leaves the lock as that one has it: nobody holds it."""
    bare = Bare(sharing.path)
    bare.make("cuInit", 0)
    bare.make("cuCtxCreate", None, 0, 0)
    asked = []
    for _ in range(2):
        bare.call("cuMemHostRegister", HERE, SIZE, 0)
        asked.append(bare.question()[0])
    bare.answer(asked[1], WRITE)
    assert bare.result() == (0, None)
    assert not is_held(machine)
    bare.answer(asked[0], WRITE)
    assert bare.result() == (ALREADY_REGISTERED, None)
    bare.end()


@pytest.mark.parametrize(
    ("call", "outs", "fits"),
    [
        ("cuMemGetInfo", 5, False),
        ("cuMemGetInfo", (1, 2, 3), False),
        ("cuMemGetInfo", (1, 2), True),
        ("cuMemGetInfo", None, True),
        ("cuMemAlloc", 5, True),
        ("cuMemFree", None, True),
    ],
)
def test_an_answer_has_the_results_of_its_call(call: str, outs: object, *, fits: bool) -> None:
    """A damaged request may have been one for another call."""
    assert rpc._fits(call, outs) is fits
