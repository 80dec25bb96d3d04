"""A pytest plugin for suites that do not know fakecuda.

Each test has a new machine, and the collection has one, too. If a class keeps something of a machine, such as a worker
process, all its tests share a machine (``--client-together``). The plugin is loaded with ``-p
tools.clients.simulated``, besides fakecuda's own plugin.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fakecuda as simulator
from fakecuda.testing import fixture_lifecycle, settings
from tools.clients import reporter
from tools.clients.reporter import named, reports, write

if TYPE_CHECKING:
    import warnings
    from collections.abc import Iterator

ONE = pytest.StashKey[simulator.Machine]()
"""The machine of all tests, if they share one."""


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the command line options, and those of the reporter."""
    pluginmanager.register(reporter)
    group = parser.getgroup("clients")
    group.addoption("--client-profile", default="h200-x2", help="profile of each test's machine")
    group.addoption(
        "--client-together", action="append", default=[], metavar="CLASS", help="class whose tests share a machine"
    )
    group.addoption("--client-one-machine", action="store_true", help="one machine for the whole run")
    group.addoption("--client-linked", action="store_true", help="use the one machine's libraries instead of NVIDIA's")


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
    """Suppress known findings of the suite, and write them in the main process."""
    if ONE in config.stash:
        fixture_lifecycle.policy_of(config).rule(config.stash[ONE])
    if reports(config):
        config.pluginmanager.register(Findings(Path(config.getoption("--client-report")), config))


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


class Findings:
    """Writes what was suppressed in each test, and which calls are not modelled.

    Args:
        path: The file.
        config: The configuration of the run.
    """

    def __init__(self, path: Path, config: pytest.Config) -> None:
        self.path = path
        self.config = config
        self.matched: dict[str, int] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write what was suppressed since the last phase of a test."""
        policy = self.config.stash.get(settings.POLICY, None)  # missing in a process without tests
        for entry in policy.suppressed if policy is not None else ():
            if entry.matched > self.matched.get(entry.text, 0):
                self.matched[entry.text] = entry.matched
                write(self.path, test=named(report.nodeid, report.location), outcome="suppressed", text=entry.text)

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, nodeid: str) -> None:
        """Write that a test made a call that is not modelled."""
        if issubclass(warning_message.category, simulator.NotModelledWarning):
            call = str(warning_message.message).partition(" ")[0]
            write(self.path, test=nodeid, outcome="not modelled", text=call)
