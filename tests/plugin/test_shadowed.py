"""``--fakecuda=shadow``: which pytest is recorded, and what its status is. ``tests/linked/test_check.py`` has what the report says of tests."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.record import beside
from fakecuda import plugin
from fakecuda.errors import FakeCudaError


def begin(*arguments: str, where: str = "shadow") -> int | None:
    """Return what the plugin makes of a command line: the exit status, or None if the tests run in this pytest."""
    config: Any = SimpleNamespace(getoption=lambda _: where, invocation_params=SimpleNamespace(args=arguments))
    return plugin.pytest_cmdline_main(config)


@pytest.mark.parametrize("given", [["--fakecuda=shadow"], ["--fakecuda", "shadow"]])
def test_pytest_runs_on_the_real_driver(monkeypatch: pytest.MonkeyPatch, given: list[str]) -> None:
    """The other arguments stay as they are, and so does the exit status."""
    asked: list[Any] = []

    def check(*arguments: Any) -> int:
        asked.append(arguments)
        return 3

    monkeypatch.setattr(beside, "check_real", check)
    assert begin("-k", "shadow", *given, "-q") == 3
    real = [one.replace("shadow", "real") for one in given]
    assert asked == [([sys.executable, "-m", "pytest", "-k", "shadow", *real, "-q"], None, "")]


def test_other_places_run_the_tests_here() -> None:
    """Pytest goes on by itself."""
    assert begin("--fakecuda=real", where="real") is None


def test_without_a_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what is missing."""

    def refuse(*_: object) -> int:
        msg = "install NVIDIA's driver"
        raise FakeCudaError(msg)

    monkeypatch.setattr(beside, "check_real", refuse)
    with pytest.raises(pytest.UsageError, match="install NVIDIA's driver"):
        begin("--fakecuda=shadow")


def test_without_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite is another distribution."""
    monkeypatch.setitem(sys.modules, "conformance.record.beside", None)
    with pytest.raises(
        pytest.UsageError, match=r"--fakecuda=shadow needs the conformance suite, which lacks conformance.record.beside"
    ):
        begin("--fakecuda=shadow")
