"""The pytest plugin: the fixture ``fakecuda``, its mark, and the same tests on the real driver.

What pytest loads at its start is this module alone; the simulator is imported by the first test that asks for it.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from contextlib import AbstractContextManager

    from fakecuda import Machine
    from fakecuda.fixture import FakeCuda
    from fakecuda.testing.policy import Policy

ARGUMENTS = (
    "profile",
    "strict",
    "seed",
    "memory_cap",
    "completion",
    "patience",
    "clock",
    "door",
    "shared",
    "inherit",
)
LAST = 20
"""How many of the last calls the report of a failed test shows."""
MARK = (
    "fakecuda(profile=..., strict=True, seed=None, memory_cap=..., completion=..., patience=60, clock=..., door=..., shared=None, "
    "inherit=None): the machine of the fixture `fakecuda`; the closest mark wins; a list of profiles runs the test on each"
)

MACHINE = pytest.StashKey[Any]()
OPTIONS = pytest.StashKey[dict[str, Any]]()
PARTIAL = pytest.StashKey[bool]()
UNMATCHED = pytest.StashKey[list[str]]()
POLICY = pytest.StashKey["Policy"]()
SHARED = pytest.StashKey[Any]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("fakecuda", "simulated CUDA driver")
    group.addoption(
        "--fakecuda",
        choices=("model", "real"),
        default="model",
        help="what the fixture gives: the simulated machine, or this machine's driver, in this process",
    )
    group.addoption(
        "--fakecuda-door",
        choices=("auto", "native", "lookalike"),
        default="auto",
        help="how calls reach the simulated machine: a libcuda.so.1 (where the platform has it), or the Python module alone",
    )
    parser.addini(
        "fakecuda_findings",
        "what undefined behaviour does to a test: error, it fails; warn, it warns, and no exception is raised",
        default="error",
    )
    parser.addini(
        "fakecuda_suppress",
        "undefined behaviour that cannot be fixed here, a line each: RULE MODULE: REASON; the module is one of the callers', or *",
        type="linelist",
    )
    group.addoption(
        "--fakecuda-shared",
        metavar="PROFILE",
        nargs="?",
        const="h200-x2",
        help="one machine for all tests and all workers of pytest-xdist, each test a new process of it; marks' profiles "
        "do not count",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark; find the driver when the tests run on it, or the machine that all workers share."""
    config.addinivalue_line("markers", MARK)
    if config.getoption("--fakecuda-shared") and not config.option.collectonly:
        _share(config, str(config.getoption("--fakecuda-shared")))
    if config.getoption("--fakecuda") == "real" and not config.option.collectonly:
        from fakecuda.doors import install  # noqa: PLC0415 - not before somebody asks for it
        from fakecuda.testing import real  # noqa: PLC0415 - likewise

        driver = real.find_driver()
        install.instead = lambda profile: real.machine(driver, profile)
        config.add_cleanup(lambda: setattr(install, "instead", None))


def _share(config: pytest.Config, profile: str) -> None:
    """Offer one machine to all workers, or use it in a worker; at the end it tells what was undefined."""
    from fakecuda.doors import install  # noqa: PLC0415 - not before somebody asks for it
    from fakecuda.sharing import xdist  # noqa: PLC0415 - likewise

    if not hasattr(config, "workerinput"):
        machine, ending = xdist.offer(profile)
        config.stash[SHARED] = machine
        config.add_cleanup(ending.close)
    install.instead = xdist.attached
    config.add_cleanup(lambda: setattr(install, "instead", None))


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Note that not all tests run, so that an entry of ``fakecuda_suppress`` may have had no occasion."""
    if items:
        items[0].config.stash[PARTIAL] = True


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 - xdist's
    """Take from a worker which entries of ``fakecuda_suppress`` have suppressed nothing there."""
    left = getattr(node, "workeroutput", {}).get("fakecuda_unmatched")
    if left is not None:
        known: list[str] = node.config.stash.get(UNMATCHED, left)
        node.config.stash[UNMATCHED] = [entry for entry in known if entry in left]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run whose shared machine has seen undefined behaviour, or with an entry that suppresses nothing any more."""
    config = session.config
    policy = config.stash.get(POLICY, None)
    if hasattr(config, "workeroutput"):
        if policy is not None:
            config.workeroutput["fakecuda_unmatched"] = policy.unmatched()
        return
    if policy is not None:
        config.stash[UNMATCHED] = policy.unmatched()
    chosen = config.args_source not in {config.ArgsSource.TESTPATHS, config.ArgsSource.INVOCATION_DIR}
    chosen = chosen or bool(config.option.keyword or config.option.markexpr) or config.stash.get(PARTIAL, False)
    if chosen or session.shouldstop or session.shouldfail:
        config.stash[UNMATCHED] = []
    machine = config.stash.get(SHARED, None)
    unmatched: list[str] = config.stash.get(UNMATCHED, [])
    if unmatched or (machine is not None and machine.findings):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell the undefined behaviour that a shared machine has seen, and entries that suppress nothing any more."""
    for entry in terminalreporter.config.stash.get(UNMATCHED, []):
        terminalreporter.write_line(f"fakecuda_suppress: {entry!r} suppresses nothing any more: delete it", red=True)
    machine = terminalreporter.config.stash.get(SHARED, None)
    for finding in machine.findings if machine is not None else ():
        terminalreporter.write_line(f"fakecuda: undefined behaviour: {finding}", red=True)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once per profile where its mark names several."""
    profile = _arguments(metafunc.definition, pytest.Collector.CollectError).get("profile")
    if isinstance(profile, list | tuple) and "fakecuda" in metafunc.fixturenames:
        names = [getattr(one, "name", None) or str(one) for one in profile]
        metafunc.parametrize("fakecuda", profile, indirect=True, ids=names)


@pytest.fixture
def fakecuda(request: pytest.FixtureRequest) -> Iterator[FakeCuda]:
    """A fresh machine, reached by whatever calls the driver in this process; ``--fakecuda=real`` gives the real one."""
    __tracebackhide__ = True
    arguments = _arguments(request.node, pytest.UsageError)
    if hasattr(request, "param"):
        arguments["profile"] = request.param
    elif isinstance(arguments.get("profile"), list | tuple):
        problem = "a list of profiles needs the fixture among the test's arguments, not getfixturevalue"
        pytest.fail(problem, pytrace=False)
    arguments.setdefault("door", request.config.getoption("--fakecuda-door"))
    if arguments.get("seed") is None:
        # Its own: whatever machines other fixtures of the test make before it.
        arguments["seed"] = crc32(request.node.nodeid.encode())
    from fakecuda.errors import FakeCudaError  # noqa: PLC0415 - not before a test asks for it
    from fakecuda.fixture import FakeCuda  # noqa: PLC0415 - likewise

    installation, problem = _policy(request.config).machine(arguments), ""
    try:
        made = installation.__enter__()
    except FakeCudaError as error:
        problem = str(error)
    if problem:
        pytest.fail(problem, pytrace=False)
    request.node.stash[MACHINE], request.node.stash[OPTIONS] = made, arguments
    yield FakeCuda(made)
    del request.node.stash[MACHINE]
    installation.__exit__(None, None, None)


def _policy(config: pytest.Config) -> Policy:
    """Return what the suite wants of undefined behaviour."""
    policy = config.stash.get(POLICY, None)
    if policy is None:
        from fakecuda.testing.policy import Policy  # noqa: PLC0415 - not before a test asks for it

        policy = config.stash[POLICY] = Policy(config)
    return policy


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Have the machines that the test makes draw the same values when it runs again."""
    chance = sys.modules.get("fakecuda.model.chance")
    if chance is not None:
        chance.restart()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that passed but for undefined behaviour; tell the last calls of one that failed."""
    __tracebackhide__ = True
    try:
        with _examples(item):
            result = yield
    except Exception:
        made = item.stash.get(MACHINE, None)
        if made is not None:
            from fakecuda.doors import findings  # noqa: PLC0415 - not before a test asks for it

            calls = [str(call) for call in made.log[-LAST:]]
            found = [f"undefined behaviour: {finding}" for finding in findings.take(made)]
            if calls or found:
                notes = [f"note: {note}" for note in made.notes]
                item.add_report_section("call", "fakecuda", "\n".join([*calls, *found, *notes]))
        raise
    _judge(item)
    return result


def _judge(item: pytest.Item) -> None:
    """Fail a test for what was found on its machine."""
    __tracebackhide__ = True
    made = item.stash.get(MACHINE, None)
    if made is not None and made.findings:
        _policy(item.config).judge(made)


def _examples(item: pytest.Item) -> AbstractContextManager[None]:
    """Judge each example of a test of Hypothesis that has a machine."""
    if MACHINE not in item.stash or not getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
        return nullcontext()
    from fakecuda.testing import examples  # noqa: PLC0415 - few tests are Hypothesis'

    outer = item.stash[MACHINE]

    @contextmanager
    def machine() -> Iterator[Machine]:
        with _policy(item.config).machine(item.stash[OPTIONS]) as made:
            item.stash[MACHINE] = made  # a failed example's calls are told
            yield made
        item.stash[MACHINE] = outer

    return examples.each(item, machine, lambda: _judge(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Report what was used after its machine had ended, once the test in which it showed is over."""
    result = yield
    _report_outlived(item)
    return result


def _report_outlived(item: pytest.Item) -> None:
    """Report threads and values of former machines as errors of the tests that made them."""
    install = sys.modules.get("fakecuda.doors.install")
    if install is None:
        return
    for maker, text in install.take_outlived():
        # A worker of pytest-xdist may speak of the item under way only; the text names the other.
        nodeid = item.nodeid if hasattr(item.config, "workerinput") else maker
        path, _, name = nodeid.partition("::")
        report = pytest.TestReport(
            nodeid, (path, None, name), {}, "failed", f"{maker}: {text}", "teardown", [], 0.0, start=0.0, stop=0.0
        )
        item.config.hook.pytest_runtest_logreport(report=report)


def _arguments(node: pytest.Item, error: type[Exception]) -> dict[str, Any]:
    """Return the arguments of the closest mark; a wrong one is an error that says what to write."""
    mark = node.get_closest_marker("fakecuda")
    if mark is None:
        return {}
    problem = ""
    if mark.args:
        problem = f"takes no positional arguments: write profile={mark.args[0]!r}"
    elif unknown := set(mark.kwargs).difference(ARGUMENTS):
        problem = f"has no argument {min(unknown)!r}: it takes {', '.join(ARGUMENTS)}"
    elif mark.kwargs.get("profile", True) in ([], ()):
        problem = "has an empty list of profiles: name one at least"
    elif not isinstance(mark.kwargs.get("strict", True), bool):
        problem = f"has strict={mark.kwargs['strict']!r}: write True or False"
    if problem:
        msg = f"{node.nodeid}: @pytest.mark.fakecuda {problem}"
        raise error(msg)
    return dict(mark.kwargs)
