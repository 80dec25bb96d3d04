"""The socket of a process that has no descriptors, memory or threads for a moment, and children that get no answer."""

from __future__ import annotations

import errno
import os
import resource
import select
import shutil
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import FakeCudaError, Machine, MachineClosed, NotAdmitted
from fakecuda.model.os.threads import SERVANTS, running
from fakecuda.reach.remote.client import connecting
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.owner import children
from fakecuda.reach.remote.owner import listener as listening
from fakecuda.reach.remote.owner.children import Children
from fakecuda.reach.remote.owner.listener import Listener
from fakecuda.reach.remote.owner.rendezvous import Reception, reception
from fakecuda.reach.remote.protocol import frames
from fakecuda.reach.remote.protocol.frames import MISSING, Kind, Line
from tests.limits import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.reach.remote.owner.endpoint import Offer


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a listener wait for nothing."""
    monkeypatch.setattr(listening, "PAUSES", (0.001, 0.001))


class Errors:
    """Has accept fail.

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


class Deaf:
    """A socket without a process that answers.

    Args:
        path: Where it lies.
        backlog: How many may wait.
    """

    def __init__(self, path: Path, backlog: int) -> None:
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(path))
        self.socket.listen(backlog)


@pytest.fixture
def deaf(tmp_path: Path) -> Iterator[Deaf]:
    """Return one that one may wait at."""
    made = Deaf(tmp_path / "m", 0)
    yield made
    made.socket.close()


def test_an_owner_that_does_not_answer(deaf: Deaf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who greets it waits for a while, and so does who is one too many; the error names the owner."""
    monkeypatch.setattr(connecting, "GREETED", 0.05)
    remote = RemoteMachine(deaf.path)
    for who in (rf" \(OS process {os.getpid()}\)", ""):
        with pytest.raises(
            FakeCudaError, match=f"{deaf.path}{who} has not answered within 0.05 s: a debugger or SIGSTOP"
        ):
            remote.here.c.cuInit(0)
    assert not remote.lost


def answering(deaf: Deaf, act: Callable[[Line], None]) -> threading.Thread:
    """Have a thread answer the next connection."""

    def run() -> None:
        line = Line(deaf.socket.accept()[0])
        act(line)
        line.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_an_owner_that_hangs_up(deaf: Deaf) -> None:
    """It says nothing, or a refusal before it has heard anything: that is heard."""
    remote = RemoteMachine(deaf.path)
    thread = answering(deaf, lambda _: None)
    with pytest.raises(MachineClosed, match="has closed the connection without an answer: it has ended"):
        remote.here.c.cuInit(0)
    thread.join()
    thread = answering(deaf, lambda line: frames.refuse(line, "not now"))
    with pytest.raises(NotAdmitted, match="not now"):
        remote.here.c.cuInit(0)
    thread.join()


def test_a_child_without_descriptors(sharing: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It hears so, at each of its own calls, and can call again."""
    remote = RemoteMachine(sharing.path)

    def fail(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(socket, "SocketType", fail)
        with pytest.raises(
            FakeCudaError, match=r"cannot connect to the machine at .* now: .*EMFILE.*; then call again"
        ):
            remote.here.c.cuInit(0)
    with monkeypatch.context() as patch:
        patch.setattr(connecting, "_connect", fail)
        with pytest.raises(FakeCudaError, match=r"cannot connect"):
            remote.here.c.cuInit(0)
    real = Line.receive

    def receive(line: Line, limit: float | None = None) -> tuple[int, Any, list[int]]:
        kind, value, arrived = real(line, limit)
        if kind == Kind.WELCOME and arrived:
            frames.close_all(arrived)
            arrived = [MISSING]
        return kind, value, arrived

    with monkeypatch.context() as patch:
        patch.setattr(Line, "receive", receive)
        with pytest.raises(
            FakeCudaError, match=r"no free file descriptors for the files of the machine at socket .*ulimit -n"
        ):
            remote.here.c.cuInit(0)
    assert remote.here.c.cuInit(0) == (0,)
    remote.close()


def test_a_descriptor_that_cannot_be_taken() -> None:
    """It is -1, and the frame that it came with is whole."""
    one, other = map(Line, socket.socketpair())
    received = other.socket
    read, write = os.pipe()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (received.fileno() + 1, hard))
    try:
        one.send(Kind.NOTE, ("text",), (read,))
        kind, value, arrived = other.receive()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert (kind, value, arrived) == (Kind.NOTE, ("text",), [MISSING])
    for descriptor in (read, write):
        os.close(descriptor)
    for line in (one, other):
        line.close()


@pytest.mark.parametrize("call", ["glob", "read_text", "read_bytes"])
def test_children_are_suspected_without_descriptors(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that cannot look ends no wait that a child may end."""
    looks = Children("an address")

    def fail(*_: object, **__: object) -> list[Path]:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Path, call, fail)
    if call == "read_bytes":
        assert looks._has_left_any(set())
        return
    assert children._children(os.getpid()).count(0)
    assert call == "read_text" or looks._has_left_any(set())


def test_names_that_are_not_text_travel() -> None:
    """As the bytes that they are."""
    one, other = map(Line, socket.socketpair())
    name = os.fsdecode(b"\xff\xfe")
    one.send(Kind.NOTE, (name, "ünï"))
    assert other.receive()[1] == (name, "ünï")
    for line in (one, other):
        line.close()


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
