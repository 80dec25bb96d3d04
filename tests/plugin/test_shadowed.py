"""``--fakecuda=shadow``: which pytest is recorded, and what its status is. ``tests/linked/test_check.py`` has what the report says of tests."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from fakecuda import plugin
from fakecuda.reach.shadow import WITH
from fakecuda.testing import shadowed
from fakecuda.testing.settings import RECORDED


def begin(*arguments: str, where: str = "shadow") -> int | None:
    """Return what the plugin makes of a command line: the exit status, or None if the tests run in this pytest."""
    config: Any = SimpleNamespace(getoption=lambda _: where, invocation_params=SimpleNamespace(args=arguments))
    return plugin.pytest_cmdline_main(config)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return the commands that the plugin runs; their exit status is 3."""
    commands: list[list[str]] = []

    def run(command: list[str]) -> int:
        commands.append(command)
        return 3

    monkeypatch.setattr(shadowed, "run_program", run)
    return commands


CHECK = [sys.executable, "-m", "fakecuda", "check", "--real", "--", sys.executable]


@pytest.mark.parametrize(
    ("given", "real"),
    [
        (["-k", "shadow", "--fakecuda=shadow"], ["-k", "shadow", "--fakecuda=real"]),
        (["--fakecuda", "shadow", "-q"], ["--fakecuda", "real", "-q"]),
        (["-q"], ["--fakecuda=real", "-q"]),
        ([], ["--fakecuda=real"]),
    ],
    ids=["one word", "two words", "in a file", "no word"],
)
def test_pytest_runs_on_the_real_driver(
    monkeypatch: pytest.MonkeyPatch, asked: list[list[str]], given: list[str], real: list[str]
) -> None:
    """The other arguments stay as they are, and so does the exit status. The option may stand in a file or in PYTEST_ADDOPTS."""
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "pytest", *given])
    assert begin(*given) == 3
    assert asked == [[*CHECK, "-m", "pytest", *real]]


@pytest.mark.parametrize(
    ("words", "started"),
    [
        (["/bin/pytest", "-q"], ["/bin/pytest"]),
        (["-X", "dev", "-m", "pytest", "-q"], ["-X", "dev", "-m", "pytest"]),
        (["runs_pytest.py"], ["-m", "pytest"]),
    ],
)
def test_python_is_started_as_it_was(
    monkeypatch: pytest.MonkeyPatch, asked: list[list[str]], words: list[str], started: list[str]
) -> None:
    """``python -m pytest`` finds modules in the working folder, and ``pytest`` does not. A script may have its own arguments."""
    monkeypatch.setattr(sys, "orig_argv", ["python", *words])
    assert begin("-q") == 3
    assert asked == [[*CHECK, *started, "--fakecuda=real", "-q"]]


def test_other_places_run_the_tests_here() -> None:
    """Pytest goes on by itself."""
    assert begin("--fakecuda=real", where="real") is None


def test_one_variable_tells_of_the_folder() -> None:
    """The plugin and the recording library have one name for it."""
    assert RECORDED == WITH
