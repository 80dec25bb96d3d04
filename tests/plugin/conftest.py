"""A test suite for the plugin: files in a folder, run by a separate pytest."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections import Counter
from pathlib import Path

import pytest
from attrs import define, field

from tests import warm

ROOT = Path(__file__).parents[2]
ALIKE = pytest.mark.long("another way of the same is taken on each commit")
"""The reason to skip equivalent variants of a test."""
LINE = re.compile(r"^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b", re.MULTILINE)


@define
class Outcome:
    """How a run ended.

    Attributes:
        code: The exit status.
        out: Standard output and standard error.
        counts: How many tests ended how, by the words of the short summary.
        lines: The lines of the short summary, sorted.
    """

    code: int
    out: str
    counts: dict[str, int] = field(init=False)
    lines: list[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        summary = self.out.rpartition("short test summary info")[2]
        self.lines = sorted(line for line in summary.splitlines() if LINE.match(line))
        self.counts = dict(Counter(line.partition(" ")[0] for line in self.lines))
        hidden = (
            "All traceback entries are hidden" in self.out and "FailedHealthCheck" not in self.out
        )  # Hypothesis has no line
        assert not hidden, self.out  # a failure shows a line of the user

    @property
    def plain(self) -> str:
        """The output without the E before each line of an error but the first."""
        return re.sub(r"^E   (?= )", "    ", self.out, flags=re.MULTILINE)


@define
class Suite:
    """Test files in their own folder.

    Attributes:
        folder: The folder.
        environ: Environment variables of the runs.
    """

    folder: Path
    environ: dict[str, str] = field(factory=dict)

    def write(self, **files: str) -> None:
        """Write files, without the indentation they have in the caller's text."""
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(textwrap.dedent(text))

    def run(self, *options: str, door: str = "lookalike", fresh: bool = False) -> Outcome:
        """Run the folder's tests.

        Args:
            options: Those of pytest.
            door: The value of ``--fakecuda-door``; empty to leave it out.
            fresh: Whether a new interpreter runs them, which has imported nothing.
        """
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        # What else is installed would be loaded, too: Hypothesis' plugin takes as long as the rest.
        plugins = ["-p", "fakecuda.plugin", *(["-p", "xdist"] if any(one.startswith("-n") for one in options) else [])]
        doors = [f"--fakecuda-door={door}"] if door else []
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugins, "-rA", *doors, *options]
        own = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": path, "COLUMNS": "200", **self.environ}
        done = warm.run(command, cwd=self.folder, env={**os.environ, **own}, fresh=fresh)
        return Outcome(done.returncode, done.stdout + done.stderr)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A folder for tests, and the way to run them."""
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n")
    return Suite(tmp_path)
