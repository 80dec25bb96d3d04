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

if TYPE_CHECKING:
    from pathlib import Path


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


def test_a_call_that_looks_again_answers_the_same(looked: Counter[str]) -> None:
    """In every tenth recorded program."""
    assert not unlike(every()[::10])
    assert {"cuCtxDestroy", "cuDevicePrimaryCtxRelease", "cuMemcpyDtoH", "cudaDeviceReset"} <= looked.keys()


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
    path = ROOT / "h100-d" / "cases.jsonl.gz"
    numbers = recording(path).programs.named("cuDevicePrimaryCtxReset/*")  # type: ignore[union-attr]
    assert unlike([(path, number) for number in numbers])
    assert looked
