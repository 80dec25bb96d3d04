"""Results of the runs, stored in ``results.json``."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from attrs import asdict, evolve, field, frozen

from tools.clients import card
from tools.clients.suites import HERE

if TYPE_CHECKING:
    from pathlib import Path

    from tools.clients.places import Place
    from tools.clients.suites import Suite

RESULTS = HERE / "results.json"
ENDED = "the run ended before the test did"
SUPPRESSED = "suppressed"
NOT_MODELLED = "not modelled"
"""Text in a test's error between the unmodelled calls that it made and the error itself."""
PACKAGES = re.compile(r"/\S*/site-packages/")
"""Matches the path of an environment's packages, which is removed from texts."""
WORST = ("passed", "expected", "skipped", "failed")
"""Outcomes of a test's phases, the worst last. The worst outcome counts."""


@frozen
class Result:
    """The result of a suite's run.

    Attributes:
        commit: The commit of the source; empty without one.
        releases: The installed releases of the suite's packages.
        python: The version of Python.
        passed: The number of passed tests.
        expected: The number of tests that failed as the suite expects.
        skipped: The numbers of skipped tests, by the suite's reason.
        failed: The errors of failed tests.
        suppressed: The numbers of tests with suppressed undefined behaviour, by rule and module.
        card: The number of tests that pass on a card, of those that the suite has here.
        missing: What happened here to the tests that pass on a card and not here.
    """

    commit: str
    releases: dict[str, str]
    python: str
    passed: int
    expected: int
    skipped: dict[str, int]
    failed: dict[str, str]
    suppressed: dict[str, int] = field(factory=dict)
    card: int = 0
    missing: dict[str, str] = field(factory=dict)

    @property
    def tests(self) -> int:
        """The number of all tests."""
        return self.passed + self.expected + sum(self.skipped.values()) + len(self.failed)


def run(suite: Suite, place: Place, scratch: Path, limit: float) -> Result:
    """Run a suite.

    Args:
        suite: The suite.
        place: The place of the suite.
        scratch: A folder for the report and for pytest's output.
        limit: The time limit in seconds. Tests that have not ended by then count as failed.
    """
    report, output = scratch / f"{suite.name}.jsonl", scratch / f"{suite.name}.txt"
    command: list[str | Path] = [
        *(
            place.python,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "tools.clients.simulated",
            "-p",
            "tools.clients.kernels",
        ),
        # With "=" between them: pytest takes separate arguments for paths when it looks for its root.
        *(f"--client-profile={suite.profile}", f"--client-report={report}", "--tb=short", *suite.options),
        *(["--client-one-machine"] if suite.one_machine else ()),
        *(["--client-linked"] if suite.linked else ()),
        *(f"--client-together={name}" for one in suite.together for name in one.classes),
        *(("-o", "fakecuda_suppress=" + "\n".join(map(str, suite.suppressed))) if suite.suppressed else ()),
        *(_without(test) for one in suite.left_out for test in one.tests),
        *suite.arguments,
    ]
    report.write_text("")
    with output.open("wb") as file:
        process = subprocess.Popen(
            command, cwd=place.folder, env=_environment(suite, place), stdout=file, stderr=subprocess.STDOUT
        )
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    if not lines:
        sys.stdout.write(output.read_text(errors="replace")[-4000:])
    version = "import sys; print('.'.join(map(str, sys.version_info[:2])))"
    python = subprocess.run([place.python, "-c", version], capture_output=True, text=True, check=True).stdout.strip()
    made = gathered(lines, str(place.folder), place.commit, _releases(suite, place), python)
    return beside(made, suite, outcomes(lines, str(place.folder)), card.load().get(suite.name, {}))


def gathered(
    lines: list[dict[str, str]], folder: str, commit: str = "", releases: dict[str, str] | None = None, python: str = ""
) -> Result:
    """Return the result of a report.

    The worst phase of a test counts; an unfinished test counts as failed.

    Args:
        lines: The lines of the report.
        folder: The folder of the run, which is removed from texts.
        commit: The commit.
        releases: The installed releases.
        python: The version of Python.
    """
    ends = outcomes(lines, folder)
    calls: dict[str, dict[str, None]] = {}
    suppressed: dict[str, set[str]] = {}
    for line in lines:
        if line["outcome"] == NOT_MODELLED:
            calls.setdefault(line["test"], {})[line["text"]] = None
        elif line["outcome"] == SUPPRESSED:
            suppressed.setdefault(line["text"].partition(":")[0], set()).add(line["test"])
    counts = Counter(outcome for outcome, _ in ends.values())
    skipped = Counter(text for outcome, text in ends.values() if outcome == "skipped")
    failed = {
        test: f"{', '.join(calls[test])} {NOT_MODELLED}: {text}" if test in calls else text
        for test, (outcome, text) in sorted(ends.items())
        if outcome == "failed"
    }
    skips = dict(sorted(skipped.items(), key=lambda one: (-one[1], one[0])))
    of = {what: len(tests) for what, tests in suppressed.items()}
    return Result(commit, releases or {}, python, counts["passed"], counts["expected"], skips, failed, of)


def outcomes(lines: list[dict[str, str]], folder: str) -> dict[str, tuple[str, str]]:
    """Return the outcome and the text of each test of a report.

    Args:
        lines: The lines of the report.
        folder: The folder of the run, which is removed from texts.
    """
    ends: dict[str, tuple[str, str]] = {}
    begun: list[str] = []
    for line in lines:
        test, outcome, text = line["test"], line["outcome"], PACKAGES.sub("", line["text"].replace(f"{folder}/", ""))
        if outcome == "begun":
            begun.append(test)
        elif outcome not in WORST:
            continue
        elif test not in ends or WORST.index(outcome) > WORST.index(ends[test][0]):
            ends[test] = (outcome, text)
        elif outcome == "failed" and text not in ends[test][1]:  # in another phase, which may say why
            ends[test] = (outcome, f"{ends[test][1]}; {text}")
    for test in begun:
        ends.setdefault(test, ("failed", ENDED))
    return ends


def beside(result: Result, suite: Suite, ends: card.Ends, there: card.Ends) -> Result:
    """Return a result with its comparison with a card.

    Args:
        result: The result.
        suite: The suite.
        ends: The outcomes here.
        there: The outcomes on the card.
    """
    left_out = {test: one.why for one in suite.left_out for test in one.tests}
    passed = len(card.passed(ends, there, left_out))
    return evolve(result, card=passed, missing=card.missing(ends, there, left_out))


def load(path: Path = RESULTS) -> dict[str, Result]:
    """Return the results of the last runs, by suite."""
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: Result(**keys) for name, keys in kept.items()}


def save(results: dict[str, Result], path: Path = RESULTS) -> None:
    """Write results to a file."""
    text = json.dumps({name: asdict(one) for name, one in results.items()}, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def _environment(suite: Suite, place: Place) -> dict[str, str] | None:
    """Return the environment of a suite's run, or None if it is this process's."""
    if not suite.environment:
        return None
    program = "import sysconfig; print(sysconfig.get_path('platlib'))"
    done = subprocess.run([place.python, "-c", program], capture_output=True, text=True, check=True)
    return {
        **os.environ,
        **{name: text.format(packages=done.stdout.strip()) for name, text in suite.environment.items()},
    }


def _without(test: str) -> str:
    """Return pytest's option for leaving out a test or a file."""
    return f"--deselect={test}" if "::" in test else f"--ignore-glob={test}"


def _releases(suite: Suite, place: Place) -> dict[str, str]:
    names = [package.partition("==")[0].partition("[")[0] for package in suite.packages]
    program = "import sys, importlib.metadata as m; print(*map(m.version, sys.argv[1:]))"
    done = subprocess.run([place.python, "-c", program, *names], capture_output=True, text=True, check=True)
    return dict(zip(names, done.stdout.split(), strict=True))
