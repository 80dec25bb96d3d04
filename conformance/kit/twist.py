"""Cases: a call in a world, its differences from the valid call, and its answer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeAlias

import attrs
from attrs import field, frozen

from conformance.kit.calls import CALLS
from conformance.kit.common import ARGUMENT, CONTEXT, TEARDOWN, THREAD, destroyed_context
from fakecuda.rules.registry import DRIVER, FORMS, HIP, RUNTIME, api_of
from fakecuda.spec.codes import TO_HIP
from realcuda.guard import guarded

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from conformance.kit.case import Entry
    from conformance.kit.common import Act
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World
    from fakecuda.profiles import Profile
    from fakecuda.rules.core import Rule

Then: TypeAlias = "Callable[[World, Invocation, tuple[Plain, ...]], None]"

ASKED = {DRIVER, FORMS, RUNTIME}
"""The APIs whose calls are also made on a real driver."""
COMPILED = frozenset({"cudaGetKernel"})
"""Calls that only succeed in programs compiled by nvcc."""


def is_asked(call: str) -> bool:
    """Return whether a real driver can be asked a call."""
    return api_of(call) in ASKED and call not in COMPILED and CALLS[call].bound


def declared() -> tuple[str, int]:
    """Return the file and line in the module of cases that is being imported."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - as stacks are taken
    place = "", 0
    while frame is not None and not place[0].rpartition("/")[2].startswith("test_"):
        place = frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return place


@frozen
class Twist:
    """One difference from the valid call.

    Attributes:
        name: What the case is called.
        act: Makes the difference: it gets the world and the call, and may return another call.
        rule: The rule that it breaks, or None.
        code: What the call answers.
        touches: The arguments that it changes.
        stage: When it acts, before which others.
        then: What is called after a success, with the world, the call and its results.
        real: Whether the real driver is asked.
        undefined: Whether a strict model must report the rule.
        alone: Whether nothing else may use the card meanwhile.
        profiles: The names of the profiles on which it holds; empty where it holds on all that have the call.
        place: The file and the line where it is declared.
    """

    name: str
    act: Act
    rule: Rule | None = None
    code: int = 0
    touches: frozenset[str] = frozenset()
    stage: int = ARGUMENT
    then: Then | None = None
    real: bool = True
    undefined: bool = False
    alone: bool = False
    profiles: frozenset[str] = frozenset()
    place: tuple[str, int] = field(factory=declared)


@frozen
class Case:
    """A call in a world, with its answer.

    Attributes:
        entry: The entry.
        twists: What differs from the valid call.
    """

    entry: Entry
    twists: tuple[Twist, ...] = ()

    @property
    def id(self) -> str:
        """The id of the case, such as ``cuMemMap[FLAGS_ARE_ZERO]``."""
        return f"{self.entry.call}[{self.name}]"

    @property
    def name(self) -> str:
        """The names of the case's twists, or ``valid``."""
        return "+".join(twist.name for twist in self.twists) or "valid"

    @property
    def rule(self) -> Rule | None:
        """The rule that a case with one twist breaks."""
        rule = self.twists[0].rule if len(self.twists) == 1 else None
        return rule if rule is not None and rule.code and self.code else None

    @property
    def real(self) -> bool:
        """Whether the case is also run on a real driver."""
        return is_asked(self.entry.call) and all(twist.real for twist in self.twists)

    @property
    def profiles(self) -> frozenset[str]:
        """The profiles of the case; empty if it holds on all."""
        return frozenset().union(*(twist.profiles for twist in self.twists)) or self.entry.profiles

    def on(self, profile: Profile) -> Case | None:
        """Return the case on a profile; None if it does not apply there.

        A HIP runtime checks some rules with codes of its own, and others not at all.
        """
        named = [twist.profiles or self.entry.profiles for twist in self.twists] or [self.entry.profiles]
        if any(names and profile.name not in names for names in named):
            return None
        if api_of(self.entry.call) is not HIP:
            return self
        if self.entry.call in profile.hip.lacks:
            return None
        codes, twists = profile.hip.rules, []
        for twist in self.twists:
            code = codes.get(twist.rule.id, twist.code) if twist.rule else twist.code
            if code is None:
                return None
            other = twist.rule is not None and twist.rule.id in codes
            twists.append(attrs.evolve(twist, code=TO_HIP.get(code, code)) if other else twist)
        return attrs.evolve(self, twists=tuple(twists))

    @property
    def guarded(self) -> bool:
        """Whether the call needs ``--allow-multicast`` on a real driver."""
        return guarded(self.entry.call)

    @property
    def alone(self) -> bool:
        """Whether the case needs the card alone."""
        return any(twist.alone for twist in self.twists)

    @property
    def after_destruction(self) -> Twist | None:
        """The twists of a pair with a destroyed context that can share a world."""
        others = [twist for twist in self.twists if twist.act is not destroyed_context]
        shared = len(self.twists) == len(others) + 1 and len(others) == 1 and others[0].stage in {ARGUMENT, THREAD}
        return others[0] if shared else None

    @property
    def undefined(self) -> bool:
        """Whether a strict model must report the case's rule."""
        return len(self.twists) == 1 and self.twists[0].undefined

    @property
    def code(self) -> int:
        """The code of a case with at most one twist."""
        return self.twists[0].code if self.twists else self.entry.answers

    def prepare(self, world: World) -> Invocation:
        """Build the world and return the case's call."""
        return self.twisted(world, self.entry.valid(world))

    def twisted(self, world: World, valid: Invocation) -> Invocation:
        """Return the case's call from the valid call of a world."""
        invocation = valid
        for twist in sorted(self.twists, key=lambda one: one.stage):
            invocation = twist.act(world, invocation) or invocation
        return invocation

    @property
    def of_arguments(self) -> bool:
        """Whether the case differs from the valid call only in arguments."""
        return all(twist.stage == ARGUMENT for twist in self.twists)

    def observe(self, world: World, invocation: Invocation, results: tuple[Plain, ...]) -> None:
        """Make the calls that follow a successful call."""
        for then in [self.entry.then] if not self.twists else [twist.then for twist in self.twists]:
            if then is not None:
                then(world, invocation, results)


def can_join(one: Twist, other: Twist) -> bool:
    """Return whether two twists can be combined.

    Of a driver that is torn down, and inside of a function that a stream calls, every call answers alike; pairs would
    say no more.
    """
    return (
        TEARDOWN not in {one.stage, other.stage}
        and not one.touches & other.touches
        and not (one.stage >= CONTEXT and other.stage >= CONTEXT)
    )
