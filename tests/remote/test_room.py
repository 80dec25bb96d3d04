"""Memory that the client in C has not: some moments of ``python -m conformance.fuzz.room``, and what it must find."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from conformance.fuzz import room
from conformance.fuzz.trials import Trials

pytestmark = pytest.mark.skipif(bool(room.lacking()), reason=room.lacking() or "nothing is lacking")
SOME = (1, 2, 5, 13, 30, 50, 70, 90)
"""Some moments between a program's first call and its end."""
MISTAKES = """
from conformance.fuzz import room
from fakecuda.reach.remote.linked import build

def plant(file, right, planted):
    assert texts[file].count(right) == 1
    texts[file] = texts[file].replace(right, planted)

def found(number, limit):
    os.environ["PLANTED"], room.LIMIT = str(number), limit
    return tried(program, (1, 7))

texts = dict(build._texts())
right = "to->lost = more == NULL;"
plant("values.c", right, f"if (planted(1) && more == NULL) abort(); else if (planted(2)) to->lost = 0; else {right}")
plant("invoke.c", "int came = no_room ? -1 :", "int came = no_room ? (planted(3) ? await(frame) : -1) :")
plant("invoke.c", "    if (came < 0) {", "    if (came < 0 && planted(4)) return 0;\\n    if (came < 0) {")
asks = 'static int planted(int number) { return getenv("PLANTED") && atoi(getenv("PLANTED")) == number; }\\n'
texts["values.c"] = asks + texts["values.c"]
build._texts = lambda: texts
folder = tempfile.TemporaryDirectory()
program = built(Path(folder.name))
"""
"""A client with four mistakes, one of which an environment variable selects."""


def test_a_program_without_memory_ends_in_order() -> None:
    """Its call says so, or the client does; the next program has the machine."""
    trials = room.done(SOME)
    assert trials.wrong == []
    assert trials.counts["moments"] >= SOME[-1]
    assert trials.counts["out of memory"] > len(SOME)


def test_planted_mistakes_are_found() -> None:
    """A failed allocation that ends the process or is used, a call that waits in vain, and a call that succeeds without an answer."""
    # The third program stands still however long it may: a busy machine finds no less in a second.
    ended, used, stands, succeeds, right = room.in_process(
        "[*map(found, (1, 2, 3, 4, 0), (LIMIT, LIMIT, 1, LIMIT, LIMIT))]", MISTAKES
    )
    assert any("one from 1 on: ended by -6" in line for line in ended.wrong), ended
    assert any("ended by -11" in line for line in used.wrong), used
    assert any("one from 7 on: it stands still" in line for line in stands.wrong), stands
    assert any(": ended by " in line for line in succeeds.wrong), succeeds
    assert right.wrong == []


def test_the_command_says_what_it_did(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the moments that are asked for; its status says whether something is wrong."""
    trials = Trials(Counter(programs=6))
    monkeypatch.setattr(
        room, "done", {(3, 4): trials, (): Trials(wrong=["one from 1 on: it stands still"])}.__getitem__
    )
    monkeypatch.setattr(sys, "argv", ["room", "--first", "3", "--count", "2"])
    assert room.main() == 0
    assert "6 programs" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["room"])
    assert room.main() == 1
    assert "one from 1 on: it stands still" in capsys.readouterr().out
