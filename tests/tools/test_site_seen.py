"""The site as a reader sees it: at a desk and on a phone, light and dark, by keys; in Chromium, without which this is skipped."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import DESK, PHONE, SCHEMES, Browser, browsing
from tools.site import pages
from tools.site.__main__ import built, write

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long("a site is built for it, and a browser started")
pytest.importorskip("material", reason="mkdocs-material: pip install -e '.[site]'")
CALL, CHAPTER = "calls/driver/cuMemMap.md", "rules/driver/va.md"
SEEN = [
    "index",
    "guides/start",
    "guides/allocator",
    "guides/ipc_channel",
    "guides/vmm_pool",
    "guides/ranks",
    "guides/hip_port",
    "guides/from_mocks",
    "guides/skipped_launches",
    "recipes/index",
    "limits",
    "public",
    "options",
    "profiles",
    "races",
    "museum",
    "clients",
    "conformance",
    "contributing",
    "architecture",
    "calls/driver/index",
    "calls/driver/cuMemMap",
    "rules/driver/va",
]
"""The pages to look at, at least one of each kind."""
UNSEEN = "return [...document.images].filter((one) => !one.complete || !one.naturalWidth).map((one) => one.src)"
PICTURES = """
return [...document.querySelectorAll('img[src$=".svg"]')].map((one) => [one.getBoundingClientRect().width, one.naturalWidth]);
"""
FOUND = "return [...document.querySelectorAll('.md-search-result__link')].map((one) => one.getAttribute('href'))"
FOCUSED = "return [document.activeElement.tagName, document.activeElement.textContent.trim(), document.activeElement.className]"


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_: object) -> None:
        """Tell nobody."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a site with all pages but most of those of calls and chapters, which are made alike."""
    folder = tmp_path_factory.mktemp("site")
    texts = {
        name: text
        for name, text in pages.texts().items()
        if not name.startswith(("calls/", "rules/")) or name.endswith(("/index.md", "side_by_side.md", CALL, CHAPTER))
    }
    write(folder, texts)
    built(folder, folder / "site")  # links to the pages that are left out are warned of
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder / "site")) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return a browser with one window."""
    with browsing(tmp_path_factory.mktemp("browser")) as one:
        yield one


def opened(browser: Browser, site: str, name: str, size: tuple[int, int] = DESK, scheme: str = "light") -> None:
    """Open a page as somebody who has not been there before."""
    browser.look(size, scheme)
    browser.forget(site)
    browser.open(f"{site}/{name}.html")


def until(browser: Browser, script: str, wanted: Any) -> None:
    """Wait until a script returns something of which that is wanted: a function says so."""
    while not wanted(browser.run(script)):
        pass


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_pages_are_read_at_any_width_and_in_any_light(
    browser: Browser, site: str, size: tuple[int, int], scheme: str
) -> None:
    """Nothing is wider than the window, text stands out from what is behind it, pictures are there, nothing is from elsewhere."""
    wrong = {}
    for name in SEEN:
        opened(browser, site, name, size, scheme)
        assert browser.run("return document.body.dataset.mdColorScheme") == ("slate" if scheme == "dark" else "default")
        foreign = [one for one in browser.fetched() if not one.startswith(site)]
        found = [*browser.wider(), *browser.pale(), *browser.run(UNSEEN), *foreign, *browser.complaints()]
        if found:
            wrong[name] = found
    assert wrong == {}


def test_pictures_are_large_enough_to_be_read(browser: Browser, site: str) -> None:
    """On a phone they keep their size, and scroll by themselves; at a desk they lose a third of it at most."""
    for size, least in ((DESK, 0.66), (PHONE, 1)):
        opened(browser, site, "guides/ipc_channel", size)
        ((width, natural),) = browser.run(PICTURES)
        assert width > least * natural - 1


def test_search_is_reached_and_used_by_keys(browser: Browser, site: str) -> None:
    """A key opens it, an arrow chooses, Enter goes there."""
    opened(browser, site, "index")
    browser.press("s", *"cuMemMap")
    until(browser, FOUND, lambda found: any("cuMemMap.html" in one for one in found))
    browser.press("Down", "Enter")
    until(browser, "return location.pathname", lambda path: path.endswith("cuMemMap.html"))


def test_navigation_is_reached_by_keys(browser: Browser, site: str) -> None:
    """The first stop skips to the text; the parts of the site and the pages of the part come behind it."""
    opened(browser, site, "guides/start")
    stops = []
    for _ in range(40):
        browser.press("Tab")
        stops.append(browser.run(FOCUSED))
    assert stops[0][1] == "Skip to content"
    reached = [text for tag, text, _ in stops if tag == "A"]
    for name in ("Guides", "Recipes", "Reference", "Calls", "Rules", "Proof", "Project", "What it cannot do"):
        assert name in reached
    browser.press("Tab")
    assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_a_reader_chooses_light_or_dark(browser: Browser, site: str) -> None:
    """Pictures are as the page is, and not as the system."""
    opened(browser, site, "guides/allocator")
    browser.run("document.querySelector('label[for=__palette_1]').click()")
    until(browser, "return document.body.dataset.mdColorScheme", lambda scheme: scheme == "slate")
    schemes = "return [...document.querySelectorAll('img')].map((one) => getComputedStyle(one).colorScheme)"
    assert set(browser.run(schemes)) == {"dark"}
