"""Headless Chromium over WebDriver, for pages in desktop and phone width.

It needs the programs chromium and chromedriver (Debian: ``apt-get install chromium chromium-driver``) and no package of Python.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from attrs import define

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DRIVERS = ("chromedriver", "/usr/lib/chromium/chromedriver", "/usr/lib/chromium-browser/chromedriver")
DESK, PHONE = (1280, 900), (390, 844)
"""Widths and heights of pages."""
SCHEMES = ("light", "dark")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)
READY = re.compile(r"started successfully on port (\d+)")
LEAST = 4.5
"""The minimum contrast of text (WCAG 2, level AA)."""
LARGE = 3.0
"""The minimum contrast of large text."""
KEYS = {
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "Tab": "\ue004",
    "Left": "\ue012",
    "Up": "\ue013",
    "Right": "\ue014",
    "Down": "\ue015",
}
WIDER = """
const wide = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth <= wide && document.body.scrollWidth <= wide) return [];
return [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > wide + 1)
  .slice(0, 5).map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`);
"""
PALE = """
const [least, large] = arguments;
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function rgba(text) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = text;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}
const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
function ground(element) {
  const layers = [];
  for (let one = element; one; one = one.parentElement) {
    const colour = rgba(getComputedStyle(one).backgroundColor);
    if (colour[3] > 0) layers.push(colour);
    if (colour[3] === 1) break;
  }
  const page = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
  return layers.reverse().reduce((under, top) => over(top, under), page);
}
function light([r, g, b]) {
  const [x, y, z] = [r, g, b].map((one) => one / 255).map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}
const found = new Map();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || element.closest("script, style, svg, [aria-hidden=true]")) continue;
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
  const style = getComputedStyle(element), size = parseFloat(style.fontSize);
  const under = ground(element), text = over(rgba(style.color), under);
  const [high, low] = [light(text), light(under)].sort((a, b) => b - a);
  const ratio = (high + 0.05) / (low + 0.05);
  const enough = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? large : least;
  const name = `${element.tagName}.${element.className}`;
  if (ratio < enough && !found.has(name)) found.set(name, `${name} ${ratio.toFixed(2)}: ${walker.currentNode.data.trim().slice(0, 60)}`);
}
return [...found.values()].slice(0, 10);
"""
FETCHED = (
    "return performance.getEntriesByType('resource').map((one) => one.name).filter((one) => !one.startsWith('data:'))"
)


def missing() -> str:
    """Return why there is no browser to look with; an empty text where there is one."""
    lacking = [names[0] for names in (BROWSERS, DRIVERS) if _first(names) is None]
    return f"no {' and no '.join(lacking)}: apt-get install chromium chromium-driver" if lacking else ""


def _first(names: tuple[str, ...]) -> str | None:
    return next((found for name in names if (found := shutil.which(name))), None)


@define
class Browser:
    """A browser with one window.

    Attributes:
        address: Where WebDriver has its session.
    """

    address: str

    def look(self, size: tuple[int, int] = DESK, scheme: str = "light") -> None:
        """Have the window be of a size, and the reader want it light or dark."""
        width, height = size
        metrics: dict[str, object] = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE}
        self._devtools("Emulation.setDeviceMetricsOverride", metrics)
        self._devtools("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, page: Path | str) -> None:
        """Open a file, or what stands at an address."""
        self._ask("url", {"url": page if isinstance(page, str) else page.resolve().as_uri()})

    def forget(self, site: str) -> None:
        """Have a site's pages find nothing that they have kept: the page that is open is left first, as it may keep it again."""
        self.open("about:blank")
        self._devtools("Storage.clearDataForOrigin", {"origin": site, "storageTypes": "all"})

    def run(self, script: str, *arguments: object) -> Any:
        """Return what a script returns on the page."""
        return self._ask("execute/sync", {"script": script, "args": list(arguments)})

    def press(self, *keys: str) -> None:
        """Press keys, one after the other: those of ``KEYS`` by name, others by their letter."""
        for key in keys:
            acts = [{"type": kind, "value": KEYS.get(key, key)} for kind in ("keyDown", "keyUp")]
            self._ask("actions", {"actions": [{"type": "key", "id": "keyboard", "actions": acts}]})

    def save(self, path: Path) -> None:
        """Write what is seen to a PNG file."""
        path.write_bytes(base64.b64decode(self._ask("screenshot", None)))

    def wider(self) -> list[str]:
        """Return what makes the page wider than the window, nothing for nothing."""
        return list(self.run(WIDER))

    def pale(self) -> list[str]:
        """Return the texts on the page whose contrast is too low, one of each kind."""
        return list(self.run(PALE, LEAST, LARGE))

    def fetched(self) -> list[str]:
        """Return what the page has fetched besides itself."""
        return list(self.run(FETCHED))

    def complaints(self) -> list[str]:
        """Return the errors that the page's scripts have raised since this was asked last."""
        return [entry["message"] for entry in self._ask("se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def _devtools(self, command: str, arguments: dict[str, object]) -> None:
        self._ask("goog/cdp/execute", {"cmd": command, "params": arguments})

    def _ask(self, what: str, value: dict[str, Any] | None) -> Any:
        return _asked(f"{self.address}/{what}", value)


def _asked(address: str, value: dict[str, Any] | None, method: str | None = None) -> Any:
    data = None if value is None else json.dumps(value).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"}, method=method)  # noqa: S310 - our own driver
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - likewise
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        raise RuntimeError(error.read().decode()) from error


@contextmanager
def browsing(folder: Path) -> Iterator[Browser]:
    """Start a browser that keeps what it keeps in a folder; where there is none, skip the test.

    Args:
        folder: An empty folder.
    """
    if reason := missing():
        pytest.skip(reason)
    environ = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder)}
    command = [_first(DRIVERS) or "", "--port=0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environ) as driver:
        try:
            assert driver.stdout is not None
            port = next(match[1] for line in driver.stdout if (match := READY.search(line)))
            options = {"binary": _first(BROWSERS), "args": [*FLAGS, f"--user-data-dir={folder / 'profile'}"]}
            wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            root = f"http://127.0.0.1:{port}/session"
            session = _asked(root, {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
            try:
                yield Browser(f"{root}/{session}")
            finally:
                _asked(f"{root}/{session}", None, "DELETE")
        finally:
            driver.terminate()
