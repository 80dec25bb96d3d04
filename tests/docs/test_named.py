"""Every rule, program, recording and file that pages, evidence and recordings name is there; codes are those of the rules."""

from __future__ import annotations

import re

import pytest

from conformance.record import recordings
from fakecuda.explain.ledger import rules
from fakecuda.rules.registry import DRIVER, EVERY_API, home, op_of
from fakecuda.spec.codes import Nvml, Result
from tests.docs.blocks import ROOT
from tests.docs.named import ANSWER, FILE, NAMED, PROGRAM, RECORDING, RULE, TEXTS, known, labels, recorded
from tests.docs.pages import prose
from tests.each import each

pytestmark = pytest.mark.usefixtures("uncollected")

BESIDE = re.compile(r"`([A-Z_]+)`\s+\(\[rule\]\(([^)]*)\)\)")
"""A code on a page, and the rule that gives it."""
FORMER = {
    "TILE_POOL_IS_LEFT_OUT",
    "BARRIER_IS_LEFT_IN",
    "EVENTS_ARE_RECORDED",
    "HEIGHT_IS_GIVEN",
    "INIT_FLAGS_ARE_KNOWN",
    "LOCATION_IS_NO_DOMAIN",
    "MAPPINGS_ARE_ALIKE",
    "OFFSET_IS_AN_ADDRESS",
    "OPERATION_IS_THERE",
    "PITCH_IS_ALLOWED",
    "PROPERTIES_ARE_KNOWN",
    "SECURITY_IS_LEFT_OUT",
}
"""Rules of recorded programs that were removed after a driver's answers."""


@each("name", TEXTS)
def test_every_rule_exists(name: str) -> None:
    """Whatever is renamed is renamed everywhere."""
    assert sorted(set(RULE.findall(TEXTS[name])) - known()) == []


@each("name", TEXTS)
def test_every_program_is_recorded(name: str) -> None:
    """Whoever doubts an answer can look it up."""
    assert sorted(set(PROGRAM.findall(TEXTS[name])) - recorded().keys()) == []


@each("name", TEXTS)
def test_every_recording_exists(name: str) -> None:
    """A file of one, or what the numbered files begin with."""
    missing = [one for one in RECORDING.findall(TEXTS[name]) if not [*recordings.ROOT.glob(f"{one}*.jsonl.gz")]]
    assert missing == []


@each("name", [name for name in TEXTS if name not in {"CHANGELOG.md", "docs/clients.md"}])
def test_every_file_exists(name: str) -> None:
    """What stands in angle brackets is any name; the page of clients names files of theirs."""
    places = {re.sub(r"<[^>]*>", "*", file.partition(":")[0].rstrip("/")) for file in FILE.findall(prose(TEXTS[name]))}
    assert sorted(place for place in places if not [*ROOT.glob(place)]) == []


def test_the_programs_named_for_an_answer_have_it() -> None:
    """What the evidence says that a driver answers stands in the recordings."""
    texts = [item for text in TEXTS.values() for item in re.split(r"\n\n|\n(?=- |\w+ = |\*\*)", text)]
    answers = [
        (code, PROGRAM.findall(programs)) for text in texts for code, programs in ANSWER.findall(" ".join(text.split()))
    ]
    assert len(answers) > len(rules(DRIVER)) // 2
    wrong = [(code, one) for code, programs in answers for one in programs if named(code, one) not in recorded()[one]]
    assert wrong == []


def named(code: str, program: str) -> int:
    """Return the code of a name in the API that a program is of."""
    return Nvml[code] if program.startswith("nvml/") else Result[code]


def test_a_code_beside_a_rule_is_its_code() -> None:
    """In the API whose page it is."""
    by_id = {rule.id: rule for rule in rules(*EVERY_API.values())}
    found = [match for name, text in TEXTS.items() if name.endswith(".md") for match in BESIDE.findall(text)]
    assert len(found) > 20
    for code, target in found:
        rule = by_id[target.partition("#")[2]]
        assert home(rule.module).code(rule.code).name == code, target


def test_recordings_name_calls_and_rules() -> None:
    """The stretches of a program are cases of when it was recorded: their calls are there, and rules that are no more are known."""
    calls = {label.partition("[")[0] for label in labels() if "[" in label}
    assert sorted(call for call in calls if op_of(call) is None) == []
    now = {rule.rpartition(".")[2] for rule in known()}
    named = {name for label in labels() for name in NAMED.findall(label)}
    assert named - now == FORMER
    assert len(named) > 10 * len(FORMER)
