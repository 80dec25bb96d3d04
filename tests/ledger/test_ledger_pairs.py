"""The ledger: every code that the manual names for a call is broken, contradicted or unreachable."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
import sys
from typing import TYPE_CHECKING

import attrs
import pytest

from conformance import recordings
from conformance.program import Program
from fakecuda import ledger
from fakecuda.codes import Result
from fakecuda.ledger import Entry
from fakecuda.rule import OPS, RUNTIME, SPEC, Rule

if TYPE_CHECKING:
    from pathlib import Path

ENTRIES = ledger.entries()
needs_bindings = pytest.mark.skipif(
    importlib.util.find_spec("cuda.bindings") is None,
    reason="cuda-bindings is not installed: pip install 'fakecuda[cuda]'",
)


@needs_bindings
def test_documented_codes_are_those_of_the_docstrings() -> None:
    """The committed file is what the docstrings of its version of cuda-bindings say."""
    text = ledger.DOCUMENTED.read_text()
    installed = importlib.metadata.version("cuda-bindings")
    if f"cuda-bindings {installed}" not in text:
        pytest.skip(f"cuda-bindings {installed} is installed; {json.loads(text)['from']} are committed")
    assert ledger.render() == text


WITHOUT_CODES = {"cuMemPoolGetAccess", "cuMemPoolGetAttribute"}
"""Calls for which the manual names no error codes."""


def test_every_modelled_call_is_documented() -> None:
    """No call is left out of the count."""
    named = dict.fromkeys(function for function, _ in ledger.documented())
    assert OPS.keys() - named.keys() == WITHOUT_CODES


def test_every_documented_pair_is_settled() -> None:
    """A documented code is given by a rule, or has an entry that says why none gives it."""
    undecided = [f"{row.function} {row.code.name}" for row in ledger.pairs() if row.status == "undecided"]
    assert not undecided


def test_every_undocumented_code_has_a_reason() -> None:
    """A rule whose code the manual does not name for a call is listed with the reason, and no other is."""
    given = {row.rule.id for row in ledger.pairs() if row.rule and row.status == "undocumented"}
    unexplained = sorted(given - ledger.undocumented().keys())
    assert not unexplained
    stale = sorted(ledger.undocumented().keys() - given)
    assert not stale


def test_every_entry_still_applies() -> None:
    """An entry of the ledger that no row uses says something that is no longer so."""
    used = {row.entry for row in ledger.pairs()}
    stale = [f"{entry.kind} {entry.function} {entry.code.name}" for entry in ENTRIES if entry not in used]
    assert not stale


def test_no_pair_has_two_entries() -> None:
    """A pair is settled once."""
    pairs = [(entry.function, entry.code) for entry in ENTRIES]
    assert len(set(pairs)) == len(pairs)


def shows(entry: Entry) -> bool:
    """Return whether the recorded program that an entry names has the call answer what the entry says."""
    path = recordings.ROOT / entry.recording
    programs = recordings.read(path).programs if path.is_file() else ()
    answers = (
        answer["code"]
        for program in programs
        if program.name == entry.program
        for step, answer in zip(program.steps, program.answers, strict=True)
        if step["call"] == entry.function
    )
    return entry.answers is not entry.code and entry.answers in answers


def test_every_contradiction_is_recorded() -> None:
    """A contradicted pair names a recorded program in which the call answers something else."""
    unproven = [entry for entry in ENTRIES if entry.kind == "contradicted" and not shows(entry)]
    assert not unproven


def test_a_contradiction_needs_its_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file, the program, the call and its answer: none may be another."""
    steps = [{"process": "a", "call": "cuA"}, {"process": "a", "call": "cuB"}]
    program = Program("p", steps, [{"code": 0, "outs": {}}, {"code": 1, "outs": {}}])
    monkeypatch.setattr(recordings, "ROOT", tmp_path)
    recordings.write(tmp_path / "h200" / "x.jsonl", recordings.Header("h200", 13000, "13", "h200", ""), [program])
    entry = Entry("contradicted", "cuB", Result.NOT_FOUND, "why", Result.INVALID_VALUE, "h200/x.jsonl", "p")
    assert shows(entry)
    others = [
        attrs.evolve(entry, recording="h200/y.jsonl"),
        attrs.evolve(entry, program="q"),
        attrs.evolve(entry, function="cuA"),
        attrs.evolve(entry, answers=Result.NOT_FOUND),
    ]
    assert not any(map(shows, others))


@needs_bindings
def test_the_manual_says_what_the_rules_quote() -> None:
    """A quote stands in the docstring of its function, letter for letter but for line breaks, markup and ellipses."""
    driver = importlib.import_module("cuda.bindings.driver")

    def words(call: str) -> str:
        item = getattr(driver, call)
        # An enumeration describes its members.
        members = getattr(item, "__members__", {}).values()
        texts = [str(described.__doc__) for described in (item, *members)]
        plain = re.sub(r":py:obj:`~\.([^`]*)`|`([^`]*)`", lambda found: found[1] or found[2], " ".join(texts))
        return " ".join(plain.split())

    def stands(quote: str, call: str) -> bool:
        """Return whether the words stand there, in order where an ellipsis leaves some out."""
        return re.search(".*".join(map(re.escape, quote.split(" … "))), words(call)) is not None

    quotes = [(rule.id, rule.source.quote, rule.source.call) for rule in ledger.rules() if "“" in ledger.cited(rule)]
    misquoted = [f"{name}: {quote}" for name, quote, call in quotes if not stands(quote, call)]
    assert not misquoted


def test_every_rule_is_checked_by_a_call() -> None:
    """A rule that no operation names is no rule of the driver, but for one that work in a stream reports."""
    declared = {
        value
        for name, module in list(sys.modules.items())
        if name.startswith(SPEC)
        for value in vars(module).values()
        if isinstance(value, Rule)
    }
    of_runtime = {rule for op in RUNTIME.values() for rule in op.rules}
    unused = sorted(rule.id for rule in declared - set(ledger.rules()) - of_runtime)
    assert unused == ["copy.plan.MEMORY_IS_THERE"]


def test_rows_follow_the_order_of_the_checks() -> None:
    """A call's rules come first and in order, then what is documented without a rule."""
    rows = ledger.pairs("cuMemMap")
    rules = [row.rule for row in rows if row.rule]
    assert tuple(rules) == OPS["cuMemMap"].rules
    assert [row.rule is None for row in rows] == sorted(row.rule is None for row in rows)


def test_summary_counts_pairs() -> None:
    """Several rules that give one code are one pair."""
    rows = ledger.pairs("cuMemMap")
    assert ledger.counts(rows)["broken"] < sum(row.status == "broken" for row in rows)
    assert ledger.summary(rows).startswith("calls: 1; documented pairs: 8 (")


def test_an_entry_is_read(tmp_path: Path) -> None:
    """One entry may name several functions; a contradiction says what is answered instead."""
    path = tmp_path / "ledger.toml"
    path.write_text(
        '[[contradicted]]\nfunction = ["cuA", "cuB"]\ncode = "INVALID_VALUE"\nreason = "why"\n'
        'answers = "SUCCESS"\nrecording = "h200/x.jsonl"\nprogram = "p"\n'
    )
    first, second = ledger.entries(path)
    assert (first.function, second.function) == ("cuA", "cuB")
    assert first.answers is Result.SUCCESS
    row = ledger.Row("cuA", first.code, "contradicted", reason="why", entry=first)
    assert row.as_json() == {
        "function": "cuA",
        "code": "INVALID_VALUE",
        "id": None,
        "statement": None,
        "source": {"call": "cuA", "quote": "CUDA_ERROR_INVALID_VALUE"},
        "grade": "manual",
        "status": "contradicted",
        "contradicted": {"reason": "why", "answers": "SUCCESS", "recording": "h200/x.jsonl", "program": "p"},
    }


def test_an_absent_suite_has_no_reasons(tmp_path: Path) -> None:
    """Where the conformance suite is not installed, nothing is known of undocumented codes."""
    assert ledger.undocumented(tmp_path / "none.toml") == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[[unreachable]]\nfunction = "cuA"\ncode = "INVALID_VALUE"\n',
            r"\[\[unreachable\]\] has \['code', 'function'\]",
        ),
        ('[[sundry]]\nfunction = "cuA"\n', r"\[\[sundry\]\] .* it takes"),
        ('[[unreachable]]\nfunction = "cuA"\ncode = "NO_SUCH"\nreason = "why"\n', "'NO_SUCH' is no member of Result"),
    ],
)
def test_a_malformed_entry_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """The text names the file and the mistake."""
    path = tmp_path / "ledger.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"ledger.toml: .*{said}"):
        ledger.entries(path)
