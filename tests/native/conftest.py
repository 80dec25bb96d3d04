"""A machine behind the native door of this process, and scripts in new processes."""

from __future__ import annotations

import os
import sys
import textwrap
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.reach.remote import VARIABLE
from tests import warm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent

INDEPENDENT = {"test_aarch64.py"}
"""Tests that need no library in this process."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests where there are no stubs for the processor."""
    if not NATIVE:
        for item in items:
            if item.path.is_relative_to(HERE) and item.path.name not in INDEPENDENT:
                item.add_marker(pytest.mark.skip(reason=f"the native door needs {NEEDS}"))


@contextmanager
def behind_the_door() -> Iterator[Machine]:
    """A machine with two devices behind the native door of this process."""
    from fakecuda.reach.native.door import attach, detach  # noqa: PLC0415 - it loads a library

    with Machine("h200-x2") as made:
        attach(made)
        yield made
        detach(made)


@pytest.fixture
def machine() -> Iterator[Machine]:
    """The machine of a test."""
    with behind_the_door() as made:
        yield made


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    """Run a script in a fresh interpreter, which is none of a shared machine, and return what it printed; it has to end well."""

    def run(text: str, *, code: int = 0, **environ: str) -> str:
        file = tmp_path / "script.py"
        file.write_text(textwrap.dedent(text))
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        own = {VARIABLE: "", "PYTHONPATH": path, "PYTHONFAULTHANDLER": "1", **environ}
        done = warm.run([sys.executable, "-W", "error", str(file)], env={**os.environ, **own})
        assert done.returncode == code, done.stdout + done.stderr
        assert not done.stderr, done.stderr
        return done.stdout.strip()

    return run
