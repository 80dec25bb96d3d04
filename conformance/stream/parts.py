"""What cases of streams are made of: streams of many kinds, work that waits, and what every call with a stream refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.context.parts import GARBAGE
from conformance.world import NotBuilt
from fakecuda.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.case import Entry
    from conformance.world import Invocation, Process, World

LEGACY, PER_THREAD = 1, 2
"""CU_STREAM_LEGACY and CU_STREAM_PER_THREAD."""
NON_BLOCKING = 1
"""CU_STREAM_NON_BLOCKING."""
EQUAL = 1
"""CU_STREAM_WAIT_VALUE_EQ."""


def stream(a: Process, flags: int = 0) -> int:
    """Return a new stream of the current context."""
    created: int = a.ok.cuStreamCreate(flags)
    return created


def destroyed(a: Process) -> int:
    """Return a stream that was destroyed."""
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


def page_locked(a: Process, byte: int = 0) -> int:
    """Return the address of new page-locked memory of the host that holds a byte over and over."""
    address: int = a.ok.cuMemAllocHost(4096)
    a.ok.cuMemsetD8(address, byte, 4096)
    a.ok.cuCtxSynchronize()
    return address


def block(w: World, a: Process, blocked: int) -> Callable[[], None]:
    """Have a stream's later work wait for a value in memory, which comes at the end of the world.

    Args:
        w: The world.
        a: The process.
        blocked: The stream.

    Returns:
        What lets it come before, and waits until all work of the context is done.
    """
    if w.last:
        msg = "a stream waits already, and what is made for another one would wait for it"
        raise NotBuilt(msg)
    gate, opener = word(a), stream(a, NON_BLOCKING)
    a.ok.cuStreamWaitValue32(blocked, gate, 1, EQUAL)

    def unblock() -> None:
        a.c.cuStreamWriteValue32(opener, gate, 1, 0)
        a.c.cuCtxSynchronize()

    w.last.append((a, unblock))
    return unblock


def refuse(entry: Entry, argument: str = "hStream") -> None:
    """Add the cases of a call with a stream of which nothing or not enough is left.

    Args:
        entry: The entry.
        argument: The argument's C name.
    """
    entry.undefined("STREAM_IS_KNOWN", code=Result.INVALID_HANDLE, **{argument: GARBAGE})
    entry.undefined("STREAM_IS_LIVE", code=Result.CONTEXT_IS_DESTROYED, **{argument: lambda i: destroyed(i.process)})
    entry.undefined(
        "STREAM_HAS_A_CONTEXT", code=Result.CONTEXT_IS_DESTROYED, **{argument: lambda i: without_context(i.process)}
    )


def accept(entry: Entry, argument: str = "hStream") -> None:
    """Add the cases of a call with streams of every kind.

    Args:
        entry: The entry.
        argument: The argument's C name.
    """
    for name, made in {
        "legacy default stream": lambda _: LEGACY,
        "default stream per thread": lambda _: PER_THREAD,
        "created": lambda i: stream(i.process),
        "non-blocking": lambda i: stream(i.process, NON_BLOCKING),
        "of another context": lambda i: elsewhere(i.process)[0],
    }.items():

        @entry.also(name)
        def with_stream(_w: World, i: Invocation, made: Callable[[Invocation], int] = made) -> Invocation:
            return i.evolve(**{argument: made(i)})
