"""Processes: threads, ends of every kind, and what they leave."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fakecuda.errors import ProcessDied
from realcuda import CRASH, HANG, Machine, available
from tests.limits import LONG, until

if TYPE_CHECKING:
    from realcuda import Process

ROOT = Path(__file__).parents[2]
SIGKILL, SIGSEGV = -9, -11


def gone(pid: int) -> bool:
    """Return whether a process has ended, or does in the end."""

    def ended() -> bool:
        try:
            return ") Z " in Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return True

    return until(ended)


def session(leader: int) -> list[int]:
    """Return the processes of a session."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            pid, _, words = stat.read_text().partition(" (")
            if int(words.rpartition(") ")[2].split()[3]) == leader:
                found.append(int(pid))
    return found


def test_crash(a: Process) -> None:
    """A segmentation fault is an answer; the process is dead then."""
    assert a.c.cuCtxDestroy(1) == (CRASH,)
    assert (a.alive, a.status) == (False, SIGSEGV)
    with pytest.raises(ProcessDied, match="process a has ended"):
        a.c.cuInit(0)
    with pytest.raises(ProcessDied):
        a.thread("t").c.cuInit(0)


def test_crash_through_the_bindings(a: Process) -> None:
    """The look-alike answers with one None for each result."""
    assert a.driver.cuCtxGetDevice() == (CRASH, None)


def test_hang(stub: str) -> None:
    """A call that does not return is answered after the limit; the process is killed."""
    with Machine(library=stub, limit=0.3) as machine:
        a = machine.spawn()
        assert a.thread("t").c.cuCtxSynchronize() == (HANG,)
        assert (a.alive, a.status) == (False, SIGKILL)
        with pytest.raises(ProcessDied, match="did not return"):
            a.c.cuInit(0)


@pytest.mark.parametrize("pidfd", [True, False])
def test_crash_with_a_forked_child(stub: str, monkeypatch: pytest.MonkeyPatch, pidfd: bool) -> None:  # noqa: FBT001
    """A driver that forked holds the line open; the crash is seen all the same, and the fork is gone too."""

    def refuse(_: int) -> int:
        raise OSError

    if not pidfd:
        monkeypatch.setattr(os, "pidfd_open", refuse)
    with Machine(library=stub, limit=LONG) as machine:
        a = machine.spawn()
        assert a.c.cuCtxGetDevice() == (CRASH, None)  # seen at the limit it would be a hang
        assert all(gone(pid) for pid in session(a.pid))


def test_ending_by_itself(a: Process) -> None:
    """A driver that ends the process is a crash as well."""
    assert a.c.cuDevicePrimaryCtxReset(5) == (CRASH,)
    assert a.status == 5


def test_end_between_calls(a: Process) -> None:
    """A process that something else ended is dead, and no call is blamed."""
    os.kill(a.pid, 9)
    until(lambda: not a.alive)  # its last thread may outlive its first
    with pytest.raises(ProcessDied, match="between calls"):
        a.c.cuInit(0)


def test_exit(machine: Machine, tmp_path: Path) -> None:
    """An orderly end runs the library's exit handlers."""
    left = tmp_path / "left"
    a = machine.spawn(environ={"STUB_LEAVES": str(left)})
    a.exit()
    assert left.read_text() == "atexit"
    assert (a.alive, a.status) == (False, 0)
    a.exit()
    a.kill()
    with pytest.raises(ProcessDied, match="it has exited"):
        a.c.cuInit(0)


def test_kill(machine: Machine, tmp_path: Path) -> None:
    """SIGKILL runs nothing."""
    left = tmp_path / "left"
    a = machine.spawn(environ={"STUB_LEAVES": str(left)})
    a.kill()
    assert not left.exists()
    assert (a.alive, a.status) == (False, SIGKILL)
    with pytest.raises(ProcessDied, match="it was killed"):
        a.c.cuInit(0)


def test_calls_after_the_exit_handlers(a: Process) -> None:
    """While a process exits, the driver that is torn down can still be asked."""
    assert a.c.cuDeviceGetCount() == (0, 2)
    a.begin_exit()
    assert a.c.cuDeviceGetCount() == (4, None)
    a.exit()
    assert a.status == 0


def test_kill_during_a_call(a: Process) -> None:
    """A call that is under way when the process is killed raises."""
    raised: list[BaseException] = []

    def call() -> None:
        try:
            a.thread("t").c.cuCtxSynchronize()
        except ProcessDied as error:
            raised.append(error)

    caller = threading.Thread(target=call)
    caller.start()
    time.sleep(0.2)
    a.kill()
    caller.join()
    assert len(raised) == 1


def test_named_threads(a: Process) -> None:
    """Each name is a thread of the process; the main Python thread's twin is its main thread."""
    a.c.cuCtxSetCurrent(1)
    a.thread("t").c.cuCtxSetCurrent(2)
    assert a.c.cuCtxGetCurrent() == (0, 1)
    assert a.thread("main").c.cuCtxGetCurrent() == (0, 1)
    assert a.thread("t").c.cuCtxGetCurrent() == (0, 2)
    assert a.thread("u").c.cuCtxGetCurrent() == (0, 0)


def test_twins(a: Process) -> None:
    """Each Python thread has a thread of its own there, which ends with it."""
    a.c.cuCtxSetCurrent(1)
    seen = []

    def call() -> None:
        seen.append(a.c.cuCtxGetCurrent())
        a.c.cuCtxSetCurrent(2)
        seen.append(a.c.cuCtxGetCurrent())

    before = len([*Path(f"/proc/{a.pid}/task").iterdir()])
    for _ in range(2):
        caller = threading.Thread(target=call)
        caller.start()
        caller.join()
    assert seen == [(0, 0), (0, 2)] * 2
    assert a.c.cuCtxGetCurrent() == (0, 1)
    assert until(lambda: len([*Path(f"/proc/{a.pid}/task").iterdir()]) == before)


def test_many_at_once(a: Process) -> None:
    """Calls of several threads are under way together, and each gets its own answer."""
    wrong: list[object] = []

    def call(number: int) -> None:
        for turn in range(50):
            a.c.cuCtxSetCurrent(number * 1000 + turn)
            answer = a.c.cuCtxGetCurrent()
            if answer != (0, number * 1000 + turn):
                wrong.append(answer)

    callers = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert wrong == []


def test_spawned_from_a_thread_that_ends(machine: Machine) -> None:
    """A process outlives the Python thread that spawned it."""
    made = []
    caller = threading.Thread(target=lambda: made.append(machine.spawn()))
    caller.start()
    caller.join()
    time.sleep(0.2)
    assert made[0].c.cuInit(0) == (0,)


def test_death_of_the_parent(stub: str) -> None:
    """Processes die with the one that spawned them, however it ends, idle or in a call."""
    program = (
        "import os, sys, threading, time, realcuda\n"
        "machine = realcuda.Machine(library=sys.argv[1], warm=1)\n"
        "a, b = machine.spawn(), machine.spawn()\n"
        "threading.Thread(target=b.thread('t').c.cuCtxSynchronize, daemon=True).start()\n"
        "time.sleep(0.3)\n"
        "print(a.pid, b.pid, *(child.pid for child in machine._pool), flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    command = [sys.executable, "-c", program, stub]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == SIGKILL
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 3
    assert all(gone(pid) for pid in pids)


def test_interrupted_call(a: Process) -> None:
    """The late answer to a call that its caller abandoned is not taken for the next one's."""

    def interrupt(_: int, __: object) -> None:
        raise KeyboardInterrupt

    def call() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        a.c.cuCtxResetPersistingL2Cache()

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for turn in range(20):
            with pytest.raises(KeyboardInterrupt):
                call()
            a.c.cuCtxSetCurrent(turn)
            assert a.c.cuCtxGetCurrent() == (0, turn)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_fork_of_the_parent(stub: str) -> None:
    """A fork of the parent that ends leaves the parent's processes alone."""
    program = (
        "import os, sys, realcuda\n"
        "a = realcuda.Machine(library=sys.argv[1]).spawn()\n"
        "if os.fork() == 0:\n"
        "    sys.exit()\n"
        "os.wait()\n"
        "print(a.c.cuInit(0), a.alive)\n"
    )
    command = [sys.executable, "-c", program, stub]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "(0,) True\n"


def test_quiet_end_of_the_parent(stub: str) -> None:
    """A program that closes nothing ends without a word."""
    program = "import sys, realcuda\na = realcuda.Machine(library=sys.argv[1], warm=1).spawn()\nprint(a.pid)\n"
    command = [sys.executable, "-W", "error", "-c", program, stub]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert gone(int(done.stdout))


def test_machine(stub: str) -> None:
    """A machine knows its devices, names its processes and ends them."""
    with Machine(library=stub, warm=2) as machine:
        assert (machine.device_count, machine.driver_version) == (2, 13000)
        processes = [machine.spawn(), machine.spawn("named"), machine.spawn()]
        assert [process.name for process in processes] == ["a", "named", "b"]
        assert all(process.alive for process in processes)
        assert processes[0].c.cuDeviceGetCount() == (3, None)
    assert not any(process.alive for process in processes)
    with pytest.raises(RuntimeError, match="closed"):
        machine.spawn()


def test_environment(machine: Machine) -> None:
    """Variables given to spawn reach the process from its start."""
    process = machine.spawn(environ={"CUDA_VISIBLE_DEVICES": "1"})
    words = Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
    assert b"CUDA_VISIBLE_DEVICES=1" in words


def test_library_made_in_the_process(stub: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library can be made by a function in each process."""
    (tmp_path / "maker.py").write_text(f"def make():\n    return {stub!r}\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Machine(library="maker:make") as machine:
        assert machine.spawn().c.cuInit(0) == (0,)
        assert machine.driver_version == 13000


def test_available(stub: str, tmp_path: Path) -> None:
    """The reason why there is no driver is one line."""
    assert available(stub) == ""
    missing = str(tmp_path / "libcuda.so.1")
    reason = available(missing)
    assert missing in reason
    assert "\n" not in reason
    with Machine(library=missing) as machine:
        assert (machine.device_count, machine.driver_version) == (0, 0)
        with pytest.raises(OSError, match="cannot load"):
            machine.spawn().c.cuInit(0)
