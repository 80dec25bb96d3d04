"""The page of a session in a browser: what a reader sees at a desk and on a phone, by mouse and by keys, light and dark."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.explain.html.session import Session, Test, page
from fakecuda.machine.story import story
from tests.browser import DESK, PHONE, SCHEMES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser import Browser

SHOWN = "return [...document.querySelectorAll('.test:not([hidden]) b')].map((one) => one.textContent)"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of some tests, of each outcome and with all that one can have."""
    with Machine("h200-x2", strict=False) as machine:
        d = machine.here.driver
        d.cuInit(0)
        d.cuCtxCreate(None, 0, 0)
        d.cuMemAlloc(1 << 20)
        d.cuMemAlloc(0)
        calls, pictures = story(machine)
    told: dict[str, Any] = {
        "profile": "h200-x2",
        "findings": [["event.handle.EVENT_IS_LIVE", "cuEventDestroy", "a report\n" + "long " * 200]],
        "refused": "1 refused call: cuMemAlloc\n  rule  memory.mem_alloc.SIZE_IS_POSITIVE (manual)",
        "left": "left behind: 1 allocation",
        "calls": calls,
        "pictures": pictures,
        "notes": ["a note"],
    }
    outcomes = ("failed", "error", "interrupted", "xpassed", "xfailed", "skipped")
    tests = [
        Test(
            f"tests/deep/test_file.py::test_{name}",
            name,
            0.25,
            "tests/deep/test_file.py:3",
            "gw0",
            told,
            [("call", "E " + "x" * 300)],
        )
        for name in outcomes
    ]
    tests += [Test(f"tests/test_other.py::test_number[{number}]", "passed", 0.01) for number in range(300)]
    written = tmp_path_factory.mktemp("page") / "index.html"
    written.write_text(page(Session("pytest", "Python", tests, interrupted=True)), encoding="utf-8")
    return written


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_it_is_read_everywhere(browser: Browser, path: Path, size: tuple[int, int], scheme: str) -> None:
    """Nothing is wider than the window, text has contrast, and nothing is fetched."""
    browser.look(size, scheme)
    browser.open(path)
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    assert browser.wider() == []
    assert browser.pale() == []
    browser.run("document.querySelectorAll('.chip').forEach((one) => one.setAttribute('aria-pressed', 'true'))")
    assert browser.pale() == []
    assert browser.fetched() == []
    assert browser.complaints() == []
    ground = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", ground))) > 382) == (scheme == "light")
    assert browser.run("return [...document.images].every((one) => one.naturalWidth > 100)")


def test_it_is_filtered(browser: Browser, path: Path) -> None:
    """By outcome, by what tests have besides, by words in whatever is known of them; Escape shows all again."""
    browser.look()
    browser.open(path)
    everything = browser.run(SHOWN)
    assert len(everything) == 306
    assert everything[:3] == ["test_failed", "test_error", "test_interrupted"]
    browser.run("document.querySelector('[data-value=skipped]').click()")
    assert browser.run(SHOWN) == ["test_skipped"]
    browser.press("Escape")
    assert browser.run(SHOWN) == everything
    browser.run("document.querySelector('[data-value=left]').click()")
    assert len(browser.run(SHOWN)) == 6
    assert browser.run("return document.getElementById('count').textContent") == "6 of 306 shown"
    browser.press("Escape", "/", *"number[29")
    assert len(browser.run(SHOWN)) == 11  # 29 and 290 to 299
    browser.press("Escape", "/", *"event_is_live")
    assert len(browser.run(SHOWN)) == 6
    browser.press(*" nowhere")
    assert browser.run(SHOWN) == []
    assert browser.run("return document.getElementById('none').checkVisibility()")


def test_it_is_walked_by_keys(browser: Browser, path: Path) -> None:
    """J and k go from test to test, Enter opens one, and a rule's link leads to what is known of it."""
    browser.look()
    browser.open(path)
    browser.press("j", "j")
    assert browser.run("return document.activeElement.querySelector('b').textContent") == "test_error"
    browser.press("Enter")
    assert browser.run("return document.activeElement.parentElement.open")
    browser.press("k")
    assert browser.run("return document.activeElement.querySelector('b').textContent") == "test_failed"
    browser.run("document.querySelector('details .story a').click()")
    target = browser.run("return document.querySelector(':target').id")
    assert target == "rule-memory.mem_alloc.SIZE_IS_POSITIVE"
    assert browser.run("return document.querySelector(':target').getBoundingClientRect().top < innerHeight")
