"""The pages of docs/rules: written from the rules and the evidence, and nothing on them is said twice."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import attrs
import pytest

from fakecuda.explain import evidence, ledger
from fakecuda.explain.ledger import checks, sentences
from fakecuda.explain.ledger.checks import slug
from fakecuda.explain.ledger.sentences import Account
from fakecuda.rules.registry import DRIVER, EVERY_API, EVERY_OP, HIP, home
from tests.each import each
from tools.pages import chapters, side_by_side
from tools.pages.markdown import WIDTH, wrapped

if TYPE_CHECKING:
    from fakecuda.rules.core import Rule

FIX = f"write the pages anew: {chapters.COMMAND}"
INDEX = (chapters.DOCS / chapters.INDEX).read_text()
NAMES = sorted(path.relative_to(chapters.DOCS).as_posix() for path in (chapters.DOCS / "rules").rglob("*.md"))
RULES = {rule.id: rule for rule in ledger.rules(*EVERY_API.values())}


@cache
def texts() -> dict[str, str]:
    """Return what the pages should be; that they are is tested with everything that is generated."""
    return {name: text for name, text in chapters.render(INDEX).items() if name != chapters.INDEX}


def test_each_page_is_written() -> None:
    """No page below docs/rules is left of a chapter that is gone."""
    assert sorted(texts()) == NAMES


def block(rule: Rule) -> list[str]:
    """Return what stands below a rule's anchor, an item a line."""
    name, _, anchor = checks.anchor_of(rule).removeprefix("docs/").partition("#")
    _, _, rest = texts()[name].partition(f'<a id="{anchor}"></a>\n')
    return [" ".join(item.split()) for item in re.split(r"\n(?=- )", rest.partition("\n\n")[0])]


def test_every_rule_has_one_anchor() -> None:
    """A reader who has a rule's id finds its place; what is no rule any more has none."""
    anchors = [one for text in texts().values() for one in re.findall(r'^<a id="(.*)"></a>$', text, re.MULTILINE)]
    assert sorted(anchors) == sorted(RULES)
    for rule in RULES.values():
        name, _, anchor = checks.anchor_of(rule).removeprefix("docs/").partition("#")
        assert f'<a id="{anchor}"></a>\n' in texts()[name]


def test_every_call_has_a_heading() -> None:
    """A reader who knows the manual finds a call by its name."""
    headings = [
        name
        for text in texts().values()
        for name in re.findall(r"^## (c\w+|hip[A-Z]\w+|nvml[A-Z]\w+)$", text, re.MULTILINE)
    ]
    both = [name for name in headings if name not in {calls[0] for calls in side_by_side.CALLS}]
    assert {*headings} == EVERY_OP.keys()
    assert len({*both}) == len(both)


@each("name", NAMES)
def test_nothing_is_said_twice(name: str) -> None:
    """What rules say is theirs; beside that no paragraph and no item of a list stands twice on a page."""
    beside = [part for part in re.split(r"\n\n+", texts()[name]) if not part.startswith("<a id")]
    items = [" ".join(item.split()) for part in beside for item in re.split(r"\n(?=- )", part)]
    twice = [item for item, times in Counter(items).items() if times > 1 and len(item) > WIDTH]
    assert not twice


def test_a_line_that_stands_on_many_pages_says_how_to_read_them() -> None:
    """No more than that: what is true of many rules stands once."""
    lines = Counter(line for text in texts().values() for line in {*text.splitlines()} if len(line) > WIDTH // 3)
    often = {line for line, times in lines.items() if times > len(texts()) // 4}
    assert {line for line in often if not line.startswith(("Checks, in order: [", "[", "**"))} == set()


RESERVED = RULES["va.mem_map.FLAGS_ARE_ZERO"]


def test_a_rule_says_what_it_says_in_the_code() -> None:
    """Its name, statement, code, grade and source; below them what is noted of it."""
    assert block(RESERVED)[:2] == [
        "**FLAGS_ARE_ZERO**: `flags` is 0, else `INVALID_VALUE`",
        f"- Manual, cuMemMap: “{RESERVED.source.quote}”",
    ]
    for rule in RULES.values():
        text = " ".join(block(rule))
        said = (rule.statement, f"`{rule.code.name}`", rule.grade.capitalize(), rule.source.quote, rule.source.call)
        assert [words for words in said if " ".join(words.split()) not in text] == [], f"{rule.id}: {FIX}"


def test_what_is_noted_stands_below_its_rule_or_call() -> None:
    """Every word of it."""
    every = " ".join(" ".join(texts().values()).split())
    for entry in evidence.entries("note"):
        for key in ("driver", "differs"):
            for text in entry.all(key):
                assert f"- {key.capitalize()}: {text}" in every, f"{entry.place}: {FIX}"


def test_what_nobody_asked_is_said() -> None:
    """Beside the manual's words stands the driver's deed, or that no driver was asked."""
    noted = {rule for rule, entries in evidence.notes().items() if any(entry.all("driver") for entry in entries)}
    for rule in RULES.values():
        told = rule.id in noted or rule.grade == "observed" or rule.source.quote.startswith("the manual says nothing")
        unasked = not told and home(rule.module) is not HIP
        assert (", unasked, " in block(rule)[1]) is unasked
    told_once = [name for name, text in texts().items() if " ".join(text.split()).count(chapters.NO_CARD) == 1]
    assert sorted(told_once) == sorted(name for name in texts() if name.startswith("rules/hip/"))


def test_every_sentence_accounted_for_has_one_anchor() -> None:
    """They are counted through within a call, and stand below it."""
    every = "\n".join(texts().values())
    for call, accounts in sentences.accounts().items():
        found = [
            " ".join(words.split()) for words in re.findall(rf'<a id="{call}\.s\d+"></a>“(.*?)”', every, re.DOTALL)
        ]
        assert found == [words.replace("*", r"\*") for account in accounts for words in account.says], FIX


@pytest.mark.parametrize(
    ("account", "line"),
    [
        (Account(("a",), ("cuMemMap[x]",)), '- <a id="cuMemMap.s1"></a>“a”: case `x`'),
        (Account(("a",), ("cuMemMap[x]", "cuA[y]")), "“a”: cases `x`, `cuA[y]`"),
        (Account(("a", "*b"), beyond="c"), '“a”, <a id="cuMemMap.s2"></a>“\\*b”: beyond the model (c)'),
        (
            Account(("a",), ("va.mem_map.FLAGS_ARE_ZERO", "cuA[y]"), beyond="c"),
            "[FLAGS_ARE_ZERO](#va.mem_map.FLAGS_ARE_ZERO); case `cuA[y]`; beyond the model (c)",
        ),
        (Account(("a",), describes="c"), "“a”: nothing to test (c)"),
    ],
    ids=["case", "cases", "beyond", "rule", "describes"],
)
def test_an_account_is_an_item(account: Account, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules are links, a call's own cases go by their names, and asterisks do not emphasise."""
    monkeypatch.setattr(chapters, "accounts", lambda: {"cuMemMap": [account]})
    assert f"{line}\n" in chapters.text_of("va").replace("\n  ", " ")


def test_a_call_links_to_what_it_shares() -> None:
    """A beginning, and a call of the API beneath, stand for the rules that they check."""
    _, _, rest = texts()["rules/runtime/through.md"].partition("\n## cudaIpcOpenMemHandle\n")
    assert " ".join(rest.split("\n\n")[1].split()) == (
        "Checks, in order: [the beginning, with a context](active.md#runtimeactive), "
        "what [cuIpcOpenMemHandle](../driver/ipc.md#cuipcopenmemhandle) checks."
    )
    here = checks.checks("rules/driver/va.md", DRIVER.ops["cuMemMap"])
    assert here[0] == ("[an initialised driver](core.md#coreinitialized)", "")
    assert ("[FLAGS_ARE_ZERO](#va.mem_map.FLAGS_ARE_ZERO)", "`INVALID_VALUE`") in here


def test_what_is_written_by_hand_stays() -> None:
    """Of the index the table alone is written."""
    before, _, rest = INDEX.partition(chapters.BEGIN)
    _, _, after = rest.partition(chapters.END)
    old = before + chapters.BEGIN + "| old |\n" + chapters.END + after + "by hand\n"
    assert chapters.with_table(old) == INDEX + "by hand\n"


def test_an_index_without_its_place_is_refused() -> None:
    """The text says what it lacks."""
    with pytest.raises(ValueError, match="has no comments around its table of chapters: <!-- written by python -m"):
        chapters.with_table("# Notes\n")


def test_an_undecided_code_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the gate has not been heard."""
    row = next(row for row in ledger.pairs("cuDeviceGet") if row.status == "contradicted")
    undecided = attrs.evolve(row, status="undecided", entry=None, reason="")
    monkeypatch.setattr(chapters, "pairs", lambda call: [undecided] if call == "cuDeviceGet" else [])
    text = chapters.text_of("device")
    assert text.endswith("\n- `INVALID_CONTEXT` of [cuDeviceGet](#cudeviceget): documented, and undecided yet\n")


def test_lines_are_wrapped_as_markdown_needs_it() -> None:
    """Code and tags stay whole, no line begins with a mark, what follows an item's first line is indented."""
    assert wrapped("- a `b c` d", 6) == "- a\n  `b c`\n  d"
    assert wrapped('<a id="x"></a>y z', 5) == '<a id="x"></a>y\nz'
    assert wrapped("aaa - bbb 1. ccc", 5) == "aaa -\nbbb 1.\nccc"


@pytest.mark.parametrize(("heading", "anchor"), [("va.mapped", "vamapped"), ("cuCtxGetDevice_v2", "cuctxgetdevice_v2")])
def test_anchors_are_those_of_github(heading: str, anchor: str) -> None:
    """Lower case, without punctuation."""
    assert slug(heading) == anchor
