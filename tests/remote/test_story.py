"""What the owner of a shared machine tells of a test that has failed: its calls, and pictures."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.reach.remote.client.remote_process import caller_of
from fakecuda.reach.remote.owner.owner import Sharing
from fakecuda.reach.remote.protocol.frames import Kind, Malformed
from fakecuda.reach.remote.protocol.outcome import is_story
from fakecuda.testing import xdist
from tests.limits import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.reach.remote.protocol.frames import Line


@pytest.fixture
def owned() -> Iterator[None]:
    """A machine that is offered to the workers of pytest-xdist."""
    before = Sharing.report, Sharing.story
    _, ending = xdist.offer("h200-x2")
    with ending:
        yield
    Sharing.report, Sharing.story = staticmethod(before[0]), staticmethod(before[1])


@pytest.mark.usefixtures("owned")
def test_a_test_is_told_its_own_calls() -> None:
    """And not those of others; the picture is the whole machine's. Nobody is told before the first call."""
    with xdist.attached(None) as other, xdist.attached(None) as machine:
        assert machine.story() == ([], [])
        other.here.c.cuInit(0)
        machine.here.c.cuInit(0)
        machine.here.c.cuCtxCreate(None, 0, 0)
        machine.here.c.cuMemAlloc(0)
        calls, pictures = machine.story()
        assert [(text.partition("  ")[2], good) for text, good in calls] == [
            ("cuInit(Flags=0) -> SUCCESS", True),
            ("cuCtxCreate(ctxCreateParams=null, flags=0, dev=0) -> SUCCESS", True),
            ("cuMemAlloc(bytesize=0) -> INVALID_VALUE  [memory.mem_alloc.SIZE_IS_POSITIVE]", False),
        ]
        assert [title for title, _ in pictures] == ["The machine", "Its last calls"]
        assert all(svg.startswith("<svg") for _, svg in pictures)


@pytest.mark.parametrize(
    "value", [None, (), ((), (), ()), (("a",), ()), ((("a", 1),), ()), ((), (("a", b"b"),)), ([], [])]
)
def test_what_is_no_story_is_refused(value: object) -> None:
    """Whatever an owner sends."""
    assert not is_story(value)
    assert is_story(((("a", True),), (("b", "<svg>"),)))


@pytest.mark.usefixtures("owned")
def test_an_owner_that_sends_something_else_is_not_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller says so, and the test's report does without."""
    with xdist.attached(None) as machine:
        machine.here.c.cuInit(0)
        caller = caller_of(machine.here.current_thread())
        receive = type(caller.line).receive

        def received(line: Line, *args: Any) -> Any:  # a thread of the owner, in this process too, goes on as it is
            return (Kind.NOTED, ("no", "story"), []) if line is caller.line else receive(line, *args)

        monkeypatch.setattr(type(caller.line), "receive", received)
        with pytest.raises(Malformed, match=r"the report on a test from .* has the wrong form"):
            caller.story(time.monotonic() + LONG)
        monkeypatch.undo()
