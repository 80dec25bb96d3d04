"""Race detection against every interleaving: programs agree, and each mistake planted in the detector is found."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import attrs
import pytest

from conformance.fuzz.ordered import __main__ as command
from conformance.fuzz.ordered import executor, planted
from conformance.fuzz.ordered.calls import CALLS
from conformance.fuzz.ordered.draw import MOST_ACTORS, MOST_STEPS, drawn
from conformance.fuzz.ordered.executor import Operation, Passing, TooMany, explored, overlap
from conformance.fuzz.ordered.loop import compared, smaller
from conformance.fuzz.ordered.program import (
    BLOCKING,
    FIRST,
    LEGACY,
    NON_BLOCKING,
    PER_THREAD,
    SECOND,
    Actor,
    Graph,
    Node,
    Program,
    Step,
)
from conformance.fuzz.ordered.reading import DEFAULT, STRICT, Reading
from conformance.fuzz.ordered.run import ran
from conformance.fuzz.ordered.stage import Unexpected
from tests.each import each
from tests.rotation import part

if TYPE_CHECKING:
    from collections.abc import Iterator

WHOLE, PARTS = 100_000, 400
"""The programs of the long loop, and their parts, of which a commit takes one."""
FORMS = 2000
"""Programs with each call, kind of stream and context."""
ONE, TWO = Actor(FIRST, NON_BLOCKING), Actor(FIRST, NON_BLOCKING)
FILL = ("a", 0, 8)


def program(*steps: tuple[object, ...], actors: tuple[Actor, ...] = (ONE, TWO), manual: bool = False) -> Program:
    """Return a program of steps: an actor, the step's name and its arguments."""
    made = tuple(Step(str(what), int(str(actor)), tuple(args)) for actor, what, *args in steps)
    return Program(actors, made, manual=manual)


def test_programs() -> None:
    """The first report of each program is a pair that may overlap, and no such pair comes before it."""
    for number in part(range(WHOLE), PARTS):
        assert not compared(drawn(0, number)).difference, command.shown(0, number)


def test_drawn_programs_have_every_form() -> None:
    """Each call, each kind of stream and each context is drawn, in programs that are small."""
    programs = [drawn(1, number) for number in range(FORMS)]
    assert {step.what for one in programs for step in one.steps} == set(CALLS)
    actors = {actor for one in programs for actor in one.actors}
    assert len({actor.kind for actor in actors}) == 4
    assert len({actor.context for actor in actors}) == 3
    assert {actor.thread for actor in actors} == {0, 1}
    assert {node.what for one in programs for graph in one.graphs for node in graph.nodes} >= {
        *(
            "fill",
            "copy",
            "rows",
            "child",
            "allocate",
            "release",
            "record",
            "wait",
            "write",
            "await",
            "call",
            "kernel",
            "choose",
            "set",
        )
    }
    assert any(graph.capture for one in programs for graph in one.graphs)
    for name in ("manual", "from_ptx", "strict"):
        assert {getattr(one, name) for one in programs} == {True, False}, name
    assert max(len(one.steps) for one in programs) == MOST_STEPS
    assert max(len(one.actors) for one in programs) == MOST_ACTORS


READINGS = {
    "frees_wait": program((0, "fill", *FILL), (0, "end", "b"), (1, "fill", *FILL)),
    "host_polls": program((0, "fill", *FILL), (0, "write", "g", 1), (1, "fill", *FILL)),
    "earlier_writers": program(
        (0, "fill", *FILL),
        (0, "write", "f", 1),
        (1, "await", "f", 1, "eq"),
        (2, "write", "f", 1),
        (1, "fill", *FILL),
        actors=(ONE, TWO, Actor(FIRST, NON_BLOCKING)),
    ),
    "fills_end": program(
        (2, "write", "f", 1),
        (2, "record", "x0"),
        (0, "wait", "x0"),
        (0, "fill", *FILL),
        (0, "reset", "f", 1),
        (1, "await", "f", 1, "eq"),
        (1, "fill", *FILL),
        actors=(ONE, TWO, Actor(FIRST, NON_BLOCKING)),
    ),
    "contexts_order": program(
        *((0, "fill", "c", 0, 8), (1, "copy_now", "b", 0, "c", 0, 8)),
        actors=(Actor(SECOND, BLOCKING), Actor(FIRST, LEGACY)),
    ),
    "plain_waits": program((0, "fetch", *FILL), (1, "fill", *FILL)),
    "uploads_order": attrs.evolve(
        program((0, "fill", *FILL), (0, "upload", 0), (1, "launch", 0), (1, "fill", *FILL)),
        graphs=(Graph((Node("fill", ("a", 32, 8)),)),),
    ),
    "managed_waits": program((0, "as_host", "u", 0, "b", 0, 8), (1, "fill", "b", 0, 8)),
    "default_waits": program(
        (0, "fill", *FILL),
        (2, "sync"),
        (1, "fill", *FILL),
        actors=(Actor(FIRST, BLOCKING), TWO, Actor(FIRST, LEGACY)),
    ),
}
"""For each reading, a program with another result."""


@pytest.mark.parametrize("name", [one.name for one in attrs.fields(Reading)])
def test_readings(name: str) -> None:
    """The detector reads calls as the default does, and no reading is without effect."""
    assert not compared(READINGS[name], DEFAULT).difference
    assert compared(READINGS[name], Reading(**{name: False})).difference.startswith("missed")


@pytest.mark.parametrize("name", [one.name for one in attrs.fields(Reading)])
def test_readings_of_the_manual(name: str) -> None:
    """By the manual's word the detector has a report where the manual promises no order."""
    one = compared(attrs.evolve(READINGS[name], strict=True))
    assert not one.difference
    assert one.reported is not getattr(STRICT, name)


LIMITS = {
    "an end of memory that has seen a value": (
        program((0, "fill", "h", 0, 8), (0, "write", "g", 3), (0, "end", "h"), manual=True),
        False,
    ),
    "an end of memory that has called": (
        program((0, "fill", "b", 0, 8), (0, "call", 0), (0, "end", "b"), manual=True),
        False,
    ),
}


@each("name", LIMITS)
def test_limits_by_the_manuals_word(name: str) -> None:
    """docs/races.md names what the detector does not report."""
    one, reported = LIMITS[name]
    strict = compared(attrs.evolve(one, strict=True))
    assert not strict.difference
    assert strict.reported is reported


STAGED = {
    "without a stream": (((0, "fetch", *FILL), (1, "put_now", "b", 0, 8)), True),
    "without a stream to the host's": (((0, "fetch", *FILL), (1, "put_now", "h", 0, 8)), True),
    "in a stream": (((0, "fetch", *FILL), (1, "put", "b", 0, 8)), True),
    "in the stream of the first": (((0, "fetch", *FILL), (0, "put", "b", 0, 8)), True),
    "in the stream of the first, to the host's": (((0, "fetch", *FILL), (0, "put", "h", 0, 8)), False),
    "beside other copies from there": (((0, "put", "b", 0, 8), (1, "put", "a", 0, 8), (0, "put", "b", 0, 8)), False),
    "after a wait": (((0, "fetch", *FILL), (0, "sync"), (1, "put", "b", 0, 8)), False),
}


@each("name", STAGED)
def test_a_copy_from_plain_memory_that_a_stream_writes(name: str) -> None:
    """By the manual's word, the first copy need not have arrived when the second call reads for a device."""
    steps, reported = STAGED[name]
    assert not compared(program(*steps)).reported
    strict = compared(attrs.evolve(program(*steps), strict=True))
    assert not strict.difference
    assert strict.reported is reported


COPIES = {
    "from plain memory": (("put_now", "a", 0, 8), True),
    "from plain memory, beside the work before": (("put_now", "a", 8, 8), False),
    "from plain memory to managed memory": (("put_now", "u", 0, 8), False),
    "from managed memory": (("copy_now", "a", 0, "u", 0, 8), False),
}


@each("name", COPIES)
def test_a_copy_without_a_stream_behind_work(name: str) -> None:
    """By the manual's word the call waits for the work before, and for its own copy unless that is from plain memory."""
    step, reported = COPIES[name]
    one = program((0, "fill", *FILL), (0, *step), (1, "fill", *FILL), actors=(Actor(FIRST, LEGACY), TWO), manual=True)
    assert not compared(one).reported
    strict = compared(attrs.evolve(one, strict=True))
    assert not strict.difference
    assert strict.reported is reported


def test_a_copy_to_plain_memory_behind_a_value() -> None:
    """The call waits for the value before it returns, and so the host comes after the work before the value."""
    one = program(
        (0, "fill", *FILL), (0, "write", "f", 1), (1, "await", "f", 1, "and"), (1, "fetch", *FILL), (2, "put", *FILL),
        actors=(ONE, TWO, Actor(FIRST, NON_BLOCKING)), manual=True,
    )  # fmt: skip
    assert not compared(one).difference


def test_a_value_that_was_written_before_the_host_had_waited_for_all() -> None:
    """Work that began later need not be done when the wait for the value ends."""
    one = program(
        (2, "write", "f", 3), (0, "fill", *FILL), (0, "context_sync"), (2, "fill", *FILL), (1, "await", "f", 1, "geq"), (1, "fill", *FILL),
        actors=(ONE, TWO, Actor(FIRST, NON_BLOCKING)),
    )  # fmt: skip
    assert compared(one).reported
    assert not compared(one).difference


def test_a_wait_of_a_context_is_no_work_of_its_default_stream() -> None:
    """Two blocking streams are not ordered by it."""
    one = program(
        (0, "fill_now", "a", 31, 2), (1, "copy", "b", 31, "a", 0, 2), (0, "record", "x0"), (0, "context_wait", "x0"), (0, "fill", *FILL),
        actors=(Actor(FIRST, PER_THREAD), Actor(FIRST, BLOCKING)),
    )  # fmt: skip
    assert compared(one).reported
    assert not compared(one).difference


WORK = {
    "a prefetch": ("prefetch", "u", 63, 1),
    "an attachment": ("attach", "u", 0, 8),
}


@each("name,step", WORK.items)
def test_work_that_uses_no_memory_is_work(name: str, step: tuple[object, ...]) -> None:
    """Who waits for it has waited for the work of the legacy stream before it."""
    one = program(
        (1, "fill", *FILL), (0, *step), (0, "sync"), (2, "fill", *FILL),
        actors=(Actor(FIRST, BLOCKING), Actor(FIRST, LEGACY), ONE),
    )  # fmt: skip
    assert not compared(one).reported, name
    assert not compared(one).difference


BLOCKS = Actor(FIRST, BLOCKING)
KNOWN = {
    "a wait of the legacy stream for an event that is complete": (
        program((0, "record", "x0"), (0, "fill", *FILL), (2, "wait", "x0"), (1, "fill", *FILL), actors=(BLOCKS, Actor(FIRST, BLOCKING), Actor(FIRST, LEGACY))),
        False,
    ),
    "a wait of the legacy stream for an event that was never recorded": (
        program((0, "fill", *FILL), (2, "wait", "x0"), (1, "fill", *FILL), actors=(BLOCKS, Actor(FIRST, BLOCKING), Actor(FIRST, LEGACY))),
        True,
    ),
    "a stack size that changes": (program((0, "fill", *FILL), (0, "limit"), (1, "fill", *FILL)), False),
    "a stack size that stays": (program((0, "limit"), (0, "fill", *FILL), (0, "limit"), (1, "fill", *FILL)), True),
    "an attribute that is set behind a call without a stream": (
        program((0, "fill_now", *FILL), (0, "say", "a"), (1, "fill", *FILL)),
        False,
    ),
    "an attribute that is set behind a call without a stream on other memory": (
        program((0, "fill_now", *FILL), (0, "say", "b"), (1, "fill", *FILL)),
        True,
    ),
    "an attribute that is set behind work in the legacy stream": (
        program((0, "fill", *FILL), (0, "say", "a"), (1, "fill", *FILL), actors=(Actor(FIRST, LEGACY), ONE)),
        True,
    ),
}  # fmt: skip


@each("name", KNOWN)
def test_what_an_h200_does(name: str) -> None:
    """The executor and the detector agree with a card whose stream was delayed."""
    one, reported = KNOWN[name]
    for manual in (False, True):
        found = compared(attrs.evolve(one, manual=manual))
        assert not found.difference, name
        assert found.reported is reported, name


def test_a_wait_for_the_default_stream_is_none_for_what_its_next_work_comes_after() -> None:
    """A context that waits for an event makes no stream wait that has no work."""
    one = program(
        (1, "fill", *FILL), (1, "record", "x0"), (1, "context_wait", "x0"), (0, "sync"), (2, "fill", *FILL),
        actors=(Actor(FIRST, LEGACY), ONE, Actor(SECOND, NON_BLOCKING)),
    )  # fmt: skip
    assert compared(one).reported
    assert not compared(one).difference


def queue(*edges: int) -> list[Operation]:
    """Return operations, each after the given set of earlier ones."""
    return [Operation(1 << place, 0, after) for place, after in enumerate(edges)]


def test_interleavings() -> None:
    """Operations of one queue never overlap, those of two do, and the host's waits hold later steps back."""
    ones = queue(0, 1, 0)
    found = explored(ones, [Passing()])
    assert not overlap(found, ones, 0, 1)
    assert overlap(found, ones, 0, 2)
    assert found.states == 6
    ones = [Operation(1, 0, 0), Operation(2, 1, 0)]
    assert overlap(explored(ones, [Passing()] * 2), ones, 0, 1)
    assert not overlap(explored(ones, [Passing(), Passing(complete=1)]), ones, 0, 1)
    assert overlap(explored(ones, [Passing(), Passing(pending=1)]), ones, 0, 1)


def test_values_in_memory() -> None:
    """A wait ends by the value that is there; a value that was written over ends it no more."""
    writes = [Operation(1, 0, 0, writes=("f", 1)), Operation(2, 0, 1, writes=("f", 2))]
    wait = Operation(4, 0, 0, awaits=("f", lambda value: value == 1), waits=True)
    ones = [*writes, wait, Operation(8, 0, 4)]
    found = explored(ones, [Passing()])
    assert not overlap(found, ones, 0, 3)
    assert overlap(found, ones, 1, 3)
    assert overlap(explored(ones, [Passing()], free=4), ones, 0, 3)
    never = [Operation(1, 0, 0, awaits=("f", bool), waits=True)]
    assert not explored(never, [Passing()]).starts


def test_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a program has no answer."""
    monkeypatch.setattr(executor, "MOST_STATES", 3)
    with pytest.raises(TooMany):
        explored(queue(0, 0, 0), [Passing()])
    assert compared(program((0, "fill", *FILL), (1, "fill", *FILL))).states == 0


def test_smaller_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that a difference does not need are left out; a program that agrees stays as it is."""
    one = program(
        (0, "record", "x0"), (0, "fill", *FILL), (1, "context_sync"), (1, "fill", *FILL), (0, "query"), manual=True
    )
    assert smaller(one) is one
    planted.MISTAKES["waits for a context"](monkeypatch)
    assert smaller(one) == program((0, "fill", *FILL), (1, "context_sync"), (1, "fill", *FILL))


def test_steps_that_would_wait_for_ever() -> None:
    """A run ends before a step that waits for a value that no stream writes."""
    for manual in (False, True):
        one = program((0, "await", "g", 1, "eq"), (0, "query"), (1, "fill", *FILL), (0, "sync"), manual=manual)
        assert len(ran(one).seen) == 3
    ends = program(
        (0, "await", "f", 1, "eq"), (0, "fill", "c", 0, 8), (1, "end_context", 0),
        actors=(ONE, Actor(SECOND, NON_BLOCKING)),
    )  # fmt: skip
    assert len(ran(ends).seen) == 2
    late = program((0, "write", "f", 1), (1, "await", "f", 1, "eq"), (1, "sync"), manual=True)
    assert len(ran(late).seen) == 3


def test_refused_steps() -> None:
    """A step that the driver refuses is no program's; neither is a step that breaks another rule."""
    for step in (("end", "b"), ("destroy_event", "x0", "")):
        with pytest.raises(Unexpected):
            ran(program((0, *step), (0, *step)))


def commands() -> Iterator[tuple[str, ...]]:
    """Yield arguments of the command."""
    yield "--programs", "30", "--seed", "3"
    yield "--programs", "10", "--first", "90", "--jobs", "2"


@each("arguments", commands)
def test_command(arguments: tuple[str, ...]) -> None:
    """It says how many programs it has compared."""
    run = [sys.executable, "-m", "conformance.fuzz.ordered", *arguments]
    ended = subprocess.run(run, capture_output=True, text=True, check=True)
    assert ended.stdout.startswith(f"{arguments[1]} programs, ")
    assert ended.stdout.endswith(" 0 differences\n")


def test_command_with_a_mistake(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It prints the smaller program, what differs, and what repeats it, and ends after some."""
    planted.MISTAKES["waits for events"](monkeypatch)
    number = planted.NUMBERS["waits for events"]
    assert command.main(["--first", str(number), "--programs", "1"]) == 1
    out = capsys.readouterr().out
    assert f"seed 0, program {number}" in out
    assert "false alarm at step" in out
    monkeypatch.setattr(command, "FAILURES", 1)
    monkeypatch.setattr(command, "BATCH", 1)
    assert command.main(["--first", str(number), "--programs", "400"]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 programs")
