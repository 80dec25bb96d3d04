"""docs/spec_notes.md: every rule has its place there, and says there what it says in the code."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

from conformance.record import recordings
from fakecuda import ledger
from fakecuda.api import APIS, DRIVER, OPS
from fakecuda.codes import Result
from fakecuda.ledger import page, sentences
from fakecuda.ledger.sentences import Account

if TYPE_CHECKING:
    from fakecuda.rules.core import Rule

TEXT = ledger.NOTES.read_text()
RULES = {rule.id: rule for rule in ledger.rules(*APIS.values())}
ANCHORS: list[str] = re.findall(r'^<a id="(.*)"></a>$', TEXT, re.MULTILINE)
MEND = "write it anew: python -m fakecuda.ledger --notes"
PROGRAM = re.compile(r"`((?:cu\w+/(?:case|pairs|undefined)|machine)/[\d-]+|questions/\w+/\w+)`")
ANSWER = re.compile(r"answers? `([A-Z_]+)`[^().]* ?\(programs? ([^)]*)\)")


def section(rule: Rule) -> str:
    """Return the text between a rule's anchor and the next anchor or heading."""
    _, _, rest = TEXT.partition(f'<a id="{rule.id}"></a>\n')
    return re.split(r'^(?:#{1,3} |<a id=")', rest, maxsplit=1, flags=re.MULTILINE)[0]


def test_every_rule_has_one_anchor() -> None:
    """A reader who has a rule's id finds its place."""
    missing = sorted(RULES.keys() - set(ANCHORS))
    assert not missing, MEND
    assert len(set(ANCHORS)) == len(ANCHORS)


def test_every_anchor_has_a_rule() -> None:
    """What is no rule any more has no place."""
    stale = [anchor for anchor in ANCHORS if anchor not in RULES]
    assert not stale, MEND


def test_every_sentence_accounted_for_has_one_anchor() -> None:
    """They are counted through within a call, and stand below it."""
    for call, accounts in sentences.accounts().items():
        _, _, rest = TEXT.partition(f"\n### {call}\n")
        found = re.findall(r'<a id="(.*?)"></a>“(.*?)”', re.split(r"^#", rest, maxsplit=1, flags=re.MULTILINE)[0])
        says = [words.replace("*", r"\*") for account in accounts for words in account.says]
        assert found == [(f"{call}.s{number}", words) for number, words in enumerate(says, 1)]


@pytest.mark.parametrize(
    ("account", "line"),
    [
        (Account(("a",), ("cuMemMap[x]",)), '<a id="cuMemMap.s1"></a>“a”: case `x`'),
        (Account(("a",), ("cuMemMap[x]", "cuA[y]")), '<a id="cuMemMap.s1"></a>“a”: cases `x`, `cuA[y]`'),
        (Account(("a", "*b"), beyond="c"), '“a”, <a id="cuMemMap.s2"></a>“\\*b”: beyond the model (c)'),
        (
            Account(("a",), ("va.mem_map.FLAGS_ARE_ZERO", "cuA[y]"), beyond="c"),
            "ZERO); case `cuA[y]`; beyond the model (c)",
        ),
        (Account(("a",), describes="c"), "“a”: nothing to test (c)"),
    ],
    ids=["case", "cases", "beyond", "rule", "describes"],
)
def test_an_account_is_a_line(account: Account, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules are links, a call's own cases go by their names, and asterisks do not emphasise."""
    monkeypatch.setattr(page, "accounts", lambda: {"cuMemMap": [account]})
    assert f"{line}\n" in ledger.notes("")


def test_every_section_says_what_its_rule_says() -> None:
    """Statement, code, grade and quote are those of the code."""
    for rule in RULES.values():
        text = section(rule)
        said = (rule.statement[1:], f"`{rule.code.name}`", rule.grade.capitalize(), rule.source.quote, rule.source.call)
        missing = [words for words in said if words not in text]
        assert not missing, f"{rule.id}: {MEND}"


def test_every_section_says_what_the_driver_does() -> None:
    """Beside the manual's words stands the driver's deed, if only that nobody has asked yet."""
    silent = [rule.id for rule in RULES.values() if "\n- Driver: " not in section(rule)]
    assert not silent


@cache
def recorded() -> dict[str, set[int]]:
    """Return by the name of recorded programs the codes that drivers answered in them, on whichever machine."""
    found: dict[str, set[int]] = {}
    for path in recordings.files():
        for program in recordings.read(path).programs:
            found.setdefault(program.name, set()).update(answer["code"] for answer in program.answers)
    return found


def test_every_program_named_is_recorded() -> None:
    """Whoever doubts an answer can look it up."""
    named = set(PROGRAM.findall(TEXT))
    assert named
    missing = sorted(named - recorded().keys())
    assert not missing


def test_every_answer_is_in_the_programs_named_for_it() -> None:
    """What the page says that the driver answers stands in the recordings."""
    found = [match for item in re.split(r"\n(?=- |\n)", TEXT) for match in ANSWER.findall(" ".join(item.split()))]
    answers = [(code, PROGRAM.findall(names)) for code, names in found]
    asked = [rule for rule in RULES.values() if "\n- Driver: not asked" not in section(rule)]
    assert len(answers) > 3 * len(asked) // 4
    wrong = [(code, name) for code, names in answers for name in names if Result[code] not in recorded()[name]]
    assert not wrong


def test_every_link_leads_to_a_place() -> None:
    """Links inside the page name an anchor or a heading."""
    headings = {re.sub(r"[^\w-]", "", line.lower()) for line in re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)}
    dead = [link for link in re.findall(r"\]\(#([^)]*)\)", TEXT) if link not in RULES and link not in headings]
    assert not dead


def test_every_call_has_a_heading() -> None:
    """A reader who knows the manual finds a call by its name."""
    headings = set(re.findall(r"^### (cu\w+|hip[A-Z]\w+)$", TEXT, re.MULTILINE))
    assert headings == OPS.keys()


def test_a_call_of_a_higher_api_checks_what_the_call_beneath_does() -> None:
    """It does not tell all of that again, nor what all calls begin with."""
    _, _, rest = TEXT.partition("\n### cudaIpcOpenMemHandle\n")
    assert rest.split("\n- ")[1] == (
        "Checks, in order: [the beginning, with a context](#runtimeactive), "
        "what [cuIpcOpenMemHandle](#cuipcopenmemhandle) checks."
    )


def test_the_page_is_as_generated() -> None:
    """What follows from the rules is up to date."""
    assert ledger.notes(TEXT) == TEXT, MEND


def test_nothing_is_left_unplaced() -> None:
    """What was written for a rule that is no more has been moved or dropped."""
    assert f"\n## {ledger.UNPLACED}\n" not in TEXT


@pytest.fixture
def rule() -> Rule:
    """Return a rule of one call that the manual states."""
    return next(
        rule for rule in DRIVER.ops["cuMemMap"].rules if rule.grade == "manual" and rule.module.endswith("mem_map")
    )


def with_hand(rule: Rule, text: str) -> str:
    """Return the page with this text by hand below a rule."""
    return TEXT.replace(section(rule), "\n".join([*section(rule).splitlines()[:2], text, "", ""]))


def test_what_is_written_by_hand_is_kept(rule: Rule) -> None:
    """Regeneration keeps every hand-written line of rules, calls and chapters."""
    written = "- Driver: takes 0 alone\n- They part: the manual allows multiples\n\n#### Of old\n\nA paragraph."
    old = with_hand(rule, written).replace("\n### cuMemMap\n", "\nOf the chapter.\n\n### cuMemMap\n")
    new = ledger.notes(old)
    assert written in new
    assert "Of the chapter." in new
    assert ledger.notes(new) == new


def test_a_changed_rule_changes_its_lines_alone(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    """The statement is the code's; the driver's deed stays."""
    old = with_hand(rule, "- Driver: takes 0 alone")
    monkeypatch.setattr(rule, "statement", "the moon is full")
    new = ledger.notes(old)
    place = new[new.index(f'<a id="{rule.id}"></a>') :].splitlines()
    assert place[1] == f"**The moon is full**, else `{rule.code.name}`"
    assert place[3] == "- Driver: takes 0 alone"


def test_what_belongs_to_no_rule_is_kept_apart() -> None:
    """Text of a rule that is no more goes to the end, and stays there over another run."""
    gone = (
        '<a id="va.mem_map.GONE"></a>\n**Gone**, else `X`\n- Manual, cuMemMap: “gone”\n- Driver: dear to somebody\n\n'
    )
    new = ledger.notes(TEXT.replace("### cuMemUnmap\n", gone + "### cuMemUnmap\n"))
    _, _, unplaced = new.partition("\n## unplaced\n")
    assert "- va.mem_map.GONE:\n\n- Driver: dear to somebody" in unplaced
    assert "GONE" not in new.removesuffix(unplaced)
    assert ledger.notes(new) == new


def test_answers_fill_what_nobody_wrote(rule: Rule) -> None:
    """What the driver was asked stands beside its rule unless somebody wrote of it."""
    other = next(item for item in RULES.values() if item is not rule)
    old = ledger.notes(with_hand(rule, "- Driver: takes 0 alone").replace(section(other), section(other)[:0]))
    new = ledger.notes(old, {rule.id: "something else", other.id: "answers so on the moon"})
    assert "something else" not in new
    assert "- Driver: answers so on the moon" in new


def test_a_first_page_needs_its_introduction_alone() -> None:
    """Without a section to keep, the page is written whole."""
    new = ledger.notes("# Notes\n")
    assert new.startswith("# Notes\n\n## core\n")
    assert len(re.findall('^<a id="', new, re.MULTILINE)) == len(RULES)
    assert {line for line in new.splitlines() if line.startswith("- Driver")} <= ledger.DEFAULTS
