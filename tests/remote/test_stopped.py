"""A process that is stopped keeps nobody waiting but itself: what the owner wants of it is not waited for under the lock.

Here it is one that does not answer; the machine's wait timeout has no end, so that whoever waited for it would wait for ever.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fuzz.bare import Bare
from fakecuda import Machine
from fakecuda.model.memory.space import WRITE
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.protocol.frames import HEADER, MOST, PROTOCOL, Kind
from fakecuda.reach.remote.protocol.questions import AT_ONCE, CHUNK, LARGE, What
from fakecuda.spec import mem_ops
from tests.limits import started, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.reach.remote.owner.endpoint import Offer

ROOM = ctypes.create_string_buffer(1 << 16)
HERE = ctypes.addressof(ROOM) + -ctypes.addressof(ROOM) % 4096
"""Memory of the process that never answers, which stays untouched."""
COPY = (0, 0, 1, HERE, 0, 0, 64, 0, 0, 2, 0)
BUSY = 600
ADD, UNSIGNED_32 = 0, 14
CAN_REDUCE = 148
ANSWERS: dict[int, Any] = {What.ACCESS: WRITE}


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Return a machine whose wait timeout never ends."""
    with Machine(strict=False, wait_timeout=float("inf")) as made:
        yield made
        made.check_invariants()


@pytest.fixture
def bare(sharing: Offer) -> Iterator[Bare]:
    """Return a process that does not answer by itself, with a context."""
    made = Bare(sharing.path)
    made.make("cuInit", 0)
    made.make("cuCtxCreate", None, 0, 0)
    yield made
    made.end()


@pytest.fixture
def others(machine: Machine, sharing: Offer) -> Others:
    """Return another attached process, and one of the owner's."""
    return Others(machine, RemoteMachine(sharing.path).here.c, machine.spawn("other").c)


class Others:
    """Processes that continue meanwhile.

    Args:
        machine: The machine.
        calls: How each of them calls.
    """

    def __init__(self, machine: Machine, *calls: Any) -> None:
        self.machine = machine
        self.calls = calls
        for c in calls:
            assert c.cuInit(0) == (0,)
            assert c.cuCtxCreate(None, 0, 0)[0] == 0

    def go_on(self) -> None:
        """Have each allocate, copy, synchronise and free."""
        for c in self.calls:
            code, memory = c.cuMemAlloc(4096)
            assert code == 0
            room = bytearray(b"o" * 4096)
            assert c.cuMemcpyHtoD(memory, room, 4096) == (0,)
            assert c.cuMemcpyDtoH(room, memory, 4096) == (0,)
            assert bytes(room) == b"o" * 4096
            assert c.cuCtxSynchronize() == (0,)
            assert c.cuMemFree(memory) == (0,)
        self.machine.check_invariants()


def fill(bare: Bare, size: int) -> int:
    """Return device memory that was written."""
    memory: int = bare.make("cuMemAlloc", size)
    bare.make("cuMemsetD8", memory, 1, size)
    return memory


def registered(bare: Bare, size: int = 4096) -> int:
    """Return memory of the process that is registered."""
    bare.call("cuMemHostRegister", HERE, size, 0)
    number, what, _ = bare.question()
    assert what == What.ACCESS
    bare.answer(number, WRITE)
    assert bare.result() == (0, None)
    return HERE


def behind(bare: Bare) -> tuple[int, int]:
    """Return a stream that waits for a value, and where that is to be written."""
    stream, word = bare.make("cuStreamCreate", 1), fill(bare, 4)
    bare.make("cuStreamWaitValue32", stream, word, 7, 1)
    return stream, word


def rows(bare: Bare) -> tuple[Any, ...]:
    """Return the arguments of a copy of many rows to the process."""
    memory = fill(bare, 3 * 128 * AT_ONCE)
    return ((0, 0, 2, 0, memory, 0, 128, 0, 0, 1, HERE, 0, 0, 128, 8, 3 * AT_ONCE),)


CALLS: dict[str, tuple[Any, ...]] = {
    "to a device": ("cuMemcpyHtoD", lambda bare: (fill(bare, 64), HERE, 64), [What.TO_FILE]),
    "to the host": ("cuMemcpyDtoH", lambda bare: (HERE, fill(bare, 64), 64), [What.TO_MEMORY]),
    "to the host, of memory that nobody has written": (
        "cuMemcpyDtoH",
        lambda bare: (HERE, bare.make("cuMemAlloc", 64), 64),
        [What.FILL],
    ),
    "much": (
        "cuMemcpyHtoD",
        lambda bare: (fill(bare, LARGE + 512), HERE, LARGE + 512),
        [What.TO_FILE, What.TO_FILE],
    ),
    "within the process": (
        "cuMemcpy",
        lambda _: (HERE, HERE + 64, 64),
        [What.ACCESS, What.ACCESS, What.WITHIN],
    ),
    "rows": ("cuMemcpy2D", rows, [What.EACH] * 3),
    "registration": ("cuMemHostRegister", lambda _: (HERE, 4096, 0), [What.ACCESS]),
    "memset": ("cuMemsetD8", lambda bare: (registered(bare), 1, 64), [What.ACCESS, What.FILL]),
    "memset of words": ("cuMemsetD32", lambda bare: (registered(bare), 1, 16), [What.ACCESS, What.STORE]),
    "a value that is written": (
        "cuStreamWriteValue32",
        lambda bare: (0, registered(bare), 1, 0),
        [What.ACCESS, What.STORE],
    ),
    "a source that is fetched early": (
        "cuMemcpyHtoDAsync",
        lambda bare: (fill(bare, 64), HERE, 64, behind(bare)[0]),
        [What.LOAD],
    ),
    "much that is fetched early": (
        "cuMemcpyHtoDAsync",
        lambda bare: (fill(bare, 2 * CHUNK), HERE, 2 * CHUNK, behind(bare)[0]),
        [What.ACCESS, What.LOAD, What.LOAD],
    ),
}


def helped(bare: Bare, name: str, *args: object) -> None:
    """Make a call, answer what the process is asked meanwhile, and see the call succeed."""
    bare.call(name, *args)
    while (frame := bare.take())[0] == Kind.QUESTION:
        number, what, *arguments = frame[1]
        bare.answer(number, reply(what, tuple(arguments)))
    assert (frame[0], frame[1][1]) == (Kind.RESULT, 0)


def begun(bare: Bare, case: str) -> list[What]:
    """Make one of the calls, and return what the process is asked then."""
    name, arguments, asked = CALLS[case]
    bare.call(name, *arguments(bare))
    return list(asked)


def reply(what: What, arguments: tuple[Any, ...]) -> Any:
    """Return what a process answers."""
    return bytes(arguments[1]) if what == What.LOAD else ANSWERS.get(what)


@pytest.mark.parametrize("case", CALLS)
def test_others_go_on_while_a_call_waits_for_its_process(bare: Bare, others: Others, case: str) -> None:
    """At each question; when the process goes on, its call succeeds."""
    for expected in begun(bare, case):
        number, what, arguments = bare.question()
        assert what == expected
        others.go_on()
        bare.answer(number, reply(what, arguments))
    assert bare.result()[0] == 0
    others.go_on()


@pytest.mark.parametrize("case", CALLS)
def test_a_process_that_is_killed_then_leaves_nothing(machine: Machine, bare: Bare, others: Others, case: str) -> None:
    """Whatever it was asked."""
    others.go_on()
    before = machine.devices[0].memory.used - machine.profile.context_memory
    asked = begun(bare, case)
    for number in range(len(asked)):
        asking, what, arguments = bare.question()
        if number < len(asked) - 1:
            bare.answer(asking, reply(what, arguments))
    bare.end()
    assert until(lambda: not machine.processes["a"].alive)
    others.go_on()
    assert machine.devices[0].memory.used == before


def test_what_a_stream_does_waits_for_its_process_alone(bare: Bare, others: Others) -> None:
    """A copy to registered memory that waited is under way until the process has made it."""
    target = registered(bare)
    stream, word = behind(bare)
    helped(bare, "cuMemcpyDtoHAsync", target, fill(bare, 64), 64, stream)
    bare.make("cuMemsetD32", word, 7, 1)
    for expected, answer in ((What.ACCESS, WRITE), (What.TO_MEMORY, None)):
        number, what, _ = bare.question(bare.process)
        assert what == expected
        others.go_on()
        bare.call("cuStreamQuery", stream)
        assert bare.result() == (BUSY, None)
        bare.answer(number, answer, bare.process)
    bare.make("cuStreamSynchronize", stream)


def test_memory_that_is_gone_when_a_stream_gets_there() -> None:
    """The machine keeps a finding, and the stream goes on."""
    with Machine(wait_timeout=float("inf")) as machine, machine.shared(export=False) as sharing:
        bare = Bare(sharing.path)
        bare.make("cuInit", 0)
        bare.make("cuCtxCreate", None, 0, 0)
        target = registered(bare)
        stream, word = behind(bare)
        helped(bare, "cuMemcpyDtoHAsync", target, fill(bare, 64), 64, stream)
        bare.make("cuMemsetD32", word, 7, 1)
        number, what, _ = bare.question(bare.process)
        assert what == What.ACCESS
        bare.answer(number, 0, bare.process)
        bare.make("cuStreamSynchronize", stream)
        assert [finding.rule.id for finding in machine.findings] == ["copy.plan.MEMORY_IS_THERE"]
        bare.end()


def test_a_value_that_a_process_does_not_tell(machine: Machine, bare: Bare, others: Others) -> None:
    """Streams wait for it, and nobody for the process; it is asked as often as somebody looks."""
    place, stream = registered(bare), bare.make("cuStreamCreate", 1)
    bare.call("cuStreamWaitValue32", stream, place, 7, 1)
    for what, answer in ((What.ACCESS, WRITE), (What.VALUES, (bytes(4),))):
        number, asked, _ = bare.question()
        assert asked == what
        others.go_on()
        bare.answer(number, answer)
    assert bare.result() == (0, None)
    number, asked, arguments = bare.question(bare.process)
    assert (asked, arguments) == (What.VALUES, (((place, 4),),))
    others.go_on()
    bare.answer(number, ((7).to_bytes(4, "little"),), bare.process)
    assert until(lambda: not machine.scheduler.pending)


def test_registered_values_change_in_the_process(
    machine: Machine, bare: Bare, others: Others, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An atomic operation reads and writes there."""
    monkeypatch.setitem(machine.devices[0].profile.attributes, CAN_REDUCE, 1)
    place = registered(bare)
    bare.call("cuStreamBatchMemOp", 0, 1, ((mem_ops.REDUCTION, 0, ADD, UNSIGNED_32, place, 5),), 0)
    stored = []
    while (frame := bare.take())[0] == Kind.QUESTION:
        number, what, *arguments = frame[1]
        others.go_on()
        stored += [arguments[1]] if what == What.STORE else []
        bare.answer(number, (3).to_bytes(arguments[1], "little") if what == What.LOAD else ANSWERS.get(what))
    assert (frame[0], frame[1][1], stored) == (Kind.RESULT, 0, [(8).to_bytes(4, "little")])


@pytest.mark.parametrize("answer", [None, b"too long", 3, ()])
def test_what_is_no_answer_ends_the_thread(machine: Machine, bare: Bare, others: Others, answer: object) -> None:
    """Bytes that are too few are made up by nobody."""
    name, arguments, _ = CALLS["a source that is fetched early"]
    bare.call(name, *arguments(bare))
    number, what, _ = bare.question()
    assert what == What.LOAD
    bare.answer(number, answer)
    kind, _ = bare.take()
    assert kind in {Kind.RAISED, Kind.REFUSED}
    others.go_on()
    assert machine.processes["a"].alive


def test_an_answer_to_another_question_ends_the_thread(bare: Bare, others: Others) -> None:
    """Each has a number."""
    begun(bare, "to a device")
    number, _, _ = bare.question()
    bare.answer(number + 1, None)
    assert bare.take() == (
        Kind.REFUSED,
        "an attached process sent an answer to no request: install the same release of fakecuda in both processes",
    )
    others.go_on()


def test_there_is_one_limit_for_an_answer(sharing: Offer, machine: Machine) -> None:
    """It is the machine's wait timeout, however many bytes trickle in meanwhile; the thread is told."""
    bare = Bare(sharing.path)
    bare.make("cuInit", 0)
    bare.make("cuCtxCreate", None, 0, 0)
    machine.scheduler.wait_timeout = 0.2
    begun(bare, "to a device")
    bare.question()
    ended = threading.Event()

    def trickle() -> None:
        with contextlib.suppress(OSError):
            bare.thread.socket.send(HEADER.pack(MOST, PROTOCOL, Kind.ANSWER))
            while not ended.wait(0.01):
                bare.thread.socket.send(b"\0")

    thread = threading.Thread(target=trickle)
    thread.start()
    kind, text = bare.take()
    ended.set()
    thread.join()
    assert (kind, text) == (
        Kind.REFUSED,
        (
            "this thread has not answered a request of the process that made the machine within 0.2 s (the machine's wait_timeout)"
        ),
    )
    bare.end()


def test_a_machine_is_closed_while_a_process_does_not_answer(bare: Bare, machine: Machine) -> None:
    """Its call ends with the machine."""
    begun(bare, "to a device")
    bare.question()
    assert machine.offer is not None
    machine.offer.close()
    assert not machine.processes["a"].alive


PROGRAM = """
import sys
from fakecuda.reach.remote.client.client import RemoteMachine
c = RemoteMachine(sys.argv[1]).here.c
assert c.cuInit(0) == (0,) and c.cuCtxCreate(None, 0, 0)[0] == 0
memory, room = c.cuMemAlloc(1 << 20)[1], bytearray(1 << 20)
assert c.cuMemHostRegister(c_address := __import__("ctypes").addressof(__import__("ctypes").c_char.from_buffer(room)), 1 << 20, 0) == (0,)
count = 0
while not count or not __import__("select").select([0], [], [], 0)[0]:
    assert c.cuMemcpyHtoD(memory, c_address, 1 << 20) == (0,)
    assert c.cuMemcpyDtoHAsync(c_address, memory, 1 << 20, 0) == (0,)
    assert c.cuStreamSynchronize(0) == (0,)
    if not count:
        print("begun", flush=True)
    count += 1
print("well")
"""


def test_a_process_that_is_stopped_and_continued(sharing: Offer, others: Others) -> None:
    """Wherever SIGSTOP meets it."""
    command = [sys.executable, "-c", PROGRAM, str(sharing.path)]
    with started(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        for _ in range(20):
            os.kill(child.pid, signal.SIGSTOP)
            others.go_on()
            os.kill(child.pid, signal.SIGCONT)
        out, _ = child.communicate("\n")
    assert (out, child.returncode) == ("well\n", 0)
