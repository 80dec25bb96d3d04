"""The pytest plugin.

The fixture ``fakecuda``, its mark, and the same tests on the real driver.
pytest loads only this module and :mod:`fakecuda.testing.settings` at its start. The first test that needs a machine
imports the simulator.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any
from unittest import TestCase

import pytest

from fakecuda.testing import settings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from fakecuda.fixture import FakeCuda


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Stop pytest from rewriting the assertions of fakecuda's own modules.

    pytest rewrites all modules of a package with a plugin, when they are imported. fakecuda has hundreds of modules,
    and most are imported late. A call in a finaliser can import one during an ``ast.parse`` of pytest's own rewriting.
    A second ``ast.parse`` then raises SystemError in Python 3.11.
    """
    getattr(pluginmanager.rewrite_hook, "_must_rewrite", set()).discard(__package__)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command line options and the settings."""
    group = parser.getgroup("fakecuda", "simulated CUDA driver")
    group.addoption(
        "--fakecuda",
        type=settings.choice("place where tests run", ("model", "real", "both", "shadow")),
        choices=("model", "real", "both", "shadow"),
        default="model",
        help="where tests run: on the simulated machine (model), on this machine's driver (real), or on both in turn, "
        "comparing the answers (both); or on the driver, with each call recorded and checked afterwards (shadow)",
    )
    group.addoption(
        "--fakecuda-door",
        type=settings.choice("door", ("auto", "native", "lookalike")),
        choices=("auto", "native", "lookalike"),
        default="auto",
        help="how calls reach the simulated machine: through a libcuda.so.1 (native, Linux only) or through patched "
        "Python modules (lookalike); auto is native on Linux",
    )
    group.addoption(
        "--fakecuda-sweep",
        metavar="N",
        type=int,
        help="run tests that have sweep=True with this fault only; the report of a sweep gives its number",
    )
    parser.addini(
        "fakecuda_findings",
        "undefined behaviour: error fails the test, warn warns and raises no exception",
        default="error",
    )
    parser.addini(
        "fakecuda_races",
        "unordered accesses to memory, for tests whose mark does not set races: true finds them, strict also "
        "finds those that only drivers order, false finds none",
        default="true",
    )
    parser.addini(
        "fakecuda_suppress",
        "undefined behaviour to ignore, one entry a line: RULE MODULE: REASON; MODULE is one of the calling modules, or *",
        type="linelist",
    )
    parser.addini(
        "fakecuda_load",
        "load libcuda.so.1 and libnvidia-ml.so.1 before conftest files, for programs that open them when they are imported",
        type="bool",
        default=False,
    )
    parser.addini(
        "fakecuda_collection",
        "profile of a machine that answers while conftest files and test modules are imported; none by default",
        default="",
    )
    group.addoption(
        "--fakecuda-shared",
        metavar="PROFILE",
        nargs="?",
        const="h200-x2",
        help="use one machine for all tests and all pytest-xdist workers, with each test as a new process; profiles in "
        "marks are ignored",
    )
    group.addoption(
        "--fakecuda-html",
        metavar="DIR",
        help="write an HTML page of the session to this folder: tests with findings, refused calls, leaks and pictures",
    )
    ends = "list it if the test fails (report), fail the test (error), do nothing (ignore)"
    for check, told, default in (
        ("leaks", f"objects that a test does not release: {ends}", "report"),
        ("errors", f"refused calls that a test does not expect: {ends}", "report"),
        (
            "kernels",
            "launches of kernels without a Python function: raise KernelNotDefined (error), skip them (skip), run their PTX (run)",
            "error",
        ),
    ):
        group.addoption(f"--fakecuda-{check}", metavar="MODE", help=told)
        parser.addini(f"fakecuda_{check}", f"{told}; default: {default}", default=default)


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Run the tests in a pytest whose driver calls are recorded, if the option says so."""
    if config.getoption("--fakecuda") != "shadow":
        return None
    from fakecuda.testing import shadowed  # noqa: PLC0415 - only if needed

    return shadowed.main(config.invocation_params.args)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None]:
    """Load the libraries or install a machine if the ini file says so; refuse unknown options with fakecuda's prefix.

    conftest files may import programs that open libraries, and may have added options.
    """
    if early_config.getini("fakecuda_load"):
        settings.load_early(early_config.known_args_namespace)
    if early_config.getini("fakecuda_collection"):
        from fakecuda.testing import collecting  # noqa: PLC0415 - only if needed

        collecting.begin(early_config)
    yield
    settings.check_options(parser, args)


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark, and prepare the place where the tests run.

    This is the real driver or the shared machine, if the tests run there.
    """
    settings.check_pytest()
    config.addinivalue_line("markers", settings.MARK)
    settings.check_ini(config)
    config.pluginmanager.register(settings.WrongMarks(), "fakecuda_wrong_marks")
    if config.getoption("--fakecuda-shared") and not config.option.collectonly:
        from fakecuda.testing import sharing  # noqa: PLC0415 - only if needed

        sharing.share(config, str(config.getoption("--fakecuda-shared")))
    if config.getoption("--fakecuda-html") and not config.option.collectonly:
        from fakecuda.testing import page  # noqa: PLC0415 - only if needed

        page.begin(config, str(config.getoption("--fakecuda-html")))
    where = config.getoption("--fakecuda")
    if where == "both" and (hasattr(config, "workerinput") or getattr(config.option, "dist", "no") != "no"):
        msg = "--fakecuda=both runs each test twice in one worker, which pytest-xdist does not ensure: leave out -n"
        raise pytest.UsageError(msg)
    if where != "model" and not config.option.collectonly:
        from fakecuda.machine import install  # noqa: PLC0415 - only if needed
        from fakecuda.testing import real  # noqa: PLC0415 - only if needed

        driver = config.stash[settings.CARD] = real.find_driver()
        if where == "real":
            config.add_cleanup(install.use_instead(lambda profile: real.machine(driver, profile)))


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Note that not all tests run.

    An entry of ``fakecuda_suppress`` may then match nothing.
    """
    if items:
        items[0].config.stash[settings.PARTIAL] = True


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the unused entries of ``fakecuda_suppress`` of a worker.

    An unused entry suppressed nothing.
    """
    left = getattr(node, "workeroutput", {}).get("fakecuda_unmatched")
    if left is not None:
        known: list[str] = node.config.stash.get(settings.UNMATCHED, left)
        node.config.stash[settings.UNMATCHED] = [entry for entry in known if entry in left]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a session for findings on a shared machine or for unused entries.

    An unused entry of ``fakecuda_suppress`` suppressed nothing.
    """
    from fakecuda.testing import summary  # noqa: PLC0415 - only if needed

    summary.finish(session)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print findings of a shared machine, unused entries, and some counts.

    The counts are those of tests with leaks and of tests with refused calls.
    """
    from fakecuda.testing import summary  # noqa: PLC0415 - only if needed

    summary.tell(terminalreporter)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once for each profile of its mark.

    With ``--fakecuda=both``, run it on the model and on the card.
    """
    if "fakecuda" not in metafunc.fixturenames or settings.problem_of(metafunc.definition):
        return  # a wrong mark fails its test when that begins
    mark = metafunc.definition.get_closest_marker("fakecuda")
    profile = None if mark is None else mark.kwargs.get("profile")
    if metafunc.config.getoption("--fakecuda") == "both":
        from fakecuda.testing.both import SIDES, Side  # noqa: PLC0415 - only if needed

        profiles = profile if isinstance(profile, list | tuple) else [profile]
        sides = [Side(name, one) for one in profiles for name in SIDES]
        metafunc.parametrize("fakecuda", sides, indirect=True, ids=map(str, sides))
    elif isinstance(profile, list | tuple):
        names = [getattr(one, "name", None) or str(one) for one in profile]
        metafunc.parametrize("fakecuda", profile, indirect=True, ids=names)


@pytest.fixture
def fakecuda(request: pytest.FixtureRequest) -> Iterator[FakeCuda]:
    """A new machine for all driver calls of this process.

    With ``--fakecuda=real`` it is the real one.
    """
    __tracebackhide__ = True
    from fakecuda.testing import fixture_lifecycle  # noqa: PLC0415 - not before a test asks for it

    side = getattr(request, "param", None)
    if request.config.getoption("--fakecuda") != "both" or side is None:
        yield from fixture_lifecycle.given(request, settings.MACHINE)
        return
    from fakecuda.testing import both  # noqa: PLC0415 - only if needed

    request.param = side.profile
    with both.side(side, request.config.stash[settings.CARD]) as trace:
        request.node.stash[settings.TRACE] = side, trace
        yield from fixture_lifecycle.given(request, settings.MACHINE)


@pytest.fixture(scope="module")
def fakecuda_module(request: pytest.FixtureRequest) -> Iterator[FakeCuda]:
    """One machine for all tests of a module; the mark in ``pytestmark`` describes it."""
    __tracebackhide__ = True
    from fakecuda.testing import fixture_lifecycle  # noqa: PLC0415 - not before a test asks for it

    yield from fixture_lifecycle.given(request, settings.WIDE)


@pytest.fixture(scope="session")
def fakecuda_session(request: pytest.FixtureRequest) -> Iterator[FakeCuda]:
    """One machine for all tests of a session.

    With pytest-xdist, it is for all tests of a worker.
    """
    __tracebackhide__ = True
    from fakecuda.testing import fixture_lifecycle  # noqa: PLC0415 - not before a test asks for it

    yield from fixture_lifecycle.given(request, settings.WIDE)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Note which fixtures of a repeated test act on its machine."""
    item = request.node
    if fixturedef.scope != "function" or (settings.sweep_of(item) is None and settings.explore_of(item) is None):
        return (yield)
    from fakecuda.testing import fixtures_again  # noqa: PLC0415 - few tests need it

    with fixtures_again.acting(item, fixturedef):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Restart the random generator.

    A rerun test then has the same addresses and handles.
    """
    chance = sys.modules.get("fakecuda.model.os.rng")
    if chance is not None:
        chance.restart()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test with undefined behaviour; report the last calls of a failed test."""
    __tracebackhide__ = True
    try:
        if settings.MACHINE in item.stash:
            from fakecuda.testing import verdict  # noqa: PLC0415 - not before a test has a machine

            with verdict.watched(item):
                result = yield
        else:
            result = yield
        kept = settings.kept_by_unittest(item)
        if kept is None and isinstance(settings.instance_of(item), TestCase):
            _repeat(item)
    except Exception as failure:
        _failed(item, failure)
        raise
    if kept is not None:
        if isinstance(kept, Exception):
            _failed(item, kept)
    elif settings.machine_of(item) is not None:
        from fakecuda.testing import verdict  # noqa: PLC0415 - not before a test has a machine

        verdict.passed(item)
    return result


def _failed(item: pytest.Item, failure: Exception) -> None:
    """Report the calls and findings of a failed test."""
    made = settings.machine_of(item)
    if made is not None:
        from fakecuda.testing import verdict  # noqa: PLC0415 - the test may have asked for a machine meanwhile

        verdict.failed(item, failure)
    from fakecuda.testing import hints  # noqa: PLC0415 - not before a test fails

    marked = item.get_closest_marker("fakecuda") is not None
    is_used = settings.GIVEN in item.stash and item.stash[settings.GIVEN]._is_used  # noqa: SLF001 - no part of the public object
    if told := [*hints.of_machine(made, marked=marked, failure=failure, is_used=is_used), *hints.of_import(failure)]:
        item.add_report_section("call", "fakecuda hints", "\n".join(told))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Run a passed test again, with faults or in other orders, if its mark says so."""
    __tracebackhide__ = True
    result = yield
    _repeat(pyfuncitem)
    return result


def _repeat(item: Any) -> None:
    """Run a passed test again, with faults or in other orders, if its mark says so."""
    __tracebackhide__ = True
    if settings.sweep_of(item) is not None or settings.explore_of(item) is not None:
        from fakecuda.testing import repeating  # noqa: PLC0415 - few tests need it

        repeating.repeat(item)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Add a hint to the report of a module whose import fails without cuda-bindings."""
    report = yield
    if report.failed and "cuda" in report.longreprtext:
        from fakecuda.testing import hints  # noqa: PLC0415 - not before an import fails

        report.sections += [("fakecuda hints", hint) for hint in hints.of_text(report.longreprtext)]
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Report late uses of a machine's objects; note which calls a test records."""
    item.config.stash[settings.CURRENT] = item
    if settings.RECORDED in os.environ:
        from fakecuda.testing.recorded import noted  # noqa: PLC0415 - as below

        with noted(item.nodeid):
            result = yield
    else:
        result = yield
    if "fakecuda.machine.install" in sys.modules:
        from fakecuda.testing import outlived  # noqa: PLC0415 - not before a test asks for it

        outlived.report(item)
    return result
