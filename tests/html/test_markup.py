"""Elements and links: text never becomes markup, and rules that are named lead to what is known of them."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from fakecuda import Machine, why
from fakecuda.explain.html.linked import Linker
from fakecuda.explain.html.markup import Html, table, tag
from fakecuda.explain.html.notebook import shown
from fakecuda.explain.html.session import Session, Test, page

RULE = "memory.mem_alloc.SIZE_IS_POSITIVE"


def test_text_is_escaped_and_elements_are_not() -> None:
    """In children and in attributes."""
    assert tag("p", "a < b", tag("b", "c & d"), class_="x", data_kind='"', hidden=True, title=None) == (
        '<p class="x" data-kind="&quot;" hidden>a &lt; b<b>c &amp; d</b></p>'
    )
    assert tag("img", src="x") == '<img src="x">'
    assert "<td>&lt;i&gt;</td>" in table(["a", "b"], [["one", "<i>"]])
    assert isinstance(tag("p"), Html)


def test_rules_that_a_text_names_are_links() -> None:
    """The clause below one, too; what is no rule stays text, and each rule that was named is described once."""
    linker = Linker()
    text = f"  rule       {RULE} (manual)\n  source     cuMemAlloc: <x>\n  va.no_rule.OF_THIS_NAME"
    told = linker.text(text)
    assert told == (
        f'  rule       <a href="#rule-{RULE}">{RULE}</a> (manual)\n'
        f'  source     <a href="#rule-{RULE}">cuMemAlloc</a>: &lt;x&gt;\n  va.no_rule.OF_THIS_NAME'
    )
    linker.text(RULE)
    described = linker.rules()
    assert described.count("<section") == 1
    assert f'id="rule-{RULE}"' in described
    assert "CUDA_ERROR_INVALID_VALUE" in described
    assert "the size is not 0" in described


def test_a_page_of_a_session_escapes_what_tests_say() -> None:
    """Names, output and failures."""
    evil = "<script>alert(1)</script>"
    tests = [
        Test(f"a.py::test[{evil}]", "failed", failures=[("call", evil)], sections={evil: evil}, told={"left": evil})
    ]
    told = page(Session(evil, evil, tests, besides=[evil]))
    assert evil not in told
    assert told.count("&lt;script&gt;alert(1)") >= 7


def test_the_first_outcome_counts() -> None:
    """A test that failed and whose tear-down is an error has failed; one that passed and whose tear-down is an error is one."""
    for categories, outcome in (
        (("", "failed", "error"), "failed"),
        (("", "passed", "error"), "error"),
        (("skipped", ""), "skipped"),
    ):
        test = Test("a")
        for category in categories:
            test.add(category, 0.5)
        assert test.outcome == outcome
        assert test.duration == 0.5 * len(categories)


def test_notebooks_show_machines_and_findings() -> None:
    """A machine as its picture, a finding as its report."""
    with Machine(strict=False) as machine:
        svg = machine._repr_svg_()
        assert ET.fromstring(svg).tag.endswith("svg")  # noqa: S314 - our own
    told = shown(why(RULE))
    assert told.startswith("<div><strong>the size is not 0</strong><pre")
    assert RULE in told
