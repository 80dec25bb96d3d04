"""The socket of a process that has no descriptors, memory or threads for a moment."""

from __future__ import annotations

import errno
import os
import resource
import select
import shutil
import threading
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import FakeCudaError, Machine, NotAdmitted
from fakecuda.model.os.threads import SERVANTS, running
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.owner import listener as listening
from fakecuda.reach.remote.owner.listener import Listener
from fakecuda.reach.remote.owner.rendezvous import Reception, reception
from fakecuda.reach.remote.protocol import frames
from tests.limits import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fakecuda.reach.remote.owner.endpoint import Offer


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a listener wait for nothing."""
    monkeypatch.setattr(listening, "PAUSES", (0.001, 0.001))


class Errors:
    """Makes accept fail.

    Args:
        monkeypatch: Puts it in place.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left: list[int] = []
        self.met: list[int] = []
        accept = Listener._connection

        def connection(listener: Listener) -> Any:
            if self.left:
                self.met.append(self.left.pop(0))
                raise OSError(self.met[-1], os.strerror(self.met[-1]))
            return accept(listener)

        monkeypatch.setattr(Listener, "_connection", connection)


@pytest.fixture
def errors(monkeypatch: pytest.MonkeyPatch) -> Errors:
    """Return what has accept fail."""
    return Errors(monkeypatch)


def attaches(path: Path) -> bool:
    """Attach, and return whether a call is answered."""
    remote = RemoteMachine(path)
    try:
        return bool(remote.here.c.cuInit(0) == (0,))
    finally:
        remote.close()


@pytest.mark.parametrize("name", ["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "ECONNABORTED", "EAGAIN", "EINTR"])
def test_an_accept_that_fails_for_a_moment(name: str, sharing: Offer, errors: Errors) -> None:
    """A process that waits is accepted a little later."""
    errors.left = [getattr(errno, name)] * 2
    assert attaches(sharing.path)
    assert len(errors.met) == 2


@pytest.mark.parametrize("name", ["EMFILE", "ENFILE"])
def test_a_process_without_descriptors_refuses(name: str, sharing: Offer, errors: Errors) -> None:
    """By the one that it has in reserve; it is there again for the next process."""
    for _ in range(2):
        errors.left = [getattr(errno, name)] * 3
        with pytest.raises(
            NotAdmitted,
            match=rf"the process that made the machine has no free file descriptors: .*\({name}\): .*, or raise",
        ):
            attaches(sharing.path)
        assert attaches(sharing.path)


def test_a_process_whose_spare_descriptor_is_gone(
    sharing: Offer, errors: Errors, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread has taken it meanwhile: who comes then waits."""
    spare, taken = listening._spare, [-1, -1]
    monkeypatch.setattr(listening, "_spare", lambda: taken.pop() if taken else spare())
    errors.left = [errno.EMFILE] * 3
    with pytest.raises(NotAdmitted, match="no free file descriptors"):
        attaches(sharing.path)
    errors.left = [errno.EMFILE]
    assert attaches(sharing.path)
    errors.left = [errno.EMFILE] * 4  # the last one for the place of the spare descriptor
    assert attaches(sharing.path)
    assert not errors.left


def test_descriptors_that_are_gone_for_a_moment(sharing: Offer) -> None:
    """In truth: a process without any refuses who comes, and goes on with the others."""
    there = RemoteMachine(sharing.path)
    there.here.c.cuInit(0)
    there.here.c.cuDriverGetVersion()  # what it takes is imported
    (gate, opened), (ours, theirs) = os.pipe(), os.pipe()
    pid = os.fork()
    if not pid:
        os.read(gate, 1)
        try:
            attaches(sharing.path)
        except NotAdmitted as error:
            os.write(theirs, str(error).encode())
        os._exit(0)
    os.close(theirs)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    held: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/proc/self/fd"))) + 9, hard))  # noqa: PTH208 - numbers
    try:
        with pytest.raises(OSError, match="Too many open files"):
            held.extend(os.open(os.devnull, os.O_RDONLY) for _ in iter(int, 1))
        os.write(opened, b"1")
        assert b"has no free file descriptors: Too many open files (EMFILE)" in os.read(ours, 1000)
        assert there.here.c.cuDriverGetVersion()[0] == 0
    finally:
        frames.close_all(held)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    os.waitpid(pid, 0)
    frames.close_all([gate, opened, ours])
    assert attaches(sharing.path)
    there.close()


def test_a_thread_that_does_not_start(sharing: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process of that moment is refused."""
    begin = threading.Thread.start

    def start(thread: threading.Thread) -> None:
        if thread.name == "fakecuda line":
            monkeypatch.setattr(threading.Thread, "start", begin)
            msg = "can't start new thread"
            raise RuntimeError(msg)
        begin(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(NotAdmitted, match=r"cannot start a thread: end some threads, .*ulimit -u"):
        attaches(sharing.path)
    assert attaches(sharing.path)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reception]:
    """Return a reception of its own."""
    made = Reception()
    monkeypatch.setattr("fakecuda.reach.remote.owner.rendezvous._reception", [made])
    yield made
    made.listener.pause()
    shutil.rmtree(made.directory, ignore_errors=True)
    made.abandon()


def refusing(times: int) -> Callable[..., int]:
    """Return what starts a thread, after it has refused that some times."""
    begin, left = listening._thread.start_new_thread, [None] * times  # type: ignore[attr-defined]

    def start(*args: Any) -> int:
        if left:
            left.pop()
            msg = "can't start new thread"
            raise RuntimeError(msg)
        return int(begin(*args))

    return start


def test_a_listener_that_starts_late(opened: Reception, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a fork, and if that was in vain with the next machine."""
    listener = opened.listener
    for times, runs in ((2, True), (3, False)):
        listener.pause()
        with monkeypatch.context() as patch:
            patch.setattr(listening._thread, "start_new_thread", refusing(times))  # type: ignore[attr-defined]
            assert listener.resume() is runs
    assert not listener._thread
    listener.pause()  # a fork meanwhile
    listener.revive()
    assert not listener._thread
    assert listener.resume()
    assert listener._thread in SERVANTS & running()
    listener.revive()


def forked() -> None:
    """Fork a process that does nothing."""
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_behind_which_no_thread_starts(opened: Reception, monkeypatch: pytest.MonkeyPatch) -> None:
    """It warns, and the next machine has one start."""
    with monkeypatch.context() as patch:
        patch.setattr(listening._thread, "start_new_thread", refusing(3))  # type: ignore[attr-defined]
        with pytest.warns(RuntimeWarning, match="no other program can use its machines"):
            forked()
    with Machine("h200") as machine, machine.shared(export=False) as offer:
        assert offer.path.parent.parent == opened.directory
        assert attaches(offer.path)


@pytest.mark.parametrize("call", ["pipe", "start"])
def test_a_listener_that_cannot_be_made(call: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine cannot be shared then, and nothing is left; the next one can."""
    monkeypatch.setattr("fakecuda.reach.remote.owner.rendezvous._reception", [])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough

    def fail(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with Machine("h200") as machine:
        with monkeypatch.context() as patch:
            if call == "pipe":
                patch.setattr(os, "pipe", fail)
            else:
                patch.setattr(listening._thread, "start_new_thread", refusing(3))  # type: ignore[attr-defined]
            with (
                pytest.raises(FakeCudaError, match=rf"cannot make a socket in {tmp_path}: "),
                machine.shared(export=False),
            ):
                pass
        assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - as above
        assert list(tmp_path.iterdir()) == []
        with machine.shared(export=False) as offer:
            assert attaches(offer.path)
        made = reception()
        shutil.rmtree(made.directory)  # as a cleaner of temporary folders does
    with Machine("h200") as machine, machine.shared(export=False) as offer:
        assert reception() is not made
        assert attaches(offer.path)
    for one in (made, reception()):
        one.listener.pause()
        one.abandon()
        shutil.rmtree(one.directory, ignore_errors=True)


def test_a_question_that_the_system_has_no_memory_for(opened: Reception, monkeypatch: pytest.MonkeyPatch) -> None:
    """The listener asks again, and ends for a fork meanwhile."""
    left = [errno.ENOMEM] * 2

    class Poll:
        def __init__(self) -> None:
            self._real = poll()
            self.register = self._real.register

        def poll(self, *args: Any) -> Any:
            """Fail some times."""
            if left:
                raise OSError(left.pop(), "Cannot allocate memory")
            return self._real.poll(*args)

    poll, listener = select.poll, opened.listener
    listener.pause()
    monkeypatch.setattr(select, "poll", Poll)
    assert listener.resume()
    assert until(lambda: not left)
    with Machine("h200") as machine, machine.shared(export=False) as offer:
        assert attaches(offer.path)
    listener.pause()
    left += [errno.ENOMEM] * 1_000_000
    assert listener.resume()
    listener.pause()  # as a fork does
    left.clear()
    assert listener.resume()


def test_memory_that_is_gone_for_a_moment(sharing: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The listener goes on, and accepts the process that waits."""
    accept, left = Listener._accept, [None]

    def fail(listener: Listener) -> float | None:
        if left:
            left.pop()
            raise MemoryError
        return accept(listener)

    monkeypatch.setattr(Listener, "_accept", fail)
    assert attaches(sharing.path)
    assert not left
