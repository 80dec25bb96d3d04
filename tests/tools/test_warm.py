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


WORKERS = """
import os, signal, sys
from pathlib import Path

def test_ends_well(worker_id):
    found = "fakecuda.testing.both" in sys.modules, worker_id, os.getcwd(), os.environ["MINE"]
    Path("found").write_text(repr(found))
    assert os.read(0, 1) == b""

def test_dies(worker_id):
    os.kill(os.getpid(), signal.SIGKILL)

def test_comes_after():
    pass
"""


def test_workers_of_xdist_are_forks(tmp_path: Path) -> None:
    """One has the folder, the variables and no input; another takes the place of one that dies."""
    (tmp_path / "test_it.py").write_text(WORKERS)
    options = ("-p", "xdist", "-n1", "-rA", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no")
    environ = {**os.environ, "MINE": "set", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ended = []
    for fresh in (False, True):
        done = warm.run([sys.executable, "-m", "pytest", *options], cwd=tmp_path, env=environ, fresh=fresh)
        assert (tmp_path / "found").read_text() == repr((not fresh, "gw0", str(tmp_path), "set"))
        lines = [line for line in done.stdout.splitlines() if line.startswith(("PASSED", "FAILED"))]
        ended.append((done.returncode, done.stderr, lines))
    assert ended[0] == ended[1]
    lines = ended[0][2]
    assert {"PASSED test_it.py::test_ends_well", "PASSED test_it.py::test_comes_after"} <= set(lines)
    assert any(line.startswith("FAILED test_it.py::test_dies - worker 'gw0' crashed") for line in lines)
