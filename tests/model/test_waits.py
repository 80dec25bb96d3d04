"""Calls that wait while another thread does something: the model answers as a card did, wherever that lived on.

A call that has waited looks again, from its first check on. So nothing may be changed before a wait, which is proven by
having each wait look again, though nobody did anything meanwhile: all recorded programs answer the same.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from types import FunctionType
from typing import TYPE_CHECKING, Any

import pytest

import conformance
import fakecuda
from conformance.record.replay import every, replay
from conformance.record.waits import NEVER, WAITING, Caller, World, programs, run
from fakecuda.model import context_effects
from fakecuda.model.call import RetryCall, under_way
from fakecuda.model.work import stream_scheduler, waiting
from fakecuda.rules.registry import OPS
from tests.limits import until

if TYPE_CHECKING:
    from fakecuda import Machine

RECORDED = {
    (line["call"], line["meanwhile"]): line
    for line in map(json.loads, (conformance.SUITE / "data" / "waits" / "h200.jsonl").read_text().splitlines())
}
UNLIKE = {
    ("cuMemFree", "cuMemsetD8"): "a call that frees memory keeps others of its context waiting; here they go on",
    ("cuDevicePrimaryCtxRelease", "cudaFree"): "the card gives the memory back before it waits",
    ("cudaDeviceReset", "cudaFree"): "the card gives the memory back before the call has looked for it",
}
"""Programs that the model answers otherwise, and why. Entries only go."""


def waits(machine: Machine, caller: Caller) -> bool:
    """Return whether a caller waits for what has not come."""
    with machine.lock:
        stream_scheduler.look(machine)
        wait = machine.scheduler.census.waiting.get(caller.thread.native_id or 0)
        return wait is not None and not wait.done()


def answers(one: str, other: str) -> dict[str, Any]:
    """Return what the model answers."""
    with fakecuda.machine("h200", door="lookalike", strict=False) as machine:

        def pause(caller: Caller, _: str) -> None:
            assert until(lambda: caller.ended or waits(machine, caller))

        found = run(one, other, pause)
        machine.check_invariants()
    return found


def test_every_program_was_recorded() -> None:
    """Each of the command's, once."""
    assert list(RECORDED) == programs()


def test_what_ends_a_caller_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised where its answer is waited for, instead of an endless wait for a thread that is no more."""

    def fails(_: World) -> int:
        msg = "planted"
        raise MemoryError(msg)

    monkeypatch.setitem(WAITING, "cuMemcpyHtoD", fails)
    with pytest.raises(MemoryError, match="planted"):
        answers("cuStreamSynchronize", "cuMemcpyHtoD")


@pytest.mark.parametrize(("one", "other"), programs(), ids=[" - ".join(names) for names in programs()])
def test_a_call_that_waits_answers_as_on_a_card(one: str, other: str) -> None:
    """The codes of both calls, and when the one that waited has returned."""
    recorded, found = RECORDED[one, other], answers(one, other)
    assert found["answer"][1] != NEVER
    assert found["answer meanwhile"][1] != NEVER
    if "ended" in recorded or recorded["answer meanwhile"][1] == NEVER:
        return  # two threads end one thing: the card's process crashes, or a thread of it never returns
    alike = (found["answer"], found["answer meanwhile"][0]) == (recorded["answer"], recorded["answer meanwhile"][0])
    assert alike is ((one, other) not in UNLIKE), (recorded, found)


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


def unlike(step: int) -> list[str]:
    """Return the recorded programs, one of so many, that the model answers otherwise."""
    return [f"{path.stem} {number}" for path, number in every()[::step] if replay(path, number).unknown]


def test_a_call_that_looks_again_answers_the_same(looked: Counter[str]) -> None:
    """In every tenth recorded program."""
    assert not unlike(10)
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
    assert unlike(10)
    assert looked
