"""What processes leave behind: nothing, however they end; what an owner could not remove the next one does."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.fuzz.bare import Bare
from fakecuda import Machine
from fakecuda.model import ending
from fakecuda.model.os.threads import running
from fakecuda.reach.native.folder import PREFIX
from fakecuda.reach.remote.owner import owner as owner_module
from fakecuda.reach.remote.owner.handle_call import READY_NOW
from fakecuda.reach.remote.owner.rendezvous import SOCKET, YOUNG, Reception, sweep
from tests.limits import started, until

from .test_death import descriptors

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from fakecuda.reach.remote.owner.endpoint import Offer

pytestmark = pytest.mark.usefixtures("interruptible")
NOT_INITIALIZED = 3
CLIENT = """
import os, signal, sys, threading
from cuda.bindings import driver

def ok(answer):
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None

ok(driver.cuInit(0))
context = ok(driver.cuCtxCreate(None, 0, 0))
host, memory = ok(driver.cuMemHostAlloc(4096, 0)), ok(driver.cuMemAlloc(4096))
stream = ok(driver.cuStreamCreate(1))
room = bytearray(4096)
ok(driver.cuMemcpyDtoHAsync(room, memory, 4096, stream))

def beside():
    ok(driver.cuCtxSetCurrent(context))
    begun.set()
    while True:
        ok(driver.cuMemcpyDtoH(bytearray(4096), memory, 4096))

begun = threading.Event()
threading.Thread(target=beside, daemon=True).start()
begun.wait()
"""
ENDS = {
    "exit": "sys.exit(0)",
    "os._exit": "os._exit(0)",
    **{
        kind.name: f"os.kill(os.getpid(), {int(kind)}); signal.pause()"
        for kind in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
    },
}
OWNER = """
import sys
import fakecuda
with fakecuda.simulate("h200") as machine:
    print(machine.offer.path.parent.parent, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a temporary folder of the programs that a test starts."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def directories(temporary: Path) -> list[str]:
    """Return what lies in a temporary folder."""
    return sorted(path.name for path in temporary.iterdir())


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_client_leaves_nothing(machine: Machine, sharing: Offer, temporary: Path, end: str) -> None:
    """No directory, and of the owner neither a thread nor a descriptor nor a session, also while it makes a call."""
    with machine.lock:
        threads, before = running(), descriptors()
    environ = {**os.environ, **sharing.environ()}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", f"{CLIENT}\n{end}"], env=environ, check=False, stderr=subprocess.DEVNULL)
    assert until(lambda: running() <= threads)
    assert until(lambda: descriptors() <= before)
    assert sharing.sharing is not None
    assert not any(process.alive for process in machine.processes.values())
    assert not sharing.sharing.attached()
    assert len(machine.processes) == 2
    assert directories(temporary) == []
    assert machine.devices[0].memory.used == 0


def owner() -> AbstractContextManager[subprocess.Popen[str]]:
    """Start a program with a machine."""
    pipe = subprocess.PIPE
    return started([sys.executable, "-c", OWNER], stdin=pipe, stdout=pipe, text=True)


def told(program: subprocess.Popen[str]) -> Path:
    """Return the directory that a program with a machine has told."""
    assert program.stdout is not None
    return Path(program.stdout.readline().strip())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_the_next_start_removes_what_an_owner_has_left(temporary: Path, number: int) -> None:
    """And nothing of one that lives; one that ends in order leaves nothing itself."""
    with owner() as first, owner() as living:
        left, kept = told(first), told(living)
        first.send_signal(number)
        first.wait()
        assert left.exists()
        with owner() as next_one:
            own = told(next_one)
            assert directories(temporary) == sorted([kept.name, own.name])
            next_one.communicate("\n")
        living.communicate("\n")
    assert directories(temporary) == []


def test_what_is_not_swept(tmp_path: Path) -> None:
    """What is young or somebody else's is left alone, and what is held."""
    for name in ("other-1", f"{PREFIX}young", f"{PREFIX}old", f"{PREFIX}dead"):
        (tmp_path / name).mkdir()
    (tmp_path / f"{PREFIX}file").touch()
    (tmp_path / f"{PREFIX}link").symlink_to(tmp_path / "other-1")
    (tmp_path / "other-1" / SOCKET).touch()
    (tmp_path / f"{PREFIX}dead" / SOCKET).touch()
    os.utime(tmp_path / f"{PREFIX}old", (0, tmp_path.stat().st_mtime - 2 * YOUNG))
    sweep(tmp_path)
    assert directories(tmp_path) == [f"{PREFIX}file", f"{PREFIX}link", f"{PREFIX}young", "other-1"]


def test_a_fork_does_not_hold_its_parents_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What it leaves when it ends by os._exit is its own, and is swept; the parent's stays."""
    monkeypatch.setattr("fakecuda.reach.remote.owner.rendezvous._reception", [])
    monkeypatch.setattr("fakecuda.reach.native.folder._own", [])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Machine("h200") as machine, machine.shared(export=False) as sharing:
        parent = sharing.path.parent.parent
        pid = os.fork()
        if not pid:
            with Machine("h200") as own, own.shared(export=False):
                os._exit(0)
        os.waitpid(pid, 0)
        assert len(directories(tmp_path)) == 2
        sweep(tmp_path)
        assert directories(tmp_path) == [parent.name]
    made = Reception()
    assert made.directory.parent == tmp_path


FORKING = """
import gc, os, queue, sys, threading
from fakecuda.reach.remote.client.client import RemoteMachine

c = RemoteMachine(sys.argv[1]).here.c
answers, asked = queue.Queue(), queue.Queue()

def beside():
    c.cuCtxSetCurrent(context)
    while asked.get():
        answers.put(c.cuCtxGetCurrent())

def told():
    asked.put(True)
    return answers.get(timeout=30)

c.cuInit(0)
_, context = c.cuCtxCreate(None, 0, 0)
threading.Thread(target=beside, daemon=True).start()
before = told()
if not (child := os.fork()):
    gc.collect()  # the records refer to each other
    os._exit(c.cuCtxGetCurrent()[0])
_, status = os.waitpid(child, 0)
right = before == told() == (0, context)
sys.exit(0 if right and os.waitstatus_to_exitcode(status) == 3 else 1)
"""


def test_a_fork_leaves_the_connections_of_its_parents_threads() -> None:
    """Python drops the records of other threads in a fork. Their connections, and so their contexts, stay."""
    with Machine("h200") as machine, machine.shared(export=False) as sharing:
        command = [sys.executable, "-c", FORKING, str(sharing.path)]
        assert subprocess.run(command, check=False, timeout=60).returncode == 0
        machine.check_invariants()


SERVE = [sys.executable, "-m", "fakecuda", "--profile", "h200", "serve"]
PROGRAM = """
import os, signal, sys
from cuda.bindings import driver

def end(number, _):
    os.write(1, f"got {{number}} {{int(driver.cuDeviceGetCount()[1])}}\\n".encode())  # print may be at work
    sys.exit(7)

driver.cuInit(0)
signal.signal({number}, end)
os.write(1, b"begun\\n")
signal.pause()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_serve_ends_in_order(temporary: Path, number: int) -> None:
    """It removes what it has made, and its status is that of success."""
    with started(SERVE, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        assert "FAKECUDA_MACHINE" in served.stdout.readline()
        assert len(directories(temporary)) == 1
        served.send_signal(number)
        assert served.wait() == 0
    assert directories(temporary) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2])
def test_serve_ends_with_its_command(temporary: Path, number: int) -> None:
    """Which gets the signal, and has its machine until it has ended."""
    command = [*SERVE, "--", sys.executable, "-c", PROGRAM.format(number=int(number))]
    with started(command, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        assert served.stdout.readline() == "begun\n"
        served.send_signal(number)
        assert served.stdout.readline() == f"got {int(number)} 1\n"
        assert served.wait() == 7
    assert directories(temporary) == []


def test_threads_of_this_process_end() -> None:
    """Of a machine that was shared nothing runs on, but the reception's one."""
    threads = {thread.name for thread in threading.enumerate()}
    with Machine("h200") as machine, machine.shared(export=False):
        pass
    assert {thread.name for thread in threading.enumerate()} <= threads


def test_sessions_that_have_ended_are_forgotten(
    machine: Machine, sharing: Offer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there were; forks of forgotten processes are admitted as forks all the same."""
    monkeypatch.setattr(owner_module, "ENDED_KEPT", 3)
    monkeypatch.setattr(ending, "DEAD_KEPT", 3)
    tokens = []

    def come_and_go() -> None:
        for _ in range(10):
            one = Bare(sharing.path)
            one.make("cuInit", 0)
            one.make("cuCtxCreate", None, 0, 0)
            tokens.append(one.facts[2])
            one.end()
            assert until(lambda: not machine.living)
        machine.calls.clear()

    def kept() -> int:
        gc.collect()
        return sum(str(type(one).__module__).startswith("fakecuda.") for one in gc.get_objects())

    come_and_go()
    before = kept()
    come_and_go()
    assert until(lambda: kept() <= before)  # a thread that has served one may end yet
    assert sharing.sharing is not None
    assert sharing.sharing.sessions == {}
    assert len(machine.processes) == 3
    for token in (tokens[0], tokens[-1]):
        fork = Bare(sharing.path, token, READY_NOW)
        fork.call("cuInit", 0)
        assert fork.result() == (NOT_INITIALIZED, None)
        fork.end()
    with pytest.raises(AssertionError, match="is not attached to the machine, or the machine counts it as ended"):
        Bare(sharing.path, tokens[0][:-1] + b"x")
