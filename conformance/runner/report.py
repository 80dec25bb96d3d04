"""The report of a run: a table by chapter, failures, and skips with reasons."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.mutate import survivors
from conformance.mutate.mutation import CODE, every_mutant
from conformance.record.answers import outdated
from conformance.record.replay import stale
from conformance.runner.checks import EXPECTED, FAILED, SKIPPED, Outcome, Shown
from conformance.runner.rule_coverage import Seen
from conformance.targets import newer
from fakecuda import profiles
from fakecuda.explain.reports.text import table
from fakecuda.profiles.cards import recorded_codes
from fakecuda.rules.gated import GATED
from fakecuda.rules.nvml.sensor import CARD_ANSWERS, SENSORS
from fakecuda.rules.registry import APIS, DRIVER, EVERY_API, EVERY_OP, every_rule
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from conformance.record.told import Heard
    from fakecuda.rules.core import Rule
    from fakecuda.rules.dispatch import Op

HEAD = ("chapter", "calls", "cases", "pairs", "drawn steps", "programs", "answers", "differences (explained)")
RULES = "rules broken / held"


@define
class Chapter:
    """The results of one chapter.

    Attributes:
        counts: Checks by how they ended, and what they counted.
        seen: The calls that were made, by those that a check is about, with the ids of the rules that they broke.
    """

    counts: Counter[str] = field(factory=Counter)
    seen: dict[frozenset[str], set[tuple[str, str]]] = field(factory=dict)

    @property
    def calls(self) -> set[str]:
        """The calls of the chapter's checks."""
        return {call for calls in self.seen for call in calls}

    def rules(self) -> tuple[set[str], set[str]]:
        """Return the ids of the rules that these calls broke, and of those they kept."""
        broken: set[str] = set()
        held: set[str] = set()
        for calls, pairs in self.seen.items():
            seen = seen_of(pair for pair in pairs if pair[0] in calls)
            broken |= {rule.id for _, rule in seen.broken}
            held |= {rule.id for _, rule in seen.held}
        return broken, held


def seen_of(pairs: Iterable[tuple[str, str]]) -> Seen:
    """Return a Seen for names of calls and ids of rules."""
    return Seen({(EVERY_OP[call], _rule(call, rule) if rule else None) for call, rule in pairs})


@cache
def _rule(call: str, name: str) -> Rule:
    """Return the rule of an id that a call has broken, its own or a shared one."""
    own = (rule for rule in EVERY_OP[call].rules if rule.id == name)
    return next(own, None) or _others()[name]


@cache
def _others() -> dict[str, Rule]:
    """Return all rules by their ids."""
    return {rule.id: rule for rule in (*GATED, *reversed(every_rule(*EVERY_API.values())))}


@define
class Report:
    """The results of the checks so far.

    Attributes:
        chapters: By chapter.
        failed: What failed.
        skipped: How many checks of a chapter were skipped, by chapter and reason.
        expected: Expected failures, with the reasons.
        left_over: What agrees in new processes and differs in used ones, with the differences.
        divergences: The entries of ``divergences.toml`` that explained a difference, by their place.
        told: What recorded programs told of rules.
        not_shown: What :meth:`unbroken` returned last.
    """

    chapters: dict[str, Chapter] = field(factory=dict)
    failed: list[Outcome] = field(factory=list)
    skipped: Counter[tuple[str, str]] = field(factory=Counter)
    expected: dict[str, str] = field(factory=dict)
    left_over: dict[str, str] = field(factory=dict)
    divergences: set[int] = field(factory=set)
    told: set[Heard] = field(factory=set)
    not_shown: list[str] = field(factory=list)

    def add(self, outcome: Outcome) -> None:
        """Add the outcome of a check."""
        chapter = self.chapters.setdefault(outcome.chapter, Chapter())
        chapter.counts["cases"] += 1
        chapter.counts[outcome.status] += 1
        chapter.counts.update(outcome.shown.counts)
        chapter.seen.setdefault(outcome.calls, set()).update(outcome.seen)
        self.divergences |= outcome.shown.divergences
        self.told.update(outcome.shown.told)
        if outcome.status == FAILED:
            self.failed.append(outcome)
        elif outcome.status == SKIPPED:
            self.skipped[outcome.chapter, outcome.text] += 1
        elif outcome.status == EXPECTED:
            self.expected[outcome.id] = outcome.text
        elif outcome.text:
            self.left_over[outcome.id] = outcome.text

    def plain(self) -> dict[str, Any]:
        """Return the report as plain data, for :meth:`merge` in another process."""
        return {
            "chapters": {
                name: (dict(one.counts), [(sorted(calls), sorted(pairs)) for calls, pairs in one.seen.items()])
                for name, one in self.chapters.items()
            },
            "failed": [outcome_as_json(one) for one in self.failed],
            "skipped": [(*key, count) for key, count in self.skipped.items()],
            "expected": self.expected,
            "left over": self.left_over,
            "divergences": sorted(self.divergences),
            "told": sorted(self.told),
        }

    def merge(self, plain: dict[str, Any]) -> None:
        """Merge the plain report of another process; see :meth:`plain`."""
        for name, (counts, seen) in plain["chapters"].items():
            chapter = self.chapters.setdefault(name, Chapter())
            chapter.counts.update(counts)
            for calls, pairs in seen:
                chapter.seen.setdefault(frozenset(calls), set()).update((call, rule) for call, rule in pairs)
        self.failed += map(outcome_of_json, plain["failed"])
        self.skipped.update({(chapter, reason): count for chapter, reason, count in plain["skipped"]})
        self.expected |= plain["expected"]
        self.left_over |= plain["left over"]
        self.divergences.update(plain["divergences"])
        self.told.update(map(tuple, plain["told"]))

    @property
    def counts(self) -> Counter[str]:
        """The counts of all chapters."""
        total: Counter[str] = Counter()
        for chapter in self.chapters.values():
            total.update(chapter.counts)
        return total

    def table(self, width: int | None = None) -> str:
        """Return the closing table.

        Args:
            width: Columns of text at the most; the terminal's by default.
        """
        rows, calls = [], set()
        every: tuple[set[str], set[str]] = (set(), set())
        for name, chapter in sorted(self.chapters.items()):
            broken, held = chapter.rules()
            rows.append(_row(name, chapter.counts, len(chapter.calls), (broken, held)))
            calls |= chapter.calls
            every[0].update(broken)
            every[1].update(held)
        return table((*HEAD, RULES), [*rows, _row("all", self.counts, len(calls), every)], width)

    def skips(self) -> list[str]:
        """Return a line for each reason for skips, by chapter."""
        return [f"skipped: {chapter}: {count}: {reason}" for (chapter, reason), count in sorted(self.skipped.items())]

    def notes(self, profile: str) -> list[str]:
        """Return lines for reasons for skips, and for drivers newer than the profile's."""
        calls = {call for chapter in self.chapters.values() for call in chapter.calls}
        return [*self.skips(), *newer.told(calls, profiles.load(profile))]

    @property
    def _seen(self) -> Seen:
        return seen_of(
            {pair for chapter in self.chapters.values() for pairs in chapter.seen.values() for pair in pairs}
        )

    def unbroken(self, calls: Iterable[str]) -> list[str]:
        """Return a line for each rule that calls should have broken in a whole run."""
        ops = [EVERY_OP[name] for name in calls]
        self.not_shown = [line for line in _missing(self._seen, ops) if " never broke " in line] if ops else []
        return self.not_shown

    def lost(self) -> list[str]:
        """Return lines for rules, codes, divergences and answers that a whole run lacks."""
        seen = self._seen
        missing = _missing(seen, EVERY_OP.values())
        missing += [line for api in APIS.values() if api is not DRIVER for line in seen.unshown(api)]
        return missing + stale(self.divergences) + outdated(self.told)

    def as_json(self) -> dict[str, Any]:
        """Return the counts by chapter, the failures and the skips."""
        chapters = {
            name: {"calls": sorted(chapter.calls), **dict(sorted(chapter.counts.items()))}
            for name, chapter in sorted(self.chapters.items())
        }
        return {
            "chapters": chapters,
            "failed": {one.id: one.text for one in sorted(self.failed, key=lambda one: one.id)},
            "skipped": [[*key, count] for key, count in sorted(self.skipped.items())],
            "expected": dict(sorted(self.expected.items())),
            "left over": dict(sorted(self.left_over.items())),
            "not shown": self.not_shown,
        }


def _missing(seen: Seen, ops: Collection[Op]) -> list[str]:
    """Return a line for each rule of an operation that lacks a breach or a success.

    Excused are those whose mutants survive: no program breaks them, or no answer shows it.
    """
    known = survivors.load(every_mutant())
    unbroken = {(one.call, one.rule) for one in known if one.kind != CODE}
    unseen = {(one.call, one.rule) for one in known if one.kind == CODE}
    return [line for line in seen.missing(ops, unbroken, unseen) if line not in _never_measured()]


@cache
def _never_measured() -> frozenset[str]:
    """Return lines for features that the recorded card lacks, such as a fan."""
    return frozenset(
        f"{name} never kept {CARD_ANSWERS.id}" for name in SENSORS if int(Nvml.SUCCESS) not in recorded_codes(name)
    )


def _row(name: str, counts: Counter[str], calls: int, rules: tuple[set[str], set[str]]) -> tuple[str, ...]:
    cases = [str(counts["cases"]), *(f"{counts[kind]} {kind}" for kind in (FAILED, SKIPPED) if counts[kind])]
    return (
        name,
        str(calls),
        ", ".join(cases),
        *(str(counts[kind]) for kind in ("pairs", "steps", "programs", "answers")),
        f"{counts['differences']} ({counts['explained']})",
        " / ".join(str(len(ids)) for ids in rules),
    )


def outcome_as_json(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as JSON, without the rules that it saw."""
    return {
        "group": outcome.group,
        "name": outcome.name,
        "chapter": outcome.chapter,
        "calls": sorted(outcome.calls),
        "status": outcome.status,
        "text": outcome.text,
        "counts": outcome.shown.counts,
        "divergences": sorted(outcome.shown.divergences),
        "told": outcome.shown.told,
        "seen": sorted(outcome.seen),
    }


def outcome_of_json(data: dict[str, Any]) -> Outcome:
    """Return the outcome from JSON."""
    return Outcome(
        data["group"],
        data["name"],
        data["chapter"],
        frozenset(data["calls"]),
        data["status"],
        data["text"],
        Shown(data["counts"], frozenset(data["divergences"]), told=tuple(map(tuple, data["told"]))),
        frozenset((call, rule) for call, rule in data["seen"]),
    )
