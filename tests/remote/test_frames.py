"""Frames that are malformed, hostile or of another version: they are refused, and nobody else notices."""

from __future__ import annotations

import os
import socket
import struct
import threading
import tracemalloc
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgpack
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from fakecuda import Machine
from fakecuda.errors import UndefinedBehaviour
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.protocol import call_sites, schema
from fakecuda.reach.remote.protocol.exceptions import raised
from fakecuda.reach.remote.protocol.frames import (
    HEADER,
    MOST,
    PROCESS,
    PROTOCOL,
    THREAD,
    Kind,
    Line,
    LineClosed,
    Malformed,
)
from fakecuda.reach.remote.protocol.frames import PLAIN as PLAIN_BODY
from fakecuda.rules.registry import EVERY_OP, OPS
from tests.limits import LONG, until

from .test_death import descriptors

if TYPE_CHECKING:
    from fakecuda.reach.remote.owner.endpoint import Offer

HELLO = (schema.DIGEST, PROCESS, b"", 0, None, False)


def connected(path: Path) -> Line:
    """Return a line to an owner that has heard nothing yet."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    connection.settimeout(LONG)
    return Line(connection)


def frame(value: object, kind: int = Kind.HELLO, version: int = PROTOCOL) -> bytes:
    """Return a frame's bytes."""
    body = msgpack.packb(value)
    return HEADER.pack(len(body), version, kind) + bytes(body)


def refusal(line: Line) -> str:
    """Return why the owner ends a connection."""
    kind, value, _ = line.receive()
    assert kind == Kind.REFUSED
    with pytest.raises(LineClosed):
        line.receive()
    return str(value)


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (frame(HELLO, version=PROTOCOL + 1), "install the same release"),
        (frame((b"another", PROCESS, b"", 0, None, False)), "install the same release"),
        (frame(HELLO, Kind.CALL), "does not begin a connection"),
        (frame("hello"), "does not begin a connection"),
        (HEADER.pack(MOST + 1, PROTOCOL, Kind.HELLO), "but the limit is"),
        (HEADER.pack(3, PROTOCOL, Kind.HELLO) + b"\xc1\xc1\xc1", "cannot be read"),
        (frame({"a": 1}), "cannot be read"),
        (frame((schema.DIGEST, THREAD, b"no token", 1, None, False)), "not attached"),
        (frame((schema.DIGEST, PROCESS, b"no token", 1, None, False)), "not attached"),
        (frame((schema.DIGEST, "king", b"", 1, None, False)), "not attached"),
    ],
)
def test_a_wrong_greeting_is_refused(sharing: Offer, sent: bytes, reason: str) -> None:
    """The text says why, and the connection ends."""
    line = connected(sharing.path)
    line.socket.sendall(sent)
    assert reason in refusal(line)
    assert sharing.machine.processes == {}


def test_a_truncated_frame_ends_the_connection(sharing: Offer) -> None:
    """Nothing is made of half a frame."""
    line = connected(sharing.path)
    line.socket.sendall(frame(HELLO)[:-3])
    line.socket.shutdown(socket.SHUT_WR)
    with pytest.raises(LineClosed):
        line.receive()
    assert sharing.machine.processes == {}


def test_another_users_process_is_refused(sharing: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials are asked of the kernel, not of the peer."""
    monkeypatch.setattr("fakecuda.reach.remote.owner.rendezvous.peer", lambda _: (1, os.getuid() + 12345))
    line = connected(sharing.path)
    assert "run both as the same user" in refusal(line)


@pytest.mark.parametrize(
    "value",
    [
        (1, 2, 3),
        (1, -1, 0, 0, (), ()),
        (1, 10**6, 0, 0, (), ()),
        (1, schema.NUMBERS["cuInit"], 0, 1, (0,), ()),
        (1, schema.NUMBERS["cuInit"], 0, 0, ("0",), ()),
        (1, schema.NUMBERS["cuInit"], 0, 0, (0, 0), ()),
        (1, schema.NUMBERS["cuMemcpyDtoH"], 0, 0, (1, 2, -1), ()),
        (1, schema.NUMBERS["cuMemcpyHtoD"], 0, 0, (1, 2, True), ()),
        (1, schema.NUMBERS["cuMemSetAccess"], 0, 0, (1, 2, (((1, 0), 3),), 9), ()),
        (1, schema.NUMBERS["cuMemCreate"], 0, 0, (1, ((), 1), 0), ()),
        (1, schema.NUMBERS["cuIpcOpenMemHandle"], 0, 0, (b"short", 1), ()),
        (1, schema.NUMBERS["cuStreamBatchMemOp"], 0, 0, (0, 1, ((1, 2),), 0), ()),
        (1, schema.NUMBERS["cuStreamSetAttribute"], 0, 0, (0, 1, ("x",)), ()),
        (1, schema.NUMBERS["cuInit"], 0, 0, (0,), (("file", 0, "function"),)),
        (1, schema.NUMBERS["cuInit"], 0, 0, (0,), (("file", 1, "function"),) * (call_sites.MOST + 1)),
        (1, schema.NUMBERS["cuInit"], 0, 0, (0,), 3),
        (1, schema.NUMBERS["cuInit"], 0, 0, (0,), (3,)),
        (1, schema.NUMBERS["cuInit"], 0, 0, (0,), (3, (), ())),
        (1, schema.NUMBERS["cuInit"], 0, 0, (0,), (-1, ())),
        (1, schema.NUMBERS["cuInit"], 0, 0, (0,), (call_sites.STACKS, ())),
        (1, schema.NUMBERS["cuInit"], 0, 0, (0,), (3, (("file", 0, None),))),
        (1, schema.NUMBERS["cuInit"], 0, 0, (0,), ("file",)),
    ],
)
def test_a_call_that_cannot_be_is_refused(sharing: Offer, value: Any) -> None:
    """Arguments of a wrong shape never reach an operation; the other threads of the process go on."""
    client = RemoteMachine(sharing.path)
    client.here.c.cuInit(0)
    line = connected(sharing.path)
    line.send(Kind.HELLO, (schema.DIGEST, THREAD, client.token, 7, None, False))
    assert line.receive()[0] == Kind.WELCOME
    line.send(Kind.CALL, value)
    refusal(line)
    assert client.here.c.cuDeviceGetCount() == (0, 2)


def test_places_that_came_with_a_number_are_known_by_it() -> None:
    """Until others come with the number. Those of native code begin at the last library beneath the user's."""
    stacks: dict[int, tuple[call_sites.Place, ...]] = {}
    other, mine = ("/usr/lib/libc.so", 5, None), ("/home/me/program", 7, None)
    assert call_sites.known((3, (other, other, mine)), stacks) == (other, mine)
    assert call_sites.known(3, stacks) == (other, mine)
    assert call_sites.known((3, (("a.py", 1, "f"),)), stacks) == (("a.py", 1, "f"),)
    assert call_sites.known(3, stacks) == (("a.py", 1, "f"),)
    assert call_sites.known((), stacks) == ()
    assert call_sites.known(4, stacks) is None


def test_a_process_that_sends_too_many_descriptors(sharing: Offer) -> None:
    """They are closed again."""
    before = descriptors()
    line = connected(sharing.path)
    with Path(os.devnull).open() as file:
        socket.send_fds(line.socket, [frame(HELLO)], [file.fileno()] * 200)
    assert "descriptors" in refusal(line)
    line.close()
    assert until(lambda: descriptors() <= before)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.binary(max_size=80) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=5).map(tuple),
    max_leaves=12,
)


@given(name=st.sampled_from(sorted(OPS)), args=st.lists(PLAIN, max_size=8).map(tuple))
@settings(max_examples=300)
def test_the_schema_says_yes_or_unfit(name: str, args: tuple[Any, ...]) -> None:
    """Whatever arrives, the check of arguments ends in one of two ways."""
    try:
        schema.check(name, args)
    except schema.Unfit:
        return
    assert len(args) == len(schema.call_of(name).inputs)


@given(content=st.binary(max_size=200))
@settings(max_examples=200)
def test_any_bytes_are_a_frame_or_none(content: bytes) -> None:
    """Reading ends in a frame, in Malformed or in the end of the line."""
    ours, theirs = socket.socketpair()
    theirs.sendall(content)
    theirs.close()
    line = Line(ours)
    try:
        while True:
            line.receive()
    except (Malformed, LineClosed):
        pass


LARGE = st.tuples(st.binary(min_size=1, max_size=1), st.integers(1 << 16, 1 << 17)).map(
    lambda drawn: drawn[0] * drawn[1]
)
"""A size that would take most of the test's time to draw."""


@given(value=PLAIN | st.floats() | st.text(min_size=40, max_size=300) | LARGE)
@example(((),) * 70000)
@settings(max_examples=200)
def test_long_bodies_are_read_as_short_ones(value: object) -> None:
    """Their arrays are counted before room is made for their members."""
    many = (value,) * 20, bytes(PLAIN_BODY)
    ours, theirs = (Line(one) for one in socket.socketpair())
    thread = threading.Thread(target=theirs.send, args=(Kind.ANSWER, many))
    thread.start()
    kind, read, _ = ours.receive()
    thread.join()
    assert kind == Kind.ANSWER
    assert msgpack.packb(read) == msgpack.packb(many)


@pytest.mark.parametrize("size", [PLAIN_BODY, PLAIN_BODY + 1, MOST])
def test_arrays_that_claim_more_than_there_is(size: int) -> None:
    """One inside the other, each as long as the frame: no room is made for them."""
    body = b"".join(b"\xdd" + size.to_bytes(4, "big") for _ in range(500)).ljust(size, b"\0")
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=theirs.sendall, args=(HEADER.pack(size, PROTOCOL, Kind.CALL) + body,))
    thread.start()
    tracemalloc.start()
    try:
        with pytest.raises(Malformed):
            Line(ours).receive()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        thread.join()
        theirs.close()
    assert peak < 5 * MOST


@pytest.mark.parametrize("claimed", [MOST + 1, (1 << 32) - 1])
def test_a_frame_that_claims_more_than_one_may_have(claimed: int) -> None:
    """It is refused with its header."""
    ours, theirs = socket.socketpair()
    theirs.send(HEADER.pack(claimed, PROTOCOL, Kind.CALL))
    with pytest.raises(Malformed, match=f"{claimed} bytes, but the limit is"):
        Line(ours).receive()
    theirs.close()


class Frames(RuleBasedStateMachine):
    """A well-behaved process beside processes that send any frames."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Line] = []
        self.threads: dict[int, Line] = {}

    @initialize(profile=st.sampled_from(("h200-x2", "hip-clr-2024", "hip-clr-2026")))
    def start(self, profile: str) -> None:
        """Make the machine, and attach both processes."""
        self.machine = Machine(profile, strict=False, wait_timeout=0.05)
        self.ending = ExitStack()
        self.sharing = self.ending.enter_context(self.machine.shared(export=False))
        self.good = RemoteMachine(self.sharing.path)
        self.good.here.c.cuInit(0)
        self.good.here.c.cuCtxCreate(None, 0, 0)
        self.pointer = self.good.here.c.cuMemAlloc(4096)[1]
        self.bad = RemoteMachine(self.sharing.path)
        self.bad.here.c.cuInit(0)
        self.bad.here.c.cuCtxCreate(None, 0, 0)

    def line(self, index: int) -> Line:
        """Return a connection that is open."""
        if not self.lines or index % 3 == 0:
            self.lines.append(connected(self.sharing.path))
        return self.lines[index % len(self.lines)]

    def greeted(self, index: int) -> Line:
        """Return a connection of a thread of the bad process."""
        if index not in self.threads or index % 3 == 0:
            line = self.threads[index] = connected(self.sharing.path)
            self.say(line, frame((schema.DIGEST, THREAD, self.bad.token, index, None, False)))
        return self.threads[index]

    def say(self, line: Line, content: bytes) -> None:
        """Send bytes, if the other end still listens."""
        line.socket.settimeout(0.02)
        try:
            line.socket.sendall(content)
            while True:
                line.receive()
        except (OSError, Malformed, struct.error):
            return

    @rule(index=st.integers(0, 9), content=st.binary(max_size=64))
    def noise(self, index: int, content: bytes) -> None:
        """Send noise."""
        self.say(self.line(index), content)

    @rule(
        index=st.integers(0, 9),
        value=PLAIN,
        kind=st.integers(0, 12),
        version=st.sampled_from((PROTOCOL, PROTOCOL, PROTOCOL + 1)),
    )
    def any_frame(self, index: int, value: object, kind: int, version: int) -> None:
        """Send a frame of anything."""
        self.say(self.line(index), frame(value, kind, version))

    @rule(index=st.integers(0, 9), key=st.integers() | st.text(max_size=3), flag=st.booleans())
    def thread(self, index: int, key: object, *, flag: bool) -> None:
        """Greet as a thread of the bad process."""
        if not isinstance(key, int) or -(1 << 63) <= key < 1 << 63:
            self.say(self.line(index), frame((schema.DIGEST, THREAD, self.bad.token, key, None, flag)))

    @rule(index=st.integers(0, 9), name=st.sampled_from(sorted(OPS)), data=st.data())
    def call(self, index: int, name: str, data: st.DataObject) -> None:
        """Send a call whose arguments have the right shape and any value."""
        args = tuple(data.draw(_argument(param)) for param in schema.call_of(name).inputs)
        content = (1, schema.NUMBERS[name], data.draw(st.integers(0, 3)), 0, args, ())
        self.say(self.greeted(index), frame(content, Kind.CALL))

    @invariant()
    def the_good_one_notices_nothing(self) -> None:
        """Its calls are answered, its memory is its own, and the machine's books are right."""
        if self.good.token:
            assert self.good.here.c.cuMemGetAddressRange(self.pointer) == (0, self.pointer, 4096)
        self.machine.check_invariants()

    def teardown(self) -> None:
        """End all."""
        for line in (*self.lines, *self.threads.values()):
            line.close()
        self.ending.close()
        self.machine.close()


def _argument(param: Any) -> st.SearchStrategy[Any]:
    if param.kind in {"integer", "host", "word", "any"} and not param.array:
        return st.integers(0, 3) | st.integers(0, (1 << 31) - 1) | st.sampled_from((1 << 44, (1 << 64) - 1))
    return PLAIN


TestFrames = Frames.TestCase
TestFrames.settings = settings(
    max_examples=25, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("rule", ["va.mem_unmap.RANGE_IS_MAPPED", "hip.event.EVENT_IS_KNOWN", "no.release.has.THIS"])
def test_a_rule_that_no_operation_of_the_driver_has_is_told_by_its_id(rule: str) -> None:
    """As one of HIP's, or of an owner of another release."""
    error = raised((1, "undefined", rule, "hipFree", "a", ()), cast("Any", None), EVERY_OP["hipFree"], (0,))
    assert isinstance(error, UndefinedBehaviour)
    assert error.finding.rule.id == rule
    assert rule in str(error)
