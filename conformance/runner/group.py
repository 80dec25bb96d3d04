"""Groups of checks as pytest items: cases of a call, a recording, or a test.

A test function that asks for parameters alone, and no fixture, is a group too. Pytest's own cost for an item, about a
millisecond, is above that of most checks; so pytest collects groups, and a failing one tells each check that failed.
"""

from __future__ import annotations

import inspect
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from conformance.kit.case import Cases
from conformance.runner.checks import FAILED, SKIPPED, Check, Outcome, Shown, Source, calls_of, run_check
from conformance.runner.options import selected, target_of
from conformance.targets.target import SHORT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conformance.kit.case import Case, Entry

TELL = pytest.StashKey["Callable[[Outcome], None]"]()
"""The stash key of the function that receives the outcome of each check."""
PARAMETER_SET = type(pytest.param())
MODEL_ALONE = "it asks the model alone, and --target=real the driver alone"


class ChecksFailed(Exception):  # noqa: N818 - what pytest reports
    """Some checks of a group failed.

    Args:
        failed: What came of them.
        count: How many checks the group has.
    """

    def __init__(self, failed: Sequence[Outcome], count: int) -> None:
        super().__init__(f"{len(failed)} of {count} failed")
        self.failed = failed

    def __str__(self) -> str:
        return "\n\n".join([self.args[0], *(f"[{one.name}]\n{one.text}" for one in self.failed)])


class Group(pytest.Item):
    """Checks that are one pytest item.

    Args:
        make: Returns them.
        options: Those of an item.
    """

    def __init__(self, *, make: Callable[[pytest.Config], list[Check]], **options: Any) -> None:
        super().__init__(**options)
        self._make = make
        self._checks: list[Check] | None = None

    @property
    def checks(self) -> list[Check]:
        """The selected checks, which are made on first use."""
        if self._checks is None:
            wanted = selected(self.config)
            self._checks = [
                check for check in self._make(self.config) if wanted(self.nodeid, check.name, check.calls or ())
            ]
        return self._checks

    def runtest(self) -> None:
        """Run the checks.

        Raises:
            ChecksFailed: Some failed.
        """
        tell = self.config.stash[TELL]
        outcomes = []
        for check in self.checks:
            outcome = run_check(self.nodeid, check)
            tell(outcome)
            outcomes.append(outcome)
        failed = [outcome for outcome in outcomes if outcome.status == FAILED]
        if failed:
            raise ChecksFailed(failed, len(outcomes))
        lacks = {outcome.text for outcome in outcomes if outcome.status == SKIPPED}
        if not outcomes or (lacks and all(outcome.status == SKIPPED for outcome in outcomes)):
            pytest.skip("; ".join(sorted(lacks)) or "no check was selected")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return which checks failed, and why."""
        if isinstance(excinfo.value, ChecksFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return the name of the group."""
        return self.path, None, self.name


def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str, obj: object) -> Any:
    """Make a group of an object with many checks; leave other objects to pytest."""
    if not name.startswith("test"):
        return None
    make: Callable[[pytest.Config], list[Check]]
    if isinstance(obj, Cases):
        make = partial(checks_of_cases, obj.entries)
    elif isinstance(obj, Source):
        return [
            Group.from_parent(collector, name=f"{name}[{part}]" if part else name, make=make)
            for part, make in obj.groups()
        ]
    elif inspect.isfunction(obj) and (parameters := parameters_of(obj)):
        make = partial(checks_of_function, obj, parameters, calls_of(collector.path))
    else:
        return None
    return Group.from_parent(collector, name=name, make=make)


def checks_of_cases(entries: Sequence[Entry], config: pytest.Config) -> list[Check]:
    """Return a check for each case of the entries, and checks for batches of pairs."""
    target = target_of(config)
    checks = []
    for entry in entries:
        calls = frozenset({entry.call})
        prefix = f"{entry.call}-" if len(entries) > 1 else ""
        for case in entry.singles():
            cases = [case]
            checks.append(Check(f"{prefix}{case.name}", calls, partial(_check, target, cases), cases, weight=2))
        first, further = met_once(entry.pairs())
        for start, pairs, everyday in ((0, first, True), (len(first), further, False)):
            for place in range(0, len(pairs), SHORT):
                cases = pairs[place : place + SHORT]
                name = f"{prefix}pairs-{start + place}-{start + place + len(cases) - 1}"
                run = partial(_check, target, cases)
                checks.append(Check(name, calls, run, cases, weight=2 * len(cases), everyday=everyday))
    return checks


def met_once(pairs: Sequence[Case]) -> tuple[list[Case], list[Case]]:
    """Split pairs: those in which two rules meet first, and all other pairs.

    Args:
        pairs: The pairs of one call.
    """
    met: set[frozenset[object]] = set()
    first: list[Case] = []
    further: list[Case] = []
    for pair in pairs:
        rules = frozenset(twist.rule or twist.name for twist in pair.twists)
        (further if rules in met else first).append(pair)
        met.add(rules)
    return first, further


def _check(target: Any, cases: list[Case]) -> Shown:
    left_over = target.check(cases)
    pairs = sum(len(case.twists) > 1 for case in cases)
    return Shown({"pairs": pairs} if pairs else {}, left_over=left_over)


def parameters_of(function: Any) -> list[tuple[str, dict[str, Any], str]]:
    """Return the parameters of a test function, with names and expected failures.

    A function that asks for a fixture, or has marks of another kind, has none here.
    """
    marks = getattr(function, "pytestmark", [])
    if not marks or any(mark.name != "parametrize" for mark in marks) or hasattr(function, "hypothesis"):
        return []
    tables = [list(_rows(mark)) for mark in marks]
    found = []
    for rows in product(*tables[::-1]):
        values = {name: value for _, given, _ in rows for name, value in given.items()}
        expected = "; ".join(reason for *_, reason in rows if reason)
        found.append(("-".join(name for name, *_ in rows), values, expected))
    if not found or set(found[0][1]) != set(inspect.signature(function).parameters):
        return []
    return found


def _rows(mark: pytest.Mark) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the rows of one ``parametrize``; see :func:`parameters_of`."""
    names, table = mark.args
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    ids = mark.kwargs.get("ids")
    for number, row in enumerate(table):
        several = len(names) > 1
        known = isinstance(row, PARAMETER_SET)
        values = row.values if known else row if several else (row,)
        told = row.id if known else None
        if told is None and ids is not None and not callable(ids):
            told = list(ids)[number]
        if told is None:
            told = "-".join(_name(value, name, number, ids) for name, value in zip(names, values, strict=True))
        reasons = [one.kwargs.get("reason", "") for one in row.marks if one.name == "xfail"] if known else []
        yield str(told), dict(zip(names, values, strict=True)), "; ".join(reasons)


def _name(value: object, parameter: str, number: int, ids: object) -> str:
    """Return pytest's name of a parameter value."""
    told = ids(value) if callable(ids) else None
    if told is not None:
        return str(told)
    if isinstance(value, str | int | float | bool | None):
        return str(value)
    return str(getattr(value, "__name__", f"{parameter}{number}"))


def checks_of_function(
    function: Callable[..., None],
    parameters: list[tuple[str, dict[str, Any], str]],
    calls: frozenset[str],
    config: pytest.Config,
) -> list[Check]:
    """Return a check for each parameter of a test function."""

    def run(values: dict[str, Any]) -> None:
        if config.getoption("--target") == "real":
            pytest.skip(MODEL_ALONE)
        function(**values)

    checks = []
    for name, values, expected in parameters:
        about = frozenset({values["call"]}) if isinstance(values.get("call"), str) else calls
        checks.append(Check(name, about, partial(run, values), expected=expected, weight=2))
    return checks
