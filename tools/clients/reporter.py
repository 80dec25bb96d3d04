"""A pytest plugin that reports the results of a client's suite, on a simulated machine or on a card.

On a machine with a card: ``pytest -p tools.clients.reporter --client-report=FILE``, with the suite's arguments.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

LONGEST = 300
"""Maximum length of an error, in characters."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command line options."""
    group = parser.getgroup("clients")
    group.addoption("--client-report", metavar="FILE", help="file for the results, as lines of JSON")
    # numba-cuda's own option, from a conftest that its wheel lacks
    group.addoption("--dump-failed-filechecks", action="store_true", help="an option of numba-cuda's tests")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Write results in the main process."""
    if reports(config):
        config.pluginmanager.register(Reporter(Path(config.getoption("--client-report"))))


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request: pytest.FixtureRequest) -> None:
    """A fixture of numba-cuda's tests that its wheel lacks."""
    if request.cls is not None:
        request.cls._dump_failed_filechecks = request.config.getoption("dump_failed_filechecks")  # noqa: SLF001 - numba-cuda's name


def reports(config: pytest.Config) -> bool:
    """Return whether this process writes the report."""
    return bool(config.getoption("--client-report")) and not hasattr(config, "workerinput")


def write(path: Path, **line: str) -> None:
    """Add a line to a report."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def named(nodeid: str, location: tuple[str, int | None, str]) -> str:
    """Return the id of a test, with its file."""
    return f"{Path(location[0]).name}{nodeid}" if nodeid.startswith("::") else nodeid


class Reporter:
    """Writes each test's result at once, so that a crash loses none.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_text("")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Write the collected tests."""
        for item in session.items:
            write(self.path, test=named(item.nodeid, item.location), outcome="begun", text="")

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """Write that a test has begun."""
        write(self.path, test=named(nodeid, location), outcome="begun", text="")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the outcome of a test's phase."""
        if report.when == "call" or not report.passed:
            outcome = "expected" if hasattr(report, "wasxfail") and report.skipped else report.outcome
            text = "" if report.passed else _text(report)
            write(self.path, test=named(report.nodeid, report.location), outcome=outcome, text=text)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Write that a file cannot be collected or skips itself."""
        if not report.passed:
            write(self.path, test=report.nodeid, outcome=report.outcome, text=_text(report))


def _text(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return the error or the reason of a report, as one line."""
    if isinstance(report.longrepr, tuple):
        text = str(report.longrepr[2]).removeprefix("Skipped: ")
    elif (crash := getattr(report.longrepr, "reprcrash", None)) is not None:
        text = crash.message
    else:
        text = str(report.longrepr)
        errors = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
        text = errors[-1] if errors else text
    return " ".join(text.split())[:LONGEST]
