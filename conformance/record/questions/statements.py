"""What hip-tests states of NVIDIA's runtime, asked of it: its programs, on the CUDA runtime, as questions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.cases.hip import describing, sharing, using
from conformance.cases.hip.side import Side, has_counterpart, statements
from conformance.cases.runtime.fixtures import fresh
from conformance.kit.world import Unavailable
from conformance.record.questions.fixtures import QUESTIONS, Question
from fakecuda.profiles import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Process, World
    from fakecuda.profiles import Profile

PREFIX = "runtime/hip-tests:"
DISTANT = {**sharing.PROGRAMS, **using.PROGRAMS, **describing.PROGRAMS}
"""Programs that look at memory by calls alone: a real process is another one than theirs."""
BEHIND = (AssertionError, KeyError, TypeError)
"""How a program ends whose first calls fail on a machine with less than it needs: what was answered till then counts."""


@frozen
class Processes:
    """What a program of a statement spawns processes of.

    Attributes:
        world: The world.
        profile: A profile of such machines.
    """

    world: World
    profile: Profile

    def spawn(self, visible_devices: str = "") -> Process:
        """Return a new process.

        Raises:
            Unavailable: It would have to see other devices than the rest.
        """
        if visible_devices:
            msg = "a process that sees other devices cannot be recorded"
            raise Unavailable(msg)
        return fresh(self.world)


def state(program: Callable[[Side], int], w: World) -> None:
    """Ask what a statement is about."""
    machine: Any = Processes(w, load("h200"))
    try:
        program(Side(machine, "cuda"))
    except BEHIND:
        w.last.clear()


QUESTIONS.update(
    (f"{PREFIX}{name}", Question(partial(state, program)))
    for name, statement in statements().items()
    for program in (DISTANT.get(name),)
    if program is not None and "expect_nvidia" in statement and has_counterpart(program)
)
