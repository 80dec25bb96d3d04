"""Runs the gates and the tests for what is touched, and compares generated files.

``python -m tools.touched.gates PLAN OUT`` reads a plan as JSON, and writes the failures as JSON. Parameters of gates
about other calls, rules, files or pages are left out.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from attrs import define, field

from tools.touched.what import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

GATES = (
    *(f"tests/ledger/test_{name}.py" for name in ("evidence", "ledger_pairs", "readings", "sentences")),
    "tests/ledger/test_pages.py::test_nothing_is_said_twice",
    "tests/reports/test_rule.py",
    *(f"tests/rules/test_{name}.py" for name in ("rules", "effects", "index", "layers", "fixed_arity")),
)
"""The gates for rules, cases and evidence."""
LEFT_OUT = {"test_the_command_counts"}
"""Tests of the gates' own commands, which take seconds."""
STEPS = ("index", "pages")
"""Steps of the generators whose files depend on rules, cases and evidence."""
LINES = 12
"""Maximum number of lines of a difference."""
QUIET = (
    "-qq",
    "--no-header",
    "-pno:cacheprovider",
    "--continue-on-collection-errors",
    "-n0",
    "-overbosity_assertions=2",
)
COMMAND = "python -m pytest"


@define(eq=False)
class Gate:
    """A pytest plugin that leaves out other parameters, and keeps the failures.

    Attributes:
        mine: The touched calls, ids of rules, files and pages, as parameters name them.
        known: The same for the whole checkout.
        gates: Files whose parameters may be left out. All parameters of other tests run.
        failures: The failures: name, text and command.
        count: The number of tests that ran.
    """

    mine: set[str]
    known: set[str]
    gates: set[str]
    failures: list[dict[str, str]] = field(factory=list)
    count: int = 0

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep a collection error."""
        if report.failed:
            self._fail(report.nodeid, report.longreprtext)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out parameters of gates about other things."""
        items[:] = [item for item in items if not self._is_foreign(item)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a failure."""
        self.count += report.when == "call"
        if report.failed:
            self._fail(report.nodeid, report.longreprtext)

    def _is_foreign(self, item: pytest.Item) -> bool:
        if not any(item.nodeid.startswith(gate) for gate in self.gates):
            return False
        if item.name in LEFT_OUT or not hasattr(item, "callspec"):
            return item.name in LEFT_OUT
        names = {str(getattr(value, "id", value)) for value in item.callspec.params.values()}
        about = names & self.known
        return bool(about) and not about & self.mine

    def _fail(self, name: str, text: str) -> None:
        lines = [line for line in text.splitlines() if re.match(r"E  (?! +\+)", line)]  # without where values come from
        short = "\n".join(line[1:].removeprefix("   ") for line in lines) if lines else text
        self.failures.append({"name": name, "text": short, "command": f"{COMMAND} '{name}'"})


def names(files: Iterable[str], calls: Iterable[str], chapters: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the names in parameters of gates: of what is touched, and of everything.

    Args:
        files: The touched files.
        calls: The touched calls.
        chapters: The touched chapters.
    """
    from fakecuda.rules.registry import EVERY_API, EVERY_OP, every_rule  # noqa: PLC0415 - what is touched may be broken

    wanted = set(files)
    every = {rule.id: f"{rule.module.replace('.', '/')}.py" for rule in every_rule(*EVERY_API.values())}
    paths = {path.relative_to(ROOT).as_posix() for path in (ROOT / "fakecuda").rglob("*.py")}
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs/rules").rglob("*.md")}
    mine = {*calls, *(rule for rule, path in every.items() if path in wanted), *wanted}
    mine |= {path.removeprefix("fakecuda/") for path in wanted} | {f"rules/{chapter}.md" for chapter in chapters}
    return mine, {*EVERY_OP, *every, *paths, *(path.removeprefix("fakecuda/") for path in paths), *pages}


def run(plan: dict[str, Any]) -> dict[str, Any]:
    """Run a plan's gates, tests and comparison.

    Return the failures and the number of tests.
    """
    failures: list[dict[str, str]] = []
    count = 0
    paths = [path for path in (*plan["gates"], *plan["tests"]) if (ROOT / path.partition("::")[0]).exists()]
    if paths:
        try:
            mine, known = names(plan["files"], plan["calls"], plan["chapters"])
        except Exception:  # noqa: BLE001 - the tests report what is broken
            mine, known = set(), set()
        gate = Gate(mine, known, set(plan["gates"]) - set(plan["tests"]))
        status = pytest.main([*QUIET, *paths], plugins=[gate])
        failures, count = gate.failures, gate.count
        if not failures and status not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            text = f"pytest ended with status {int(status)}"
            failures = [{"name": "gates and tests", "text": text, "command": f"{COMMAND} {' '.join(paths)}"}]
    for step in plan["steps"]:
        failures += differences(step)
    return {"failures": failures, "count": count}


def differences(name: str) -> list[dict[str, str]]:
    """Return a failure for each differing file of a generators' step.

    It has the first differing lines.
    """
    command = f"python -m tools.codegen {name}"
    try:
        from tools.codegen.steps import STEPS as KNOWN  # noqa: PLC0415 - a broken rule must not keep the tests from running

        if KNOWN[name].lacks:
            return []
        differing = KNOWN[name].differing()
    except Exception:  # noqa: BLE001 - every error is a failure
        last = "".join(traceback.format_exc().splitlines(keepends=True)[-LINES:]).rstrip()
        return [{"name": f"generated: {name}", "text": last, "command": command}]
    failures = []
    for path, text in sorted(differing.items()):
        place = path.relative_to(ROOT).as_posix()
        there = path.read_text() if path.exists() else ""
        failures.append({"name": place, "text": short(there, text or ""), "command": command})
    return failures


def short(there: str, generated: str) -> str:
    """Return the first lines in which a file differs from its generated content."""
    lines = list(
        difflib.unified_diff(there.splitlines(), generated.splitlines(), "committed", "generated", lineterm="", n=0)
    )
    more = len(lines) - LINES
    return "\n".join([*(line[:200] for line in lines[:LINES]), *([f"... {more} more lines"] if more > 0 else [])])


if __name__ == "__main__":
    os.chdir(ROOT)
    Path(sys.argv[2]).write_text(json.dumps(run(json.loads(Path(sys.argv[1]).read_text()))))
