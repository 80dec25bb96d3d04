"""Stash keys of the plugin, and the values of its options."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from fakecuda import modes
from fakecuda.renamed import named_twice, unknown, warnings_of, with_new_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

ARGUMENTS = (
    "profile",
    "strict",
    "races",
    "kernels",
    "seed",
    "handles",
    "memory_cap",
    "completion",
    "wait_timeout",
    "clock",
    "schedule",
    "door",
    "shared",
    "inherit",
)
CHECKS = ("leaks", "leaks_allowed", "errors", "errors_allowed", "sweep", "explore")
"""Arguments of the mark about failures; the others describe the machine."""
SWEEPS, EXPLORES = ("budget", "codes"), ("schedules", "budget", "prune")
"""Keys of the mark's dicts for ``sweep`` and ``explore``."""
INI = (
    "fakecuda_collection",
    "fakecuda_leaks",
    "fakecuda_errors",
    "fakecuda_kernels",
    "fakecuda_findings",
    "fakecuda_load",
    "fakecuda_races",
    "fakecuda_suppress",
)
"""The options of the ini file."""
WAYS = ("error", "warn")
"""Values of ``fakecuda_findings``."""
RACES: dict[str, bool | str] = {"true": True, "false": False, modes.STRICT: modes.STRICT}
"""Values of ``fakecuda_races``, with the option's values."""
ENTRY = re.compile(r"(?P<rule>[\w.]+)\s+(?P<module>[\w.+-]+|\*):\s*(?P<reason>\S.*)")
"""Matches an entry of ``fakecuda_suppress``."""
WIDE_FIXTURES = {"fakecuda_module", "fakecuda_session"}
"""Fixtures with a machine for several tests."""
MARK = (
    "fakecuda(profile=..., strict=True, races=True, kernels=..., seed=None, handles=..., memory_cap=..., completion=..., wait_timeout=60, clock=..., schedule=None, door=..., shared=None, "
    "inherit=None, leaks=..., leaks_allowed=[], errors=..., errors_allowed=[], sweep=False, explore=False): the machine of the fixture `fakecuda`, and the checks at its end; the closest "
    "mark wins; a list of profiles runs the test once for each"
)

OLDEST_PYTEST = 8
"""The first release of pytest with which the plugin works."""
MACHINE = pytest.StashKey[Any]()
GIVEN = pytest.StashKey[Any]()
"""The object that a test's fixture returned."""
WIDE = pytest.StashKey[Any]()
"""The machine that all tests of a module or session share, in the stash of that node."""
RECORDED = "FAKECUDA_RECORDED"
"""The variable of ``python -m fakecuda record`` with the recording folder."""
CURRENT = pytest.StashKey[pytest.Item]()
"""The current test. Leaks of a machine that tests share are reported with the last test."""
OPTIONS = pytest.StashKey[dict[str, Any]]()
ACTING = pytest.StashKey[set[Any]]()
"""The definitions of fixtures that acted on the machine of a repeated test."""
PARTIAL = pytest.StashKey[bool]()
UNMATCHED = pytest.StashKey[list[str]]()
POLICY = pytest.StashKey[Any]()
SHARED = pytest.StashKey[Any]()
CARD = pytest.StashKey[Any]()
"""The real cuda.bindings.driver."""
TRACE = pytest.StashKey[Any]()
"""The side of a compared test, and the trace of its calls."""
TRACES = pytest.StashKey[dict[str, Any]]()
"""Traces of tests on the model, kept until the run on the card, by the id that both runs share."""
FAILURE = pytest.StashKey[Any]()
FAILED = pytest.StashKey[bool]()
"""Whether a test has failed in its call, by an exception or a finding."""
CHECKED = pytest.StashKey[Any]()
"""The checks at the end of the machine."""
HTML = pytest.StashKey[Any]()
"""The collector for the HTML page; missing without ``--fakecuda-html``."""
TOLD = pytest.StashKey[dict[str, Any]]()
"""The collected parts of a test for the HTML page."""
UNDEFINED = "fakecuda undefined behaviour"
"""Title of the report's section on findings that the test's own failure does not report."""
WAITED = "fakecuda deadlock"
"""Title of the report's section on deadlocks."""
UNCALLED = "fakecuda without calls"
"""Title of the section of a test that made no call."""
LEFT, REFUSED, UNSEEN = "fakecuda leaks", "fakecuda refused calls", "fakecuda does not see on a driver"
"""Titles of the sections on leaks, on refused calls, and on expectations that a driver cannot confirm."""
SKIPPED = "fakecuda skipped launches"
"""Title of the section on skipped launches. Each line begins with a number of launches."""
ALLOWED = {"leaks": modes.MODES, "errors": modes.MODES, "kernels": modes.KERNELS}
"""The modes of the options that the mark, the command line and the ini file can set."""


def mode_of(config: pytest.Config, check: str) -> str:
    """Return the mode of an option in ``ALLOWED`` for tests whose mark does not set it."""
    name = f"--fakecuda-{check}"
    mode = config.getoption(name)
    if mode is None:
        name, mode = f"fakecuda_{check}", config.getini(f"fakecuda_{check}")
    if problem := modes.wrong(name, mode, ALLOWED[check]):
        raise pytest.UsageError(problem)
    return str(mode)


def check_pytest() -> None:
    """Refuse a pytest release that lacks what the plugin uses.

    Raises:
        pytest.UsageError: The release is too old; the text says what to install.
    """
    if int(pytest.__version__.partition(".")[0]) < OLDEST_PYTEST:
        msg = (
            f"fakecuda's plugin needs pytest {OLDEST_PYTEST} or newer, and this is {pytest.__version__}: "
            f'pip install "pytest>={OLDEST_PYTEST}", or leave the plugin out: -p no:fakecuda'
        )
        raise pytest.UsageError(msg)


def choice(what: str, names: Iterable[str]) -> Callable[[str], str]:
    """Return a parser that accepts only some names.

    Args:
        what: What the names are, for the text.
        names: The names.
    """

    def chosen(text: str) -> str:
        if text not in names:
            from fakecuda.near import nearest  # noqa: PLC0415 - only for an error

            raise argparse.ArgumentTypeError(nearest(text, names, what))
        return text

    return chosen


def check_options(parser: pytest.Parser, args: list[str]) -> None:
    """Refuse unknown command line options with fakecuda's prefix.

    Raises:
        pytest.UsageError: There is one; the text names similar ones.
    """
    if not any(arg.startswith("--fakecuda") for arg in args):
        return
    _, unknown_ones = parser.parse_known_and_unknown_args(args)
    for arg in unknown_ones:
        name = arg.partition("=")[0]
        if name.startswith("--fakecuda"):
            from fakecuda.near import nearest  # noqa: PLC0415 - only for an error

            known = [one for option in parser.getgroup("fakecuda").options for one in option.names()]
            raise pytest.UsageError(nearest(name, known, "option"))


def check_ini(config: pytest.Config) -> None:
    """Refuse unknown names and values of the ini file.

    Raises:
        pytest.UsageError: There is one; the text says what to write.
    """
    for check in ALLOWED:
        mode_of(config, check)
    kept = vars(config)  # no public name lists the settings that a file has
    given = [
        *(kept.get("_inicfg") or kept.get("inicfg", ())),
        *(text.partition("=")[0] for text in config.getoption("override_ini") or ()),
    ]
    for name in given:
        if name.startswith("fakecuda_"):
            try:
                config.getini(name)
            except ValueError:
                from fakecuda.near import nearest  # noqa: PLC0415 - only for an error

                raise pytest.UsageError(nearest(name, INI, "setting of the ini file")) from None
    way = config.getini("fakecuda_findings")
    if way not in WAYS:
        from fakecuda.near import nearest  # noqa: PLC0415 - only for an error

        msg = f"fakecuda_findings: {nearest(way, WAYS, 'value of this option')}"
        raise pytest.UsageError(msg)
    found = config.getini("fakecuda_races")
    if found not in RACES:
        from fakecuda.near import nearest  # noqa: PLC0415 - only for an error

        msg = f"fakecuda_races: {nearest(found, RACES, 'value of this option')}"
        raise pytest.UsageError(msg)
    check_suppressed(config)


def check_suppressed(config: pytest.Config) -> None:
    """Refuse malformed entries of ``fakecuda_suppress``; see :func:`check_ini`."""
    for text in config.getini("fakecuda_suppress"):
        if ENTRY.fullmatch(text) is None:
            msg = f"fakecuda_suppress: {text!r} is not an entry: write RULE MODULE: REASON, with * for any module"
            raise pytest.UsageError(msg)


def load_early(options: Any) -> None:
    """Load the driver's libraries, if tests reach the model by the native door.

    Args:
        options: The options that are known before conftest files.

    Raises:
        pytest.UsageError: They cannot be loaded; the text says what to do.
    """
    from fakecuda.errors import FakeCudaError  # noqa: PLC0415 - only if needed
    from fakecuda.machine import install  # noqa: PLC0415 - only if needed
    from fakecuda.reach.native.stubs import NATIVE  # noqa: PLC0415 - only if needed

    if not NATIVE or options.fakecuda != "model" or options.fakecuda_door == "lookalike":
        return
    try:
        install.load_early()
    except FakeCudaError as error:
        msg = f"fakecuda_load: {error}"
        raise pytest.UsageError(msg) from None


class WrongMarks:
    """A plugin that fails tests with a wrong mark."""

    @staticmethod
    def pytest_runtest_setup(item: pytest.Item) -> None:
        """Fail a test before its fixtures are made; a skipped test stays skipped."""
        __tracebackhide__ = True
        if problem := problem_of(item):
            fail(problem)


def arguments_of(node: pytest.Item) -> dict[str, Any]:
    """Return the arguments of the closest mark, by their new names; a wrong mark fails the test.

    Old names of arguments are warned of.

    Args:
        node: The test, or a node with several.
    """
    __tracebackhide__ = True
    mark = node.get_closest_marker("fakecuda")
    if mark is None:
        return {}
    if problem := problem_of(node):
        fail(problem)
    for text in warnings_of(mark.kwargs):
        node.warn(DeprecationWarning(f"@pytest.mark.fakecuda: {text}"))
    return with_new_names(mark.kwargs)


def problem_of(node: pytest.Item) -> str:
    """Return what is wrong with the closest mark, and a fix; empty if it is valid."""
    mark = node.get_closest_marker("fakecuda")
    if mark is None:
        return ""
    given, problem = with_new_names(mark.kwargs), ""
    if mark.args:
        problem = f"takes no positional arguments: write profile={mark.args[0]!r}"
    elif twice := named_twice(mark.kwargs):
        problem = f"has {twice}"
    elif wrong := unknown("@pytest.mark.fakecuda", sorted(given), (*ARGUMENTS, *CHECKS)):
        problem = wrong.partition(" ")[2]
    elif modal := [
        text for name, allowed in ALLOWED.items() if name in given and (text := modes.wrong(name, given[name], allowed))
    ]:
        problem = f"has {modal[0]}"
    elif mark.kwargs.get("profile", True) in ([], ()):
        problem = "has an empty list of profiles: name at least one"
    elif not isinstance(strict := mark.kwargs.get("strict", True), bool):
        problem = f"has strict={strict!r}: write True or False"
    elif wrong := (
        modes.wrong_races(mark.kwargs.get("races", True))
        or modes.wrong("handles", given.get("handles", modes.APART), modes.HANDLES)
    ):
        problem = f"has {wrong}"
    elif runs := _wrong_runs(mark.kwargs):
        problem = f"has {runs}"
    return f"@pytest.mark.fakecuda {problem}" if problem else ""


def _wrong_runs(given: Mapping[str, Any]) -> str:
    """Return what is wrong with the mark's ``sweep`` or ``explore``.

    The result is empty if both are correct.
    """
    for name, allowed, example in (("sweep", SWEEPS, '{"budget": 30}'), ("explore", EXPLORES, '{"schedules": 200}')):
        asked = given.get(name, False)
        if isinstance(asked, bool) or (name == "explore" and isinstance(asked, int) and asked > 0):
            continue
        if not isinstance(asked, dict):
            number = ", a number of orders" if name == "explore" else ""
            return f"{name}={asked!r}: write True{number}, or a dict such as {example}"
        if other := [key for key in asked if key not in allowed]:
            from fakecuda.near import nearest  # noqa: PLC0415 - only for an error

            return f"{name}={asked!r}: {nearest(str(other[0]), allowed, 'key')}"
    return ""


def sweep_of(item: pytest.Item) -> dict[str, Any] | None:
    """Return the arguments for the sweep of a test; None if the test is not swept."""
    return _runs_of(item, "sweep")


def explore_of(item: pytest.Item) -> dict[str, Any] | None:
    """Return the arguments for the search over a test's orders.

    The result is None without a search, or with a fixed schedule.
    """
    mark = item.get_closest_marker("fakecuda")
    if mark is None or mark.kwargs.get("schedule") is not None:
        return None
    return _runs_of(item, "explore")


def _runs_of(item: pytest.Item, name: str) -> dict[str, Any] | None:
    mark = item.get_closest_marker("fakecuda")
    given = mark.kwargs.get(name, False) if mark is not None else False
    if isinstance(given, dict):
        return given
    if given is True:
        return {}
    return {"schedules": given} if given else None


def instance_of(item: pytest.Item) -> object:
    """Return the object whose method a test is; None for a function. pytest 8.2 and newer have ``item.instance``."""
    return getattr(getattr(item, "obj", None), "__self__", None)


def kept_by_unittest(item: pytest.Item) -> BaseException | None:
    """Return the exception that ended a test method of unittest, which does not raise it.

    The result is None without one, and for other tests.
    """
    kept = getattr(item, "_excinfo", None)  # as pytest itself reads it, for its report
    return kept[0].value if kept else None


def holder_of(item: pytest.Item) -> Any:
    """Return the node with a test's machine.

    The test, or the module or session whose machine it uses.
    """
    if MACHINE not in item.stash:
        for node in reversed(item.listchain()):
            if WIDE in node.stash and WIDE_FIXTURES.intersection(getattr(item, "fixturenames", ())):
                return node
    return item


def machine_of(item: pytest.Item) -> Any:
    """Return the machine of a test; None if the test has no machine."""
    stash = holder_of(item).stash
    return stash.get(MACHINE, None) or stash.get(WIDE, None)


def door_of(config: pytest.Config) -> str:
    """Return the door of a session.

    With ``--fakecuda=both`` the default is the look-alike: C code finds the real driver.
    """
    door = str(config.getoption("--fakecuda-door"))
    return "lookalike" if door == "auto" and config.getoption("--fakecuda") == "both" else door


def fail(text: str) -> NoReturn:
    """Fail the test with a text and without a traceback."""
    raise pytest.fail.Exception(text, pytrace=False)
