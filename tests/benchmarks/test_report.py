"""Each benchmark runs, for a single round; no time is held against a limit here."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from benchmarks import left_behind, report
from benchmarks.effort import EFFORT
from benchmarks.report import PARTS, Row, main
from fakecuda.rules.registry import DRIVER
from tests import warm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


LONGER = pytest.mark.long("it makes many calls even once; the others are measured by the same functions")
OF_SECONDS = {"look-alike", "above", "machines", "start"}
"""Parts that take seconds for a single round."""


def forked(command: list[str], *, cwd: Path, env: dict[str, str], **_: object) -> None:
    """Run a suite that measures itself without the start of an interpreter."""
    done = warm.run(command, cwd=cwd, env=env)
    assert not done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("part", [pytest.param(one, marks=[LONGER] * (one in OF_SECONDS)) for one in PARTS])
def test_a_part_runs_once(part: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It has rows with values, and nothing is over a limit, for a single round has none."""
    monkeypatch.setattr(left_behind, "subprocess", SimpleNamespace(run=forked, DEVNULL=subprocess.DEVNULL))
    assert main(["--once", part]) == 0
    shown = capsys.readouterr().out
    rows = shown.splitlines()[2:]
    assert rows
    assert "OVER" not in shown
    assert not EFFORT.once
    if part == "look-alike":  # which compares each modelled call
        assert DRIVER.ops.keys() <= {row.partition(",")[0] for row in rows}


def test_what_is_over_its_limit_is_marked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """And the exit status tells."""

    def part() -> Iterator[Row]:
        yield report.time("slow", 2e-3, 1e-3, "ms")
        yield report.time("fast", 0.2, 0.3, "s")

    monkeypatch.setitem(PARTS, "machines", part)
    assert main(["machines"]) == 1
    slow, fast = capsys.readouterr().out.splitlines()[2:4]
    assert slow.split() == ["slow", "2.00", "ms", "1", "ms", "OVER", "THE", "LIMIT"]
    assert fast.split() == ["fast", "0.20", "s", "0.3", "s", "ok"]


def test_commands_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that fails is over its limit, however fast."""
    commands = {"good": (("-c", "pass"), 1e9), "bad": (("-c", "raise SystemExit(3)"), 1e9)}
    monkeypatch.setattr(report, "COMMANDS", commands)
    monkeypatch.setattr(report, "LOOP", "sum(range(1_000_000))")
    good, bad = report.commands()
    assert (good.within, bad.within) == (True, False)
    assert "exit status 3" in bad.value


def test_help() -> None:
    """The command says what it measures, and what parts there are."""
    command = [sys.executable, "-m", "benchmarks.report", "--help"]
    shown = "".join(subprocess.check_output(command, text=True).split())
    assert all(part in shown for part in (*PARTS, "--once", "MagicMock"))


def test_an_unknown_part(capsys: pytest.CaptureFixture[str]) -> None:
    """It is refused, with those that there are."""
    with pytest.raises(SystemExit):
        main(["speed"])
    assert "look-alike" in capsys.readouterr().err
