"""Cases: for each call, a valid call and its variations by one difference.

``Entry`` holds them; its twists break one rule each, by an argument, a null result pointer, or a fact of the world.
``test_mem_map = entry.test()`` makes a module prove them (:mod:`conformance.runner.group`); ``entry.pairs()`` are two twists at
once, whose answers only a driver knows.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
from attrs import define, field, frozen

from conformance.kit.calls import CALLS
from conformance.kit.common import (
    ARGUMENT,
    COMMON,
    NEEDS_RULE,
    PROCESS,
    SWEEPS,
    WORLD,
    nulls,
    setter,
)
from conformance.kit.program import INSIDE
from conformance.kit.twist import Case, Then, Twist, can_join, declared, is_asked
from conformance.kit.world import Invocation, Process, World
from fakecuda.rules.registry import EVERY_OP, api_of, home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.kit.common import Act
    from conformance.kit.program import Plain
    from fakecuda.rules.core import Rule

__all__ = [
    "ARGUMENT",
    "ENTRIES",
    "PROCESS",
    "Case",
    "Entry",
    "Invocation",
    "Process",
    "Then",
    "Twist",
    "World",
    "is_asked",
]

A = TypeVar("A", bound="Callable[..., Any]")

ENTRIES: dict[str, Entry] = {}
"""Every entry by its call; importing the modules of cases fills it."""


@define(eq=False)
class Entry:
    """The cases of one entry point.

    Attributes:
        call: Its name.
        valid: Builds a world and returns the call that succeeds in it.
        then: What is called after the valid call's success, with the world, the call and its results; may be None.
        answers: What the valid call answers: a code where no machine at hand supports the call.
        profiles: The names of the profiles on which the valid call is that; empty where it is on all that have the call.
        place: The file and the line where it is declared.
    """

    call: str
    valid: Callable[[World], Invocation]
    then: Then | None = None
    answers: int = 0
    profiles: frozenset[str] = frozenset()
    place: tuple[str, int] = field(factory=declared)
    _twists: list[Twist] = field(factory=list)
    _also: list[Twist] = field(factory=list)
    _left_out: set[str] = field(factory=set)

    def __attrs_post_init__(self) -> None:
        ENTRIES[self.call] = self

    @classmethod
    def of(
        cls,
        call: str,
        arguments: Callable[[Process], tuple[Plain, ...]] | None = None,
        *,
        start: Callable[[World], Process] | None = None,
        then: Then | None = None,
        answers: int = 0,
    ) -> Entry:
        """Return the entry of a call whose valid arguments a process makes.

        Args:
            call: The call.
            arguments: Makes the arguments in C order, with what they need; None for a call without.
            start: Returns the process; by default one that is ready to make calls of the call's API.
            then: As of the entry.
            answers: As of the entry.
        """

        def valid(w: World) -> Invocation:
            a = start(w) if start else w.process_of(call)
            return a.given(call, *(arguments(a) if arguments else ()))

        return cls(call, valid, then, answers)

    @property
    def left_out(self) -> frozenset[str]:
        """The common twists that the entry leaves out."""
        return frozenset(self._left_out)

    @property
    def inputs(self) -> list[str]:
        """The names of the call's inputs, in C order."""
        return [one.name for one in CALLS[self.call].inputs]

    def rule(self, name: str) -> Rule:
        """Return the operation's rule with a constant's name, or with the end of its id.

        A rule of the call's own API comes before one of a call beneath.

        Raises:
            LookupError: There is none, or several; the text names those there are.
        """
        rules = EVERY_OP[self.call].rules
        found = [rule for rule in rules if f".{rule.id}".endswith(f".{name}")]
        if len(found) > 1:  # its own, over those of the driver's call beneath
            found = [rule for rule in found if home(rule.module) is api_of(self.call)]
        if len(found) != 1:
            known = ", ".join(rule.id for rule in found or rules)
            msg = (
                f"{self.call} has {len(found)} rules called {name}: {'say which of' if found else 'there are'} {known}"
            )
            raise LookupError(msg)
        return found[0]

    def breaks(self, rule: str, case: str = "", /, **args: Plain) -> None:
        """Break a rule by one argument: a value, or a function of the invocation.

        Args:
            rule: The rule's constant.
            case: The case's name, where the rule has several.
            args: The argument by its C name; several only where C couples them.
        """
        self._break(rule, case, setter(args), touches=self._inputs(args))

    def null(self, result: str, rule: str | None, case: str = "", /) -> None:
        """Pass a null pointer for a result.

        Args:
            result: The result's C name, or several with spaces between.
            rule: The rule that it breaks, or None where the driver accepts it.
            case: The case's name.
        """
        act, touches = nulls(result), frozenset(result.split())
        if rule is None:
            name = case or f"null-{result.replace(' ', '-')}"
            self._also.append(Twist(name, act, touches=touches))
        else:
            self._break(rule, case or result, act, touches=touches)

    def world(self, rule: str, case: str = "", /, *touches: str) -> Callable[[A], A]:
        """Decorate a function that breaks a rule by one fact of the world.

        Args:
            rule: The rule's constant.
            case: The case's name, where the rule has several.
            touches: Arguments that it gives and no other twist may change.
        """

        def declare(act: A) -> A:
            self._break(rule, case, act, frozenset(touches), stage=WORLD)
            return act

        return declare

    def undefined(self, rule: str, case: str = "", /, *touches: str, code: int, **args: Plain) -> Callable[[A], A]:
        """Break a rule whose violation is undefined; real drivers are not asked.

        With arguments as :meth:`breaks`, without as :meth:`world`. The case says the ``code`` of a permissive model: a driver's
        (``--kinds undefined`` records it) may be another one each time.
        """

        def keep() -> None:
            self._twists[-1] = attrs.evolve(self._twists[-1], code=int(code), real=False, undefined=True)

        def declare(act: A) -> A:
            self._break(rule, case, act, frozenset(touches), stage=WORLD)
            keep()
            return act

        if not args:
            return declare
        self.breaks(rule, case, **args)
        keep()
        return _no_decorator

    def model_only(self, *names: str, code: int) -> None:
        """Exclude cases, by name, from the real driver, and give their code.

        Raises:
            LookupError: There is no such case.
        """
        self._change(names, code=int(code), real=False)

    def answering(self, *names: str, code: int) -> None:
        """Give the code of cases, by name, if it is not the rule's code.

        Raises:
            LookupError: There is no such case.
        """
        self._change(names, code=int(code))

    def alone(self, *names: str) -> None:
        """Mark cases, by name, that need the card alone, because they fill or measure it.

        Raises:
            LookupError: There is no such case.
        """
        self._change(names, alone=True)

    def also(
        self, name: str, /, *, rule: str = "", code: int = 0, then: Then | None = None, **args: Plain
    ) -> Callable[[A], A]:
        """Add a call that breaks no rule, or that needs no pairs.

        With arguments, these differ from the valid call; without, it decorates a function of the world and the
        invocation, which acts before the call and may return another one.

        Args:
            name: The case's name.
            rule: The rule that it breaks, by the constant or the id: such as a call of a higher API inherits.
            code: What it answers, where that is not success or the rule's code.
            then: What is called after a success, with the world, the invocation and its results.
            args: Arguments by their C names, values or functions of the invocation.
        """
        name = name.replace(" ", "-")
        broken = self.rule(rule) if rule else None
        answer = int(code) or (self._code(broken) if broken else 0)

        def declare(act: A) -> A:
            self._also.append(Twist(name, act, broken, answer, stage=WORLD, then=then))
            return act

        if not args:
            return declare
        self._also.append(Twist(name, setter(args), broken, answer, self._inputs(args), then=then))
        return _no_decorator

    def after(self, name: str, /) -> Callable[[A], A]:
        """Decorate a function of calls to make after the valid call succeeds."""

        def declare(then: A) -> A:
            self._also.append(Twist(name.replace(" ", "-"), lambda _, invocation: invocation, then=then))
            return then

        return declare

    def without(self, *names: str) -> None:
        """Leave out common twists, by their names, or sweeps, by their rule."""
        known = {name for twists in COMMON.values() for name, *_ in twists}
        unknown = set(names) - known - {rule.rpartition(".")[2] for rule in SWEEPS}
        if unknown:
            msg = f"no such twist: {', '.join(sorted(unknown))}"
            raise LookupError(msg)
        self._left_out.update(names)

    def answers_inside(self) -> None:
        """Say that the call works inside a host function as elsewhere."""
        self.without("inside_function")
        self.also("inside of a function of the host")(lambda _, i: i.on_thread(INSIDE))

    def only(self, profile: str, /, *names: str) -> None:
        """Mark cases that hold on one profile only.

        Args:
            profile: The profile's name.
            names: Names of cases, or constants of rules for all their cases so far; without any, the valid call and every
                case of which nothing else is said.

        Raises:
            LookupError: There is no such case.
        """
        if not names:
            self.profiles = frozenset({profile})
        twists = (*self._twists, *self._also)
        of_rules = {t.name for t in twists if t.rule is not None and t.rule.id.rpartition(".")[2] in names}
        constants = {t.rule.id.rpartition(".")[2] for t in twists if t.rule is not None}
        self._change((*of_rules, *(name for name in names if name not in constants)), profiles=frozenset({profile}))

    def singles(self) -> list[Case]:
        """Return the valid case, the cases with one twist, and other valid cases."""
        return [Case(self), *(Case(self, (twist,)) for twist in (*self._twists, *self._common(), *self._also))]

    def broken(self) -> set[Rule]:
        """Return the rules that the cases with one twist break."""
        return {twist.rule for twist in (*self._twists, *self._common(), *self._also) if twist.rule is not None}

    def pairs(self) -> list[Case]:
        """Return all pairs of twists that change different things."""
        pairs = [Case(self, (a, b)) for a, b in combinations((*self._twists, *self._common()), 2) if can_join(a, b)]
        return sorted(pairs, key=lambda case: case.after_destruction is not None)

    def test(self) -> Cases:
        """Return the ``test_…`` object of a module, from which pytest makes checks."""
        return Cases((self,))

    def _change(self, names: tuple[str, ...], **changes: Any) -> None:
        unknown = set(names) - {twist.name for twist in (*self._twists, *self._also)}
        if unknown:
            msg = f"{self.call} has no such case: {', '.join(sorted(unknown))}"
            raise LookupError(msg)
        for twists in (self._twists, self._also):
            twists[:] = [attrs.evolve(twist, **changes) if twist.name in names else twist for twist in twists]

    def _break(
        self,
        rule: str,
        case: str,
        act: Act,
        touches: frozenset[str] = frozenset(),
        stage: int = ARGUMENT,
    ) -> None:
        found = self.rule(rule)
        short = found.id.rpartition(".")[2]
        same = [twist for twist in self._twists if twist.rule is found]
        suffix = case.replace(" ", "-") or (str(len(same) + 1) if same else "")
        name = f"{short}-{suffix}" if suffix else short
        reported = found.grade == "undefined"
        self._twists.append(Twist(name, act, found, self._code(found), touches, stage, undefined=reported))

    def _code(self, rule: Rule) -> int:
        """Return the API's code for a broken rule."""
        return int(api_of(self.call).code(rule.code))

    def _inputs(self, args: dict[str, Plain]) -> frozenset[str]:
        known = self.inputs
        if not args or not set(args) <= set(known):
            msg = f"{self.call} takes ({', '.join(known)}), not ({', '.join(args)})"
            raise LookupError(msg)
        return frozenset(args)

    def _common(self) -> list[Twist]:
        rules = {rule.id.rpartition(".")[2]: rule for rule in EVERY_OP[self.call].rules}
        twists = []
        for name, act, constant, stage in COMMON[api_of(self.call)]:
            rule = rules.get(constant)
            if name in self._left_out or (name in NEEDS_RULE and rule is None):
                continue
            code = self._code(rule) if rule else self.answers
            twists.append(Twist(name, act, rule, code, stage=stage, place=self.place))
        return [*twists, *self._swept()]

    def _swept(self) -> Iterator[Twist]:
        """Yield the twists of sweeps, except for rules that the entry breaks itself."""
        own = {twist.rule for twist in (*self._twists, *self._also)}
        for rule in api_of(self.call).of_rules(EVERY_OP[self.call]):
            name, found = rule.id.rpartition(".")[2], SWEEPS.get(rule.id)
            if found is None or rule in own or name in self._left_out:
                continue
            for case, act, touches in found.changes(CALLS[self.call]):
                label = f"{name}-{case}" if case else name
                reported = rule.grade == "undefined"
                how: dict[str, Any] = {"undefined": reported, "profiles": found.profiles, "place": found.place}
                yield Twist(label, act, rule, self._code(rule), touches, **how)


@frozen
class Cases:
    """The cases of entries and their pairs, for pytest.

    Attributes:
        entries: The entries.
    """

    entries: tuple[Entry, ...]


def suite(*entries: Entry) -> Cases:
    """Return the ``test_…`` object of a module with several entries."""
    return Cases(entries)


def _no_decorator(_: A) -> A:
    msg = "this case is complete with its arguments: it decorates no function"
    raise TypeError(msg)
