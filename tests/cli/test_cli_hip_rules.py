"""``fakecuda rules --hip``: what AMD's library or its source shows of the rules that HIP's calls check."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from fakecuda.__main__ import main
from fakecuda.explain import evidence
from fakecuda.explain.evidence import Entry, EvidenceError, path_of
from fakecuda.prompt import hip_rules as listing
from fakecuda.prompt.hip_rules import RECORDED, STATES, UNCONFIRMED, hip_rules
from fakecuda.rules.registry import HIP

if TYPE_CHECKING:
    from pathlib import Path

ROWS = {row["rule"]: row for row in hip_rules()}


def missing(rules: set[str], entries: dict[str, Entry]) -> list[str]:
    """Return what to write of rules that HIP shares with CUDA, and of entries of rules that it does not share."""
    return [
        *(f"{rule}: say in [[shared]] what AMD's library has of it" for rule in sorted(rules - entries.keys())),
        *(f"{rule}: HIP does not share it: drop its [[shared]]" for rule in sorted(entries.keys() - rules)),
    ]


def test_every_shared_rule_has_an_entry() -> None:
    """A call of HIP that checks another rule of CUDA's is found, and so is an entry that is left behind."""
    rules = {row["rule"] for row in ROWS.values() if row["shared"]}
    assert len(rules) > 20
    assert missing(rules, evidence.shared()) == []
    planted = "copy.memset.PEER_IS_ENABLED"
    assert missing({*rules, planted}, evidence.shared()) == [
        f"{planted}: say in [[shared]] what AMD's library has of it"
    ]
    assert missing(rules - {"core.init.DEVICE_IS_THERE"}, evidence.shared()) == [
        "core.init.DEVICE_IS_THERE: HIP does not share it: drop its [[shared]]"
    ]


def test_each_rule_of_each_call_is_listed() -> None:
    """With the calls that check it; HIP's own are recorded, read, or known to differ."""
    assert {rule.id for op in HIP.ops.values() for rule in op.rules} == ROWS.keys()
    assert {row["state"] for row in ROWS.values()} == set(STATES)
    own = [row for row in ROWS.values() if not row["shared"]]
    assert not [row["rule"] for row in own if row["state"] == UNCONFIRMED]
    row = ROWS["hip.peer.PEER_IS_NOT_ENABLED"]
    assert (row["calls"], row["state"]) == (["hipDeviceEnablePeerAccess"], RECORDED)
    assert row["from"].startswith("on an emulated card, libamdhip64 7.2.4 answers")


def test_a_rule_without_evidence_is_unconfirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one of HIP's own."""
    monkeypatch.setattr(listing, "readings", dict)
    monkeypatch.setattr(listing, "shared", dict)
    monkeypatch.setattr(listing, "of_amd", dict)
    assert {row["state"] for row in hip_rules()} == {UNCONFIRMED}


def test_the_command_lists_and_counts_them(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for each shared rule, and how many are known in which way."""
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["rules", "--hip"]) == 0
    out = capsys.readouterr().out
    assert re.search(
        r"^  core\.init\.DEVICE_IS_THERE +\d+ +read +hip_internal\.hpp, HIP_INIT_API \(", out, re.MULTILINE
    )
    *_, shared, own = out.splitlines()
    assert shared.startswith(f"shared with CUDA: {sum(row['shared'] for row in ROWS.values())}; read: ")
    assert own.startswith(f"HIP's own: {sum(not row['shared'] for row in ROWS.values())}; recorded: ")
    assert main(["rules", "--hip", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == hip_rules()


@pytest.mark.parametrize("arguments", [["cuInit", "--hip"], ["--hip", "--evidence", "704"], ["--hip", "--forms"]])
def test_it_takes_nothing_else(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The error names what to leave out."""
    assert main(["rules", *arguments]) == 2
    assert "--hip lists the rules of HIP: leave out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ('found = "perhaps"\nsays = "so"', "found is confirmed, absent, differs, unconfirmed"),
        ('found = "absent"\nsays = "so"\nfile = "a.cpp"', "file, function and version stand together"),
        ('found = "confirmed"\nsays = "so"', "was read in a file, a function and a version"),
    ],
)
def test_an_entry_that_says_too_little_is_refused(tmp_path: Path, entry: str, told: str) -> None:
    """With what to write."""
    path = path_of("va", tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(f'[[shared]]\nrule = "va.mapped.MAPPINGS_ARE_WHOLE"\n{entry}\n')
    with pytest.raises(EvidenceError, match=told):
        evidence.entries("shared", folder=tmp_path)


def test_a_rule_has_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two would say different things."""
    twice = [Entry("shared", "va", "va.toml, 1", {"rule": ("va.mapped.A_RULE",)})] * 2
    monkeypatch.setattr(evidence, "entries", lambda _: twice)
    with pytest.raises(EvidenceError, match=r"has an entry at va\.toml, 1 already"):
        evidence.shared.__wrapped__()
