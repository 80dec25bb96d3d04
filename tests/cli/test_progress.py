"""How far a run is: a bar in a terminal; elsewhere a line for each tenth of a run that takes longer than a moment."""

from __future__ import annotations

import re
from itertools import count

import pytest

from fakecuda import progress
from fakecuda.progress import Progress


class Clock:
    """A clock that advances a little with each look."""

    def __init__(self, pace: float) -> None:
        self._seconds = count(100)
        self._pace = pace

    def monotonic(self) -> float:
        """Return the seconds."""
        return next(self._seconds) * self._pace


def told(
    total: int, pace: float, *, terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """Return what is shown of a run in which one thing is done after the other."""
    monkeypatch.setattr(progress, "time", Clock(pace))
    shown = Progress(total, terminal=terminal)
    for number in range(total):
        shown.add()
        shown.show(f"{number} failed" if number else "")
    shown.end()
    return capsys.readouterr().err


def test_a_bar_in_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """With what is left, and what there is to say; its line ends."""
    first, second, third = (
        told(3, 1, terminal=True, monkeypatch=monkeypatch, capsys=capsys).removeprefix("\r").split("\r")
    )
    assert first == "[##########--------------------] 1/3  0:02 left\033[K"
    assert second == "[####################----------] 2/3  0:01 left  1 failed\033[K"
    assert third == f"[{'#' * 30}] 3/3  0:00 left  2 failed\033[K\n"


def test_a_bar_is_not_drawn_anew_at_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """But at the end it is."""
    assert told(100, 0.001, terminal=True, monkeypatch=monkeypatch, capsys=capsys).count("\r") == 3


@pytest.mark.parametrize(("pace", "lines"), [(1, 10), (0.03, 5), (0.001, 0)])
def test_lines_elsewhere(
    pace: float, lines: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One for each tenth, from the moment on after which one wonders."""
    shown = told(100, pace, terminal=False, monkeypatch=monkeypatch, capsys=capsys).splitlines()
    assert len(shown) == lines
    assert not lines or shown[-1] == "100 %  100/100  0:00 left  99 failed"


def test_nothing_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    """Is no mistake."""
    shown = Progress(0, terminal=True)
    shown.show()
    shown.end()
    assert capsys.readouterr().err == f"\r[{'-' * 30}] 0/0\033[K\n"


def test_each_item_is_named_while_it_is_under_way(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is printed meanwhile takes the place of the bar, whose line ends with the items, or with what ends them."""
    monkeypatch.setattr(progress, "time", Clock(1))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    for item in progress.each([3, 4], "item {}".format):
        progress.say(f"{item} is done")
        progress.say("")
    told = capsys.readouterr()
    assert told.out == "3 is done\n4 is done\n"
    shown = [line for line in told.err.split("\r") if line.startswith("[")]
    assert [re.sub(r"\[.*\] |  .:.. left", "", line) for line in shown] == [
        "0/2  item 3\033[K",
        "1/2  item 4\033[K",
        "2/2\033[K\n",
    ]
    running = progress.each([3, 4])
    assert next(running) == 3
    with pytest.raises(KeyboardInterrupt):
        running.throw(KeyboardInterrupt)
    assert capsys.readouterr().err.endswith("\n")


def test_each_says_nothing_of_a_moment(capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is no terminal."""
    for item in progress.each("ab"):
        progress.say(item)
    assert tuple(capsys.readouterr()) == ("a\nb\n", "")
