"""A fork that runs a command line does what a new interpreter does."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests import warm

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import atexit, html, os, signal, sys, warnings
atexit.register(print, "at exit")
print(__name__, sys.argv, os.getcwd(), os.environ.get("MINE"), sys.path[0], html.__name__, hasattr(html, "escape"), input())
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, sys.warnoptions, file=sys.stderr)
try:
    warnings.warn("one")
except UserWarning:
    sys.exit(3)
"""

ENDING = """
import atexit, sys, threading

def last():
    threading.main_thread().join()
    print("thread")

atexit.register(lambda: sys.stdout.write("at exit"))

def test_fails():
    threading.Thread(target=last).start()
    assert False
"""


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("way", ["-c", "file"])
def test_a_fork_does_what_an_interpreter_does(way: str, tmp_path: Path) -> None:
    """Its arguments, folder, variables, input, path, signals, filters of warnings, exit handlers and status."""
    (tmp_path / "it.py").write_text(PROGRAM)
    named = ["-c", PROGRAM] if way == "-c" else [str(tmp_path / "it.py")]
    command = [sys.executable, "-W", "error", *named, "one", "two"]
    forked, new = (
        warm.run(command, cwd=tmp_path, env={**os.environ, "MINE": "set"}, input="typed\n", fresh=fresh)
        for fresh in (False, True)
    )
    assert (forked.returncode, forked.stdout, forked.stderr) == (new.returncode, new.stdout, new.stderr)
    assert (new.returncode, "at exit" in new.stdout) == (3, True)


def test_what_is_read_at_a_start_needs_a_new_interpreter() -> None:
    """A variable that only a new interpreter notices, and a death by a signal."""
    command = [sys.executable, "-c", "import sys; print(sys.flags.optimize)"]
    assert warm.run(command, env={**os.environ, "PYTHONOPTIMIZE": "1"}).stdout == "1\n"
    assert warm.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]).returncode == -9


def test_a_run_of_pytest_ends_as_in_an_interpreter(tmp_path: Path) -> None:
    """Threads are waited for, exit handlers run, what is written comes out, and the status is pytest's."""
    (tmp_path / "test_it.py").write_text(ENDING)
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "--no-header", "--tb=no"]
    forked, new = (warm.run(command, cwd=tmp_path, fresh=fresh) for fresh in (False, True))
    assert forked.returncode == new.returncode == 1
    for done in (forked, new):
        assert "1 failed" in done.stdout
        assert done.stdout.endswith("thread\nat exit")
