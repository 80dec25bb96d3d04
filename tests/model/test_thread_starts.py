"""Where threads were started, for calls that a thread makes as its target."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.os.thread_starts import FRAMES, start, starter_of

if TYPE_CHECKING:
    from types import FrameType


def test_the_target_of_a_thread_has_the_line_that_started_it() -> None:
    """Only if the call is the target itself. The line of a function that calls is nearer."""
    found: list[history.Stack] = []

    def own() -> None:
        found.append(history.whole())

    scope = {"__name__": "fakecuda.call", "found": found, "whole": history.whole}
    for target in (eval("lambda: found.append(whole())", scope), own):  # noqa: S307 - the first is fakecuda's own
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()
    direct, nearer = ([line.rpartition(" in ")[2] for line in history.lines(stack)] for stack in found)
    name = test_the_target_of_a_thread_has_the_line_that_started_it.__name__
    assert direct[:4] == ["Thread.run", "Thread._bootstrap_inner", "Thread._bootstrap", name]
    assert len(direct) == 3 + FRAMES
    assert nearer[0] == f"{name}.<locals>.own"
    assert name not in nearer


def test_other_frames_have_none() -> None:
    """No frame, a frame outside of threads, a frame of a thread that has no start."""
    assert starter_of(None) == ()
    assert starter_of(sys._getframe()) == ()
    assert threading.Thread.start is start
    frames: list[FrameType] = []
    thread = threading.Thread(target=lambda: frames.append(sys._getframe(1)))
    thread.run()
    assert starter_of(frames[0]) == ()
