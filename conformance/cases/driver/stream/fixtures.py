"""Fixtures of streams: kinds of streams, waiting work, and common refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.context.fixtures import GARBAGE
from conformance.cases.driver.va.fixtures import content
from conformance.kit.world import NotBuilt
from fakecuda.rules.driver.stream.handle import ASKING
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.case import Entry, Then
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

LEGACY, PER_THREAD = 1, 2
"""CU_STREAM_LEGACY and CU_STREAM_PER_THREAD."""
NON_BLOCKING = 1
"""CU_STREAM_NON_BLOCKING."""
ATTRIBUTE = {name.removeprefix("CU_LAUNCH_ATTRIBUTE_"): value for name, value in ENUMS["CUstreamAttrID"].items()}
"""CUstreamAttrID by short names."""
EQUAL = 1
"""CU_STREAM_WAIT_VALUE_EQ."""


def stream(a: Process, flags: int = 0) -> int:
    """Return a new stream of the current context."""
    created: int = a.ok.cuStreamCreate(flags)
    return created


def destroyed(a: Process) -> int:
    """Return a destroyed stream."""
    gone = stream(a)
    a.ok.cuStreamDestroy(gone)
    return gone


def elsewhere(a: Process, device: int = 0) -> tuple[int, int]:
    """Return a stream of a new context that is not current, and the context."""
    context: int = a.ok.cuCtxCreate(None, 0, device)
    created = stream(a)
    a.ok.cuCtxPopCurrent()
    return created, context


def without_context(a: Process) -> int:
    """Return a stream whose context was destroyed."""
    gone, context = elsewhere(a)
    a.ok.cuCtxDestroy(context)
    return gone


def word(a: Process) -> int:
    """Return the device address of new memory that holds zeros."""
    address: int = a.ok.cuMemAlloc(4096)
    a.ok.cuMemsetD8(address, 0, 4096)
    a.ok.cuCtxSynchronize()
    return address


def pooled(a: Process) -> int:
    """Return the address of new pool memory, after its allocation."""
    address: int = a.ok.cuMemAllocAsync(4096, 0)
    a.ok.cuCtxSynchronize()
    return address


def short(a: Process, width: int) -> int:
    """Return an address half a value before the end of memory, with all bits set."""
    size = width + width // 2
    address: int = a.ok.cuMemAlloc(size)
    a.ok.cuMemsetD8(address, 0xFF, size)
    a.ok.cuCtxSynchronize()
    return address + width


def page_locked(a: Process, byte: int = 0) -> int:
    """Return the address of new page-locked memory that holds a byte repeatedly."""
    address: int = a.ok.cuMemAllocHost(4096)
    a.ok.cuMemsetD8(address, byte, 4096)
    a.ok.cuCtxSynchronize()
    return address


def block(w: World, a: Process, blocked: int, opener: int = 0) -> Callable[[], None]:
    """Have a stream's later work wait for a value that comes at the end of the world.

    Args:
        w: The world.
        a: The process.
        blocked: The stream.
        opener: The stream in which the value is written; by default a new one of the current context.

    Returns:
        What lets it come before, and waits until all work of the context is done.
    """
    if w.last:
        msg = "a stream waits already, and what is made for another one would wait for it"
        raise NotBuilt(msg)
    gate, opener = word(a), opener or stream(a, NON_BLOCKING)
    a.ok.cuStreamWaitValue32(blocked, gate, 1, EQUAL)

    def unblock() -> None:
        a.c.cuStreamWriteValue32(opener, gate, 1, 0)
        a.c.cuCtxSynchronize()

    w.last.append((a, unblock))
    return unblock


def in_its_turn(entry: Entry, destination: str, arrives: bytes) -> None:
    """Add the cases of a memset or copy with or without an order after another stream.

    Args:
        entry: The entry.
        destination: The argument that says where it writes.
        arrives: What stands there after it, and did not before.
    """

    def queued(w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
        a, ((_, unblock),) = i.process, w.last
        assert a.c.cuStreamQuery(LEGACY) == (Result.NOT_READY,)
        unblock()
        assert content(a, i.args[destination], len(arrives)) == arrives

    def done(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
        assert content(i.process, i.args[destination], len(arrives)) == arrives

    @entry.also("after the work of a stream", then=queued)
    def after_a_stream(w: World, i: Invocation) -> None:
        block(w, i.process, stream(i.process))

    @entry.also("before the work of a stream that does not block on it", then=done)
    def beside_a_stream(w: World, i: Invocation) -> None:
        block(w, i.process, stream(i.process, NON_BLOCKING))


def refuse(entry: Entry, argument: str = "hStream") -> None:
    """Add the cases of a call with an invalid or destroyed stream.

    Args:
        entry: The entry.
        argument: The argument's C name.
    """
    entry.undefined("STREAM_IS_KNOWN", code=Result.INVALID_HANDLE, **{argument: GARBAGE})
    entry.undefined("STREAM_IS_LIVE", code=Result.INVALID_CONTEXT, **{argument: lambda i: destroyed(i.process)})
    entry.undefined(
        "STREAM_HAS_A_CONTEXT", code=Result.INVALID_CONTEXT, **{argument: lambda i: without_context(i.process)}
    )
    if entry.call in ASKING:

        @entry.world("DRIVER_IS_INITIALIZED", "with a stream of another process", argument)
        def not_initialized(w: World, i: Invocation) -> Invocation:
            given = i.evolve(**{argument: stream(i.process)})
            return attrs.evolve(given, process=w.process(context=False, init=False))


def accept(entry: Entry, argument: str = "hStream", then: Then | None = None) -> None:
    """Add the cases of a call with streams of every kind.

    Args:
        entry: The entry.
        argument: The argument's C name.
        then: What is called after a success, with the world, the invocation and its results.
    """
    for name, made in {
        "legacy default stream": lambda _: LEGACY,
        "default stream per thread": lambda _: PER_THREAD,
        "created": lambda i: stream(i.process),
        "non-blocking": lambda i: stream(i.process, NON_BLOCKING),
        "of another context": lambda i: elsewhere(i.process)[0],
    }.items():

        @entry.also(name, then=then)
        def with_stream(_w: World, i: Invocation, made: Callable[[Invocation], int] = made) -> Invocation:
            return i.evolve(**{argument: made(i)})
