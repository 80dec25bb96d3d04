"""Why tests of clients fail: ``reasons.toml``."""

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
    "client": "the client's suite, or what it was installed with",
    "system": "what the machine of the run lacks",
    "model": "fakecuda differs from a driver",
}
"""What a reason may be about, and how the page says it."""


@frozen
class Reason:
    """Why some tests fail.

    Attributes:
        suites: The suites that it is about, by name; ``*`` stands for anything.
        tests: The tests, by their ids; ``*`` stands for anything.
        kind: One of KINDS.
        why: The reason.
        error: A part of each test's error; may be empty.
    """

    suites: tuple[str, ...] = field(converter=texts)
    tests: tuple[str, ...] = field(converter=texts)
    kind: str = field()
    why: str
    error: str = ""

    @kind.validator
    def _is_known(self, _: object, kind: str) -> None:
        if kind not in KINDS:
            msg = f"a reason of kind {kind!r}: write one of {', '.join(KINDS)}"
            raise ValueError(msg)

    def explains(self, suite: str, pattern: str, test: str, error: str) -> bool:
        """Return whether one of its patterns is about a test that failed."""
        return any(_like(one, suite) for one in self.suites) and _like(pattern, test) and self.error in error


@frozen
class Judgement:
    """What the reasons say of results.

    Attributes:
        explained: The tests that each reason explains, by suite.
        unexplained: The tests that none explains, with their errors, by suite.
        stale: Reasons, with the pattern or the suite that is about no failure any more.
    """

    explained: dict[str, dict[Reason, list[str]]]
    unexplained: dict[str, dict[str, str]]
    stale: list[tuple[Reason, str]]


def reasons(path: Path = HERE / "reasons.toml") -> list[Reason]:
    """Return the reasons, in the order of the file; the first that is about a failure explains it."""
    return [Reason(**one) for one in tomllib.loads(path.read_text(encoding="utf-8")).get("reason", ())]


def judge(results: Mapping[str, Result], known: Sequence[Reason]) -> Judgement:
    """Match failures and reasons; of suites without a result no reason is stale."""
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
    """Return whether a text is like a pattern, of which ``*`` alone stands for something else."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None
