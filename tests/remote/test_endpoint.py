"""Machines that nobody asked to share: how programs find them, and what that takes of the process that owns them."""

from __future__ import annotations

import ctypes
import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import EndlessWait, FakeCudaError, Machine, NotAdmitted, simulate
from fakecuda.model.os.threads import SERVANTS, running
from fakecuda.reach.remote import VARIABLE
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.owner import endpoint, rendezvous
from fakecuda.reach.remote.owner.environment import LIBRARY_PATH
from fakecuda.reach.remote.protocol.frames import HEADER, PROTOCOL, Kind
from tests.limits import until

from .test_waits import blocked, childless

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["childless"]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def installed() -> Iterator[Machine]:
    """Return a machine that is installed."""
    with simulate(strict=False) as made:
        yield made


def address(made: Machine) -> str:
    """Return where programs find a machine."""
    assert made.offer is not None
    return made.offer.address


def test_nothing_is_made_until_somebody_attaches(installed: Machine) -> None:
    """The lock and the files are those of a machine that is not shared; a first process changes that, in the middle of its life."""
    assert installed.offer is not None
    assert installed.offer.sharing is None
    c = installed.here.c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    _, pinned = c.cuMemHostAlloc(2 << 20, 0)
    ctypes.memset(pinned, 5, 2 << 20)
    _, pointer = c.cuMemAlloc(2 << 20)
    assert c.cuMemcpyHtoD(pointer, pinned, 2 << 20) == (0,)
    other = RemoteMachine(address(installed)).here.c
    other.cuInit(0)
    other.cuCtxCreate(None, 0, 0)
    _, handle = c.cuIpcGetMemHandle(pointer)
    _, theirs = other.cuIpcOpenMemHandle(handle, 1)
    back = bytearray(2 << 20)
    assert other.cuMemcpyDtoH(back, theirs, len(back)) == (0,)
    assert bytes(back) == b"\5" * len(back)
    assert other.cuMemsetD8(theirs, 6, 2 << 20) == (0,)
    assert c.cuMemcpyDtoH(pinned, pointer, 2 << 20) == (0,)
    assert ctypes.string_at(pinned, 2 << 20) == b"\6" * (2 << 20)
    assert c.cuMemsetD8(pinned, 0, 2 << 20) == (0,)
    assert ctypes.string_at(pinned, 2 << 20) == bytes(2 << 20)
    assert c.cuMemFreeHost(pinned) == (0,)
    installed.check_invariants()


@pytest.mark.usefixtures("childless")
def test_a_wait_is_endless_as_ever() -> None:
    """The reception's thread wakes nobody, and a process without children has nobody else."""
    with simulate(strict=False, wait_timeout=float("inf")) as made:
        stream, _ = blocked(made.here.c)
        with pytest.raises(EndlessWait, match="no other thread or process can end the wait"):
            made.here.c.cuStreamSynchronize(stream)


def test_who_waits_goes_on_when_somebody_attaches(installed: Machine) -> None:
    """With the lock that there is from then on; the process may wake it."""
    c = installed.here.c
    stream, place = blocked(c)
    _, handle = c.cuIpcGetMemHandle(place)
    answers: list[object] = []
    waiting = threading.Thread(target=lambda: answers.append(c.cuStreamSynchronize(stream)))
    waiting.start()
    assert until(lambda: bool(installed.scheduler.census.waiting))
    other = RemoteMachine(address(installed)).here.c
    other.cuInit(0)
    other.cuCtxCreate(None, 0, 0)
    _, theirs = other.cuIpcOpenMemHandle(handle, 1)
    assert not answers
    assert other.cuMemsetD32(theirs, 1, 1) == (0,)
    assert other.cuCtxSynchronize() == (0,)
    waiting.join()
    assert answers == [(0,)]


def test_the_environment_names_the_machine_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one of several, in whatever order they end; what the program has put there stays."""
    monkeypatch.setenv(LIBRARY_PATH, "/opt/lib")
    monkeypatch.setenv(VARIABLE, "of another process")
    first, second = simulate(), simulate()
    with first as a:
        own = os.environ[LIBRARY_PATH].split(os.pathsep)
        assert (Path(own[0]) / "libcuda.so.1").exists()
        assert own[1:] == ["/opt/lib"]
        with second as b:
            assert os.environ[VARIABLE] == address(b)
        assert os.environ[VARIABLE] == address(a)
        os.environ[LIBRARY_PATH] += ":/more"
    assert (os.environ[VARIABLE], os.environ[LIBRARY_PATH]) == ("of another process", "/opt/lib:/more")
    first, second = simulate(), simulate()
    one, other = first.__enter__(), second.__enter__()
    first.__exit__(None, None, None)
    assert os.environ[VARIABLE] == address(other)
    second.__exit__(None, None, None)
    assert one.offer is other.offer is None
    assert os.environ[VARIABLE] == "of another process"


def test_a_machine_that_is_not_shared() -> None:
    """Whoever attaches is told, and Machine.shared as well."""
    with simulate(shared=False) as made:
        client = RemoteMachine(address(made))
        with pytest.raises(NotAdmitted, match=r"::test_a_machine_that_is_not_shared was made with shared=False"):
            client.here.c.cuInit(0)
        with pytest.raises(FakeCudaError, match="shared=False"), made.shared():
            pass
        assert made.scheduler.census.outside() == []


def test_an_installed_machine_may_be_shared_besides(installed: Machine) -> None:
    """Machine.shared finds the offer there, and leaves it."""
    with installed.shared() as offer:
        assert offer is installed.offer
        with pytest.raises(FakeCudaError, match="shared already"), installed.shared():
            pass
    assert RemoteMachine(offer.address).here.c.cuInit(0) == (0,)


def test_what_there_is_in_a_fork(installed: Machine) -> None:
    """The test's own object leads to the parent's machine; its end there ends nothing here."""
    pid = os.fork()
    if not pid:
        status = 1
        try:
            right = installed.here.c.cuInit(0) == (0,) and installed.here.c.cuDeviceGetCount() == (0, 2)
            installed.close()
            status = int(not (right and not SERVANTS and len(running()) == 1))
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert [call.call for call in installed.log] == ["cuInit", "cuDeviceGetCount"]
    assert installed.here.c.cuInit(0) == (0,)


FORKS = """
import os, sys, threading
sys.path.insert(0, {root!r})
seen = []
os.register_at_fork(before=lambda: seen.append(len(os.listdir("/proc/self/task"))))  # the first comes last
import fakecuda
with fakecuda.simulate() as made:
    assert threading.active_count() == 1
    threads = [threading.Thread(target=lambda: [os.waitpid(os.fork() or os._exit(0), 0) for _ in range(20)]) for _ in range(3)]
    for _ in range(3):
        os.waitpid(os.fork() or os._exit(0), 0)
    alone = seen[:]
    import warnings; warnings.simplefilter("ignore")  # of the threads that fork below
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    from fakecuda.reach.remote.client.client import RemoteMachine
    print(alone, len(seen), RemoteMachine(made.offer.address).here.c.cuInit(0))
"""
UNUSED = """
import os, sys
sys.path.insert(0, {root!r})
import fakecuda
with fakecuda.simulate("h200") as made:
    if not (pid := os.fork()):
        print("fakecuda.reach.bindings.runtime" in sys.modules)
        from cuda.bindings import runtime
        print(int(runtime.cudaGetDeviceCount()[1]), made.here.alive, flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
    print([call.call for call in made.log])
"""


def test_a_fork_imports_what_it_uses() -> None:
    """The look-alike of the runtime costs a tenth of a second, and few programs call it."""
    pytest.importorskip("cuda.bindings.runtime")
    done = subprocess.run(
        [sys.executable, "-c", UNUSED.format(root=str(ROOT))], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("False\n1 True\n['cudaGetDeviceCount']\n", "")


def test_no_thread_is_there_at_a_fork() -> None:
    """Python 3.12 warns of threads then; the thread is back afterwards, also when several threads fork."""
    done = subprocess.run(
        [sys.executable, "-c", FORKS.format(root=str(ROOT))], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[1, 1, 1] 63 (0,)\n", "")


def test_no_socket_is_to_be_had(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine does without unless it shall be shared; both are told."""
    with simulate():
        pass  # the file for libraries that ctypes loads lies there from now on
    monkeypatch.setattr(rendezvous, "_reception", [])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    doing_without = simulate()
    with pytest.warns(RuntimeWarning, match="set TMPDIR .* or use shared=False"):
        made = doing_without.__enter__()
    assert made.offer is None
    assert made.here.c.cuInit(0) == (0,)
    doing_without.__exit__(None, None, None)
    with pytest.raises(FakeCudaError, match="set TMPDIR"), simulate(shared=True):
        pass


def test_who_forbids_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Test runners put a class in the place of Python's that cannot be made."""
    connection: Any = socket.SocketType(socket.AF_UNIX, socket.SOCK_STREAM)
    monkeypatch.setattr(socket, "socket", None)
    made = rendezvous.Reception()
    connection.connect(str(made.directory / "machine"))
    connection.send(HEADER.pack(0, PROTOCOL + 1, Kind.HELLO))
    assert b"install the same release" in connection.recv(1000)
    connection.close()
    made.listener.pause()
    shutil.rmtree(made.directory)
    made.abandon()


def test_an_offer_that_is_interrupted_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes would be greeted by half of it."""

    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(endpoint, "Children", interrupted)
    with Machine("h200") as machine:
        before = dict(rendezvous.reception()._offers)
        with pytest.raises(KeyboardInterrupt):
            endpoint.Offer(machine, "a test")
        assert rendezvous.reception()._offers == before
