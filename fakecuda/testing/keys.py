"""What the plugin keeps with pytest's objects, and what its options may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

ARGUMENTS = (
    "profile",
    "strict",
    "races",
    "seed",
    "memory_cap",
    "completion",
    "patience",
    "clock",
    "schedule",
    "door",
    "shared",
    "inherit",
)
CHECKS = ("leaks", "leaks_allowed", "errors", "sweep", "explore")
"""Arguments of the mark that say what else fails a test, and not what its machine is."""
SWEEPS, EXPLORES = ("budget", "codes"), ("schedules", "budget", "prune")
"""What the mark may say of a sweep, and of a search of orders, in a dict in the place of True."""
MODES = ("report", "error", "ignore")
"""What becomes of what a check finds: it is told, it fails the test, or nobody looks."""
WIDE_FIXTURES = {"fakecuda_module", "fakecuda_session"}
"""The fixtures whose machine several tests share."""
MARK = (
    "fakecuda(profile=..., strict=True, races=True, seed=None, memory_cap=..., completion=..., patience=60, clock=..., schedule=None, door=..., shared=None, "
    "inherit=None, leaks=..., leaks_allowed=[], errors=..., sweep=False, explore=False): the machine of the fixture `fakecuda`, and what it checks at its end; the closest "
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
POLICY = pytest.StashKey[Any]()
SHARED = pytest.StashKey[Any]()
CARD = pytest.StashKey[Any]()
"""The real cuda.bindings.driver."""
TRACE = pytest.StashKey[Any]()
"""Where a test that is compared runs, and its calls."""
TRACES = pytest.StashKey[dict[str, Any]]()
"""The calls of tests on the model whose run on the card is to come, in the session's stash, by what both runs share."""
FAILURE = pytest.StashKey[Any]()
COUNTED = pytest.StashKey[Any]()
"""What becomes of refused calls, and what counts them."""
HTML = pytest.StashKey[Any]()
"""What keeps for a page what is known of each test; where no page was asked for, nothing."""
TOLD = pytest.StashKey[dict[str, Any]]()
"""What the page of a session tells of a test, so far."""
WAITED = "fakecuda deadlock"
"""The title of the section that tells of calls that waited for each other."""
LEFT, REFUSED, UNSEEN = "fakecuda leaks", "fakecuda refused calls", "fakecuda does not see on a driver"
"""The titles of the sections that list what a test has left behind, and the calls that its machine has refused."""


def mode_of(config: pytest.Config, check: str) -> str:
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


def arguments_of(node: pytest.Item, error: type[Exception]) -> dict[str, Any]:
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
    elif switched := [name for name in ("strict", "races") if not isinstance(mark.kwargs.get(name, True), bool)]:
        problem = f"has {switched[0]}={mark.kwargs[switched[0]]!r}: write True or False"
    elif runs := _wrong_runs(mark.kwargs):
        problem = f"has {runs}"
    if problem:
        msg = f"{node.nodeid}: @pytest.mark.fakecuda {problem}"
        raise error(msg)
    return dict(mark.kwargs)


def _wrong_runs(given: Mapping[str, Any]) -> str:
    """Return what is wrong with the mark's ``sweep`` or ``explore``; nothing for nothing."""
    for name, allowed, example in (("sweep", SWEEPS, '{"budget": 30}'), ("explore", EXPLORES, '{"schedules": 200}')):
        asked = given.get(name, False)
        if isinstance(asked, bool) or (name == "explore" and isinstance(asked, int) and asked > 0):
            continue
        if not isinstance(asked, dict):
            number = ", a number of orders" if name == "explore" else ""
            return f"{name}={asked!r}: write True{number}, or a dict such as {example}"
        from fakecuda.near import nearest  # noqa: PLC0415 - nearly always it is one

        unknown = [key for key in asked if key not in allowed]
        if unknown:
            return f"{name}={asked!r}: {nearest(str(unknown[0]), allowed, 'key')}"
    return ""


def sweep_of(item: pytest.Item) -> dict[str, Any] | None:
    """Return what the mark of a test says of its sweep; None where it is not swept."""
    return _runs_of(item, "sweep")


def explore_of(item: pytest.Item) -> dict[str, Any] | None:
    """Return what the mark of a test says of its orders; None where they are not searched, or it names the one to run."""
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


def holder_of(item: pytest.Item) -> Any:  # noqa: ANN401 - a node
    """Return the node that has the machine of a test: the test itself, or the module or session whose machine it asks for."""
    if MACHINE not in item.stash:
        for node in reversed(item.listchain()):
            if WIDE in node.stash and WIDE_FIXTURES.intersection(getattr(item, "fixturenames", ())):
                return node
    return item


def machine_of(item: pytest.Item) -> Any:  # noqa: ANN401 - a machine, or None
    """Return the machine of a test, if it has one."""
    stash = holder_of(item).stash
    return stash.get(MACHINE, None) or stash.get(WIDE, None)


def door_of(config: pytest.Config) -> str:
    """Return the door of a run; beside a card, whose library C finds, the look-alike, unless one is named."""
    door = str(config.getoption("--fakecuda-door"))
    return "lookalike" if door == "auto" and config.getoption("--fakecuda") == "both" else door


def fail(text: str) -> NoReturn:
    """Fail with a text alone; pytest would say of a traceback whose frames are all hidden that they are."""
    raise pytest.fail.Exception(text, pytrace=False)
