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
CHECKS = ("leaks", "leaks_allowed", "errors")
"""Arguments of the mark that say what else fails a test, and not what its machine is."""
MODES = ("report", "error", "ignore")
"""What becomes of what a check finds: it is told, it fails the test, or nobody looks."""
WIDE_FIXTURES = {"fakecuda_module", "fakecuda_session"}
"""The fixtures whose machine several tests share."""
LAST = 20
"""How many of the last calls the report of a failed test shows."""
MARK = (
    "fakecuda(profile=..., strict=True, seed=None, memory_cap=..., completion=..., patience=60, clock=..., door=..., shared=None, "
    "inherit=None, leaks=..., leaks_allowed=[], errors=...): the machine of the fixture `fakecuda`, and what it checks at its end; the closest "
    "mark wins; a list of profiles runs the test on each"
)

MACHINE = pytest.StashKey[Any]()
WIDE = pytest.StashKey[Any]()
"""The machine that all tests of a module or of the session share, in the stash of that node."""
CURRENT = pytest.StashKey[pytest.Item]()
"""The test that runs: what is left on a machine of several tests is told with the last of them."""
OPTIONS = pytest.StashKey[dict[str, Any]]()
PARTIAL = pytest.StashKey[bool]()
UNMATCHED = pytest.StashKey[list[str]]()
POLICY = pytest.StashKey["Policy"]()
SHARED = pytest.StashKey[Any]()
CARD = pytest.StashKey[Any]()
"""The real cuda.bindings.driver."""
TRACE = pytest.StashKey[Any]()
"""The calls of a test that is compared, and in the session's stash those of tests on the model, by what both runs share."""
TRACES = pytest.StashKey[dict[str, Any]]()
FAILURE = pytest.StashKey[Any]()
COUNTED = pytest.StashKey[Any]()
"""What becomes of refused calls, and what counts them."""
LEFT, REFUSED, UNSEEN = "fakecuda leaks", "fakecuda refused calls", "fakecuda does not see on a driver"
"""The titles of the sections that list what a test has left behind, and the calls that its machine has refused."""


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
    for check, what in (("leaks", "what a test leaves behind"), ("errors", "refused calls that no test expects")):
        told = f"{what}: listed if it fails (report), a failure (error), or nothing (ignore)"
        group.addoption(f"--fakecuda-{check}", metavar="MODE", help=told)
        parser.addini(f"fakecuda_{check}", f"{told}; report by default", default="report")


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark; find the driver when the tests run on it, or the machine that all workers share."""
    config.addinivalue_line("markers", MARK)
    for check in ("leaks", "errors"):
        _mode(config, check)
    if config.getoption("--fakecuda-shared") and not config.option.collectonly:
        _share(config, str(config.getoption("--fakecuda-shared")))
    where = config.getoption("--fakecuda")
    if where == "both" and (hasattr(config, "workerinput") or getattr(config.option, "dist", "no") != "no"):
        msg = "--fakecuda=both compares two runs of a test, which pytest-xdist may give to two workers: leave -n out"
        raise pytest.UsageError(msg)
    if where != "model" and not config.option.collectonly:
        from fakecuda.doors import install  # noqa: PLC0415 - not before somebody asks for it
        from fakecuda.testing import real  # noqa: PLC0415 - likewise

        driver = config.stash[CARD] = real.find_driver()
        if where == "real":
            install.instead = lambda profile: real.machine(driver, profile)
            config.add_cleanup(lambda: setattr(install, "instead", None))


def _mode(config: pytest.Config, check: str) -> str:
    """Return what becomes of what a check finds where no mark says it."""
    name = f"--fakecuda-{check}"
    mode = config.getoption(name)
    if mode is None:
        name, mode = f"fakecuda_{check}", config.getini(f"fakecuda_{check}")
    if mode not in MODES:
        from fakecuda.near import nearest  # noqa: PLC0415 - nearly always it is one

        msg = f"{name}: {nearest(mode, MODES, 'mode')}"
        raise pytest.UsageError(msg)
    return str(mode)


def _share(config: pytest.Config, profile: str) -> None:
    """Offer one machine to all workers, or use it in a worker; at the end it tells what was undefined."""
    from fakecuda.doors import install  # noqa: PLC0415 - not before somebody asks for it
    from fakecuda.errors import FakeCudaError  # noqa: PLC0415 - likewise
    from fakecuda.sharing import xdist  # noqa: PLC0415 - likewise

    if not hasattr(config, "workerinput"):
        try:
            machine, ending = xdist.offer(profile)
        except FakeCudaError as error:
            msg = f"--fakecuda-shared: {error}; in front of a test's path write --fakecuda-shared=h200-x2"
            raise pytest.UsageError(msg) from None
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
    of_shared = machine is not None and (machine.findings or (_mode(config, "leaks") == "error" and _left_on(machine)))
    if unmatched or of_shared:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell what a shared machine has seen, entries that suppress nothing any more, and how many tests have left something behind."""
    config, stats = terminalreporter.config, terminalreporter.stats
    for entry in config.stash.get(UNMATCHED, []):
        terminalreporter.write_line(f"fakecuda_suppress: {entry!r} suppresses nothing any more: delete it", red=True)
    machine = config.stash.get(SHARED, None)
    for finding in machine.findings if machine is not None else ():
        terminalreporter.write_line(f"fakecuda: undefined behaviour: {finding}", red=True)
    mode = _mode(config, "leaks")
    if machine is not None and mode != "ignore" and (left := _left_on(machine)):
        terminalreporter.write_line(f"fakecuda: on the shared machine {left}", red=mode == "error")
    ends = [one for reports in stats.values() for one in reports if getattr(one, "when", "") == "teardown"]
    for check, title, what in (
        ("leaks", LEFT, "left something behind"),
        ("errors", REFUSED, "made calls that were refused"),
    ):
        if count := sum(any(title in name for name, _ in one.sections) for one in ends):
            how = f"--fakecuda-{check}=error fails each and lists it, -rP lists it"
            terminalreporter.write_line(f"fakecuda: {count} test{'s' * (count > 1)} {what}: {how}")
    if unseen := sum(any(UNSEEN in title for title, _ in one.sections) for one in ends):
        tests = f"{unseen} test{'s expect' if unseen > 1 else ' expects'}"
        terminalreporter.write_line(
            f"fakecuda: {tests} what a driver does not tell; that was not checked there: -rP lists it"
        )
    if config.getoption("--fakecuda") != "model" and {mode, _mode(config, "errors")} != {"ignore"}:
        terminalreporter.write_line(
            "fakecuda: on a real driver it is not seen what tests leave behind, and what is refused"
        )


def _left_on(machine: Any) -> str:  # noqa: ANN401 - a machine
    """Return what the processes of a shared machine have left, as lines; nothing for nothing."""
    from fakecuda.doors import leaks  # noqa: PLC0415 - not before somebody asks for it

    return str(leaks.at_end(machine, (), None))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once per profile where its mark names several; on the model and on the card where both are asked for."""
    profile = _arguments(metafunc.definition, pytest.Collector.CollectError).get("profile")
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
    side = getattr(request, "param", None)
    if request.config.getoption("--fakecuda") != "both" or side is None:
        yield from _machine(request, MACHINE)
        return
    from fakecuda.testing import both  # noqa: PLC0415 - not before somebody asks for it

    request.param = side.profile
    with both.side(side, request.config.stash[CARD]) as trace:
        request.node.stash[TRACE] = side, trace
        yield from _machine(request, MACHINE)


@pytest.fixture(scope="module")
def fakecuda_module(request: pytest.FixtureRequest) -> Iterator[FakeCuda]:
    """One machine for the tests of a module, described by the mark in its ``pytestmark``."""
    __tracebackhide__ = True
    yield from _machine(request, WIDE)


@pytest.fixture(scope="session")
def fakecuda_session(request: pytest.FixtureRequest) -> Iterator[FakeCuda]:
    """One machine for all tests of a session; with pytest-xdist, of a worker."""
    __tracebackhide__ = True
    yield from _machine(request, WIDE)


def _machine(request: pytest.FixtureRequest, key: pytest.StashKey[Any]) -> Iterator[FakeCuda]:
    """Give a machine for as long as a fixture lives, and say at its end what is left on it.

    Args:
        request: The fixture's; its node is the test, the module or the session.
        key: Where the node keeps the machine.
    """
    __tracebackhide__ = True
    node = request.node
    arguments = _arguments(node, pytest.UsageError)
    if getattr(request, "param", None) is not None:
        arguments["profile"] = request.param
    elif isinstance(arguments.get("profile"), list | tuple):
        problem = (
            "a list of profiles needs the fixture fakecuda among the test's arguments, not getfixturevalue, nor the machine "
            "of a module"
        )
        pytest.fail(problem, pytrace=False)
    checks = {name: arguments.pop(name) for name in CHECKS if name in arguments}
    arguments.setdefault("door", request.config.getoption("--fakecuda-door"))
    if arguments.get("seed") is None:
        # Its own: whatever machines other fixtures of the test make before it.
        arguments["seed"] = crc32(node.nodeid.encode())
    from fakecuda.doors import leaks, refusals  # noqa: PLC0415 - not before a test asks for it
    from fakecuda.errors import FakeCudaError  # noqa: PLC0415 - likewise
    from fakecuda.fixture import FakeCuda  # noqa: PLC0415 - likewise

    installation, problem = _policy(request.config).machine(arguments), ""
    try:
        allowed = leaks.checked(checks.get("leaks_allowed", ()))
        made = installation.__enter__()
    except FakeCudaError as error:
        problem = str(error)
    if problem:
        pytest.fail(problem, pytrace=False)
    node.stash[key], node.stash[OPTIONS] = made, arguments
    errors = checks.get("errors", _mode(request.config, "errors"))
    if errors != "ignore" and leaks.is_seen(made):
        node.stash[COUNTED] = errors, refusals.count(made)
    yield FakeCuda(made)
    del node.stash[key]
    left = ""
    mode = checks.get("leaks", _mode(request.config, "leaks"))
    if mode != "ignore" and leaks.is_seen(made):
        remains = leaks.at_end(made, allowed, node.stash.get(FAILURE, None))
        left = str(remains)
        problem = left if mode == "error" and remains.found else ""
    refused = _refused(node, request.config.stash[CURRENT], "teardown")
    for done in (FAILURE, COUNTED):
        node.stash.setdefault(done, None)
        del node.stash[done]
    if not hasattr(made, "profile") and made.notes:
        request.config.stash[CURRENT].add_report_section("teardown", UNSEEN, "\n".join(made.notes))
    if left and not problem:
        request.config.stash[CURRENT].add_report_section("teardown", LEFT, left)
    installation.__exit__(None, None, None)
    if problem := "\n".join(filter(None, (problem, refused))):
        _fail(problem)


def _refused(holder: pytest.Item, item: pytest.Item, when: str, failure: BaseException | None = None) -> str:
    """Return the refused calls that fail a test; where none do, or it has failed, they are a section of its report.

    Args:
        holder: The node that has the machine.
        item: The test.
        when: Where the test is.
        failure: What it has failed by.
    """
    mode, counted = holder.stash.get(COUNTED, ("", None))
    failed = failure is not None or FAILURE in holder.stash
    text = ""
    if counted is not None and (mode == "error" or failed or when == "teardown"):
        text = counted.take(full=mode == "error" or failed)
    if text and mode == "error" and not failed:
        return str(text)
    if text:
        item.add_report_section(when, REFUSED, text)
    return ""


def _holder(item: pytest.Item) -> Any:  # noqa: ANN401 - a node
    """Return the node that has the machine of a test: the test itself, or the module or session whose machine it asks for."""
    if MACHINE not in item.stash:
        for node in reversed(item.listchain()):
            if WIDE in node.stash and WIDE_FIXTURES.intersection(getattr(item, "fixturenames", ())):
                return node
    return item


def _made(item: pytest.Item) -> Any:  # noqa: ANN401 - a machine, or None
    """Return the machine of a test, if it has one."""
    stash = _holder(item).stash
    return stash.get(MACHINE, None) or stash.get(WIDE, None)


def _fail(text: str) -> None:
    """Fail with a text alone; pytest would say of a traceback whose frames are all hidden that they are."""
    raise pytest.fail.Exception(text, pytrace=False)


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
        with _examples(item), _traced(item):
            result = yield
    except Exception as failure:
        made, holder = _made(item), _holder(item)
        if made is not None:
            if holder is item:
                item.stash[FAILURE] = failure
            from fakecuda.doors import findings  # noqa: PLC0415 - not before a test asks for it

            calls = [str(call) for call in made.log[-LAST:]]
            raised = getattr(failure, "finding", None)  # the failure itself tells of it
            if raised is not None:
                findings.fold(failure)
            found = [f"undefined behaviour: {one}" for one in findings.take(made) if one is not raised]
            if calls or found:
                notes = [f"note: {note}" for note in made.notes]
                item.add_report_section("call", "fakecuda", "\n".join([*calls, *found, *notes]))
            _refused(holder, item, "call", failure)
        _hint(item, made, failure)
        if differs := _difference(item):
            item.add_report_section("call", "fakecuda on model and card", differs)
        raise
    _judge(item)
    if differs := _difference(item):
        _fail(differs)
    if refused := _refused(_holder(item), item, "call"):
        _fail(refused)
    return result


def _traced(item: pytest.Item) -> AbstractContextManager[None]:
    """Note the calls of a test that is compared."""
    if TRACE not in item.stash:
        return nullcontext()
    from fakecuda.testing import both  # noqa: PLC0415 - not before somebody asks for it

    return both.traced(item.stash[TRACE][1])


def _difference(item: pytest.Item) -> str:
    """Return in what the card has answered a test otherwise than the model did; nothing for nothing."""
    if TRACE not in item.stash:
        return ""
    from fakecuda.testing import both  # noqa: PLC0415 - not before somebody asks for it

    side, trace = item.stash[TRACE]
    del item.stash[TRACE]
    traces = item.session.stash.setdefault(TRACES, {})
    which: Any = item
    shared = f"{item.nodeid.partition('[')[0]} {which.callspec.id.replace(str(side), str(side.profile))}"
    if side.name == both.MODEL:
        traces[shared] = trace
        return ""
    model = traces.pop(shared, None)
    return both.difference(model, trace) if model is not None else ""


def _hint(item: pytest.Item, made: Any, failure: BaseException) -> None:  # noqa: ANN401 - a machine, or None
    """Add to a failed test's report what the way in which it uses the machine may have to do with it."""
    from fakecuda.testing import hints  # noqa: PLC0415 - not before a test fails

    marked = item.get_closest_marker("fakecuda") is not None
    if told := [*hints.of_machine(made, marked=marked), *hints.of_import(failure)]:
        item.add_report_section("call", "fakecuda hints", "\n".join(told))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Add to the report of a module that cannot be imported for want of cuda-bindings what to do."""
    report = yield
    if report.failed and "cuda" in report.longreprtext:
        from fakecuda.testing import hints  # noqa: PLC0415 - not before an import fails

        report.sections += [("fakecuda hints", hint) for hint in hints.of_text(report.longreprtext)]
    return report


def _judge(item: pytest.Item) -> None:
    """Fail a test for what was found on its machine."""
    __tracebackhide__ = True
    made = _made(item)
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
    item.config.stash[CURRENT] = item
    result = yield
    if "fakecuda.doors.install" in sys.modules:
        from fakecuda.testing import outlived  # noqa: PLC0415 - not before a test asks for it

        outlived.report(item)
    return result


def _arguments(node: pytest.Item, error: type[Exception]) -> dict[str, Any]:
    """Return the arguments of the closest mark; a wrong one is an error that says what to write."""
    mark = node.get_closest_marker("fakecuda")
    if mark is None:
        return {}
    problem = ""
    if mark.args:
        problem = f"takes no positional arguments: write profile={mark.args[0]!r}"
    elif unknown := set(mark.kwargs).difference(ARGUMENTS, CHECKS):
        from fakecuda.near import nearest  # noqa: PLC0415 - nearly always there is none

        near = nearest(min(unknown), (*ARGUMENTS, *CHECKS), "argument").partition("; ")[2]
        problem = f"has no argument {min(unknown)!r}; {near}"
    elif wrong := [name for name in ("leaks", "errors") if mark.kwargs.get(name, "report") not in MODES]:
        from fakecuda.near import nearest  # noqa: PLC0415 - nearly always it is one

        mode = mark.kwargs[wrong[0]]
        problem = f"has {wrong[0]}={mode!r}: {nearest(str(mode), MODES, 'mode')}"
    elif mark.kwargs.get("profile", True) in ([], ()):
        problem = "has an empty list of profiles: name one at least"
    elif not isinstance(mark.kwargs.get("strict", True), bool):
        problem = f"has strict={mark.kwargs['strict']!r}: write True or False"
    if problem:
        msg = f"{node.nodeid}: @pytest.mark.fakecuda {problem}"
        raise error(msg)
    return dict(mark.kwargs)
