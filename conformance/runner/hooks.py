"""pytest hooks of the suite: collect outcomes, and report what a whole run lacks.

A whole run breaks and keeps every rule, shows every entry of ``divergences.toml``, and gives every code that the manuals
of the runtime API and of HIP name. Workers of pytest-xdist hand what they saw to the process that started them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from conformance import SUITE
from conformance.runner.checks import Check, Outcome, calls_of, chapter_of, how
from conformance.runner.group import MODEL_ALONE, TELL, Group
from conformance.runner.options import selected
from conformance.runner.report import Report
from conformance.runner.rule_coverage import Seen

if TYPE_CHECKING:
    from collections.abc import Generator

REPORT = pytest.StashKey[Report]()
"""The stash key of the report of all checks."""
PART = pytest.StashKey[bool]()
"""The stash key of whether a part of the suite was deselected."""
SHARES = pytest.StashKey[list[bool]]()
"""The stash key of whether each ended pytest-xdist worker had the whole suite."""
LOST = pytest.StashKey[list[str]]()
"""The stash key of what a whole run has not shown."""
PROBLEM = pytest.StashKey[BaseException | None]()
"""The stash key of the exception of an item that is not a group."""
KEY = "conformance"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Prepare the report."""
    report = session.config.stash.setdefault(REPORT, Report())
    session.config.stash.setdefault(TELL, report.add)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect items by the options, and note whether the whole suite is left."""
    collected = {item.path for item in items}
    if not set(SUITE.rglob("test_*.py")) <= collected:
        config.stash[PART] = True
    if config.getoption("--only"):
        config.stash[PART] = True
        left_out = [item for item in items if SUITE in item.path.parents and not checks_of(item)]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if item not in left_out]


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Note that a part of the suite was deselected."""
    for item in items:
        if SUITE in item.path.parents:
            item.config.stash[PART] = True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Report the outcome of an item that is not a group, such as a test with fixtures."""
    if isinstance(item, Group) or SUITE not in item.path.parents:
        return (yield)
    item.stash[PROBLEM] = None
    seen = Seen()
    with seen.watch():
        result = yield
    calls = calls_of(item.path)
    item.config.stash[TELL](
        Outcome(item.nodeid, "", chapter_of(calls), calls, *how(item.stash[PROBLEM]), seen=seen.by_id)
    )
    return result


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a model-only test if only the driver is tested."""
    if not isinstance(item, Group) and SUITE in item.path.parents and item.config.getoption("--target") == "real":
        pytest.skip(MODEL_ALONE)


def checks_of(item: pytest.Item) -> list[Check]:
    """Return the selected checks of an item; an item that is no group is one check."""
    if isinstance(item, Group):
        return item.checks
    if not selected(item.config)(item.nodeid, "", ()):
        return []
    return [Check("", calls_of(item.path), partial(_run_item, item))]


def _run_item(item: pytest.Item) -> None:
    """Run a pytest item, and raise its exception."""
    item.stash[PROBLEM] = None
    item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
    problem = item.stash[PROBLEM]
    if problem is not None:
        raise problem


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Keep the exception of an item that is not a group."""
    report = yield
    if PROBLEM in item.stash and item.stash[PROBLEM] is None and call.excinfo and not hasattr(report, "wasxfail"):
        item.stash[PROBLEM] = call.excinfo.value
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Merge the report of a pytest-xdist worker."""
    told = getattr(node, "workeroutput", {}).get(KEY)
    if told is not None:
        plain, whole = told
        node.config.stash.setdefault(REPORT, Report()).merge(plain)
        node.config.stash.setdefault(SHARES, []).append(whole)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Pass on this process's report, or fail an incomplete whole run."""
    config = session.config
    report, whole = config.stash[REPORT], not config.stash.get(PART, False)
    if hasattr(config, "workeroutput"):
        config.workeroutput[KEY] = report.plain(), whole
        return
    shares = config.stash.get(SHARES, [])
    asked = config.getoption("--target") == "recordings" and not config.option.collectonly
    if asked and session.exitstatus == pytest.ExitCode.OK and (all(shares) if shares else whole):
        config.stash[LOST] = report.lost()
        if config.stash[LOST]:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the report, the reasons for skips, and what a whole run has not shown."""
    config = terminalreporter.config
    report = config.stash.get(REPORT, None)
    if report is None or not report.chapters:
        return
    counts = report.counts
    number = (
        f"{counts['cases']} checks, {counts['pairs']} pairs, {counts['steps']} drawn steps, {counts['answers']} answers"
    )
    terminalreporter.write_line(f"conformance: {number}")
    for line in report.skips():
        terminalreporter.write_line(f"conformance: {line}")
    for line in config.stash.get(LOST, []):
        terminalreporter.write_line(f"conformance: never shown: {line}", red=True)
