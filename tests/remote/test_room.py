"""Memory that the client in C has not: some moments of ``python -m conformance.fuzz.room``, and what it must find."""

from __future__ import annotations

import subprocess
import sys

import pytest

from conformance.fuzz import room

pytestmark = pytest.mark.skipif(bool(room.lacking()), reason=room.lacking() or "nothing is lacking")
SOME = (1, 2, 5, 13, 30, 50, 70, 90)
"""Moments from a program's first call to its end."""


def test_a_program_without_memory_ends_in_order() -> None:
    """Its call says so, or the client does; the next program has the machine."""
    found = room.done(SOME)
    assert found.wrong == []
    assert found.counts["moments"] >= SOME[-1]
    assert found.counts["out of memory"] > len(SOME)


@pytest.mark.parametrize(
    ("file", "right", "planted", "told"),
    [
        ("values.c", "to->lost = more == NULL;", "if (more == NULL) abort();", "one from 1 on: ended by -6"),
        ("values.c", "to->lost = more == NULL;", "to->lost = 0;", "ended by -11"),
        ("client.c", "int came = no_room ? -1 :", "int came = no_room ? await(frame) :", "it stands still"),
        ("client.c", "    if (came < 0) {", "    if (came < 0) return 0;\n    if (came < 0) {", ": ended by "),
    ],
)
def test_a_planted_mistake_is_found(file: str, right: str, planted: str, told: str) -> None:
    """A failed allocation that ends the process or is used, a call that waits in vain, and a call that succeeds without an answer."""
    plant = f"""
from conformance.fuzz import room
from fakecuda.reach.remote.linked import build
texts = dict(build._texts())
assert texts[{file!r}].count({right!r}) == 1
texts[{file!r}] = texts[{file!r}].replace({right!r}, {planted!r})
build._texts = lambda: texts
room.LIMIT = 2
"""
    found = room.done((1, 7), plant)
    assert [line for line in found.wrong if told in line], found


def test_the_command_says_what_it_did() -> None:
    """Of the moments that are asked for."""
    command = [sys.executable, "-m", "conformance.fuzz.room", "--first", "3", "--count", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "6 programs, " in done.stdout
