"""Interprocess handles of HIP."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import attrs

from conformance.cases.hip.fixtures import (
    INTERPROCESS,
    NOWHERE,
    SIZE,
    UNTIMED,
    G,
    ended,
    entries,
    event,
    exhausted,
    holds,
    host,
    managed,
    mapped,
    memory,
    new,
    put,
    seeing,
)
from conformance.cases.hip.fixtures import freed as let_go
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World


def shared(a: Process, number: int | None = None) -> bytes:
    """Return the handle of new memory, with a device number."""
    made: bytes = a.ok.hipIpcGetMemHandle(memory(a))
    return made if number is None else made[:-12] + struct.pack("<I", number) + made[-8:]


def between(a: Process, flags: int = UNTIMED | INTERPROCESS) -> int:
    """Return a new event that can be shared."""
    made: int = a.ok.hipEventCreateWithFlags(flags)
    return made


def opens(w: World) -> Invocation:
    """Open memory of another process."""
    return w.process_of("hipInit").given("hipIpcOpenMemHandle", shared(w.process_of("hipInit")), 1)


def opens_event(w: World) -> Invocation:
    """Open an event of another process."""
    a, b = w.process_of("hipInit"), w.process_of("hipInit")
    return a.given("hipIpcOpenEventHandle", b.ok.hipIpcGetEventHandle(between(b)))


def closes(w: World) -> Invocation:
    """Close memory that :func:`opens` opened."""
    opened = opens(w)
    return opened.process.given("hipIpcCloseMemHandle", opened.run()[1])


every = entries({"hipIpcGetEventHandle": lambda a: (between(a),), "hipIpcGetMemHandle": lambda a: (memory(a),)})
of_event, of_memory = every.values()
of_event.breaks("ipc.EVENT_IS_GIVEN", event=0)
of_event.breaks("event.EVENT_IS_KNOWN", event=new(ended))
of_event.breaks("EVENT_IS_INTERPROCESS", event=new(event))
of_event.breaks("EVENT_IS_INTERPROCESS", "untimed", event=new(event, UNTIMED))
of_memory.breaks("POINTER_IS_ALLOCATED", devPtr=NOWHERE)
of_memory.breaks("POINTER_IS_ALLOCATED", "null", devPtr=0)
of_memory.breaks("POINTER_IS_ALLOCATED", "freed", devPtr=new(let_go))
of_memory.breaks("POINTER_IS_ALLOCATED", "behind it", devPtr=lambda i: i.args["devPtr"] + SIZE)
for label, make in {"mapped": mapped, "the host's": host, "managed": managed}.items():
    of_memory.breaks("POINTER_IS_ALLOCATED", label, devPtr=new(make))


@of_memory.undefined("MEMORY_IS_NOT_OPENED", code=Result.INVALID_VALUE)
def passed_on(w: World, i: Invocation) -> Invocation:
    """Query a handle of memory that another process has shared."""
    return i.evolve(devPtr=i.process.ok.hipIpcOpenMemHandle(shared(w.process_of("hipInit")), 1))


close = Entry("hipIpcCloseMemHandle", closes)
close.breaks("POINTER_IS_A_MAPPING", "null", devPtr=0)
for label, make in {"its own": memory, "the host's": host, "mapped": mapped}.items():
    close.breaks("POINTER_IS_A_MAPPING", label, devPtr=new(make))

open_event = Entry("hipIpcOpenEventHandle", opens_event)
open_event.breaks("EVENT_IS_KNOWN", handle=bytes(64))
open_event.breaks("EVENT_IS_ANOTHER_PROCESS_S", handle=lambda i: i.process.ok.hipIpcGetEventHandle(between(i.process)))

opening = Entry("hipIpcOpenMemHandle", opens)
opening.breaks("FLAGS_ARE_LAZY", flags=0)
opening.breaks("FLAGS_ARE_LAZY", "of many bits", flags=123)
opening.breaks("HANDLE_IS_NOT_EMPTY", handle=bytes(64))
opening.breaks("HANDLE_IS_ANOTHER_PROCESS_S", handle=new(shared))
opening.breaks("HANDLE_ATTACHES", handle=bytes([1]) * 48 + bytes(16))
opening.also("no address is left", rule="HANDLE_ATTACHES")(exhausted)


@opening.world("OWNER_IS_SEEN", "", "handle")
def unseen(w: World, i: Invocation) -> Invocation:
    return i.evolve(handle=shared(w.process_of("hipInit"), 2))


@opening.world("HANDLE_ATTACHES", "its owner has ended", "handle")
def orphaned(w: World, i: Invocation) -> Invocation:
    b = w.process_of("hipInit")
    handle = shared(b)
    b.kill()
    return i.evolve(handle=handle)


@opening.world("EXPORTER_HAS_IT", "", "handle")
def freed(w: World, i: Invocation) -> Invocation:
    b = w.process_of("hipInit")
    address = memory(b, G)
    handle = b.ok.hipIpcGetMemHandle(address)
    b.ok.hipFree(address)
    return i.evolve(handle=handle)


@of_memory.also("null, without a place", code=Result.INVALID_VALUE)
def placeless(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i.evolve(devPtr=0), null="handle")


@of_memory.after("of each allocation")
def distinct(_w: World, i: Invocation, results: tuple[bytes]) -> None:
    """Check that new memory has a new handle, also at a reused address."""
    i.process.ok.hipFree(i.args["devPtr"])
    found = [*results, shared(i.process), shared(i.process)]
    assert len(set(found)) == len(found)


@opening.after("what its owner wrote")
def seen(w: World, i: Invocation, _r: tuple[int]) -> None:
    b = w.process_of(i.call)
    address = memory(b)
    put(b, address, 6)
    assert holds(i.process, i.process.ok.hipIpcOpenMemHandle(b.ok.hipIpcGetMemHandle(address), 1), 6)


for devices in ("0", "1", "1,0"):

    @opening.also(f"where devices {devices} are seen, twice")
    def seen_there(w: World, i: Invocation, devices: str = devices) -> Invocation:
        """Open the handle before the call, which returns the same address."""
        a = seeing(w, devices)
        a.ok.hipIpcOpenMemHandle(i.args["handle"], 1)
        return attrs.evolve(i, process=a)


test_ipc = suite(*every.values(), close, open_event, opening)
