"""The report of conformance as pages: what stands behind each cell, and how a browser shows it."""

from __future__ import annotations

import json
import re
from collections import Counter
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from conformance.kit.program import OTHER_STEPS
from conformance.mutate import survivors
from conformance.mutate.mutation import every_mutant
from conformance.pages import write as pages
from conformance.pages.answers import Answers, Machine
from conformance.pages.cells import ANSWERED, BEYOND, CASE, CONTRADICTED, KINDS, NOT_MODELLED, Cell, Chapter
from conformance.pages.differences import page as differences
from conformance.pages.shape import Site
from conformance.record.recordings import files, read
from conformance.runner.checks import FAILED, Outcome
from conformance.runner.report import Report
from conformance.targets.divergences import load as load_divergences
from fakecuda.explain.ledger import cited, documented
from fakecuda.rules.registry import EVERY_API, api_of
from tests.browser import DESK, PHONE, SCHEMES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser import Browser

pytestmark = pytest.mark.usefixtures("uncollected")

LARGEST, WHOLE = 1_500_000, 18_000_000
"""The maximum sizes in bytes of a page, and of all pages."""
LOOKED_AT = ("index", "machines", "differences", "mutants", "run", "driver.va", "runtime.through", "nvml.not-modelled")
HREF = re.compile(r'href="([^"]*)"')
NAMED = re.compile(r'\bid="([^"]+)"')


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, after a run in which a check has failed."""
    report = Report()
    report.add(Outcome("suite", "one", "va", frozenset({"cuMemMap"}), FAILED, "the driver answers <otherwise>"))
    written = tmp_path_factory.mktemp("pages")
    pages.write(written, report, "recordings on h200-x2, seed 0.")
    return written


@pytest.fixture(scope="module")
def chapters() -> list[Chapter]:
    """Every chapter."""
    return pages.known()[1]


def plain(text: str) -> str:
    """Return the text of HTML, without what marks it up."""
    return unescape(re.sub(r"<[^>]+>", "", text))


def test_each_documented_code_of_each_call_has_a_cell(chapters: list[Chapter]) -> None:
    """Of every API; and each call that is described has a row."""
    for api in EVERY_API.values():
        mine = [one for one in chapters if one.api is api]
        cells = Counter((cell.call, cell.code) for one in mine for cell in one.cells if KINDS[cell.kind].documented)
        assert cells == Counter(documented(api))
        assert {call for one in mine for call in one.calls} == {*api.calls, *(call for call, _ in documented(api))}


@pytest.mark.long("it reads all recordings again")
def test_what_a_driver_is_said_to_have_answered_it_has(chapters: list[Chapter]) -> None:
    """The program that is shown has the call with that code; and nothing that was answered is said not to be."""
    answered: dict[tuple[str, int], Counter[str]] = {}
    for path in files():
        machine = path.parent.name
        for program in read(path).programs:
            for step, answer in zip(program.steps, program.answers, strict=True):
                if step["call"] not in OTHER_STEPS:
                    answered.setdefault((step["call"], answer["code"]), Counter())[machine] += 1
    for cell in (cell for one in chapters for cell in one.cells):
        heard = cell.kind in {ANSWERED, BEYOND}
        if cell.kind in {ANSWERED, BEYOND, CASE}:
            assert heard == ((cell.call, int(cell.code)) in answered), cell.id
        if heard:
            assert cell.heard is not None
            assert cell.heard.best is not None
            place = cell.heard.best
            program = place.program()
            assert (program.steps[place.last]["call"], program.answers[place.last]["code"]) == (
                cell.call,
                int(cell.code),
            )
            assert cell.heard.counts == answered[cell.call, int(cell.code)]


@pytest.mark.long("it reads every page")
def test_behind_each_cell_stand_its_rules_with_their_sources(folder: Path, chapters: list[Chapter]) -> None:
    """And the program, or the case, or the reason."""
    for chapter in chapters:
        if chapter.name == NOT_MODELLED:
            continue
        page = (folder / chapter.file).read_text(encoding="utf-8")
        articles = {part.partition('"')[0]: plain(part) for part in page.split('<article id="')[1:]}
        assert {cell.id for cell in chapter.cells} == articles.keys()
        for cell in chapter.cells:
            _look_behind(cell, articles[cell.id])


def _look_behind(cell: Cell, text: str) -> None:
    for row in cell.rows:
        if row.rule is not None:
            assert row.rule.statement.replace("`", "") in text
            assert row.rule.id in text
        if row.rule is not None and cell.kind in {ANSWERED, CASE}:
            assert cited(row.rule) in text
        if row.rule is None:
            assert row.reason[1:] in text
    if cell.kind in {ANSWERED, BEYOND}:
        assert "Recorded on " in text
        assert f"{cell.call}(" in text
        assert f"→ {api_of(cell.call).short(int(cell.code))}" in text
    if cell.kind == CASE:
        assert "Case" in text
    if cell.kind == CONTRADICTED:
        assert "Answered instead: " in text


def test_a_contradiction_is_shown_by_the_program(folder: Path) -> None:
    """The driver's answer is the last of its calls."""
    page = (folder / "driver.va.html").read_text(encoding="utf-8")
    article = plain(page.partition('<article id="cuMemMap.INVALID_DEVICE"')[2].partition("</article>")[0])
    assert "Answered instead: SUCCESS." in article
    assert "h200-x2/cases, cuMemMap/case/2" in article
    assert article.rstrip().endswith("→ SUCCESS")


def test_every_link_leads_somewhere(folder: Path) -> None:
    """To a file that was written, and to an anchor in it; nothing is fetched from elsewhere, and no page is large."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    anchors = {name: set(NAMED.findall(text)) for name, text in texts.items()}
    for name, text in texts.items():
        assert len(text.encode()) < LARGEST, name
        for target in set(HREF.findall(text)) - {"data:,"} if name.endswith(".html") else ():
            file, _, anchor = target.partition("#")
            assert (file or name) in texts, (name, target)
            assert not anchor or unquote(anchor) in anchors[file or name], (name, target)
    assert sum(map(len, texts.values())) < WHOLE


def test_differences_are_told_with_their_reasons(folder: Path) -> None:
    """The explained ones, and what a run has found besides; without a run it says so."""
    page = plain((folder / "differences.html").read_text(encoding="utf-8"))
    assert all(one.reason in page for one in load_divergences())
    assert "suite[one]" in page
    assert "the driver answers <otherwise>" in page
    assert "the driver answers <otherwise>" in plain((folder / "run.html").read_text(encoding="utf-8"))
    assert "No run stands behind these pages" in differences(None, Site())


def test_machines_are_compared_step_by_step(folder: Path) -> None:
    """Every folder of recordings is on the page; where the same call was answered otherwise, it is told."""
    page = (folder / "machines.html").read_text(encoding="utf-8")
    assert all(f">{path.parent.name}</th>" in page for path in files())
    answers, steps = Answers(), [{"call": "cuMemAlloc", "args": [0]}, {"call": "cuDeviceGetCount", "args": []}]
    for machine, code, count in (("one", 1, 1), ("other", 2, 4)):
        told = [{"code": code, "outs": {}}, {"code": 0, "outs": {"count": count, "made": {"new": machine}}}]
        answers._keep_for_comparison(machine, "a case", json.loads(json.dumps(steps)), told)
        answers.machines[machine] = Machine()
    compared = answers.compared()
    assert compared.programs == {("one", "other"): 1}
    assert compared.codes == [("a case", "cuMemAlloc", {"one": 1, "other": 2})]
    assert compared.values == {("cuDeviceGetCount", "count"): (1, {"one": 1, "other": 4})}


def test_mutants_are_counted_and_not_run(folder: Path) -> None:
    """Each that no program tells apart has its reason there."""
    page = (folder / "mutants.html").read_text(encoding="utf-8")
    every = every_mutant()
    left = survivors.load(every)
    assert f"{len(every):,} mutants" in page
    assert page.count('<tr><th scope="row"><code>') == len(left)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_is_read_everywhere(
    browser: Browser, folder: Path, name: str, size: tuple[int, int], scheme: str
) -> None:
    """Nothing is wider than the window, text has contrast, and nothing is fetched but the style and the script beside it."""
    browser.look(size, scheme)
    browser.open(folder / f"{name}.html")
    assert browser.wider() == []
    assert browser.pale() == []
    assert {one.rpartition("/")[2] for one in browser.fetched()} <= {"pages.css", "pages.js"}
    assert browser.complaints() == []


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_a_cell_is_opened_by_keys(browser: Browser, folder: Path, size: tuple[int, int]) -> None:
    """Arrows go from cell to cell, Enter shows what stands behind one, Escape goes back to it."""
    browser.look(size)
    browser.open(folder / "driver.va.html")
    browser.run("document.querySelector('.matrix td a[tabindex=\"0\"]').focus()")
    browser.press("Right", "Down", "Down", "Down", "Down", "Down")
    here = browser.run("return document.activeElement.getAttribute('href')")
    assert here == "#cuMemUnmap.INVALID_VALUE"
    browser.press("Enter")
    shown = "return (({left, top, right, bottom}) => [left >= 0, top >= 0, right <= innerWidth, bottom <= innerHeight])"
    assert browser.run(f"{shown}(document.activeElement.getBoundingClientRect())") == [True] * 4
    assert browser.run("return document.activeElement.id") == "cuMemUnmap.INVALID_VALUE"
    assert browser.run("return getComputedStyle(document.activeElement).position") == "fixed"
    assert browser.pale() == []
    assert browser.wider() == []
    browser.press("Escape")
    assert browser.run("return document.activeElement.getAttribute('href')") == here
    assert browser.run("return document.querySelector('.cell:target')") is None


def test_calls_are_found_by_name_and_cells_by_kind(browser: Browser, folder: Path) -> None:
    """On the first page among all calls, on a chapter's among its own."""
    shown = "return [...document.querySelectorAll('{} [data-call]:not([hidden])')].length"
    browser.look()
    browser.open(folder / "index.html")
    assert browser.run(shown.format(".found")) == 0
    browser.press("/", *"cumemmap")
    assert browser.run("return document.querySelector('.found [data-call]:not([hidden])').textContent") == "cuMemMap"
    browser.open(folder / "driver.va.html")
    assert browser.run(shown.format(".matrix")) == 13
    browser.press("/", *"cumemunmap")
    assert browser.run(shown.format(".matrix")) == 1
    browser.press("Escape")
    browser.run("document.querySelector('[data-kind=contradicted]').click()")
    visible = (
        "[...document.querySelectorAll('.matrix td a')].filter((one) => getComputedStyle(one).visibility === 'visible')"
    )
    assert browser.run(f"return {visible}.map((one) => one.getAttribute('href'))") == ["#cuMemMap.INVALID_DEVICE"]
