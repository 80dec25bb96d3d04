"""Draws the calls of a program one by one, by the current state of its processes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from conformance.drawing.arguments import Arguments
from conformance.drawing.images import FILES
from conformance.drawing.patterns import PATTERNS
from conformance.drawing.values import NEEDS_RESULTS, PAGE
from conformance.kit.kinds import newest
from conformance.kit.program import FORKED, MAIN
from conformance.kit.values import encode
from fakecuda.rules.capturing import MODELLED_WHILE_CAPTURING
from fakecuda.rules.registry import DRIVER, OPS
from fakecuda.spec.both import CALLS

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from conformance.kit.program import Recorder
    from fakecuda.rules.core import Rule

PROCESSES = ("a", "b")
SECOND = "second"
NOT_MADE = -10
"""The code of a call that was not made."""
TRIES = 4
"""The number of attempts at a call that should succeed."""
OTHERS = ("memory", "function", "file", "pid")
"""Steps without a call: host memory, a host function, a code file, a process id."""
LOGGING = "cuLinkAdd"
"""The prefix of calls that change a linker even if they fail."""
OF_ONE_THREAD = "cuLink"
"""The prefix of calls for one thread only: other threads crash a linker."""
NOT_IN_FORKS = "cuMemMapArrayAsync"
"""A call that is not modelled in a fork."""
NULLS = 30
"""One call in this many has a null pointer for its first result."""


class Player(Protocol):
    """Makes the steps that are drawn."""

    @property
    def over(self) -> bool:
        """Whether the program has ended."""

    def begin(self, process: str, *, runtime: bool, device: int) -> None:
        """Start a process with a device in use."""

    def lead(
        self, process: str, thread: str, name: str, inputs: tuple[Any, ...], null: str = "", *, may_fail: bool = True
    ) -> int:
        """Make a call and return its code; skip a call that must not fail but would."""

    def other(self, step: dict[str, Any]) -> None:
        """Make a step that is not a call."""


class Drawing(Arguments):
    """Draws calls for a player.

    Args:
        random: Draws.
        model: The recorder of the program on the model.
        runtime: Whether it draws calls of the runtime API, too.
        lasting: Whether programs change for good what a process has from the start.

    Attributes:
        devices: How many devices the machine has.
    """

    def __init__(self, random: Random, model: Recorder, *, runtime: bool = True, lasting: bool = True) -> None:
        super().__init__(random, model, lasting=lasting)
        self.runtime = runtime
        self.devices = len(model.machine.devices)

    def chance(self, percent: int) -> bool:
        """Return True with a probability in percent; the simplest choice is False."""
        return self.random.randrange(100) >= 100 - percent

    def call(self, player: Player, process: str, on: str, choose: Callable[[], str], legal: int, wrong: int) -> None:
        """Draw a call and make it; draw again if it must succeed and does not.

        Args:
            player: Makes it.
            process: The calling process.
            on: Its thread.
            choose: Returns a call, or nothing.
            legal: In how many of a hundred times it shall succeed.
            wrong: How many of a hundred of the others have an illegal argument.
        """
        random = self.random
        shall = not self.chance(100 - legal)
        for left in reversed(range(TRIES)):
            call = choose()
            if not call:
                continue
            if on == SECOND and call.startswith(OF_ONE_THREAD):
                on = MAIN
            if on == FORKED and call == NOT_IN_FORKS:
                continue
            inputs, results = CALLS[call].inputs, CALLS[call].outputs
            place = random.randrange(len(inputs)) if inputs and not shall and self.chance(wrong) else None
            values = self.arguments(process, call, place)
            if values is None:
                continue
            spared = not results or newest(call) in NEEDS_RESULTS
            null = results[0].name if not spared and random.randrange(NULLS) == 1 else ""
            if self.make(player, process, on, call, values, null, may_fail=not (shall and left)) != NOT_MADE:
                return

    def make(
        self,
        player: Player,
        process: str,
        on: str,
        call: str,
        values: tuple[Any, ...],
        null: str = "",
        *,
        may_fail: bool = True,
    ) -> int:
        """Make a call; return its code, or ``NOT_MADE``."""
        gone = self.gone() if CALLS[call].acquires else set()
        code = player.lead(process, on, call, values, null, may_fail=may_fail)
        if not code:
            self.acquired(gone)
        return code

    def made(self, player: Player, process: str, call: str, *inputs: Any, on: str = MAIN) -> Any:
        """Make a call that should succeed; return its result, True for none, else None.

        A name in :data:`OTHERS` makes a step that is no call, and returns what it gives.

        Args:
            player: Makes it.
            process: The calling process.
            call: The call.
            inputs: Its arguments.
            on: The calling thread.
        """
        if player.over:
            return None
        if call in OTHERS:
            self.other_step(player, process, call)
        elif self.make(player, process, on, call, inputs):
            return None
        outs = self.model.program.answers[-1]["outs"]
        named = [self.model.names.by_text[text].value for text in _texts(outs)]
        return named[0] if named else True

    def pattern(self, player: Player, process: str) -> None:
        """Make several related calls."""
        self.random.choice(PATTERNS)(self, process, partial(self.made, player))

    def other_step(self, player: Player, process: str, kind: str) -> None:
        """Make a step that is not a call, one of :data:`OTHERS`."""
        given: Any = {
            "memory": lambda: self.random.choice((1, 2)) * PAGE,
            "function": lambda: "getpid",
            "file": lambda: encode(self.random.choice(FILES)),
        }
        step: dict[str, Any] = {"process": "" if kind == "file" else process, "call": kind}
        player.other({**step, "args": [given[kind]()]} if kind in given else step)

    def other(self, process: str) -> str:
        """Return the other process, sometimes the same one."""
        other = {"a": "b", "b": "a"}.get(process, process)
        return other if self.random.randrange(4) and self.model.processes[other].alive else process


def _texts(outs: dict[str, Any]) -> list[str]:
    """Return the names in results, including those in structs and arrays."""
    plain = [out for out in outs.values() if isinstance(out, dict)]
    inner = [out for many in outs.values() if isinstance(many, list) for out in many if isinstance(out, dict)]
    return [text for out in (*plain, *inner) if (text := out.get("new") or out.get("name"))]


def is_left_out(name: str, rule: Rule | None, *, may_fail: bool) -> bool:
    """Return whether a target must not make a call, by the rule that it breaks.

    Args:
        name: The call.
        rule: The rule, or None.
        may_fail: Whether a call of the driver that fails is made.
    """
    if rule is None:
        return False
    if rule.grade == "undefined" or rule is MODELLED_WHILE_CAPTURING:
        return True
    acts = name not in DRIVER.ops or name.startswith(LOGGING) or rule in OPS[name].acts_before
    return not (may_fail or acts)
