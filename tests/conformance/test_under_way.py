"""Calls that a program does not wait for: how they stand is an answer, the same on each target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

import fakecuda
from conformance.kit.compare import compare
from conformance.kit.program import AGAIN, SKIPPED, Program, Recorder, run
from conformance.kit.under_way import DIED, WAITS, UnderWay
from conformance.record import replay
from conformance.record.recordings import ROOT
from conformance.record.told import tell
from conformance.targets import processes
from fakecuda import FakeCudaError, profiles
from fakecuda.model.work import waiting
from fakecuda.rules.driver.checkpoint import halted
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.kit.program import Recorded

PAGE, GEQ = 4096, 0
HALTED, WAITING = ROOT / "h100-d" / "halted.jsonl.gz", ROOT / "h200" / "waits.jsonl.gz"


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    """Return a recorder on a model."""
    with fakecuda.Machine("h200", strict=False) as machine:
        made = Recorder(machine, "a program")
        yield made
        made.close()


def busy(recorder: Recorder) -> tuple[Recorded, int, int]:
    """Return a process, a stream of it that waits for a value, and where the host writes that."""
    a = recorder.spawn()
    a.c.cuInit(0)
    context = a.c.cuCtxCreate(None, 0, 0)[1]
    flag = recorder.host_memory(a.name, PAGE)
    a.c.cuMemHostRegister(flag, PAGE, 0)
    stream = a.c.cuStreamCreate(1)[1]
    assert a.c.cuStreamWaitValue32(stream, a.c.cuMemHostGetDevicePointer(flag, 0)[1], 1, GEQ) == (0,)
    for name in ("one", "other"):
        assert a.thread(name).c.cuCtxSetCurrent(context) == (0,)
    return a, stream, flag


def waited(recorder: Recorder) -> Program:
    """Return a program in which a call waits until the host writes a value."""
    a, stream, flag = busy(recorder)
    assert recorder.under_way.begin(a.name, "one", "cuStreamSynchronize", (stream,)) == WAITS
    assert recorder.under_way.begin(a.name, "other", "cuMemAlloc", (PAGE,)) == 0
    assert recorder.under_way.again(a.name, "one") == WAITS
    recorder.write_memory(a.name, flag, b"\1")
    assert recorder.under_way.again(a.name, "one") == 0
    assert recorder.under_way.again(a.name, "other") == 0
    a.c.cuMemFree(recorder.value({"ref": "a.dptr1"}))
    return recorder.program


def test_a_program_goes_on_while_a_call_waits(recorder: Recorder) -> None:
    """The first look at a call that has returned has its results, and so have all later ones; they have one name."""
    program = waited(recorder)
    answers = [answer for step, answer in zip(program.steps, program.answers, strict=True) if step.get("thread")]
    made = {"code": 0, "outs": {"dptr": {"new": "a.dptr1"}}}
    waits, ended = {"code": WAITS, "outs": {}}, {"code": 0, "outs": {}}
    assert answers[2:] == [waits, made, waits, ended, made]
    assert (program.steps[-1]["args"], program.answers[-1]["code"]) == ([{"ref": "a.dptr1"}], 0)


def test_it_replays_on_models_and_real_processes(recorder: Recorder) -> None:
    """With the same answers."""
    program = waited(recorder)
    with fakecuda.Machine("h200", strict=False) as machine:
        assert compare(program, run(program, machine)) == []
    with processes.machine(profiles.load("h200")) as machine:
        assert compare(program, run(program, machine)) == []


def test_a_program_with_such_calls_is_python(recorder: Recorder) -> None:
    """It says how each call stands, and what the host writes."""
    text = waited(recorder).as_python()
    assert "a_one = begin(a.thread('one').c.cuStreamSynchronize, a_stream1)  # in a thread of its own" in text
    assert text.count("assert str(a_one) == 'waits'") == 2
    assert "assert str(a_other) == 'has answered 0'" in text
    assert "write(a, a_host1, bytes.fromhex('01'))" in text
    compile(text, "program", "exec")


def test_a_call_that_is_refused_names_its_rule(recorder: Recorder) -> None:
    """Where a model answers."""
    a, *_ = busy(recorder)
    assert recorder.under_way.begin(a.name, "one", "cuMemAlloc", (0,)) == Result.INVALID_VALUE
    assert recorder.rules[-1].id == "memory.mem_alloc.SIZE_IS_POSITIVE"
    recorder.program.answers[-1] = {"code": WAITS, "outs": {}}
    told = tell(recorder.program, [{"code": 1, "outs": {}}] * len(recorder.rules), recorder.rules, "H200")
    assert told == ()


def test_a_time_limit_ends_by_looks_alone(recorder: Recorder) -> None:
    """No clock decides: a look that is as long as the limit sees its end."""
    a, *_ = busy(recorder)
    keeper, number = recorder.spawn(), recorder.number_of(a.name)
    keeper.c.cuInit(0)
    limit = (3600 * 1000, 0, (0,) * 7)
    assert recorder.under_way.begin(keeper.name, "main", "cuCheckpointProcessLock", (number, limit)) == WAITS
    assert recorder.under_way.again(keeper.name, "main", 3599) == WAITS
    assert recorder.under_way.again(keeper.name, "main", 3600) == Result.NOT_READY


def test_a_short_time_limit_outlasts_a_slow_system(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The call waits until a look says that its limit is over, whatever the time is."""
    now = iter(range(1_000_000))
    monkeypatch.setattr(waiting, "monotonic", lambda: float(next(now)))
    a, *_ = busy(recorder)
    keeper, number = recorder.spawn(), recorder.number_of(a.name)
    keeper.c.cuInit(0)
    limit = (1, 0, (0,) * 7)
    assert recorder.under_way.begin(keeper.name, "main", "cuCheckpointProcessLock", (number, limit), seconds=0) == WAITS
    assert recorder.under_way.again(keeper.name, "main", 0) == WAITS
    assert recorder.under_way.again(keeper.name, "main", 1) == Result.NOT_READY


def test_a_look_at_nothing_is_skipped(recorder: Recorder) -> None:
    """The call was not begun, since an earlier one did not give its argument."""
    recorder.spawn()
    step = {"process": "a", "call": "cuMemFree", "args": [{"ref": "a.dptr9"}], "thread": "one"}
    assert recorder.run({**step, "begun": 0.5})["code"] == SKIPPED
    assert recorder.run({**step, AGAIN: 0.5})["code"] == SKIPPED


def test_a_call_whose_process_ends(recorder: Recorder) -> None:
    """It waits no longer; whatever was begun ends with the program."""
    a, stream, _ = busy(recorder)
    assert recorder.under_way.begin(a.name, "one", "cuStreamSynchronize", (stream,)) == WAITS
    a.kill()
    assert recorder.under_way.again(a.name, "one") == DIED
    assert recorder.under_way.begin(a.name, "other", "cuInit", (0,)) == DIED


def test_what_a_call_raises_is_raised_by_a_look(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of an endless wait for a thread that has ended."""
    a, *_ = busy(recorder)

    def fail(self: UnderWay) -> None:
        self.error = FakeCudaError("planted")

    monkeypatch.setattr(UnderWay, "_run", fail)
    with pytest.raises(FakeCudaError, match="planted"):
        recorder.under_way.begin(a.name, "one", "cuCtxSynchronize", ())


def answered(program: Program, change: int, code: int) -> list[Any]:
    """Return a program's answers, one of them with another code."""
    answers = list(program.answers)
    answers[change] = {**answers[change], "code": code}
    return answers


def test_a_stretch_goes_on_after_a_call_that_waits_on_one_target_alone(recorder: Recorder) -> None:
    """Both are in the same state once it has returned, so that a later difference is found as well."""
    program = waited(recorder)
    begun = next(number for number, step in enumerate(program.steps) if "begun" in step)
    last = len(program.steps) - 1
    answers = answered(evolve(program, answers=answered(program, begun, 0)), last, 1)
    assert [(one.step, one.got) for one in compare(program, answers)] == [(begun, 0), (last, 1)]


def differing(path: Any, pattern: str) -> int:
    """Return how many recorded programs of some names a model answers otherwise."""
    found = replay.recording(path).programs.named(pattern)  # type: ignore[union-attr]
    return sum(bool(replay.replay(path, number).unknown) for number in found)


@pytest.mark.parametrize("name", ["cuDeviceGet", "cuMemFree"])
def test_a_call_that_waits_too_long_or_too_short_is_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """In a process that is locked."""
    assert not differing(HALTED, f"{name}/halted")
    monkeypatch.setattr(halted, "AT_ONCE", halted.AT_ONCE ^ {name})
    assert differing(HALTED, f"{name}/halted")


def test_a_call_that_does_not_wait_for_work_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor what is done meanwhile."""
    pattern = "cuStreamSynchronize/waits/*-cuMemFree*"
    assert not differing(WAITING, pattern)
    monkeypatch.setattr("fakecuda.rules.driver.stream.order.finish", lambda *_args, **_options: None)
    assert differing(WAITING, pattern)
