"""The ledger: every code that the manual names for a call is broken, contradicted or unreachable."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import sys
from functools import partial
from typing import TYPE_CHECKING

import attrs
import pytest

from conformance.kit.program import Program
from conformance.record import recordings
from fakecuda.explain import evidence, ledger
from fakecuda.explain.evidence import EvidenceError, file_of
from fakecuda.explain.ledger import Entry, codes
from fakecuda.explain.ledger.codes import DECIDED
from fakecuda.rules.core import RULES, Rule
from fakecuda.rules.gated import GATED
from fakecuda.rules.injected import NO_FAULT_IS_INJECTED
from fakecuda.rules.registry import DRIVER, EVERY_API, FORMS, HIP, NVML, OPS, RUNTIME, Api, api_of, every_rule
from fakecuda.spec.codes import Error, Result
from tools.codegen import nvml_manual
from tools.codegen.steps import STEPS

if TYPE_CHECKING:
    from pathlib import Path

ENTRIES = ledger.entries()
ROWS = {api: ledger.pairs(*ledger.modelled(api)) for api in EVERY_API.values()}
by_api = pytest.mark.parametrize("api", EVERY_API.values(), ids=EVERY_API)
needs_bindings = pytest.mark.skipif(
    importlib.util.find_spec("cuda.bindings") is None,
    reason="cuda-bindings is not installed: pip install 'fakecuda[cuda]'",
)


WITHOUT_CODES = {
    "cuMemDiscardAndPrefetchBatchAsync",
    "cuMemDiscardBatchAsync",
    "cuMemPoolGetAccess",
    "cuMemPoolGetAttribute",
    "cuMemPrefetchBatchAsync",
}
"""Calls for which the manual names no error codes."""


def test_every_modelled_call_is_documented() -> None:
    """No call is left out of the count."""
    named = dict.fromkeys(function for function, _ in ledger.documented())
    assert DRIVER.ops.keys() - named.keys() == WITHOUT_CODES


@by_api
def test_the_manual_names_codes_that_there_are(api: Api) -> None:
    """Whatever name it calls them by; success is none of them."""
    pairs = ledger.documented(api)
    assert len(pairs) > 500 * (api not in {FORMS, HIP})
    assert all(code and code in api.names for _, code in pairs)


def test_a_misnamed_code_is_the_one_that_is_meant() -> None:
    """The manual of the runtime names codes of the driver API, and some by names that no enumeration has."""
    assert ("cudaMemPoolImportPointer", Result.NOT_INITIALIZED) in ledger.documented(RUNTIME)
    assert RUNTIME.named("cudaErrorDeviceUnavailable") is Result.DEVICE_UNAVAILABLE
    assert RUNTIME.named("cudaErrorInvalidPitchValue") is Error.INVALID_PITCH_VALUE
    assert HIP.named("hipErrorMemoryAllocation") is Result.OUT_OF_MEMORY
    with pytest.raises(KeyError):
        HIP.named("hipErrorTooManyPeers2")


@by_api
def test_every_documented_pair_is_settled(api: Api) -> None:
    """A documented code is given by a rule, or has an entry that says why none gives it."""
    undecided = [
        f"{row.function} {row.code.name}: add a rule that gives it, or say why none does: {' or '.join(DECIDED)} in "
        f"{file_of(row.function)}"
        for row in ROWS[api]
        if row.status == "undecided"
    ]
    assert not undecided


def test_every_undocumented_code_has_a_reason() -> None:
    """A rule whose code the manual does not name for a call tells the reason itself, or is listed; no other is."""
    rows = [row for found in ROWS.values() for row in found if row.rule and row.status == "undocumented"]
    unexplained = {
        f"{row.rule.id}: the manual does not name {row.code.name} for {row.function}: correct the code, or say why: "
        f"[[undocumented]] in {file_of(row.rule.id)}"
        for row in rows
        if row.rule and not row.reason
    }
    assert not sorted(unexplained)
    given = {row.rule.id for row in rows if row.rule}
    stale = [
        f"{rule}: the manual names its code: take it out of [[undocumented]] in {file_of(rule)}"
        for rule in sorted(ledger.undocumented().keys() - given)
    ]
    assert not stale


def test_what_is_decided_of_the_driver_holds_for_the_runtime() -> None:
    """A pair of a call that does what the driver's does has the driver's reason, and translated codes."""
    rows = {row.code: row for row in ledger.pairs("cudaDeviceSynchronize")}
    assert rows[Result.STREAM_CAPTURE_UNSUPPORTED].entry in [row.entry for row in ledger.pairs("cuCtxSynchronize")]
    assert {row.code.name for row in ledger.pairs("cudaMemcpy2D")} >= {"INVALID_PITCH_VALUE", "INVALID_VALUE"}


def test_the_last_error_may_be_any() -> None:
    """What hands on the answers of other calls breaks the pairs of their codes."""
    rows = {row.code: row for row in ledger.pairs("cudaGetLastError") if row.rule}
    assert rows[Result.OUT_OF_MEMORY].status == "broken"
    assert rows[Error.INVALID_PITCH_VALUE].rule is rows[Result.OUT_OF_MEMORY].rule


def test_what_answers_otherwise_is_a_rule_that_was_read() -> None:
    """The rule is one of the call's, of another code, and no driver was asked."""
    found = [entry for entry in ENTRIES if entry.kind == "otherwise"]
    assert found
    for entry in found:
        rule = next(rule for rule in OPS[entry.function].rules if rule.id == entry.rule)
        assert rule.grade in {"source", "hip-tests"}
        assert api_of(entry.function).code(rule.code) is not entry.code


def test_every_entry_still_applies() -> None:
    """An entry of the ledger that no row uses says something that is no longer so."""
    used = {row.entry for rows in ROWS.values() for row in rows}
    stale = [
        f"[[{entry.kind}]] of {entry.function} {entry.code.name} no longer applies: take it out of {file_of(entry.function)}"
        for entry in ENTRIES
        if entry not in used
    ]
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
    unproven = [
        f"{entry.program} of {entry.recording} does not show it: correct [[contradicted]] of {entry.function} in "
        f"{file_of(entry.function)}"
        for entry in ENTRIES
        if entry.kind == "contradicted" and not shows(entry)
    ]
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
@pytest.mark.skipif(bool(STEPS["nvml-documented"].lacks), reason=STEPS["nvml-documented"].lacks)
def test_the_manual_says_what_the_rules_quote() -> None:
    """A quote stands in the docstring of its function, letter for letter but for line breaks, markup and ellipses."""
    manual = nvml_manual.texts()

    def words(call: str) -> str:
        if api_of(call) is NVML:
            return nvml_manual.plain(manual[call])
        item = getattr(importlib.import_module(f"cuda.bindings.{api_of(call).name}"), call)
        # An enumeration describes its members.
        members = getattr(item, "__members__", {}).values()
        texts = [str(described.__doc__) for described in (item, *members)]
        plain = re.sub(r":py:obj:`~\.([^`]*)`|`([^`]*)`", lambda found: found[1] or found[2], " ".join(texts))
        return " ".join(plain.split())

    def stands(quote: str, call: str) -> bool:
        """Return whether the words stand there, in order where an ellipsis leaves some out."""
        parts = quote.replace("`", "").split(" … ")
        return re.search(".*".join(map(re.escape, parts)), words(call)) is not None

    rules = [rule for rule in ledger.rules(*EVERY_API.values()) if not rule.source.call.startswith("hip")]
    quotes = [(rule.id, rule.source.quote, rule.source.call) for rule in rules if "“" in ledger.cited(rule)]
    misquoted = [
        f"{name}: {call} does not say {quote!r}: quote its own words, or use observed()"
        for name, quote, call in quotes
        if not stands(quote, call)
    ]
    assert not misquoted


def test_every_rule_is_checked_by_a_call() -> None:
    """A rule that no operation names is no rule of the driver, but for one that work in a stream reports, and that of faults."""
    declared = {
        value
        for name, module in list(sys.modules.items())
        if name.startswith(RULES)
        for value in vars(module).values()
        if isinstance(value, Rule)
    }
    unused = sorted(rule.id for rule in declared - set(ledger.rules()) - every_rule(*EVERY_API.values()).keys())
    while_capturing = [rule.id for rule in GATED]
    others = [
        "copy.plan.MEMORY_IS_THERE",
        "execution.submitted.KERNEL_RETURNS",
        "graph.by_device.LAUNCHES_END",
        "graph.choice.CONDITION_IS_KNOWN",
        NO_FAULT_IS_INJECTED.id,
    ]
    assert unused == sorted([*while_capturing, *others])


def test_rows_follow_the_order_of_the_checks() -> None:
    """A call's rules come first and in order, then what is documented without a rule."""
    rows = ledger.pairs("cuMemMap")
    rules = [row.rule for row in rows if row.rule]
    assert tuple(rules) == DRIVER.ops["cuMemMap"].rules
    assert [row.rule is None for row in rows] == sorted(row.rule is None for row in rows)


def test_summary_counts_pairs() -> None:
    """Several rules that give one code are one pair."""
    rows = ledger.pairs("cuMemMap")
    assert ledger.counts(rows)["broken"] < sum(row.status == "broken" for row in rows)
    assert ledger.summary(rows).startswith("calls: 1; documented pairs: 8 (")


def test_an_entry_is_plain_data() -> None:
    """A contradiction says what is answered instead, and which program shows it."""
    row = next(row for row in ROWS[DRIVER] if row.function == "cuDeviceGet" and row.status == "contradicted")
    assert row.as_json() == {
        "function": "cuDeviceGet",
        "code": "INVALID_CONTEXT",
        "id": None,
        "statement": None,
        "source": {"call": "cuDeviceGet", "quote": "CUDA_ERROR_INVALID_CONTEXT"},
        "grade": "manual",
        "status": "contradicted",
        "contradicted": {
            "reason": "because the call needs no context",
            "answers": "SUCCESS",
            "recording": "h200-x2/cases.jsonl.gz",
            "program": "cuDeviceGet/case/0",
        },
    }


def test_an_unknown_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text names the file, the entry and the name."""
    path = evidence.path_of("va", tmp_path)
    path.parent.mkdir()
    path.write_text('[[unreachable]]\ncall = "cuMemMap"\ncode = "NO_SUCH"\nreason = "why"\n')
    monkeypatch.setattr(evidence, "entries", partial(evidence.entries, folder=tmp_path))
    with pytest.raises(
        EvidenceError, match=r"driver/va\.toml, \[\[unreachable\]\] 1: 'NO_SUCH' is not a member of Result"
    ):
        codes.entries.__wrapped__()
