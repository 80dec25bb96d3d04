"""Cases of the suite that break a rule: ``python -m fakecuda rules --evidence``.

A case proves a rule that it names. A case, or a test function, that names none is run on the model, which tells what it
breaks. Only modules of cases are collected that can have such a case: :func:`files_of`.
"""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from attrs import define, field

from conformance import CASES, SUITE, run
from conformance.runner.checks import PYTESTS
from conformance.runner.hooks import checks_of
from conformance.runner.rule_coverage import Seen
from fakecuda.explain.ledger.codes import MASKED
from fakecuda.prompt.evidence import Proof, calls_of, place_of
from fakecuda.rules.core import place
from fakecuda.rules.registry import DRIVER, EVERY_OP, NVML, RUNTIME, api_of, home

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from conformance.runner.checks import Check
    from fakecuda.rules.core import Rule

FEW = 12
"""The number of test functions of an API to run for a rule without named cases."""
BENEATH = CASES / "runtime" / "test_beneath.py"
"""A test module that runs driver cases by runtime calls, which it does not name."""
AGAIN = re.compile(r"^load_cases\(\)$", re.MULTILINE)
"""The line of a module that repeats other cases and proves nothing itself."""


def proofs(rules: Collection[Rule]) -> dict[str, list[Proof]]:
    """Return the cases that break each rule, by API in the order of the suite.

    Args:
        rules: The rules.
    """
    search = Search(rules, frozenset().union(*map(files_of, rules)))
    return search.run()


def files_of(rule: Rule) -> frozenset[Path]:
    """Return the modules of the suite that can break a rule.

    They name it or one of its calls, or stand at the path of one of its calls. A test compares the cases in these modules with
    those in all.
    """
    calls, constant = set(calls_of(rule)), rule.id.rpartition(".")[2]
    found = {path for path in modules() if constant in _words(path) or not calls.isdisjoint(_words(path))}
    found.update(path for call in calls for path in _mirrors().get(place(EVERY_OP[call].module), ()))
    if home(rule.module) is NVML:  # whose cases are made of tables
        found.update((CASES / NVML.name).glob("test_*.py"))
    elif any(api_of(call) is RUNTIME for call in calls):
        found.add(BENEATH)
    return frozenset(path for path in found if not AGAIN.search(_text(path)))


@cache
def modules() -> tuple[Path, ...]:
    """Return the modules of the suite that pytest collects."""
    return tuple(sorted(SUITE.rglob("test_*.py")))


@cache
def _mirrors() -> dict[str, list[Path]]:
    """Return modules of cases, by the module of the operations at the same path."""
    found: dict[str, list[Path]] = {}
    for path in modules():
        if CASES in path.parents:
            mirrored = place(".".join(path.relative_to(CASES).with_suffix("").parts).replace("test_", ""))
            found.setdefault(mirrored, []).append(path)
    return found


@define(eq=False)
class Search:
    """A pytest plugin that searches the collected checks for breaches of rules.

    A case proves the rule that it names. Cases that name none and answer its code are run, and where none breaks it in the
    calls of an API, the functions that are about these calls.

    Attributes:
        rules: The rules.
        files: The modules that are collected.
        found: By rule id the cases that break it.
        where: By rule id the modules that they were found in.
        problems: What could not be collected, and why.
    """

    rules: Collection[Rule]
    files: Collection[Path]
    found: dict[str, list[Proof]] = field(factory=dict)
    where: dict[str, set[Path]] = field(factory=dict)
    problems: list[str] = field(factory=list)
    _own: dict[str, dict[Rule, int]] = field(factory=dict)
    _names: dict[str, re.Pattern[str]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for rule in self.rules:
            for call in calls_of(rule):
                self._own.setdefault(call, {})[rule] = int(api_of(call).code(rule.code))
            for word in (rule.id.rpartition(".")[2], *(calls_of(rule) if rule.grade == "hip-tests" else ())):
                self._names[word] = re.compile(rf"(?<![A-Za-z_]){word}(?![A-Za-z])(?!_[A-Z]{{2}})")

    def run(self) -> dict[str, list[Proof]]:
        """Run the search, and return the results.

        Raises:
            RuntimeError: The suite cannot be collected; the text says why.
        """
        if not self.files:
            return self.found
        options = run.parser().parse_args(["--target=model"])
        with run.isolated(), run.uncollected():
            status = pytest.main(run.pytest_arguments(options), plugins=[self])
        if self.problems or status not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            msg = "\n".join(["the suite cannot be collected:", *self.problems])
            raise RuntimeError(msg)
        return self.found

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Ignore other modules."""
        return True if collection_path.suffix == ".py" and collection_path not in self.files else None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note collection errors."""
        if report.failed:
            self.problems.append(str(report.longrepr))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Search the checks of every item."""
        items = [item for item in session.items if not AGAIN.search(_text(item.path))]
        checks = [(check, item) for item in items for check in checks_of(item) if check.calls is not None]
        for check, item in checks:
            if len(check.cases) == 1:
                self._case(check, item)
            elif not check.cases and self._is_named(check.name):
                self._function(check, item)
        lacking = {(rule.id, call) for rule in self.rules for call in self._lacking(rule)}
        calls = {call for _, call in lacking}
        for check, item in checks:
            if not check.cases and not calls.isdisjoint((*(check.calls or ()), *_words(item.path))):
                self._function(check, item, lacking)
        return True

    def _is_named(self, name: str) -> bool:
        """Return whether a parameter's name contains a rule's constant, or a HIP call."""
        return any(word in name and pattern.search(name) for word, pattern in self._names.items())

    def _lacking(self, rule: Rule) -> Iterator[str]:
        """Yield calls of APIs without a breaking case so far, except for common rules."""
        proven = {api_of(proof.call) for proof in self.found.get(rule.id, ())}
        for api in set(map(api_of, calls_of(rule))) - proven:
            calls = [call for call in calls_of(rule) if api_of(call) is api]
            if len(calls) <= FEW and (rule.id not in MASKED or api is DRIVER):
                yield from calls

    def _case(self, check: Check, item: pytest.Item) -> None:
        """Add a case that names a rule or breaks it on the model."""
        case = check.cases[0]
        call = case.entry.call
        own = self._own.get(call)
        if not own or len(case.twists) != 1:  # the valid call, or a pair
            return
        twist = case.twists[0]
        broken = {twist.rule} if twist.rule else set()
        if not broken and case.code in own.values():
            broken = {rule for name, rule in _broken(check) if name == call}
        for rule in broken & own.keys():
            self._add(rule, call, case.id, item, *twist.place)

    def _function(self, check: Check, item: pytest.Item, wanted: Collection[tuple[str, str]] | None = None) -> None:
        """Add a test function, or a parameter of one, that breaks a rule on the model."""
        name = item.name + (f"[{check.name}]" if check.name else "")
        for call, rule in sorted(_broken(check), key=lambda one: (one[0], one[1].id)):
            if rule in self.rules and (wanted is None or (rule.id, call) in wanted):
                self._add(rule, call, name, item, *_written(item, check.name))

    def _add(self, rule: Rule, call: str, name: str, item: pytest.Item, file: str, line: int) -> None:
        self.where.setdefault(rule.id, set()).add(item.path)

        proof = Proof(call, name, place_of(file, line))
        if proof not in self.found.setdefault(rule.id, []):
            self.found[rule.id].append(proof)


@cache
def _words(path: Path) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", _text(path)))


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _broken(check: Check) -> set[tuple[str, Rule]]:
    """Return calls with the rules that a passing check breaks on the model."""
    seen = Seen()
    try:
        with seen.watch():
            check.run()
    except (Exception, *PYTESTS):  # noqa: BLE001 - the suite tells it, when it is run
        return set()
    return seen.broken


def _written(item: pytest.Item, name: str) -> tuple[str, int]:
    """Return the source of a test's parameter: a hip-tests statement or a function.

    Args:
        item: The function's item.
        name: The parameter's name; empty for a function without.
    """
    for path in sorted(item.path.parent.glob("*.py")) if name else []:
        if found := next((line for key, line in _keys(path).items() if "_" in key and name.startswith(f"{key}-")), 0):
            return str(path), found
    module = item.getparent(pytest.Module)
    assert module is not None
    function = inspect.unwrap(getattr(module.obj, getattr(item, "originalname", item.name)))
    return str(item.path), function.__code__.co_firstlineno


@cache
def _keys(path: Path) -> dict[str, int]:
    """Return the lines of the keys in the tables of a file."""
    return {
        key.value: key.lineno
        for statement in ast.parse(_text(path)).body
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) and isinstance(statement.value, ast.Dict)
        for key in statement.value.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }
