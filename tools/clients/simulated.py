"""A pytest plugin for suites that do not know fakecuda.

Each test has a new machine, and the collection has one, too. If a class keeps something of a machine, such as a worker
process, all its tests share a machine (``--client-together``). The plugin is loaded with ``-p
tools.clients.simulated``, besides fakecuda's own plugin.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fakecuda as simulator
from fakecuda.testing import fixture_lifecycle, settings

if TYPE_CHECKING:
    import warnings
    from collections.abc import Iterator

ONE = pytest.StashKey[simulator.Machine]()
"""The machine of all tests, if they share one."""
LONGEST = 300
"""Maximum length of an error, in characters."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command line options."""
    group = parser.getgroup("clients")
    group.addoption("--client-profile", default="h200-x2", help="profile of each test's machine")
    group.addoption("--client-report", metavar="FILE", help="file for the results, as lines of JSON")
    group.addoption(
        "--client-together", action="append", default=[], metavar="CLASS", help="class whose tests share a machine"
    )
    group.addoption("--client-one-machine", action="store_true", help="one machine for the whole run")
    group.addoption("--client-linked", action="store_true", help="use the one machine's libraries instead of NVIDIA's")
    # numba-cuda's own option, from a conftest that its wheel lacks
    group.addoption("--dump-failed-filechecks", action="store_true", help="an option of numba-cuda's tests")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Install a machine for calls outside of tests.

    Fixtures that outlive a test use it, too. With ``--client-one-machine`` it is the machine of all tests.
    """
    ending, given = ExitStack(), early_config.known_args_namespace
    if given.client_one_machine:
        machine = simulator.simulate(given.client_profile, kernels=given.fakecuda_kernels or "error")
        early_config.stash[ONE] = one = ending.enter_context(machine)
        if given.client_linked:
            os.environ["LD_PRELOAD"] = f"{one.link()}/libcudart.so.13"  # for the programs that tests start
    else:
        ending.enter_context(simulator.simulate(given.client_profile, strict=False))
    early_config.add_cleanup(ending.close)


def pytest_configure(config: pytest.Config) -> None:
    """Suppress known findings of the suite, and write results in the main process."""
    if ONE in config.stash:
        fixture_lifecycle.policy_of(config).rule(config.stash[ONE])
    if config.getoption("--client-report") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Reporter(Path(config.getoption("--client-report")), config))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give a test the profile of the run, unless it has a mark of its own."""
    if ONE not in item.config.stash and item.get_closest_marker("fakecuda") is None and not _together(item):
        item.add_marker(pytest.mark.fakecuda(profile=item.config.getoption("--client-profile")))


@pytest.fixture(autouse=True, scope="class")
def _machine_of_the_class(request: pytest.FixtureRequest) -> Iterator[None]:
    options = request.config.option
    machine = partial(simulator.simulate, options.client_profile, kernels=options.fakecuda_kernels or "error")
    with machine() if _together(request.node) else nullcontext():
        yield


@pytest.fixture(autouse=True)
def _fresh_machine(_machine_of_the_class: None, request: pytest.FixtureRequest) -> Iterator[None]:
    shared = request.config.stash.get(ONE, None)
    if shared is None and not _together(request.node):
        request.getfixturevalue("fakecuda")
    yield
    if shared is not None:
        fixture_lifecycle.policy_of(request.config).judge(shared)


def _together(node: pytest.Item | pytest.Collector) -> bool:
    """Return whether a test or a class uses the machine of a class."""
    of = node.getparent(pytest.Class)
    return of is not None and of.name in node.config.getoption("--client-together")


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request: pytest.FixtureRequest) -> None:
    """A fixture of numba-cuda's tests that its wheel lacks."""
    if request.cls is not None:
        request.cls._dump_failed_filechecks = request.config.getoption("dump_failed_filechecks")  # noqa: SLF001 - numba-cuda's name


class Reporter:
    """Writes each test's result at once, so that a crash loses none.

    Args:
        path: The file.
        config: The configuration of the run.
    """

    def __init__(self, path: Path, config: pytest.Config) -> None:
        self.path = path
        self.config = config
        self.matched: dict[str, int] = {}
        path.write_text("")

    def _write(self, **line: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Write the collected tests."""
        for item in session.items:
            self._write(test=_named(item.nodeid, item.location), outcome="begun", text="")

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """Write that a test has begun."""
        self._write(test=_named(nodeid, location), outcome="begun", text="")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the outcome of a test's phase, and what was suppressed since the last one."""
        policy = self.config.stash.get(settings.POLICY, None)  # missing in a process without tests
        for entry in policy.suppressed if policy is not None else ():
            if entry.matched > self.matched.get(entry.text, 0):
                self.matched[entry.text] = entry.matched
                self._write(test=_named(report.nodeid, report.location), outcome="suppressed", text=entry.text)
        if report.when != "call" and report.passed:
            return
        outcome = "expected" if hasattr(report, "wasxfail") and report.skipped else report.outcome
        self._write(
            test=_named(report.nodeid, report.location), outcome=outcome, text="" if report.passed else _text(report)
        )

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, nodeid: str) -> None:
        """Write that a test made a call that is not modelled."""
        if issubclass(warning_message.category, simulator.NotModelledWarning):
            self._write(test=nodeid, outcome="not modelled", text=str(warning_message.message).partition(" ")[0])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Write that a file cannot be collected or skips itself."""
        if not report.passed:
            self._write(test=report.nodeid, outcome=report.outcome, text=_text(report))


def _named(nodeid: str, location: tuple[str, int | None, str]) -> str:
    """Return the id of a test, with its file."""
    return f"{Path(location[0]).name}{nodeid}" if nodeid.startswith("::") else nodeid


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
