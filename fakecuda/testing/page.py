"""The HTML page of a session.

Collects the reports of its tests, and is written at the end, also after Ctrl-C.
"""

from __future__ import annotations

import platform
import re
import shlex
from typing import TYPE_CHECKING, Any

import pytest
from attrs import define, field

from fakecuda.testing import settings
from fakecuda.testing.page_rows import FIELD, Parts

if TYPE_CHECKING:
    from pathlib import Path

    from fakecuda.explain.html.session import Test

NAME = "index.html"
QUIET = ("passed", "skipped", "xfailed")
"""Outcomes of tests whose page shows only fakecuda's output."""
OURS = "fakecuda"
CAPTURED = "Captured "
TITLE = re.compile(rf"{CAPTURED}(.*) (?:setup|call|teardown)")
"""Matches the title of a report's section; the group is the name."""
LISTED = frozenset({settings.LEFT, settings.REFUSED, OURS})
"""Sections that the page shows in a special way."""


def begin(config: pytest.Config, folder: str) -> None:
    """Start collecting the parts of tests.

    Outside of workers, the page is written at the end.

    Raises:
        pytest.UsageError: The folder cannot be created.
    """
    parts = config.stash[settings.HTML] = Parts()
    config.pluginmanager.register(parts, "fakecuda-html-parts")
    if hasattr(config, "workerinput"):
        return
    path = config.invocation_params.dir / folder
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"--fakecuda-html: cannot create {path}: {error.strerror}; name a folder that can be created"
        raise pytest.UsageError(msg) from None
    config.pluginmanager.register(Writer(config, path / NAME), "fakecuda-html")


@define(eq=False)
class Writer:
    """A pytest plugin that collects reports and writes the page.

    Attributes:
        config: The session's configuration.
        path: The path of the page.
        tests: The tests by node id, in the order of their start.
    """

    config: pytest.Config
    path: Path
    tests: dict[str, Test] = field(factory=dict)
    _under_way: set[str] = field(factory=set)
    _interrupted: bool = False
    _unwritten: str = ""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note that a test has started."""
        self._test(nodeid)
        self._under_way.add(nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note that a test has ended."""
        self._under_way.discard(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a report of a test to its parts."""
        test = self._test(report.nodeid)
        category, *_ = self.config.hook.pytest_report_teststatus(report=report, config=self.config)
        test.add(category, report.duration)
        path, line, _ = report.location
        test.place = path if line is None else f"{path}:{line + 1}"
        if hasattr(report, "node"):
            test.worker = report.node.gateway.id
        test.tell(getattr(report, FIELD, {}))
        failed = test.outcome not in {*QUIET, ""}
        if report.longrepr:
            test.failures.append((report.when, _text(report)))
        for title, text in report.sections:
            name = TITLE.sub(r"\1", title)
            if name not in LISTED and (failed or name.startswith(OURS)):
                test.sections[title.removeprefix(CAPTURED)] = text

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Add a collection error."""
        if report.failed:
            test = self._test(report.nodeid)
            test.add("error", 0.0)
            test.failures.append(("collect", report.longreprtext))

    def pytest_keyboard_interrupt(self) -> None:
        """Keep the parts of the running test at an interrupt."""
        self._interrupted = True
        item = self.config.stash.get(settings.CURRENT, None)
        if item is not None and item.nodeid in self._under_way and (made := settings.machine_of(item)) is not None:
            self.config.stash[settings.HTML].keep(item, made)
            self._test(item.nodeid).tell(item.stash.get(settings.TOLD, {}))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the page, with the results so far."""
        from fakecuda.explain.html.session import Session, page  # noqa: PLC0415 - at the end
        from fakecuda.testing import summary  # noqa: PLC0415 - at the end

        for test in map(self._test, self._under_way):
            if test.outcome in {"", "passed"}:  # the test of a crashed worker has failed
                test.outcome = "interrupted"
        found, left = summary.of_no_test(self.config)
        session = Session(
            command=shlex.join(["pytest", *map(str, self.config.invocation_params.args)]),
            versions=f"Python {platform.python_version()}, pytest {pytest.__version__}",
            tests=list(self.tests.values()),
            interrupted=self._interrupted,
            status=int(exitstatus),
            besides=[*found, left] if left else found,
        )
        try:
            self.path.write_text(page(session), encoding="utf-8")
        except OSError as error:
            self._unwritten = f"was not written: {error.strerror}: "

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print where the page is."""
        line = f"fakecuda: the page of the session {self._unwritten or 'is '}{self.path}"
        terminalreporter.write_line(line, red=bool(self._unwritten))

    def _test(self, nodeid: str) -> Test:
        from fakecuda.explain.html.session import Test  # noqa: PLC0415 - with the first test

        return self.tests.setdefault(nodeid, Test(nodeid))


def _text(report: pytest.TestReport) -> str:
    """Return the failure of a report, or the reason of a skip."""
    told: Any = report.longrepr
    if isinstance(told, tuple):
        return str(told[2])
    reason = getattr(report, "wasxfail", "")
    return f"expected to fail: {reason}" if reason else report.longreprtext
