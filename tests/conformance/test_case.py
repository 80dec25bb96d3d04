"""Cases: rules by name, one twist at a time, and what a model must do."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

import fakecuda
from conformance.kit.case import Case, Entry, Invocation, World
from conformance.kit.program import Recorder
from conformance.kit.world import GRANULE, NotBuilt, Session, Unavailable, pinned
from conformance.targets.target import Target, check_on_model, check_strict, play
from fakecuda.profiles import load
from fakecuda.rules.dispatch import Op
from fakecuda.rules.registry import DRIVER

pytestmark = pytest.mark.usefixtures("entries_apart")


def valid(w: World) -> Invocation:
    """Free an allocation."""
    a = w.process()
    return a.call("cuMemFree", dptr=a.ok.cuMemAlloc(4096))


@pytest.fixture
def entry() -> Entry:
    """Return an entry without breaks."""
    return Entry("cuMemFree", valid)


def model(*, device_count: int = 2) -> fakecuda.Machine:
    """Return a model that is like the driver."""
    return fakecuda.Machine(load(f"h200-x{device_count}"), strict=False)


def check(*cases: Case) -> None:
    """Check cases on a model."""
    with model() as machine:
        check_on_model(list(cases), machine)


def test_every_case_of_an_entry_holds(entry: Entry) -> None:
    """Breaks by value, by function and by the world, the common twists, other valid calls."""
    entry.breaks("POINTER_IS_A_BASE", dptr=lambda i: i.args["dptr"] + 16)
    entry.also("null", dptr=0)

    @entry.world("POINTER_IS_A_BASE")
    def freed(_: World, i: Invocation) -> None:
        i.process.ok.cuMemFree(i.args["dptr"])

    seen = []

    @entry.after("the calls that follow")
    def after(_: World, i: Invocation, results: tuple[Any, ...]) -> None:
        seen.append((i.c.cuMemGetAddressRange(i.args["dptr"])[0], results))

    entry.without("no_context")
    assert [case.name for case in entry.singles()] == [
        "valid",
        "POINTER_IS_A_BASE",
        "POINTER_IS_A_BASE-2",
        "not_initialized",
        "forked",
        "torn_down",
        "inside_function",
        *(["destroyed_context"] if "CONTEXT_IS_ALIVE" in str(DRIVER.ops["cuMemFree"].rules) else []),
        "second_thread",
        "null",
        "the-calls-that-follow",
    ]
    Target("model", load("h200-x2")).check(entry.singles())
    assert seen == [(fakecuda.Result.NOT_FOUND, ())]


def test_pairs_leave_out_what_cannot_be_two_things_at_once(entry: Entry) -> None:
    """One argument has one value, and a thread one current context."""
    entry.breaks("POINTER_IS_A_BASE", dptr=1)
    entry.breaks("POINTER_IS_A_BASE", "other", dptr=2)
    names = {case.name for case in entry.pairs()}
    assert "POINTER_IS_A_BASE+POINTER_IS_A_BASE-other" not in names
    assert "not_initialized+no_context" not in names
    assert {"POINTER_IS_A_BASE+not_initialized", "no_context+second_thread"} <= names


def test_an_unknown_rule_is_told_with_those_there_are(entry: Entry) -> None:
    """A misspelt constant fails when the module is imported."""
    with pytest.raises(LookupError, match=r"0 rules called POINTER: there are .*POINTER_IS_A_BASE"):
        entry.breaks("POINTER", dptr=1)


def test_an_unknown_argument_is_told(entry: Entry) -> None:
    """So does a misspelt argument, a twist or a case."""
    with pytest.raises(LookupError, match=r"cuMemFree takes \(dptr\)"):
        entry.breaks("POINTER_IS_A_BASE", pointer=1)
    with pytest.raises(LookupError, match="no such twist"):
        entry.without("context")
    with pytest.raises(LookupError, match="no such case"):
        entry.model_only("POINTER", code=1)
    with model() as machine, pytest.raises(TypeError, match="takes"):
        Session(Recorder(machine)).world("").process().call("cuMemFree", pointer=1)


def test_a_wrong_answer_is_told_with_the_program(entry: Entry) -> None:
    """The text names the case and ends with calls that a person can run."""
    entry.also("wrong", dptr=1)
    with pytest.raises(AssertionError) as caught:
        check(entry.singles()[-1])
    message = str(caught.value)
    assert "cuMemFree[wrong]: the model answers INVALID_VALUE by memory.mem_free." in message
    assert "a.c.cuMemFree(1)" in message


def test_another_rule_with_the_same_code_is_told(entry: Entry) -> None:
    """The rule is what is asked for; the code alone is no proof."""
    other = Entry("cuMemAlloc", lambda w: w.process().call("cuMemAlloc", bytesize=1))
    other.null("dptr", "SIZE_IS_POSITIVE")
    with pytest.raises(
        AssertionError, match=r"by core\.initialized\.RESULT_IS_GIVEN instead of INVALID_VALUE by memory"
    ):
        check(other.singles()[1])
    del entry


def test_a_failed_call_that_changes_the_machine_is_told(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every check comes before every effect."""
    real = DRIVER.ops["cuMemFree"].function

    def act_first(call: Any, dptr: int) -> None:
        call.machine.devices[0].memory.used += 1
        real(call, dptr)

    entry.breaks("POINTER_IS_A_BASE", dptr=1)
    case = entry.singles()[1]
    monkeypatch.setitem(DRIVER.ops, "cuMemFree", Op("cuMemFree", DRIVER, act_first))
    with pytest.raises(AssertionError, match="the call failed and changed the machine"):
        check(case)


def test_a_pair_that_acts_and_fails_is_told(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though no snapshot is taken of those that have no effect."""
    entry.breaks("POINTER_IS_A_BASE", dptr=lambda i: i.args["dptr"] + 16)
    pairs = entry.pairs()
    assert pairs
    target = Target("model", load("h200-x2"))
    assert not target.check(pairs)
    real = DRIVER.ops["cuMemFree"].function

    def act_first(call: Any, dptr: int) -> None:
        call.thread.choose(1)
        real(call, dptr)

    monkeypatch.setitem(DRIVER.ops, "cuMemFree", Op("cuMemFree", DRIVER, act_first))
    with pytest.raises(AssertionError, match="the call failed and changed the machine"):
        target.check(pairs)


def test_pairs_of_arguments_share_a_world_until_one_acts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair that changes what the next would find ends its world, and fails the check."""
    entry = Entry.of("cuMemAddressReserve", lambda _: (GRANULE, 0, 0, 0))
    entry.breaks("SIZE_IS_POSITIVE", size=0)
    entry.breaks("FLAGS_ARE_ZERO", flags=1)
    entry.breaks("ALIGNMENT_IS_A_POWER_OF_TWO", alignment=3)
    worlds = []
    begin = Session.world

    def begun(session: Session, label: str) -> World:
        worlds.append(label)
        return begin(session, label)

    monkeypatch.setattr(Session, "world", begun)
    pairs = [pair for pair in entry.pairs() if pair.of_arguments]
    assert len(pairs) > 1
    target = Target("model", load("h200-x2"))
    target.check(pairs)
    assert len(worlds) == 1
    real = DRIVER.ops["cuMemAddressReserve"].function

    def act_first(call: Any, size: int, alignment: int, addr: int, flags: int) -> None:
        call.thread.choose(1)
        real(call, size, alignment, addr, flags)

    monkeypatch.setitem(DRIVER.ops, "cuMemAddressReserve", Op("cuMemAddressReserve", DRIVER, act_first))
    worlds.clear()
    with pytest.raises(AssertionError, match="the call failed and changed the machine"):
        target.check(pairs)
    assert len(worlds) > len(pairs)


def test_undefined_behaviour_is_reported_by_a_strict_model() -> None:
    """A case of an undefined rule never reaches a driver, and a strict model must report it."""

    def release(w: World) -> Invocation:
        a = w.process()
        return a.call("cuMemRelease", handle=a.ok.cuMemCreate(GRANULE, pinned(), 0))

    entry = Entry("cuMemRelease", release)
    entry.undefined("HANDLE_IS_HELD", code=1, handle=0x1234_0000)

    @entry.undefined("HANDLE_IS_HELD", "released", code=1)
    def released(_: World, i: Invocation) -> None:
        i.process.ok.cuMemRelease(i.args["handle"])

    cases = [case for case in entry.singles() if case.undefined]
    assert [(case.name, case.real) for case in cases] == [("HANDLE_IS_HELD", False), ("HANDLE_IS_HELD-released", False)]
    Target("model", load("h200-x2")).check(cases)
    entry.undefined("HANDLE_IS_HELD", "not at all", code=1, handle=lambda i: i.args["handle"])
    with model() as machine, pytest.raises(AssertionError, match="a strict model reports nothing"):
        check_strict(entry.singles()[3], machine.profile)


def test_a_world_that_cannot_be_built_is_told() -> None:
    """What a case stands on must succeed."""
    entry = Entry("cuMemFree", lambda w: w.process().call("cuMemFree", dptr=w.process().ok.cuMemAlloc(0)))
    with pytest.raises(NotBuilt, match=r"cuMemAlloc answered INVALID_VALUE, .*: \(0,\)"):
        check(entry.singles()[0])


def test_what_the_machine_lacks_is_told() -> None:
    """A case for two devices is no failure on one."""
    entry = Entry("cuMemFree", lambda w: w.process(device=1).call("cuMemFree", dptr=0))
    with model(device_count=1) as machine, pytest.raises(Unavailable, match="2 devices"):
        check_on_model([entry.singles()[0]], machine)


def test_worlds_share_a_process_that_is_as_good_as_new(entry: Entry) -> None:
    """What a world allocated is freed; a process whose context was destroyed is not used again."""
    entry.breaks("POINTER_IS_A_BASE", dptr=1)
    cases = [entry.singles()[0], entry.singles()[1], entry.singles()[0]]
    with model() as machine:
        recorder = Recorder(machine)
        assert [code for _, code in play(cases, Session(recorder))] == [0, 1, 0]
        assert [step["call"] for step in recorder.program.steps].count("spawn") == 1
        assert all(not name.live for name in recorder.names.by_text.values() if name.kind == "dptr")
        recorder.close()
    other = Entry("cuCtxDestroy", lambda w: (a := w.process()).call("cuCtxDestroy", ctx=a.context))
    with model() as machine:
        recorder = Recorder(machine)
        play([other.singles()[0]] * 2, Session(recorder))
        assert [step["call"] for step in recorder.program.steps].count("spawn") == 2
        recorder.close()


def test_the_stack_of_a_process_that_is_used_again_is_its_own_context(entry: Entry) -> None:
    """Contexts that a world pushed or popped do not reach the next."""

    @entry.also("another context")
    def other(_: World, i: Invocation) -> None:
        i.process.ok.cuCtxCreate(None, 0, 1)

    with model() as machine:
        recorder = Recorder(machine)
        session = Session(recorder)
        play([entry.singles()[-1]], session)
        again = session.world("again").process()
        assert again.c.cuCtxPopCurrent() == (0, again.context)
        assert again.c.cuCtxGetCurrent() == (0, 0)
        recorder.close()


@pytest.mark.parametrize(
    ("profile", "multicast", "peers"),
    [
        ("h200-x2", "", ""),
        ("nvl72", "multicast", ""),
        ("pcie-pair", "multicast", "peer access"),
        ("l4", "2 devices", "2 devices"),
    ],
)
def test_a_case_is_left_out_where_its_profile_lacks_something(profile: str, multicast: str, peers: str) -> None:
    """What a machine cannot do is a reason to skip, and no failure."""
    with fakecuda.Machine(profile) as machine:
        world = Session(Recorder(machine)).world("case")
        for needs, lacks in ((world.needs_multicast, multicast), (world.needs_peers, peers)):
            with pytest.raises(Unavailable, match=f"the machine lacks {lacks}") if lacks else nullcontext():
                needs()
