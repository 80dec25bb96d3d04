"""Calls that have waited look again, from their first check on: so nothing may be changed before a wait.

That is proven by having each wait look again, though nothing was done meanwhile: all recorded programs answer the same.
"""

from __future__ import annotations

import sys
from collections import Counter
from types import FunctionType
from typing import TYPE_CHECKING, Any

import pytest

from conformance.record.recordings import ROOT
from conformance.record.replay import every, recording, replay
from fakecuda.model import context_effects
from fakecuda.model.call import RetryCall, under_way
from fakecuda.model.work import waiting
from fakecuda.rules.registry import OPS
from tests.rotation import part

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")
PARTS = 30
WAIT = {
    "cuCtxDestroy": ("h100-d/halted", "cuCtxDestroy/halted"),
    "cuDevicePrimaryCtxRelease": ("h100-d/halted", "cuDevicePrimaryCtxRelease/halted"),
    "cuMemcpyDtoH": ("h200/cases-2", "cuMemcpyHtoDAsync/case/2"),
    "cudaDeviceReset": ("h100-d/halted", "cudaDeviceReset/halted"),
}
"""Calls that wait, with recordings and programs in which they do."""


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Have each call look again, once for each thing that it waits for; return how often which did."""
    counts: Counter[str] = Counter()
    wait, finish, release = waiting.wait, waiting.finish, waiting.release
    list(OPS.values())  # import them all

    def again(what: object) -> None:
        made = under_way()
        if made is not None and what not in made[0].awaited:
            counts[made[1].name] += 1
            raise RetryCall(what)

    def restless_wait(machine: Any, what: object, *args: Any, last: bool = False, **options: Any) -> None:
        wait(machine, what, *args, last=last, **options)
        if not last:
            again(what)

    def restless_finish(context: Any, stream: Any = None, *, last: bool = False, **options: Any) -> None:
        finish(context, stream, last=last, **options)
        if not last:
            again(stream or context)

    def restless_release(context: Any) -> None:
        release(context)
        again(context)

    restless: dict[Any, Any] = {wait: restless_wait, finish: restless_finish, release: restless_release}
    for module in [one for name, one in sys.modules.items() if name.startswith("fakecuda.")]:
        for name, one in list(vars(module).items()):
            if isinstance(one, FunctionType) and one in restless:
                monkeypatch.setattr(module, name, restless[one])
    return counts


def unlike(programs: list[tuple[Path, int]]) -> list[str]:
    """Return the recorded programs that the model answers otherwise."""
    return [f"{path.stem} {number}" for path, number in programs if replay(path, number).unknown]


def named(name: str, pattern: str) -> list[tuple[Path, int]]:
    """Return the programs of a recording whose names fit a pattern."""
    found = recording(path := ROOT / f"{name}.jsonl.gz")
    return [(path, number) for number in found.programs.named(pattern)]  # type: ignore[union-attr]


def test_a_call_that_looks_again_answers_the_same(looked: Counter[str]) -> None:
    """In some of the recorded programs; as many commits in a row as there are parts try all."""
    assert not unlike(part(every(), PARTS))
    assert looked


def test_calls_that_wait_look_again(looked: Counter[str]) -> None:
    """Whichever part a run takes, these do."""
    for call, (name, program) in WAIT.items():
        assert not unlike(named(name, program))
        assert looked[call], call


def test_a_change_before_a_wait_is_found(looked: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference to a primary context is dropped before its work is waited for."""
    release = context_effects.release

    def early(process: Any, primary: Any, stack: Any, thread: Any) -> None:
        primary.references -= 1
        if primary.active and not primary.references:
            waiting.release(primary.context)
        primary.references += 1
        release(process, primary, stack, thread)

    monkeypatch.setattr(context_effects, "release", early)
    assert unlike(named("h100-d/cases", "cuDevicePrimaryCtxReset/*"))
    assert looked
