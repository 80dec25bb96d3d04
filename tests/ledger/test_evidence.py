"""The files of evidence: one for each chapter, with one schema; whatever is wrong in one is told with what to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.explain import evidence
from fakecuda.explain.evidence import EvidenceError, answers, entries, file_of, notes, of_rule, path_of
from fakecuda.explain.ledger import rules
from fakecuda.rules.gated import GATED
from fakecuda.rules.registry import EVERY_API, EVERY_OP, chapter, every_rule

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, text: str) -> None:
    """Write a chapter's file."""
    path = path_of("va", folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_every_rule_named_exists() -> None:
    """In every kind of entry; a rule that is renamed is renamed there, too."""
    known = {rule.id for rule in (*every_rule(*EVERY_API.values()), *rules(), *GATED)}
    unknown = [
        f"{entry.place}: {rule} is no rule: correct it, or drop the entry"
        for entry in entries()
        for rule in entry.all("rule")
        if rule not in known
    ]
    assert not unknown


def test_what_recordings_say_is_said_once() -> None:
    """Of rules that there are; a note by hand that says what a driver does takes its place."""
    known = {rule.id for rule in (*every_rule(*EVERY_API.values()), *rules(), *GATED)}
    noted = {rule for entry in entries("note") if entry.all("driver") for rule in entry.all("rule")}
    assert answers().keys() - known == set()
    assert answers().keys() & noted == set()
    name = next(iter(answers()))
    assert notes()[name][0] == of_rule(name)[0]
    assert (of_rule(name)[0].one("card"), of_rule(name)[0].one("driver")) == answers()[name]


def test_every_file_is_of_a_chapter() -> None:
    """No file lies where nothing reads it."""
    known = {path_of(chapter(rule.module)) for rule in (*every_rule(*EVERY_API.values()), *GATED)}
    known |= {path_of(chapter(op.module)) for op in EVERY_OP.values()}
    assert sorted({*evidence.FOLDER.rglob("*.toml")} - known) == []


def test_an_entry_is_read(tmp_path: Path) -> None:
    """A text or several; line breaks are spaces; what is not said is empty."""
    write(
        tmp_path,
        '[[sentence]]\ncall = "cuMemMap"\nsays = ["a", "b"]\nby = """\nr\ns"""\n[[note]]\nrule = "va.x.Y"\ndriver = "d"\n',
    )
    sentence, note = entries(folder=tmp_path)
    assert (sentence.kind, sentence.all("call"), sentence.all("says")) == ("sentence", ("cuMemMap",), ("a", "b"))
    assert (sentence.one("by"), sentence.one("beyond"), sentence.all("beyond")) == ("r s", "", ())
    assert note.place == "fakecuda/explain/evidence/driver/va.toml, [[note]] 1"
    assert entries("note", folder=tmp_path) == [note]


def test_an_entry_may_be_of_every_call_of_a_chapter(tmp_path: Path) -> None:
    """One that says why none of them answers a code; no other."""
    write(tmp_path, '[[unreachable]]\ncall = "*"\ncode = "UNKNOWN"\nreason = "why"\n')
    [entry] = entries(folder=tmp_path)
    assert (entry.chapter, entry.all("call")) == ("va", ("*",))
    write(tmp_path / "other", '[[note]]\ncall = "*"\ndriver = "d"\n')
    with pytest.raises(EvidenceError, match=r"\* is neither a modelled call"):
        entries(folder=tmp_path / "other")


def test_a_chapter_has_a_file() -> None:
    """By the name of a call, or by the id of a rule."""
    assert file_of("cuMemMap") == file_of("va.mem_map.FLAGS_ARE_ZERO") == "fakecuda/explain/evidence/driver/va.toml"
    assert file_of("hip.copy.KIND_IS_KNOWN") == "fakecuda/explain/evidence/hip/copy.toml"
    assert file_of("cudaDeviceReset").startswith("fakecuda/explain/evidence/runtime/")


REASON = 'reason = "why"\n'
UNREACHED = '[[unreached]]\nrule = "va.mem_map.FLAGS_ARE_ZERO"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x", r"fakecuda/explain/evidence/driver/va\.toml: "),
        ("[x]", r"\[\[x\]\] 1: the kinds of entries are \[\[note\]\], \[\[sentence\]\], \[\[unreachable\]\]"),
        ("[[sundry]]", "the kinds of entries are"),
        ("note = [1]", "the kinds of entries are"),
        (UNREACHED, r"\[\[unreached\]\] 1: lacks reason; \[\[unreached\]\] needs rule, reason$"),
        (f"{UNREACHED}{REASON}{UNREACHED}", r"\[\[unreached\]\] 2: lacks reason"),
        (f'{UNREACHED}{REASON}why = "x"', "has unknown why; .* needs rule, reason$"),
        (f'{UNREACHED}reason = " "', "reason is a text, and not empty"),
        (f"{UNREACHED}reason = 1", "reason is a text, and not empty"),
        (f'{UNREACHED}reason = ["why"]', "reason is a text, and not empty"),
        (f"[[unreached]]\nrule = []\n{REASON}", "rule is a text or a list of texts, and not empty"),
        (
            f'[[unreached]]\nrule = "ipc.x.Y"\n{REASON}',
            r"ipc\.x\.Y is of another chapter: it stands in fakecuda/explain/evidence/driver/ipc\.toml",
        ),
        (
            f'[[unreached]]\nrule = ["va.x.Y", "hip.va.Y"]\n{REASON}',
            r"hip\.va\.Y is of .* fakecuda/explain/evidence/hip/va\.toml",
        ),
        (
            f'[[unreached]]\nrule = "cuNothing"\n{REASON}',
            "cuNothing is neither a modelled call nor a rule: correct it",
        ),
        ('[[sentence]]\ncall = "cuMemMap"\nsays = "a"', "a sentence takes by, beyond"),
        ('[[sentence]]\ncall = "cuMemMap"\nsays = "a"\nby = "r"\ndescribes = "f"', "a sentence takes by, beyond"),
        ('[[note]]\ndriver = "d"', "a note is of one call or one rule"),
        ('[[note]]\nrule = "va.x.Y"', "a note is of one call or one rule, and has driver or differs"),
        ('[[note]]\nrule = "va.x.Y"\ncall = "cuMemMap"\ndriver = "d"', "a note is of one call or one rule"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, text: str, told: str) -> None:
    """The message names the file, the entry and what to write."""
    write(tmp_path, text)
    with pytest.raises(EvidenceError, match=told) as error:
        entries(folder=tmp_path)
    assert str(error.value).startswith("fakecuda/explain/evidence/driver/va.toml")
