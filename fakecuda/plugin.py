"""The pytest plugin: the fixture ``fakecuda``, its mark, and the same tests on the real driver.

What pytest loads at its start is this module and its keys; the simulator is imported by the first test that asks for it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.testing import keys

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from fakecuda.fixture import FakeCuda


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Have pytest leave the assertions of fakecuda's own modules as they are.

    It rewrites all modules of what has a plugin, when they are imported: hundreds here, most of them late. A call in a
    finaliser may be the first of its module, within an ast.parse of pytest's, which a second one breaks (SystemError in 3.11).
    """
    getattr(pluginmanager.rewrite_hook, "_must_rewrite", set()).discard(__package__)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("fakecuda", "simulated CUDA driver")
    group.addoption(
        "--fakecuda",
        choices=("model", "real", "both"),
        default="model",
        help="what the fixture gives: the simulated machine, or this machine's driver, in this process; both runs each test on "
        "one and then on the other, and compares the answers",
    )
    group.addoption(
        "--fakecuda-door",
        choices=("auto", "native", "lookalike"),
        default="auto",
        help="how calls reach the simulated machine: a libcuda.so.1 (where the platform has it), or the Python module alone",
    )
    group.addoption(
        "--fakecuda-sweep",
        metavar="N",
        type=int,
        help="the number of the one fault to run of tests with sweep=True; the report of a sweep tells it",
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
    group.addoption(
        "--fakecuda-html",
        metavar="DIR",
        help="write a page of the session to this folder: tests with what was found, refused and left, their calls and pictures",
    )
    for check, what in (("leaks", "what a test leaves behind"), ("errors", "refused calls that no test expects")):
        told = f"{what}: listed if it fails (report), a failure (error), or nothing (ignore)"
        group.addoption(f"--fakecuda-{check}", metavar="MODE", help=told)
        parser.addini(f"fakecuda_{check}", f"{told}; report by default", default="report")


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark; find the driver when the tests run on it, or the machine that all workers share."""
    config.addinivalue_line("markers", keys.MARK)
    for check in ("leaks", "errors"):
        keys.mode_of(config, check)
    if config.getoption("--fakecuda-shared") and not config.option.collectonly:
        _share(config, str(config.getoption("--fakecuda-shared")))
    if config.getoption("--fakecuda-html") and not config.option.collectonly:
        from fakecuda.testing import page  # noqa: PLC0415 - not before somebody asks for it

        page.begin(config, str(config.getoption("--fakecuda-html")))
    where = config.getoption("--fakecuda")
    if where == "both" and (hasattr(config, "workerinput") or getattr(config.option, "dist", "no") != "no"):
        msg = "--fakecuda=both compares two runs of a test, which pytest-xdist may give to two workers: leave -n out"
        raise pytest.UsageError(msg)
    if where != "model" and not config.option.collectonly:
        from fakecuda.doors import install  # noqa: PLC0415 - not before somebody asks for it
        from fakecuda.testing import real  # noqa: PLC0415 - likewise

        driver = config.stash[keys.CARD] = real.find_driver()
        if where == "real":
            install.instead = lambda profile: real.machine(driver, profile)
            config.add_cleanup(lambda: setattr(install, "instead", None))


def _share(config: pytest.Config, profile: str) -> None:
    """Offer one machine to all workers, or use it in a worker; at the end it tells what was undefined."""
    from fakecuda.doors import install  # noqa: PLC0415 - not before somebody asks for it
    from fakecuda.errors import FakeCudaError  # noqa: PLC0415 - likewise
    from fakecuda.sharing import xdist  # noqa: PLC0415 - likewise
    from fakecuda.testing import giving  # noqa: PLC0415 - likewise

    if not hasattr(config, "workerinput"):
        try:
            machine, ending = xdist.offer(profile)
        except FakeCudaError as error:
            msg = f"--fakecuda-shared: {error}; in front of a test's path write --fakecuda-shared=h200-x2"
            raise pytest.UsageError(msg) from None
        giving.policy_of(config).rule(machine)
        config.stash[keys.SHARED] = machine
        config.add_cleanup(ending.close)
    install.instead = xdist.attached
    config.add_cleanup(lambda: setattr(install, "instead", None))


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Note that not all tests run, so that an entry of ``fakecuda_suppress`` may have had no occasion."""
    if items:
        items[0].config.stash[keys.PARTIAL] = True


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 - xdist's
    """Take from a worker which entries of ``fakecuda_suppress`` have suppressed nothing there."""
    left = getattr(node, "workeroutput", {}).get("fakecuda_unmatched")
    if left is not None:
        known: list[str] = node.config.stash.get(keys.UNMATCHED, left)
        node.config.stash[keys.UNMATCHED] = [entry for entry in known if entry in left]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run whose shared machine has seen undefined behaviour, or with an entry that suppresses nothing any more."""
    from fakecuda.testing import summary  # noqa: PLC0415 - at the end

    summary.finish(session)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell what a shared machine has seen, entries that suppress nothing any more, and how many tests have left something behind."""
    from fakecuda.testing import summary  # noqa: PLC0415 - at the end

    summary.tell(terminalreporter)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once per profile where its mark names several; on the model and on the card where both are asked for."""
    profile = keys.arguments_of(metafunc.definition, pytest.Collector.CollectError).get("profile")
    if "fakecuda" not in metafunc.fixturenames:
        return
    if metafunc.config.getoption("--fakecuda") == "both":
        from fakecuda.testing.both import SIDES, Side  # noqa: PLC0415 - not before somebody asks for it

        profiles = profile if isinstance(profile, list | tuple) else [profile]
        sides = [Side(name, one) for one in profiles for name in SIDES]
        metafunc.parametrize("fakecuda", sides, indirect=True, ids=map(str, sides))
    elif isinstance(profile, list | tuple):
        names = [getattr(one, "name", None) or str(one) for one in profile]
        metafunc.parametrize("fakecuda", profile, indirect=True, ids=names)


@pytest.fixture
def fakecuda(request: pytest.FixtureRequest) -> Iterator[FakeCuda]:
    """A fresh machine, reached by whatever calls the driver in this process; ``--fakecuda=real`` gives the real one."""
    __tracebackhide__ = True
    from fakecuda.testing import giving  # noqa: PLC0415 - not before a test asks for it

    side = getattr(request, "param", None)
    if request.config.getoption("--fakecuda") != "both" or side is None:
        yield from giving.given(request, keys.MACHINE)
        return
    from fakecuda.testing import both  # noqa: PLC0415 - not before somebody asks for it

    request.param = side.profile
    with both.side(side, request.config.stash[keys.CARD]) as trace:
        request.node.stash[keys.TRACE] = side, trace
        yield from giving.given(request, keys.MACHINE)


@pytest.fixture(scope="module")
def fakecuda_module(request: pytest.FixtureRequest) -> Iterator[FakeCuda]:
    """One machine for the tests of a module, described by the mark in its ``pytestmark``."""
    __tracebackhide__ = True
    from fakecuda.testing import giving  # noqa: PLC0415 - not before a test asks for it

    yield from giving.given(request, keys.WIDE)


@pytest.fixture(scope="session")
def fakecuda_session(request: pytest.FixtureRequest) -> Iterator[FakeCuda]:
    """One machine for all tests of a session; with pytest-xdist, of a worker."""
    __tracebackhide__ = True
    from fakecuda.testing import giving  # noqa: PLC0415 - not before a test asks for it

    yield from giving.given(request, keys.WIDE)


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
        if keys.MACHINE in item.stash:
            from fakecuda.testing import judging  # noqa: PLC0415 - not before a test has a machine

            with judging.watched(item):
                result = yield
        else:
            result = yield
    except Exception as failure:
        made = keys.machine_of(item)
        if made is not None:
            from fakecuda.testing import judging  # noqa: PLC0415 - likewise; a test may have asked for it meanwhile

            judging.failed(item, failure)
        from fakecuda.testing import hints  # noqa: PLC0415 - not before a test fails

        marked = item.get_closest_marker("fakecuda") is not None
        if told := [*hints.of_machine(made, marked=marked), *hints.of_import(failure)]:
            item.add_report_section("call", "fakecuda hints", "\n".join(told))
        raise
    if keys.machine_of(item) is not None:
        from fakecuda.testing import judging  # noqa: PLC0415 - likewise

        judging.passed(item)
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Run a test that has passed again, with faults or in other orders, where its mark says so."""
    __tracebackhide__ = True
    result = yield
    swept, explored = keys.sweep_of(pyfuncitem), keys.explore_of(pyfuncitem)
    if swept is not None or explored is not None:
        from fakecuda.testing import repeating  # noqa: PLC0415 - few tests are run again

        if swept is not None:
            repeating.swept(pyfuncitem, swept)
        if explored is not None:
            repeating.explored(pyfuncitem, explored)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Add to the report of a module that cannot be imported for want of cuda-bindings what to do."""
    report = yield
    if report.failed and "cuda" in report.longreprtext:
        from fakecuda.testing import hints  # noqa: PLC0415 - not before an import fails

        report.sections += [("fakecuda hints", hint) for hint in hints.of_text(report.longreprtext)]
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Report what was used after its machine had ended, once the test in which it showed is over."""
    item.config.stash[keys.CURRENT] = item
    result = yield
    if "fakecuda.doors.install" in sys.modules:
        from fakecuda.testing import outlived  # noqa: PLC0415 - not before a test asks for it

        outlived.report(item)
    return result
