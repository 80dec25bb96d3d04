"""Rules, and the exception that says that a rule is broken.

A rule is a named constant of the module of the entry point that it governs; its id is its path below ``fakecuda.rules``,
without the ``driver.`` of the driver's own (``va.mapped.MAPPINGS_ARE_WHOLE``). A check raises :meth:`Rule.broken`.
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
"""Modules of rules stand below it, in a package for each API."""


def place(module: str) -> str:
    """Return a module's name in ids: its path below the driver's rules, or below all rules for another API."""
    return module.removeprefix(RULES).removeprefix("driver.")


@frozen
class Source:
    """Where a rule comes from.

    Attributes:
        grade: ``manual``, ``observed``, ``undefined``, ``source`` or ``hip-tests``.
        call: The function whose documentation or answer it is.
        quote: The manual's words, or what was observed and where it is recorded.
    """

    grade: str
    call: str
    quote: str


def manual(call: str, quote: str) -> Source:
    """Return the source of a rule that the documentation of ``call`` states in the words ``quote``."""
    return Source("manual", call, quote)


def observed(call: str, note: str) -> Source:
    """Return the source of a rule that a real driver showed; recorded programs under conformance/ hold the answers."""
    return Source("observed", call, note)


def undefined(call: str, quote: str) -> Source:
    """Return the source of a rule whose breach the manual calls undefined or does not mention."""
    return Source("undefined", call, quote)


def source(call: str, note: str) -> Source:
    """Return the source of a rule that was read in the sources of an implementation, ROCm/clr."""
    return Source("source", call, note)


def hip_tests(call: str, note: str) -> Source:
    """Return the source of a rule that the tests of HIP's authors state, ROCm/hip-tests."""
    return Source("hip-tests", call, note)


class Rule:
    """One thing that must hold for a call to succeed.

    Args:
        statement: The rule in positive wording.
        code: The code that the driver answers when it is broken.
        source: Where it comes from.
        fix: What to change in code that breaks it, in one sentence that begins with a verb: "pass 0 for the flags".
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
        """The grade of the evidence: ``manual``, ``observed``, ``undefined``, ``source`` or ``hip-tests``."""
        return self.source.grade

    @property
    def id(self) -> str:
        """The rule's name behind the :func:`place` of its module."""
        if not self._id:
            names = (name for name, value in vars(sys.modules[self.module]).items() if value is self)
            self._id = f"{place(self.module)}.{next(names)}"
        return self._id

    def broken(self, **facts: Any) -> Broken:
        """Return the exception for this broken rule, with the facts that broke it."""
        return Broken(self, facts)

    def __repr__(self) -> str:
        return f"<Rule {self.id}: {self.statement}>"


class Broken(Exception):  # noqa: N818 - it is no error of the program; it never leaves Op.invoke
    """A rule does not hold; raised by operations, converted to a code by ``Op.invoke``.

    Args:
        rule: The rule.
        facts: Values and objects that broke it.
        code: The code that the call answers. Default: the rule's code.

    Attributes:
        outs: The results that the call returns anyway, or None.
    """

    __slots__ = ("code", "facts", "outs", "rule")

    def __init__(self, rule: Rule, facts: dict[str, Any], code: int | None = None) -> None:
        super().__init__()
        self.rule = rule
        self.facts = facts
        self.code = int(rule.code if code is None else code)
        self.outs: Any = None

    def telling(self, outs: Any) -> Broken:
        """Return this exception with results that the call returns anyway."""
        self.outs = outs
        return self


TOGETHER: list[Rule] = []
"""Rules that several calls break together, so that they belong to no single operation."""
GUARDS: set[Callable[..., Any]] = set()


def guard(function: Callable[P, T]) -> Callable[P, T]:
    """Declare a helper that checks rules for several operations. Its rules count as theirs."""
    GUARDS.add(function)
    return function
