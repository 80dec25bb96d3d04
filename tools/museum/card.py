"""The programs on a card: each in its own process, compared with the model."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tools.museum.exhibit import Part, id_of
from tools.museum.registry import every_exhibit
from tools.museum.visit import ROOT, started

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from tools.museum.exhibit import Exhibit

AGREES = "agrees"
"""The note on a program whose every answer is the same on the card and the model."""
AT_ONCE = 6
TIMEOUT = 120
"""The time limit of a program in seconds."""
DIFFERS = "model and card"
HEARD = Path(__file__).with_name("card.json")
"""A card, its driver, and the programs with the same answers as the model."""


class Comparing:
    """A pytest plugin that runs one program twice and keeps the results.

    Args:
        name: The id of the program.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.ran: list[str] = []
        self.told = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the two runs of the program."""
        items[:] = [item for item in items if self.name in item.name]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note that a run has ended, and how the two runs differ."""
        report = yield
        if report.skipped:
            assert call.excinfo is not None
            self.told = f"skipped: {call.excinfo.value}"
        elif call.when == "call":
            self.ran.append(item.name)
            texts = [text for title, text in report.sections if DIFFERS in title]
            if call.excinfo is not None and "otherwise than the model" in str(call.excinfo.value):
                texts.append(str(call.excinfo.value))
            self.told = self.told or "".join(texts[:1])
        return report


def inside(name: str) -> str:
    """Run a program in this process, and return the note on it."""
    plugin = Comparing(name)
    status = started(plugin, "--fakecuda=both")
    if not plugin.ran and not plugin.told:
        return f"did not run: status {status}"
    return plugin.told.replace(f"{ROOT}/", "") or (AGREES if len(plugin.ran) > 1 else "did not run on the card")


def outside(name: str) -> str:
    """Run a program in a new process, and return the note on it."""
    command = [sys.executable, "-m", "tools.museum", "--inside", name]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"does not end within {TIMEOUT} s"
    if done.returncode < 0:
        return f"ends its process by {signal.Signals(-done.returncode).name}"
    return json.loads(done.stdout) if not done.returncode else f"fails: {(done.stdout + done.stderr)[-300:]}"


def agreed(exhibit: Exhibit) -> str:
    """Return which programs of an exhibit agreed on a card, as a sentence, or nothing."""
    heard = _heard()
    names = [
        f"`{variant}` {'fixed' if fixed else 'faulty'}"
        for variant in exhibit.programs
        for fixed in (False, True)
        if id_of(exhibit, variant, fixed=fixed) in heard["agree"]
    ]
    if not names:
        return ""
    return f"An {heard['card']} with driver {heard['driver']} answered every call as here in {', '.join(names)}."


@cache
def _heard() -> dict[str, Any]:
    return dict(json.loads(HEARD.read_text()))


def visited() -> Mapping[str, str]:
    """Return notes on the programs for a card: not HIP's, without faults, and defined."""
    names = [
        id_of(exhibit, variant, fixed=fixed)
        for exhibit in every_exhibit()
        for variant in exhibit.programs
        for fixed in (False, True)
        if not str(exhibit.settings.get("profile", "")).startswith("hip")
        and exhibit.part is not Part.SWEPT
        and (fixed or exhibit.part is not Part.UNDEFINED)
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(names, pool.map(outside, names), strict=True))
