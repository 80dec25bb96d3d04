"""What the suite knows of rules: for ``python -m fakecuda rules --evidence``.

A case proves a rule that it names. A case, or a test function, that names none is run on the model, which tells what it
breaks; so are recorded programs in which a driver answered the rule's code to a call that checks it.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from attrs import define, field

from conformance.fuzz.coverage import unreached
from conformance.mutate import survivors
from conformance.mutate.mutation import MUTATED, Mutant, mutants
from conformance.record.answers import heard
from conformance.record.recordings import RecordingError, files, place_of
from conformance.record.replay import recording
from conformance.record.told import rank
from conformance.runner.checks import PYTESTS
from conformance.runner.hooks import checks_of
from conformance.runner.rule_coverage import Seen
from conformance.targets.divergences import load as load_divergences
from fakecuda.explain.ledger.codes import MASKED
from fakecuda.prompt import evidence
from fakecuda.prompt.evidence import Evidence, Heard, Proof, calls_of
from fakecuda.rules.registry import DRIVER, NVML, api_of, home

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from conformance.runner.checks import Check
    from fakecuda.rules.core import Rule

HERE = Path(__file__).parent
RUN, LEAST = 250, 20
"""Recorded programs that are run to see which rule they break: so many of all rules, or so many of each."""
FEW = 12
"""Calls of an API whose test functions are run where no case names a rule of theirs."""
QUIET = ("-qq", "-s", "--no-header", "--assert=plain", "--target=model", "-pno:cacheprovider", "-pno:faulthandler")


def of_rules(rules: Sequence[Rule]) -> dict[str, Evidence]:
    """Return what the suite knows of rules, by their ids.

    Args:
        rules: The rules.
    """
    proofs, (told, left) = _proofs(rules), _recorded(rules)
    return {
        rule.id: Evidence(
            proofs=tuple(proofs.get(rule.id, ())),
            heard=tuple(told.get(rule.id, ())),
            left=left.get(rule.id, 0),
            mutants=len(_mutants_of(rule)),
            known=tuple(_known(rule)),
        )
        for rule in rules
    }


def _mutants_of(rule: Rule) -> list[Mutant]:
    """Return the mutants of a rule in the calls of its own API; NVML has none."""
    return [one for call in calls_of(rule) if call in MUTATED for one in mutants(MUTATED[call]) if one.rule == rule.id]


def _known(rule: Rule) -> Iterator[tuple[str, str]]:
    """Yield what the suite's files say of a rule: the file, and the reason."""
    if own := _mutants_of(rule):
        explained = survivors.read()
        yield from ((f"survivor, {one.call} {one.kind}", explained[one]) for one in own if one in explained)
    if home(rule.module) is not NVML and (reason := unreached(home(rule.module)).get(rule.id)):
        yield "drawn programs do not break it", reason
    for one in load_divergences():
        if one.rule == rule.id:
            yield "divergence", one.reason


def _proofs(rules: Collection[Rule]) -> dict[str, list[Proof]]:
    """Return by rule the cases that break it, those of each API in the order of the suite."""
    search, said = Search(rules), io.StringIO()
    # What pytest says of a search that ends well is of no interest; a test that fails proves nothing and is not named.
    with redirect_stdout(said), redirect_stderr(said):
        status = pytest.main([*QUIET, str(HERE)], plugins=[search])
    if status not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        msg = f"the suite cannot be collected:\n{said.getvalue()}"
        raise RuntimeError(msg)
    return search.found


@define(eq=False)
class Search:
    """A pytest plugin that looks among the collected checks for those that break rules, and runs no other.

    A case proves the rule that it names. Cases that name none and answer its code are run, and where none breaks it in the
    calls of an API, the functions that are about these calls.

    Attributes:
        rules: The rules.
        found: By rule id the cases that break it.
    """

    rules: Collection[Rule]
    found: dict[str, list[Proof]] = field(factory=dict)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Look through the checks of every item."""
        checks = [(check, item) for item in session.items for check in checks_of(item) if check.calls is not None]
        for check, item in checks:
            if len(check.cases) == 1:
                self._case(check)
            elif not check.cases and check.name and any(_names(check, rule) for rule in self.rules):
                self._function(check, item)
        lacking = {(rule.id, call): rule for rule in self.rules for call in self._lacking(rule)}
        for check, item in checks:
            if not check.cases and any(_about(check, item, call) for _, call in lacking):
                self._function(check, item, lacking)
        return True

    def _lacking(self, rule: Rule) -> Iterator[str]:
        """Yield the calls of the APIs in which no case breaks a rule, and some might; not of rules that most calls check."""
        proven = {api_of(proof.call) for proof in self.found.get(rule.id, ())}
        for api in set(map(api_of, calls_of(rule))) - proven:
            calls = [call for call in calls_of(rule) if api_of(call) is api]
            if len(calls) <= FEW and (rule.id not in MASKED or api is DRIVER):
                yield from calls

    def _case(self, check: Check) -> None:
        """Take in a case that names one of the rules, or breaks it on the model."""
        case = check.cases[0]
        call = case.entry.call
        own = {rule: int(api_of(call).code(rule.code)) for rule in self.rules if call in calls_of(rule)}
        if not own or len(case.twists) != 1:  # the valid call, or a pair
            return
        twist = case.twists[0]
        broken = {twist.rule} if twist.rule else set()
        if not broken and case.code in own.values():
            broken = {rule for name, rule in _broken(check) if name == call}
        for rule in broken & own.keys():
            self._add(rule, call, case.id, *twist.place)

    def _function(self, check: Check, item: pytest.Item, wanted: Collection[tuple[str, str]] | None = None) -> None:
        """Take in a test function, or one of its parameters, that breaks a rule on the model."""
        name = item.name + (f"[{check.name}]" if check.name else "")
        for call, rule in sorted(_broken(check), key=lambda one: (one[0], one[1].id)):
            if rule in self.rules and (wanted is None or (rule.id, call) in wanted):
                self._add(rule, call, name, *_written(item, check.name))

    def _add(self, rule: Rule, call: str, name: str, file: str, line: int) -> None:
        proof = Proof(call, name, evidence.place_of(file, line))
        if proof not in self.found.setdefault(rule.id, []):
            self.found[rule.id].append(proof)


def _names(check: Check, rule: Rule) -> bool:
    """Return whether the name of a parameter has the constant of a rule in it; or a call, where a test of HIP's is the source."""
    words = [rule.id.rpartition(".")[2], *(calls_of(rule) if rule.grade == "hip-tests" else ())]
    return any(re.search(rf"(?<![A-Za-z_]){word}(?![A-Za-z])(?!_[A-Z]{{2}})", check.name) for word in words)


def _about(check: Check, item: pytest.Item, call: str) -> bool:
    """Return whether a test function is about a call, or stands in a file that names it."""
    return call in (check.calls or ()) or call in _words(item.path)


@cache
def _words(path: Path) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", _text(path)))


@cache
def _text(path: Path) -> str:
    return path.read_text()


def _broken(check: Check) -> set[tuple[str, Rule]]:
    """Return the calls with the rules that a check breaks on the model; none of one that does not pass."""
    seen = Seen()
    try:
        with seen.watch():
            check.run()
    except (Exception, *PYTESTS):  # noqa: BLE001 - the suite tells it, when it is run
        return set()
    return seen.broken


def _written(item: pytest.Item, name: str) -> tuple[str, int]:
    """Return where a parameter of a test function is written: a statement of hip-tests in a table beside it, or the function.

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


def _recorded(rules: Sequence[Rule]) -> tuple[dict[str, list[Heard]], dict[str, int]]:
    """Return by rule id the recorded programs that break it, and how many that may were not run."""
    wanted: dict[tuple[str, int | None], set[str]] = {}
    for rule in rules:
        for call in calls_of(rule):
            codes = {int(api_of(call).code(rule.code)) or None, None if rule.grade == "undefined" else 0}
            for code in codes - {0}:
                wanted.setdefault((call, code), set()).add(rule.id)
    told: dict[str, list[Heard]] = {}
    left: Counter[str] = Counter()
    run: Counter[str] = Counter()
    for _, path, place, ids in sorted(_fitting(wanted), key=lambda one: one[0]):
        if all(run[one] >= max(LEAST, RUN // len(rules)) for one in ids):
            left.update(ids)
            continue
        run.update(ids)
        about = _about_of(path, place)
        for broken, call, code, program, _ in heard(path, place):
            told.setdefault(broken, []).append(Heard(place_of(path), program, call, code, about))
    return told, left


def _about_of(path: Path, place: int) -> str:
    """Return what a recorded program asks."""
    found = recording(path)
    return "" if isinstance(found, RecordingError) else found.programs[place].about


def _fitting(
    wanted: Mapping[tuple[str, int | None], set[str]],
) -> Iterator[tuple[tuple[bool, int, int], Path, int, set[str]]]:
    """Yield the recorded programs in which a driver answered one of these codes to its call: rank, file, place, rules.

    What is undefined may be answered by any code, which stands for None: the programs that are recorded for it do.
    """
    calls = re.compile("|".join(f'"{call}"' for call in {call for call, _ in wanted}))
    for path in files():
        found = recording(path)
        if isinstance(found, RecordingError):
            continue
        for place in range(len(found.programs)):
            if not calls.search(found.programs.line(place)):
                continue
            program = found.programs[place]
            answered = {
                (step["call"], answer["code"]) for step, answer in zip(program.steps, program.answers, strict=True)
            }
            if "undefined" in program.name.split("/"):
                answered |= {(call, None) for call, _ in answered}
            ids = set().union(*(wanted.get(one, ()) for one in answered))
            if ids:
                about = any(program.name.startswith(f"{call}/") for call, _ in wanted)
                yield (not about, rank(program.name), found.programs.length(place)), path, place, ids
