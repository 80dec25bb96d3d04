"""What is known of a rule: a fix in one sentence, and evidence that names the card and the driver."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import conformance
import fakecuda.spec
from conformance.record.told import card_of
from fakecuda.explain.evidence import answers
from fakecuda.explain.reports.rule import ALONE, CARD, known_of, rules_by_id
from fakecuda.rules.core import Rule
from fakecuda.rules.gated import GATED
from fakecuda.rules.registry import DRIVER, EVERY_API, FORMS, Api, home

RULES = rules_by_id()
LEAST, LONGEST = 750, 120
"""The minimum number of rules, and the maximum characters of a fix."""
NAME = re.compile(r"\b(?:cuda[A-Z]|cu[A-Z]|CU[_a-z]|hip[A-Z]|nvml[A-Z])\w*")
DESCRIPTIONS = Path(fakecuda.spec.__file__).parent / "generated"
REFUSED = "on H200, driver 580 answers INVALID_VALUE"
DIFFERS = "the driver refuses 4096 and 65536 bytes, and accepts multiples of 2 MiB"
MANUAL = "the manual alone"
RECORDINGS = Path(conformance.__file__).parent / "data" / "recordings"


def is_sentence(fix: str) -> bool:
    """Return whether a fix is one short sentence that begins with a verb and has no full stop."""
    return fix[:1].islower() and not fix.endswith(".") and len(fix) <= LONGEST and fix == " ".join(fix.split())


def test_every_rule_has_a_fix() -> None:
    """A reader of the report learns what to change: of each rule of the product, those that no call checks included."""
    declared = {
        rule
        for name, module in list(sys.modules.items())
        if name.startswith("fakecuda.")
        for rule in vars(module).values()
        if isinstance(rule, Rule)
    }
    assert len(declared) > len(RULES) > LEAST
    assert {*RULES.values(), *GATED} <= declared
    assert [rule.id for rule in declared if not is_sentence(rule.fix)] == []
    assert not any(map(is_sentence, ("", "Pass 0", "pass 0.", "pass  0", "pass " + "0" * LONGEST)))


@pytest.mark.parametrize("api", EVERY_API.values(), ids=EVERY_API)
def test_a_fix_names_what_its_api_has(api: Api) -> None:
    """Functions, flags and types, or how these begin: who calls HIP is not told to call the driver; older forms name its calls."""
    names = (api, DRIVER) if api is FORMS else (api,)
    text = "".join((DESCRIPTIONS / f"{one.name}.json").read_text() for one in names)
    words = " ".join(sorted(set(re.findall(r"\w+", text))))
    own = [rule for rule in RULES.values() if home(rule.module) is api]
    named = {name: rule.id for rule in own for name in NAME.findall(rule.fix)}
    assert named
    assert {name: rule for name, rule in named.items() if f" {name}" not in words} == {}


@pytest.mark.parametrize(
    ("rule", "evidence"),
    [
        ("va.mem_create.SIZE_IS_ALIGNED", REFUSED),
        ("stream.stream_wait_value.NOR_IS_SUPPORTED", MANUAL),
        ("stream.race.ACCESSES_ARE_ORDERED", "no recorded answer"),
        ("core.get_error_name.STRING_IS_GIVEN", ALONE["observed"]),
        ("hip.va.ARRAYS_ARE_IMPLEMENTED", ALONE["source"]),
        ("hip.stream.STREAM_OUTLIVES_NO_RESET", ALONE["hip-tests"]),
        (
            "hip.peer.FLAGS_ARE_ZERO",
            "on an emulated MI300X, libamdhip64 7.2.4 answers hipErrorInvalidValue",
        ),
        (
            "va.mem_address_reserve.SIZE_IS_ALIGNED",
            f"{REFUSED}; the manual requires only the host page size, 4096 bytes; {DIFFERS}",
        ),
    ],
)
def test_evidence_names_card_and_driver(rule: str, evidence: str) -> None:
    """Or says that no driver was asked."""
    assert known_of(RULES[rule]).evidence == evidence


def test_the_cards_are_those_of_the_recordings() -> None:
    """Notes by hand name the driver alone; what recordings say names the card that was asked."""
    cards = {card_of(path / "file") for path in RECORDINGS.iterdir()}
    assert CARD in cards
    named = {card for card, _ in answers().values()}
    assert {one for card in named for one in card.split(" and ")} == cards
    only = next(rule for rule, (card, _) in answers().items() if card == "H100")
    assert known_of(RULES[only]).evidence.startswith("on H100, driver 580 ")


def test_every_rule_is_known() -> None:
    """Its source is told in words, and evidence has no marks of the page."""
    known = [known_of(rule) for rule in RULES.values()]
    assert all(isinstance(rule, Rule) for rule in RULES.values())
    assert all(one.source and one.evidence for one in known)
    assert not any("(program" in one.evidence or "`" in one.evidence for one in known)
