"""Processes that are forks of one which has imported what they need behave as others do; a gate for what takes turns."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from realcuda import CRASH, HANG, Machine
from realcuda.gate import Gate

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
MODULES = ("cuda.bindings.driver", "no.such.module")


def lives(pid: int) -> bool:
    """Return whether a process has not ended."""
    try:
        return not Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except OSError:
        return False


@pytest.fixture
def machine(stub: str) -> Iterator[Machine]:
    """Return a machine whose processes are forks."""
    with Machine(library=stub, preloaded=MODULES, environ={"STUB_TEST": "1"}, warm=1, limit=10) as made:
        yield made


def test_calls(machine: Machine) -> None:
    """Each has its own driver, which is loaded in it; the machine's facts come from a fork, too."""
    a, b = machine.spawn(), machine.spawn()
    assert a.c.cuDeviceGetCount() == (3, None)
    assert a.c.cuInit(0) == (0,)
    assert a.c.cuDeviceGetCount() == (0, 2)
    assert b.c.cuDeviceGetCount() == (3, None)
    assert machine.device_count == 2
    assert b"STUB_TEST=1" in Path(f"/proc/{a.pid}/environ").read_bytes().split(b"\0")


def test_ends(machine: Machine) -> None:
    """A crash, a kill and an orderly end, with the exit handlers in their order."""
    crashed, killed, ended = machine.spawn(), machine.spawn(), machine.spawn()
    assert crashed.c.cuCtxDestroy(1) == (CRASH,)
    assert (crashed.alive, crashed.status) == (False, -signal.SIGSEGV)
    killed.kill()
    assert (killed.alive, killed.status) == (False, -signal.SIGKILL)
    ended.c.cuInit(0)
    ended.begin_exit()
    assert ended.c.cuDeviceGetCount() == (4, None)
    ended.exit()
    assert (ended.alive, ended.status) == (False, 0)


def test_hang(stub: str) -> None:
    """A call that does not return costs its process alone."""
    with Machine(library=stub, preloaded=MODULES, limit=0.3) as machine:
        a, b = machine.spawn(), machine.spawn()
        assert a.c.cuCtxSynchronize() == (HANG,)
        assert a.status == -signal.SIGKILL
        assert b.c.cuInit(0) == (0,)


def test_an_environment_of_its_own(machine: Machine) -> None:
    """It is beside the machine's."""
    words = Path(f"/proc/{machine.spawn(environ={'STUB_OTHER': '2'}).pid}/environ").read_bytes().split(b"\0")
    assert {b"STUB_TEST=1", b"STUB_OTHER=2"} <= set(words)


def test_death_of_the_parent(stub: str) -> None:
    """The forks die with the process that asked for them, and so does the one that forks."""
    program = (
        "import os, sys, realcuda\n"
        "machine = realcuda.Machine(library=sys.argv[1], preloaded=('json',))\n"
        "a = machine.spawn()\n"
        "print(a.pid, machine._server._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    command = [sys.executable, "-c", program, stub]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 2
    while any(lives(pid) for pid in pids):
        time.sleep(0.01)


def test_quiet_end_of_the_parent(stub: str) -> None:
    """A program that closes nothing ends without a word."""
    program = "import sys, realcuda\na = realcuda.Machine(library=sys.argv[1], preloaded=('json',)).spawn()\n"
    command = [sys.executable, "-W", "error", "-c", program, stub]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_one_that_forks_is_gone(machine: Machine) -> None:
    """A process that cannot be started says so."""
    machine.spawn()
    assert machine._server is not None
    machine._server._process.kill()
    machine._server._process.wait()
    with pytest.raises(RuntimeError, match="the server that forks children has ended"):
        machine.child()


def test_a_fork_of_the_parent_has_forks_of_its_own(machine: Machine) -> None:
    """A run makes its machine before its workers, which start their own processes; those of the parent go on."""
    a = machine.spawn()
    worker = os.fork()
    if not worker:
        status = 1
        with contextlib.suppress(Exception):
            machine._pool.clear()
            status = machine.spawn().c.cuInit(0)[0]
            machine.close()
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) == 0
    assert a.c.cuInit(0) == (0,)
    assert machine.spawn().c.cuInit(0) == (0,)
    with machine.with_environ({"STUB_OTHER": "2"}) as other:
        assert other.environ == {"STUB_TEST": "1", "STUB_OTHER": "2"}


def test_renewed(machine: Machine) -> None:
    """Named threads end; the next one of the name is another."""
    a = machine.spawn()
    a.thread("t").c.cuCtxSetCurrent(2)
    a.c.cuCtxSetCurrent(1)
    a.renew()
    assert a.thread("t").c.cuCtxGetCurrent() == (0, 0)
    assert a.c.cuCtxGetCurrent() == (0, 1)


def test_the_bindings_load_no_driver(stub: str) -> None:
    """Otherwise no fork of a process that has imported them could have a driver."""
    program = "import cuda.bindings.driver\nprint('libcuda' in open('/proc/self/maps').read())"
    environ = {**os.environ, "LD_LIBRARY_PATH": str(Path(stub).parent)}
    done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=False)
    assert done.stdout in {"False\n", ""}  # nothing without the bindings
    assert done.stdout or "No module named" in done.stderr


def test_gate() -> None:
    """So many are let through; who dies in it leaves it."""
    gate = Gate(2)
    told, tell = os.pipe()
    waiting = os.fork()
    if not waiting:
        gate.close()  # it is not the fork's to remove
        os.read(told, 1)
        with gate.passing(0):
            os.kill(os.getpid(), signal.SIGKILL)
    with gate.passing(0), gate.passing(0), gate.passing(1):
        os.write(tell, b"!")
        time.sleep(0.05)
        assert os.waitpid(waiting, os.WNOHANG) == (0, 0)
    assert os.waitstatus_to_exitcode(os.waitpid(waiting, 0)[1]) == -signal.SIGKILL
    with gate.passing(0), gate.passing(0):
        pass
    os.close(told)
    os.close(tell)
    gate.close()
    with pytest.raises(FileNotFoundError), gate.passing(0):
        pass
