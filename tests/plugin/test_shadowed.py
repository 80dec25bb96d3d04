"""``--fakecuda=shadow``: which pytest is recorded, and what its status is. ``tests/linked/test_check.py`` has what the report says of tests."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from fakecuda import plugin
from fakecuda.reach.shadow import WITH
from fakecuda.testing.settings import RECORDED


def begin(*arguments: str, where: str = "shadow") -> int | None:
    """Return what the plugin makes of a command line: the exit status, or None if the tests run in this pytest."""
    config: Any = SimpleNamespace(getoption=lambda _: where, invocation_params=SimpleNamespace(args=arguments))
    return plugin.pytest_cmdline_main(config)


@pytest.mark.parametrize("given", [["--fakecuda=shadow"], ["--fakecuda", "shadow"]])
def test_pytest_runs_on_the_real_driver(monkeypatch: pytest.MonkeyPatch, given: list[str]) -> None:
    """The other arguments stay as they are, and so does the exit status."""
    asked: list[Any] = []

    def call(command: list[str]) -> int:
        asked.append(command)
        return 3

    monkeypatch.setattr(subprocess, "call", call)
    assert begin("-k", "shadow", *given, "-q") == 3
    real = [one.replace("shadow", "real") for one in given]
    check = [sys.executable, "-m", "fakecuda", "check", "--real", "--"]
    assert asked == [[*check, sys.executable, "-m", "pytest", "-k", "shadow", *real, "-q"]]


def test_other_places_run_the_tests_here() -> None:
    """Pytest goes on by itself."""
    assert begin("--fakecuda=real", where="real") is None


def test_one_variable_tells_of_the_folder() -> None:
    """The plugin and the recording library have one name for it."""
    assert RECORDED == WITH
