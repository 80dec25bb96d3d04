"""Stash keys of the plugin, and the values of its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from fakecuda import modes
from fakecuda.renamed import named_twice, unknown, warnings_of, with_new_names

if TYPE_CHECKING:
    from collections.abc import Mapping

ARGUMENTS = (
    "profile",
    "strict",
    "races",
    "seed",
    "memory_cap",
    "completion",
    "wait_timeout",
    "clock",
    "schedule",
    "door",
    "shared",
    "inherit",
)
CHECKS = ("leaks", "leaks_allowed", "errors", "sweep", "explore")
"""Arguments of the mark that say what fails a test. The others describe the machine."""
SWEEPS, EXPLORES = ("budget", "codes"), ("schedules", "budget", "prune")
"""Keys of the dict that the mark accepts for a sweep and for a search, instead of True."""
WIDE_FIXTURES = {"fakecuda_module", "fakecuda_session"}
"""Fixtures whose machine several tests share."""
MARK = (
    "fakecuda(profile=..., strict=True, races=True, seed=None, memory_cap=..., completion=..., wait_timeout=60, clock=..., schedule=None, door=..., shared=None, "
    "inherit=None, leaks=..., leaks_allowed=[], errors=..., sweep=False, explore=False): the machine of the fixture `fakecuda`, and the checks at its end; the closest "
    "mark wins; a list of profiles runs the test once for each"
)

MACHINE = pytest.StashKey[Any]()
WIDE = pytest.StashKey[Any]()
"""The machine that all tests of a module or session share, in the stash of that node."""
CURRENT = pytest.StashKey[pytest.Item]()
"""The current test. Leaks of a machine that tests share are reported with the last test."""
OPTIONS = pytest.StashKey[dict[str, Any]]()
PARTIAL = pytest.StashKey[bool]()
UNMATCHED = pytest.StashKey[list[str]]()
POLICY = pytest.StashKey[Any]()
SHARED = pytest.StashKey[Any]()
CARD = pytest.StashKey[Any]()
"""The real cuda.bindings.driver."""
TRACE = pytest.StashKey[Any]()
"""The side on which a compared test runs, and the trace of its calls."""
TRACES = pytest.StashKey[dict[str, Any]]()
"""Traces of tests on the model, kept until the run on the card, by the id that both runs share."""
FAILURE = pytest.StashKey[Any]()
CHECKED = pytest.StashKey[Any]()
"""The checks at the end of the machine."""
HTML = pytest.StashKey[Any]()
"""The collector for the HTML page; missing without ``--fakecuda-html``."""
TOLD = pytest.StashKey[dict[str, Any]]()
"""The parts of a test for the HTML page, so far."""
UNDEFINED = "fakecuda undefined behaviour"
"""Title of the report's section on findings that the test's own failure does not report."""
WAITED = "fakecuda deadlock"
"""Title of the report's section on deadlocks."""
LEFT, REFUSED, UNSEEN = "fakecuda leaks", "fakecuda refused calls", "fakecuda does not see on a driver"
"""Titles of the sections on leaks, on refused calls, and on expectations that a driver cannot confirm."""


def mode_of(config: pytest.Config, check: str) -> str:
    """Return the mode of a check for tests whose mark does not set it."""
    name = f"--fakecuda-{check}"
    mode = config.getoption(name)
    if mode is None:
        name, mode = f"fakecuda_{check}", config.getini(f"fakecuda_{check}")
    if problem := modes.wrong(name, mode):
        raise pytest.UsageError(problem)
    return str(mode)


def arguments_of(node: pytest.Item, error: type[Exception], *, warn: bool = False) -> dict[str, Any]:
    """Return the arguments of the closest mark, by their new names.

    A wrong argument raises an error that says what to write.

    Args:
        node: The test, or a node with several.
        error: The class of the error.
        warn: Whether old names of arguments are warned of.
    """
    mark = node.get_closest_marker("fakecuda")
    if mark is None:
        return {}
    given, problem = with_new_names(mark.kwargs), ""
    if mark.args:
        problem = f"takes no positional arguments: write profile={mark.args[0]!r}"
    elif twice := named_twice(mark.kwargs):
        problem = f"has {twice}"
    elif wrong := unknown("@pytest.mark.fakecuda", sorted(given), (*ARGUMENTS, *CHECKS)):
        problem = wrong.partition(" ")[2]
    elif modal := [text for name in ("leaks", "errors") if (text := modes.wrong(name, given.get(name, "report")))]:
        problem = f"has {modal[0]}"
    elif mark.kwargs.get("profile", True) in ([], ()):
        problem = "has an empty list of profiles: name at least one"
    elif switched := [name for name in ("strict", "races") if not isinstance(mark.kwargs.get(name, True), bool)]:
        problem = f"has {switched[0]}={mark.kwargs[switched[0]]!r}: write True or False"
    elif runs := _wrong_runs(mark.kwargs):
        problem = f"has {runs}"
    if problem:
        msg = f"{node.nodeid}: @pytest.mark.fakecuda {problem}"
        raise error(msg)
    for text in warnings_of(mark.kwargs) if warn else ():
        node.warn(DeprecationWarning(f"@pytest.mark.fakecuda: {text}"))
    return given


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
