"""Each benchmark runs, for a single round; no time is held against a limit here."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from benchmarks import commands, left_behind, report
from benchmarks.effort import EFFORT
from benchmarks.report import PARTS, Row, main
from fakecuda.rules.registry import DRIVER
from tests import warm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


LONGER = pytest.mark.long("it makes many calls even once; the others are measured by the same functions")
OF_SECONDS = {"look-alike", "above", "machines", "start"}
"""Parts that need seconds for a single round."""


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


LIMITS = {"conform": 60, "sample": 10, "tests": 480, "machine": 0.25, "child": 0.2, "evidence": 2, "help": 0.1}
"""The maximum waiting time of a newcomer, in seconds of CPU."""


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Have commands that take no time, and a history of their own."""
    made = {"good": ("pass", 9.0), "slow": ("sum(range(3_000_000))", 0.01), "bad": ("raise SystemExit(3)", 9.0)}
    for name, (text, limit) in made.items():
        one = commands.Command(f"the {name} one", ("-c", text), limit, long=name == "bad")
        monkeypatch.setitem(commands.COMMANDS, name, one)
    monkeypatch.setattr(commands, "LOOP", ("-c", "pass"))
    monkeypatch.setattr(commands, "RUNS", 1)
    monkeypatch.setattr(commands, "HISTORY", tmp_path / "history.jsonl")
    (tmp_path / "clone").mkdir()  # whose files of bytecode go, and not this one's
    monkeypatch.setattr(commands, "ROOT", tmp_path / "clone")
    monkeypatch.setattr(commands, "_commit", lambda: "0123456")
    return tmp_path / "history.jsonl"


def test_what_a_newcomer_waits_for_has_a_limit() -> None:
    """A change of the table does not raise one by the way."""
    assert LIMITS.items() <= {name: one.limit for name, one in commands.COMMANDS.items()}.items()


def test_commands_are_held_against_their_limits(planted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One is over its limit if it is slow or fails, however fast; the next run shows the figures beside its own."""
    assert main(["--commands", "good", "slow", "bad"]) == 1
    good, slow, bad = capsys.readouterr().out.splitlines()[2:5]
    assert (good[:12], slow[:12], bad[:11]) == ("the good one", "the slow one", "the bad one")
    assert ["OVER" in row for row in (good, slow, bad)] == [False, True, True]
    assert "exit status 3" in bad
    assert [line["name"] for line in map(json.loads, planted.read_text().splitlines())] == ["good", "slow", "bad"]
    assert main(["--commands", "good"]) == 0
    again = capsys.readouterr().out.splitlines()[2]
    assert again.endswith("loops (0123456) of 1")
    assert re.search(r"ok +[\d.]+ s = [\d.]+ loops \(0123456\), best", again)


@pytest.mark.parametrize(("speed", "more"), [(0.5, 1.0), (1.0, 1.0), (1.5, 1.5)])
def test_a_slow_machine_has_more_seconds(speed: float, more: float) -> None:
    """A limit in seconds is one in loops there; a fast one keeps the seconds."""
    limit, loop = commands.COMMANDS["conform"].limit, commands.USUAL * speed
    assert commands.Figure("conform", limit * more * 0.99, loop, "").within
    assert not commands.Figure("conform", limit * more * 1.01, loop, "").within


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
