"""Calls that wait in a shared machine: which other processes may still call, and what an attached one is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import EndlessWait, Machine
from fakecuda.model.work import wait_graph
from fakecuda.reach.remote.client.client import RemoteMachine

if TYPE_CHECKING:
    from fakecuda.reach.remote.owner.endpoint import Offer

EQUAL = 1
TICK = 2 / os.sysconf("SC_CLK_TCK")
"""Seconds after which the system counts a process as started later."""


def blocked(c: Any) -> tuple[int, int]:
    """Return a stream of a new context that waits for a 1, and the address where that shall be."""
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    _, place = c.cuMemAlloc(4)
    c.cuMemsetD8(place, 0, 4)
    _, stream = c.cuStreamCreate(1)
    assert c.cuStreamWaitValue32(stream, place, 1, EQUAL) == (0,)
    return stream, place


@pytest.fixture
def childless(by_itself: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the children that other tests of this process have."""
    del by_itself

    def none(*_: object) -> None:
        raise ChildProcessError

    monkeypatch.setattr(os, "waitid", none)


@pytest.mark.usefixtures("childless")
def test_nobody_but_the_owner() -> None:
    """Its own threads for others call for nobody: a wait ends at once, also when whoever was attached has ended."""
    with Machine(strict=False, wait_timeout=float("inf")) as machine, machine.shared():
        stream, _ = blocked(machine.here.c)
        with pytest.raises(EndlessWait, match="no other thread or process can end the wait"):
            machine.here.c.cuStreamSynchronize(stream)
        assert machine.offer is not None
        client = RemoteMachine(machine.offer.address)
        client.here.c.cuInit(0)
        with machine.lock:
            (here,) = wait_graph.find(machine).callers  # the client is this process, whose threads are seen
        assert here.startswith("thread MainThread ")
        client.close()
        with pytest.raises(EndlessWait, match="no other thread or process can end the wait"):
            machine.here.c.cuStreamSynchronize(stream)


def test_a_test_that_is_no_child_of_the_owner_may_have_started_programs(sharing: Offer) -> None:
    """Where it comes from is not known, and so nothing below it."""
    assert sharing.open().members("a") == ["a program that a has started"]


def test_an_attached_process_waits(machine: Machine, sharing: Offer) -> None:
    """The owner wakes it; where nobody calls meanwhile, it is told as by a machine of its own."""
    client = RemoteMachine(sharing.path)
    stream, place = blocked(client.here.c)
    machine.scheduler.census.alone = True
    with pytest.raises(EndlessWait, match=f"^cuStreamSynchronize in thread .* of process {client.here.name} waits for"):
        client.here.c.cuStreamSynchronize(stream)
    machine.scheduler.census.alone = False
    client.here.c.cuStreamWriteValue32(2, place, 1, 0)
    assert client.here.c.cuStreamSynchronize(stream) == (0,)


@pytest.mark.usefixtures("childless")
def test_who_else_may_know_the_machine(machine: Machine) -> None:
    """Whoever was told its variables, and what a fork of the owner leaves behind."""
    with machine.shared(export=False) as sharing:
        assert machine.scheduler.census.outside() == []
        sharing.environ()
        assert machine.scheduler.census.outside() == ["a process that knows the machine's socket"]
    assert machine.scheduler.census.outside() == []
    with machine.shared():
        assert machine.scheduler.census.outside() == []
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
        assert machine.scheduler.census.outside() == ["a process that knows the machine's socket"]


def test_children_and_what_they_leave_behind(machine: Machine) -> None:
    """A program that this process starts may attach, and so may one that it has started, when it has ended itself."""
    told = ["a program that finds the machine in its environment"]
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as older:
        time.sleep(TICK)
        with machine.shared():
            assert machine.scheduler.census.outside() == []
            with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
                assert machine.scheduler.census.outside() == told
                child.communicate(b"\n")
            assert machine.scheduler.census.outside() == []
            command = "sleep 1000 >/dev/null 2>&1 & echo $!"
            left = int(subprocess.run(["/bin/sh", "-c", command], check=True, stdout=subprocess.PIPE).stdout)
            try:
                assert machine.scheduler.census.outside() == told
            finally:
                os.kill(left, signal.SIGKILL)
                with suppress(ChildProcessError):  # unless another test has made it a child of this process
                    os.waitpid(left, 0)
            while machine.scheduler.census.outside():
                pass
        older.communicate(b"\n")


@pytest.mark.usefixtures("childless")
def test_a_program_that_is_being_started_is_not_overlooked(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system tells no environment of it for a moment: it is asked again."""
    with machine.shared():
        command = "sleep 1000 >/dev/null 2>&1 & echo $!"
        left = int(subprocess.run(["/bin/sh", "-c", command], check=True, stdout=subprocess.PIPE).stdout)
        read, empty = Path.read_bytes, [2]

        def told(path: Path) -> bytes:
            if path == Path(f"/proc/{left}/environ") and empty[0]:
                empty[0] -= 1
                return b""
            return read(path)

        monkeypatch.setattr(Path, "read_bytes", told)
        try:
            assert machine.scheduler.census.outside() == ["a program that finds the machine in its environment"]
        finally:
            os.kill(left, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(left, 0)
        assert empty == [0]
