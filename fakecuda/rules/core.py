"""Rules, and the exception that reports a broken rule.

A rule is a named constant in the module of the entry point that it governs. Its id is its path below
``fakecuda.rules``, without ``driver.`` for the driver's rules (``va.mapped.MAPPINGS_ARE_WHOLE``). An operation that
finds it broken raises :meth:`Rule.broken`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.spec.codes import Code

P = ParamSpec("P")
T = TypeVar("T")
RULES = "fakecuda.rules."
"""The prefix of modules with rules, before the package of an API."""


def place(module: str) -> str:
    """Return a module's path in ids, below the driver's rules or below all rules."""
    return module.removeprefix(RULES).removeprefix("driver.")


@frozen
class Source:
    """The source of a rule: a manual, an observation, or a maker's code.

    Attributes:
        grade: ``manual``, ``observed``, ``undefined``, ``source`` or ``hip-tests``.
        call: The function whose documentation or answer is the source.
        quote: The manual's words, or the observation and where it is recorded.
    """

    grade: str
    call: str
    quote: str


def manual(call: str, quote: str) -> Source:
    """Return the source of a rule that a call's documentation states as ``quote``."""
    return Source("manual", call, quote)


def observed(call: str, note: str) -> Source:
    """Return the source of a rule that a real driver has shown.

    The recorded programs under conformance/ have its answers.
    """
    return Source("observed", call, note)


def undefined(call: str, quote: str) -> Source:
    """Return the source of a rule whose violation the manual calls undefined.

    It also stands for rules on which the manual is silent.
    """
    return Source("undefined", call, quote)


def source(call: str, note: str) -> Source:
    """Return the source of a rule from the sources of an implementation, ROCm/clr."""
    return Source("source", call, note)


def hip_tests(call: str, note: str) -> Source:
    """Return the source of a rule from the tests of HIP's authors, ROCm/hip-tests."""
    return Source("hip-tests", call, note)


class Rule:
    """A condition for a call to succeed.

    Args:
        statement: The rule in positive wording.
        code: The code that the driver returns if the rule is broken.
        source: The source of the rule.
        fix: What to change in code that breaks it. A sentence that begins with a verb, such as "pass 0 for the flags".
    """

    __slots__ = ("_id", "code", "fix", "module", "source", "statement")

    def __init__(self, statement: str, code: Code, source: Source, *, fix: str) -> None:
        self.statement = statement
        self.code = code
        self.source = source
        self.fix = fix
        self.module: str = sys._getframe(1).f_globals["__name__"]  # noqa: SLF001 - the id is the path
        self._id = ""

    @property
    def grade(self) -> str:
        """The grade of the rule's source."""
        return self.source.grade

    @property
    def id(self) -> str:
        """The rule's id: the :func:`place` of its module, and its name there."""
        if not self._id:
            names = (name for name, value in vars(sys.modules[self.module]).items() if value is self)
            self._id = f"{place(self.module)}.{next(names)}"
        return self._id

    def broken(self, **facts: Any) -> Broken:
        """Return an exception that reports the rule as broken, with the facts."""
        return Broken(self, facts)

    def __repr__(self) -> str:
        return f"<Rule {self.id}: {self.statement}>"


class Broken(Exception):  # noqa: N818 - not an error of the program; it never leaves Op.invoke
    """A rule does not hold.

    An operation raises this, and ``Op.invoke`` converts it to a code.

    Args:
        rule: The rule.
        facts: The values and objects that broke the rule.
        code: The code of this call, if it differs from the rule's code. None for the rule's code.

    Attributes:
        outs: The results that the call returns in spite of the failure. None without any.
    """

    __slots__ = ("code", "facts", "outs", "rule")

    def __init__(self, rule: Rule, facts: dict[str, Any], code: int | None = None) -> None:
        super().__init__()
        self.rule = rule
        self.facts = facts
        self.code = int(rule.code if code is None else code)
        self.outs: Any = None

    def beside(self, **facts: Any) -> None:
        """Add facts."""
        self.facts |= facts

    def telling(self, outs: Any) -> Broken:
        """Set the results that the failed call returns, and return the exception."""
        self.outs = outs
        return self


TOGETHER: list[Rule] = []
"""Hook: rules that calls break together, so that no call has them for its own. Their modules add them on import.

An operation does not name such a rule, and must not raise it.
"""
GUARDS: set[Callable[..., Any]] = set()
"""Hook: functions that check rules for several operations. ``guard`` adds them, and so does the registry for operations below.

Their rules count as those of each operation that calls them. They must not change the model.
"""


def guard(function: Callable[P, T]) -> Callable[P, T]:
    """Declare a function that checks rules for several operations.

    The function's rules count as rules of each of them.
    """
    GUARDS.add(function)
    return function
