"""The receiver of a pytest-xdist worker wakes no call; it counts as any other thread as soon as it could."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from attrs import define

from fakecuda.model.os import threads
from fakecuda.model.work import blocked, bystander
from tests.limits import LONG, until

execnet = pytest.importorskip("execnet.gateway_base")
xdist = pytest.importorskip("xdist")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REMOTE = str(Path(xdist.__file__).with_name("remote.py"))
SOURCE = """
class WorkerInteractor:
    def handle_command(self, command):
        pass
    def steal(self, indices):
        pass
"""


@define
class Worker:
    """A worker's execnet gateway, whose receiver waits for messages.

    Attributes:
        gateway: The gateway.
        receiver: The system's number of the thread.
        kept: What must not be dropped.
    """

    gateway: Any
    receiver: int
    kept: Any = None

    @property
    def is_bystander(self) -> bool:
        """Whether the receiver wakes no call."""
        return bystander.are({self.receiver}) == {self.receiver}


def interactor(file: str = REMOTE) -> Any:
    """Return what takes messages in a worker: its source was sent, so that no module has it."""
    names: dict[str, Any] = {"__name__": "__channelexec__"}
    exec(compile(SOURCE, file, "exec"), names)  # noqa: S102 - as execnet does
    return names["WorkerInteractor"]()


def callback(worker: Worker, function: Callable[..., object]) -> None:
    """Have a function take the messages of one more channel."""
    worker.gateway._channelfactory._callbacks[7] = (function, None, None)


@pytest.fixture(params=["main_thread_only"])
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    """A worker that runs a test."""
    model = execnet.get_execmodel(request.param)
    (reading, sends), answers = os.pipe(), os.open(os.devnull, os.O_WRONLY)
    io = execnet.Popen2IO(os.fdopen(answers, "wb"), os.fdopen(reading, "rb"), model)
    gateway = execnet.WorkerGateway(io=io, id="worker", _startcount=2)
    gateway._execpool, gateway._executetask_complete = execnet.WorkerPool(model), model.Event()
    before = threads.running()
    gateway._initreceive()

    def readers() -> list[int]:
        return [one for one in threads.running() - before if blocked.reads(one) == reading]

    assert until(lambda: bool(readers()))
    made = Worker(gateway, readers()[0])
    callback(made, interactor().handle_command)
    yield made
    os.close(sends)
    gateway.join(LONG)


def test_the_receiver_of_a_worker_is_a_bystander(worker: Worker) -> None:
    """By its stack and by the pipe that it reads; other threads are not, and without any thread nothing is looked at."""
    assert worker.is_bystander
    assert bystander.are({worker.receiver, threading.get_native_id()}) == {worker.receiver}
    assert bystander.are(set()) == set()


def has_a_queue(worker: Worker) -> None:
    """A channel without a callback, for whose items a thread may wait."""
    worker.kept = worker.gateway._channelfactory.new(9)


def has_a_callback(worker: Worker) -> None:
    """A function of a test takes what comes."""
    callback(worker, lambda _: None)


def has_a_method(worker: Worker) -> None:
    """A method of that name from another file takes it."""
    callback(worker, interactor("remote.py").handle_command)


def has_another_method(worker: Worker) -> None:
    """Another method of xdist's file takes it."""
    callback(worker, interactor().steal)


def runs_no_test(worker: Worker) -> None:
    """The main thread is free to run what is sent."""
    worker.gateway._executetask_complete.set()


def is_of_another_kind(worker: Worker) -> None:
    """The gateway is not that of a worker."""
    worker.gateway.__class__ = type("Gateway", (type(worker.gateway),), {})


def has_no_file(worker: Worker) -> None:
    """The gateway's pipe is not a file."""
    worker.kept, worker.gateway._io.infile = worker.gateway._io.infile, None


def is_of_another_release(worker: Worker) -> None:
    """Execnet has other names."""
    worker.kept, worker.gateway._channelfactory = worker.gateway._channelfactory, None


@pytest.mark.parametrize(
    "change",
    [
        has_a_queue,
        has_a_callback,
        has_a_method,
        has_another_method,
        runs_no_test,
        is_of_another_kind,
        has_no_file,
        is_of_another_release,
    ],
)
def test_a_receiver_that_could_wake_a_call_is_not(worker: Worker, change: Callable[[Worker], None]) -> None:
    """What comes may reach another thread, or run where tests do not."""
    factory, file = worker.gateway._channelfactory, worker.gateway._io.infile
    change(worker)
    assert not worker.is_bystander
    worker.gateway._channelfactory, worker.gateway._io.infile = factory, file


@pytest.mark.parametrize("worker", ["thread"], indirect=True)
def test_a_worker_that_runs_code_in_threads_has_none(worker: Worker) -> None:
    """What is sent may call the machine."""
    assert not worker.is_bystander


@pytest.mark.parametrize("name", ["xdist", bystander.EXECNET])
def test_without_xdist_no_thread_is_one(worker: Worker, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known of its thread then."""
    with monkeypatch.context() as patch:
        patch.delitem(sys.modules, name)
        assert not worker.is_bystander


def waits(thread: int) -> bool:
    """Return whether a thread reads, or waits for a thread that reads."""
    return blocked.reads(thread) is not None or blocked.blocked(thread) is not None


def test_other_threads_that_read_are_none(worker: Worker) -> None:
    """A reader of another pipe, and a thread whose stack is not the receiver's."""
    reading, sends = os.pipe()
    io = execnet.Popen2IO(sys.stdout, os.fdopen(reading, "rb"), worker.gateway.execmodel)
    others = [
        threading.Thread(target=io.read, args=(1,)),
        threading.Thread(target=execnet.Message.from_io, args=(io,)),
    ]
    for one in others:
        one.start()
    assert until(lambda: all(waits(one.native_id or 0) for one in others))
    assert bystander.are({one.native_id or 0 for one in others} | {worker.receiver}) == {worker.receiver}
    os.write(sends, bytes(10))
    os.close(sends)
    for one in others:
        one.join(LONG)
    io.close_read()


def test_what_a_thread_reads() -> None:
    """Not known of a thread that waits for a lock, or of a number without a thread."""
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    number = thread.native_id or 0
    assert until(lambda: blocked.blocked(number) is not None)
    assert blocked.reads(number) is None
    over.set()
    thread.join(LONG)
    assert blocked.reads(1 << 30) is None


def name_of(worker: Worker) -> str:
    """Return the system's name of the receiver."""
    return Path(f"/proc/self/task/{worker.receiver}/comm").read_text(encoding="utf-8").strip()


def test_a_receiver_is_named_while_a_test_runs(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a thread that serves, also if it has just received something and reads again."""
    before, real, looks = name_of(worker), bystander.are, list[object]()

    def are(numbers: frozenset[int]) -> set[int]:
        looks.append(numbers)
        return real(numbers) if len(looks) > 1 else set()

    monkeypatch.setattr(bystander, "are", are)
    with bystander.named():
        assert name_of(worker) == blocked.SERVICE
        assert blocked.idle_service(worker.receiver, os.getpid())
    assert name_of(worker) == before
    assert len(looks) == 2


def test_a_receiver_that_does_more_is_not_named(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is any thread without execnet; a thread that has ended has no name."""
    before = name_of(worker)
    callback(worker, print)
    with bystander.named():
        assert name_of(worker) == before
    monkeypatch.delitem(sys.modules, bystander.EXECNET)
    with bystander.named():
        assert name_of(worker) == before
    assert blocked.serve(1 << 30, "x") == "x"


def test_a_thread_that_is_no_receiver() -> None:
    """No frame is one of execnet's, or a release of execnet has other names."""
    unknown: Any = SimpleNamespace(
        f_code=SimpleNamespace(co_name=bystander.STACK[-1]),
        f_globals={"__name__": bystander.EXECNET},
        f_locals={},
        f_back=None,
    )
    assert not bystander._receives(None)
    assert not bystander._receives(unknown)
