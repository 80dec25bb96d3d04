"""The reasons for failures of clients' tests, from ``reasons.toml``."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from attrs import field, frozen

from tools.clients.suites import HERE, texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tools.clients.results import Result

KINDS = {
    "kernels": "needs kernels, a compiler or graphs",
    "call": "a call is not modelled",
    "client": "the client's suite or its packages",
    "system": "the machine of the run lacks something",
    "model": "fakecuda differs from a driver",
}
"""The kinds of reasons, with their texts on the page."""


@frozen
class Reason:
    """A reason for the failure of some tests.

    Attributes:
        suites: Names of suites; ``*`` stands for any text.
        tests: Ids of tests; ``*`` stands for any text.
        kind: A key of KINDS.
        why: The reason.
        error: A text that the error of each test contains; may be empty.
    """

    suites: tuple[str, ...] = field(converter=texts)
    tests: tuple[str, ...] = field(converter=texts)
    kind: str = field()
    why: str
    error: str = ""

    @kind.validator
    def _is_known(self, _: object, kind: str) -> None:
        if kind not in KINDS:
            msg = f"reason of kind {kind!r}: use one of {', '.join(KINDS)}"
            raise ValueError(msg)

    def explains(self, suite: str, pattern: str, test: str, error: str) -> bool:
        """Return whether the reason, with one of its patterns, explains a failed test."""
        return any(_like(one, suite) for one in self.suites) and _like(pattern, test) and self.error in error


@frozen
class Judgement:
    """The result of matching failures with reasons.

    Attributes:
        explained: The tests that each reason explains, by suite.
        unexplained: The tests without a reason, with their errors, by suite.
        stale: Reasons, each with a pattern or a suite that matches no failure any more.
    """

    explained: dict[str, dict[Reason, list[str]]]
    unexplained: dict[str, dict[str, str]]
    stale: list[tuple[Reason, str]]


def reasons(path: Path = HERE / "reasons.toml") -> list[Reason]:
    """Return the reasons, in the order of the file.

    The first match explains a failure.
    """
    return [Reason(**one) for one in tomllib.loads(path.read_text(encoding="utf-8")).get("reason", ())]


def judge(results: Mapping[str, Result], known: Sequence[Reason]) -> Judgement:
    """Match failures and reasons. Reasons of suites without results are not stale."""
    made = Judgement({name: {} for name in results}, {}, [])
    used: set[tuple[Reason, str]] = set()
    for suite, result in results.items():
        for test, error in result.failed.items():
            first: Reason | None = None
            for reason in known:
                patterns = [one for one in reason.tests if reason.explains(suite, one, test, error)]
                used.update((reason, one) for one in patterns)
                if patterns and first is None:
                    first = reason
                    used.update((reason, one) for one in reason.suites if _like(one, suite))
            if first is None:
                made.unexplained.setdefault(suite, {})[test] = error
            else:
                made.explained[suite].setdefault(first, []).append(test)
    for reason in known:
        about = [one for one in reason.suites if any(_like(one, suite) for suite in results)]
        made.stale.extend(
            (reason, one) for one in (*about, *(reason.tests if about else ())) if (reason, one) not in used
        )
    return made


def _like(pattern: str, text: str) -> bool:
    """Return whether a text matches a pattern, in which only ``*`` is special."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None
