"""A worker of the search, which draws programs, asks the card and shrinks them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

import fakecuda
from conformance.search.differing import Counterexample, Key, counterexample_of, smaller
from conformance.search.drawing import Drawn
from conformance.search.lockstep import FAULTS, Ahead
from conformance.search.reached import Reached
from conformance.targets.sessions import Costs
from realcuda.wire import MissingFunction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.kit.program import Answer, Step
    from conformance.search.process_pool import Stable
    from conformance.targets.divergences import Divergence
    from fakecuda.profiles import Profile

WORN = 300
"""The maximum number of programs of one model."""
ALIKE = 2
"""The maximum number of programs with equal call and codes that are shrunk."""
BLOCK = 10
"""Programs in a block, all with or all without the runtime API."""
FEW = 15
"""Attempts to shrink a program that ends a process."""
AGAIN = 1
"""How often a small program is repeated in new processes."""


@frozen
class Told:
    """A difference, as the worker reports it.

    Attributes:
        key: What tells it from others, of the small program.
        steps: The small program.
        answers: What the card answered.
        text: The difference in words.
        number: The program that showed it first.
        kind: ``difference``, ``known``, ``used`` where new processes do not show it, or ``once`` where it did not come back.
        model: What the model raised instead of an answer, or empty.
    """

    key: Key
    steps: list[Step]
    answers: list[Answer]
    text: str
    number: int
    kind: str
    model: str = ""


@define
class Searcher:
    """Draws programs and asks a card.

    Attributes:
        profile: The model's profile.
        stable: The card's processes.
        seed: What programs are drawn from.
        driver: The card's driver.
        known: Known differences of the model.
        chapters: The chapters whose calls are drawn; all by default.
        reached: What the programs have reached.
        seen: How many programs differed by call and codes.
        problems: What went wrong beside differences, with how often.
        lacking: Calls that the card's libraries lack.
        costs: What the calls of drawn programs cost.
        asking: Called before a program is asked again, drawn programs aside.
    """

    profile: Profile
    stable: Stable
    seed: int
    driver: int = 0
    known: tuple[Divergence, ...] = ()
    chapters: tuple[str, ...] = ()
    reached: Reached = field(factory=Reached)
    seen: dict[tuple[str, ...], int] = field(factory=dict)
    problems: dict[str, int] = field(factory=dict)
    lacking: set[str] = field(factory=set)
    costs: Costs = field(factory=Costs)
    asking: Callable[[], None] = field(default=lambda: None)
    _model: Any = field(default=None, init=False)
    _lived: int = field(default=0, init=False)

    def run(self, number: int) -> Told | None:
        """Draw and make a program; return its difference, unless enough are known.

        Args:
            number: The program's number, which with the seed tells it from every other one.
        """
        self.reached.programs += 1
        example = self._drawn(number)
        if example is None:
            return None
        codes = example.key.codes
        self.seen[codes] = self.seen.get(codes, 0) + 1
        if self.seen[codes] > ALIKE:
            return None
        return self._judged(example, number)

    def _drawn(self, number: int) -> Counterexample | None:
        ahead = Ahead(self.stable, self._machine(), self.reached, costs=self.costs)
        random = Random(f"{self.seed}/{number}")  # noqa: S311 - a seed repeats it
        runtime = bool(number // BLOCK % 2)
        drawn = Drawn(random, ahead.model, runtime=runtime, lacking=self.lacking, chapters=self.chapters)
        try:
            drawn.play(ahead)
            return self._ended(ahead)
        except MissingFunction:  # the machine's library is older than the call, which is drawn no more
            self.lacking.add(ahead.model.program.steps[-1]["call"])
            self._abandon(ahead)
            return None
        except Exception as error:  # noqa: BLE001 - one program's mistake is not the others'
            self._problem(ahead, error)
            return None
        finally:
            self.reached.steps += len(ahead.program.steps)

    def ask(self, steps: Sequence[Step], answers: Sequence[Answer], *, fresh: bool = False) -> Counterexample | None:
        """Make a program; return its difference, or None.

        Args:
            steps: Its steps.
            answers: Answers that tell the names that the steps refer to.
            fresh: Whether all processes are to be new ones.
        """
        return self.asked(steps, answers, fresh=fresh)[0]

    def asked(
        self, steps: Sequence[Step], answers: Sequence[Answer], *, fresh: bool = False
    ) -> tuple[Counterexample | None, list[int]]:
        """Make a program as :meth:`ask`; return its difference and its steps' codes."""
        self.asking()
        ahead = Ahead(self.stable, self._machine(), Reached(), fresh=fresh)
        codes: list[int] = []
        try:
            ahead.replay(steps, answers)
            codes += (int(answer["code"]) for answer in ahead.program.answers)
            return self._ended(ahead), codes
        except Exception as error:  # noqa: BLE001 - likewise
            self._problem(ahead, error)
            return None, codes

    def _ended(self, ahead: Ahead) -> Counterexample | None:
        example = counterexample_of(ahead, ahead.model, ahead.found)
        ahead.finish()
        if ahead.failed is not None:
            raise ahead.failed
        return example or counterexample_of(ahead, ahead.model, ahead.found)

    def _problem(self, ahead: Ahead, error: Exception) -> None:
        last = ahead.program.steps[-1]["call"] if ahead.program.steps else "the start"
        text = f"{type(error).__name__} after {last}: {' '.join(str(error).split())[:200]}"
        self.problems[text] = self.problems.get(text, 0) + 1
        self._abandon(ahead)

    def _abandon(self, ahead: Ahead) -> None:
        ahead.abandon()
        self._lived = WORN  # the model may have made what the card has not

    def _judged(self, example: Counterexample, number: int) -> Told:
        code = example.answers[-1]["code"]
        deadly = code < 0 or code in FAULTS  # each such answer costs the card a process
        small = smaller(self.ask, example, tries=FEW) if deadly else smaller(self.ask, example)
        kind, shown = self._kind(small)
        if kind in {"used", "once"} and len(small.steps) < len(example.steps):
            whole, again = self._kind(example)
            if whole in {"difference", "known"}:
                kind, shown = whole, again
        return Told(shown.key, shown.steps, shown.answers, str(shown.difference), number, kind)

    def _kind(self, example: Counterexample) -> tuple[str, Counterexample]:
        """Return the kind of a difference, and its program in new processes if it shows."""
        shown = [self.ask(example.steps, example.expected, fresh=True) for _ in range(AGAIN)]
        same = [one for one in shown if one is not None and one.key.codes == example.key.codes]
        if len(same) == AGAIN:
            return ("known" if self._is_known(same[0]) else "difference"), same[0]
        if self._is_known(example):
            return "known", example
        warm = self.ask(example.steps, example.expected)
        return ("used" if warm is not None and warm.key.codes == example.key.codes else "once"), example

    def _is_known(self, example: Counterexample) -> bool:
        return any(entry.covers(example.difference, example.rule, self.driver) for entry in self.known)

    def _machine(self) -> Any:
        if self._model is None or self._lived >= WORN:
            self._close_model()
            self._model = fakecuda.Machine(self.profile, strict=False, seed=0).__enter__()
            self._model.scheduler.census.alone = True  # of a program's calls each comes after the one before
            self._lived = 0
        self._lived += 1
        return self._model

    def _close_model(self) -> None:
        if self._model is not None:
            self._model.close()
            self._model = None

    def close(self) -> None:
        """End the processes and the model."""
        self.stable.close()
        self._close_model()
