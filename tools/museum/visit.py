"""A run of all programs as a user's tests, and pytest's results."""

from __future__ import annotations

import gc
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from attrs import define

from conformance import SUITE
from fakecuda.errors import UndefinedBehaviour
from fakecuda.progress import Progress
from tools.museum.exhibit import id_of

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from tools.museum.exhibit import Exhibit

ROOT = SUITE.parent
PROGRAMS = Path(__file__).with_name("programs.py")
EXHIBITS = Path(__file__).with_name("exhibits")
COMPREHENSION = re.compile(r"(?:\.<locals>)?\.<(?:list|set|dict)comp>")
"""Names of comprehension frames before Python 3.12."""
DESCRIPTOR = re.compile(r"(?<=osHandle=)\d+")
"""The number of a file descriptor, which depends on open files."""
CAUGHT = "caught"
"""The verdict if the faulty program fails for its reason and the fixed one passes."""
REFUSED = "refused calls"
"""Part of the titles of sections about refused calls."""


@define
class Outcome:
    """The outcome of a program.

    Attributes:
        failed: Whether its test did, at its end or behind it.
        told: What fakecuda says of it, and what the program raised.
    """

    failed: bool = False
    told: str = ""


class Recorder:
    """A pytest plugin that notes the outcome of each test."""

    def __init__(self) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self.bar = Progress(0)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the programs."""
        self.bar = Progress(len(session.items))

    def pytest_runtest_logfinish(self) -> None:
        """Show the number of finished programs."""
        self.bar.add()
        self.bar.show()

    def pytest_sessionfinish(self) -> None:
        """End the progress bar."""
        self.bar.end()

    def pytest_runtest_setup(self) -> None:
        """Freeze existing objects, because each test with leaks collects garbage."""
        gc.freeze()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note the failure of a test's phase, and its report."""
        report = yield
        found = self.outcomes.setdefault(item.name.partition("[")[2].removesuffix("]"), Outcome())
        if call.excinfo is not None:
            found.failed = True
            raised = call.excinfo.value
            text = str(raised)
            if not isinstance(raised, UndefinedBehaviour | pytest.fail.Exception):
                text = f"{type(raised).__name__}: {text.partition(chr(10))[0]}"
            sections = [section for title, section in report.sections if REFUSED in title]
            found.told = "\n".join(filter(None, [found.told, text, *getattr(raised, "__notes__", ()), *sections]))
        return report


def started(plugin: object, *options: str) -> int:
    """Run the programs in this process with a plugin; return the status."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    alone = ["-c", os.devnull, "--rootdir", str(ROOT), "--noconftest", "-p", "no:cacheprovider", "-p", "no:terminal"]
    return int(pytest.main([*alone, "-p", "fakecuda.plugin", *options, str(PROGRAMS)], plugins=[plugin]))


def run() -> dict[str, Outcome]:
    """Run all programs in this process, with no other plugin.

    Returns:
        What became of each, by the names of their tests; lines of code are told by their files' names.
    """
    recorder = Recorder()
    started(recorder)
    for outcome in recorder.outcomes.values():
        text = outcome.told.replace(f"{EXHIBITS}/", "").replace(f"{ROOT}/", "")
        outcome.told = DESCRIPTOR.sub("…", COMPREHENSION.sub("", text))
    return recorder.outcomes


@cache
def visit() -> Mapping[str, Outcome]:
    """Run the programs in a new process, and return the outcomes.

    Raises:
        RuntimeError: They could not be run.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COVERAGE_"))}
    command = [sys.executable, "-m", "tools.museum", "--json"]
    done = subprocess.run(command, cwd=ROOT, env=kept, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return {name: Outcome(**outcome) for name, outcome in json.loads(done.stdout).items()}


def verdict(exhibit: Exhibit, variant: str, outcomes: Mapping[str, Outcome]) -> str:
    """Return :data:`CAUGHT`, or how a program and its twin differ from the exhibit."""
    faulty, fixed = (outcomes[id_of(exhibit, variant, fixed=which)] for which in (False, True))
    if not faulty.failed:
        return "the faulty program passes"
    if missing := [text for text in exhibit.told if text not in faulty.told]:
        return f"the faulty program fails without {missing[0]!r}"
    if fixed.failed:
        return "the fixed program fails"
    return CAUGHT
