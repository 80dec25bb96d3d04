"""What questions are made of: the list of them, and work that is under way for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.cases.driver.stream.fixtures import stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Process, World

    Ask = Callable[[World], None]

QUESTIONS: dict[str, Question] = {}
"""Every question by its name, which is its module's and its function's."""
WHILE = 200_000
"""Microseconds that work takes which is to be seen under way."""


@frozen
class Question:
    """A program that is asked.

    Attributes:
        ask: Makes the calls.
        alone: Whether nothing else may use the card meanwhile.
    """

    ask: Ask
    alone: bool = False


def question(*, alone: bool = False) -> Callable[[Ask], Ask]:
    """Decorate the function that asks a question.

    Args:
        alone: Whether nothing else may use the card meanwhile.
    """

    def declare(ask: Ask) -> Ask:
        QUESTIONS[f"{ask.__module__.rpartition('.')[2]}/{ask.__name__}"] = Question(ask, alone)
        return ask

    return declare


def busy(a: Process, flags: int = 0) -> int:
    """Return a new stream that is at work for a while: with a function of the host, which ends by itself."""
    working = stream(a, flags)
    a.ok.cuLaunchHostFunc(working, a.c_function("usleep"), WHILE)
    return working


def waits(a: Process, make: Callable[[], Any], flags: int = 0) -> None:
    """Ask whether a call waits for work: before it and after it, whether a stream at work is done.

    Args:
        a: The process.
        make: Makes the call.
        flags: The flags of the stream.
    """
    working = busy(a, flags)
    a.c.cuStreamQuery(working)
    make()
    a.c.cuStreamQuery(working)
    a.c.cuStreamSynchronize(working)
