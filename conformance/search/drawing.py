"""Programs of the search, drawn step by step from the state of a model."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.drawing.chapters import ASKED_DEAD, CHAPTERS, is_dear, share_of
from conformance.drawing.drawing import OTHERS, PROCESSES, SECOND, Drawing, Player
from conformance.drawing.patterns import OF
from conformance.drawing.values import LATE
from conformance.kit.program import FORKED, MAIN

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from random import Random

    from conformance.kit.program import Recorder

SHORTEST, LONGEST = 12, 60
"""The minimum and maximum number of steps of a program."""
DEAREST = 40
"""One program in this many makes calls that are slow or change a process for good."""
FOCUS = ("graph", "graph", "graph", "capture", "capture", "module", "library", "array", "copy", "texture", "linker")
"""Chapters that are drawn more often, because less is known of them."""
FOCUSED = 60
"""The percentage of programs with one of these chapters among their chapters."""
PATTERNED = 14
"""The percentage of steps that make several related calls, or make no call."""
WITH_CAPTURES = "capture"
"""Chapters that replace the stream and graph chapters in programs that capture."""


class Drawn(Drawing):
    """A program that is drawn.

    Args:
        random: Draws.
        model: The recorder of the program on the model.
        runtime: Whether it makes calls of the runtime API, too.
        lacking: Calls that the card's libraries lack.
        chapters: The chapters whose calls may be made; all by default.

    Attributes:
        all: The chapters whose calls it may make.
        captures: Whether it captures streams.
        chapters: Those whose calls it makes most.
    """

    def __init__(
        self,
        random: Random,
        model: Recorder,
        *,
        runtime: bool = True,
        lacking: Collection[str] = (),
        chapters: Sequence[str] = (),
    ) -> None:
        super().__init__(random, model, runtime=runtime, lasting=not random.randrange(DEAREST))
        self._lacking = lacking
        self.all = sorted(name for name in chapters or CHAPTERS if runtime or not name.startswith("runtime"))
        self.keeps_dead -= set(ASKED_DEAD)
        self.chapters = self._chosen()
        self._wrong = random.choice((4, 15, 40))
        self._legal = random.choice((40, 80, 95))
        self._threads = random.choice((0, 0, 15, 40))
        self._others = random.choice((0, 10, 30))
        self._weights = {
            name: [random.expovariate(1.0) * self._share_of(call) for call in calls] for name, calls in CHAPTERS.items()
        }
        self._ends = self.lasting and random.randrange(3) == 0

    def _chosen(self) -> tuple[str, ...]:
        """Return the chapters whose calls the program makes most."""
        chosen = tuple(self.random.sample(self.all, min(2, len(self.all))))
        focus = self.random.choice(FOCUS) if self.chance(FOCUSED) else ""
        self.captures = focus == WITH_CAPTURES
        focused = ("stream", "graph") if self.captures else (focus, *chosen[:1])
        return focused if set(focused) <= set(self.all) else chosen

    def _share_of(self, call: str) -> float:
        """Return the weight of a call among the calls of its chapter."""
        return share_of(call) if call not in self._lacking and (self.lasting or not is_dear(call)) else 0.0

    def play(self, player: Player) -> None:
        """Make a whole program."""
        random = self.random
        for number, name in enumerate(PROCESSES):
            player.begin(name, runtime=self.runtime, device=number % self.devices)
        steps = random.randint(SHORTEST, LONGEST)
        while len(self.model.program.steps) < steps and not player.over:
            self._step(player)

    def _step(self, player: Player) -> None:
        random = self.random
        kind = random.randrange(100)
        process = random.choice(PROCESSES)
        if not self.model.processes[process].alive:
            process = next((name for name in PROCESSES if self.model.processes[name].alive), "")
            if not process:
                player.begin("d", runtime=self.runtime, device=0)
                process = "d"
        if kind < 3:
            self.other_step(player, process, random.choice(OTHERS))
        elif kind == 3 and self._ends:
            self._ends = False
            player.other({"process": process, "call": random.choice(("exit", "kill", "begin_exit"))})
        elif kind < PATTERNED:
            self.pattern(player, process)
        else:
            if kind == 15 and self.lasting:
                process = LATE
                if LATE not in self.model.processes:
                    player.other({"process": LATE, "call": "spawn"})
            on = SECOND if self.chance(self._threads) else MAIN
            if on == MAIN and self.lasting and not random.randrange(40):
                on = FORKED
            self.call(player, process, on, self._choose, self._legal, self._wrong)

    def pattern(self, player: Player, process: str) -> None:
        """Make several related calls, mostly of the program's chapters."""
        chapters = (*self.chapters, *[WITH_CAPTURES] * self.captures)
        mine = [pattern for chapter in chapters for pattern in OF.get(chapter, ())]
        if not mine or self.chance(self._others):
            super().pattern(player, process)
        else:
            self.random.choice(mine)(self, process, partial(self.made, player))

    def _choose(self) -> str:
        """Return a call, or None if its chapter has no possible call."""
        chapter = self.random.choice(self.all if self.chance(self._others) else self.chapters)
        weights = self._weights[chapter]
        return self.random.choices(CHAPTERS[chapter], weights)[0] if any(weights) else ""
