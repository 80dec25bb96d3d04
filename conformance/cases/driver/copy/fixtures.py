"""Fixtures of copies and memsets: filled memory, structs of rows, common refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE, READ_ONLY, registered
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, accept, block, refuse, stream
from conformance.cases.driver.va.fixtures import NOWHERE, READ, content, freed, half_mapped
from conformance.kit.world import GRANULE
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import STRUCTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.case import Entry
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

    Change = Callable[[Plain], dict[str, Plain]]
    """Changes the arguments of a call to another address."""

SIZE = 64
ROOM = 3 * GRANULE
OLD, NEW, LATER = 1, 5, 9
"""Bytes of targets, and of sources before and after a call."""
LARGEST = (1 << 64) - 1


def filled(a: Process, value: int, size: int = 2 * SIZE) -> int:
    """Return the address of new device memory whose beginning holds a byte repeatedly."""
    address: int = a.ok.cuMemAlloc(ROOM)
    a.ok.cuMemsetD8(address, value, size)
    a.ok.cuCtxSynchronize()
    return address


def host(a: Process, value: int, size: int = SIZE) -> int:
    """Return the address of a host page whose beginning holds a value repeatedly."""
    address = a.host_memory(PAGE)
    a.ok.cuMemcpyDtoH(address, filled(a, value, size), size)
    return address


def on_host(a: Process, address: int, room: int = 0) -> bytes:
    """Return bytes of host memory, read through device memory."""
    room = room or a.ok.cuMemAlloc(SIZE)
    a.ok.cuMemcpyHtoD(room, address, SIZE)
    return content(a, room, SIZE)


def struct(kind: str, **members: Plain) -> tuple[Plain, ...]:
    """Return a plain struct with these members, and 0 elsewhere."""
    names = [label for _, label in STRUCTS[kind]]
    assert set(members) <= set(names), members
    return tuple(members.get(name, 0) for name in names)


def device_side(
    entry: Entry,
    argument: str,
    change: Change | None = None,
    *,
    writes: bool = False,
    null: str = "RANGE_IS_ALLOCATED",
) -> None:
    """Add the cases of an address that must be a device address.

    Args:
        entry: The entry.
        argument: The address, by its C name.
        change: Makes the arguments that differ; by default the one of that name.
        writes: Whether the call writes there.
        null: The rule that null breaks; another than the others' is the caller's affair.
    """
    change = change or (lambda value: {argument: value})
    entry.breaks("RANGE_IS_ALLOCATED", f"{argument} nowhere", **change(NOWHERE))
    if null:
        entry.breaks(null, f"{argument} null", **change(0))
    entry.breaks("RANGE_IS_ALLOCATED", f"{argument} freed", **change(lambda i: freed(i.process)))
    entry.breaks(
        "RANGE_IS_ALLOCATED", f"{argument} past the mapping", **change(lambda i: half_mapped(i.process) + GRANULE - 8)
    )
    entry.breaks("RANGE_IS_ALLOCATED", f"{argument} plain host", **change(lambda i: i.process.host_memory(PAGE)))
    entry.breaks("ACCESS_IS_GRANTED", f"{argument} without access", **change(lambda i: half_mapped(i.process, 0)))
    if writes:
        entry.breaks("ACCESS_IS_GRANTED", f"{argument} to read", **change(lambda i: half_mapped(i.process, READ)))
        entry.breaks("MEMORY_IS_WRITABLE", argument, **change(lambda i: registered(i.process, flags=READ_ONLY)))
    else:
        entry.also(f"{argument} to read", **change(lambda i: half_mapped(i.process, READ)))


def any_side(entry: Entry, argument: str, change: Change | None = None, *, writes: bool = False) -> None:
    """Add the cases of an address of unified addressing; see :func:`device_side`."""
    change = change or (lambda value: {argument: value})
    entry.breaks("POINTERS_ARE_GIVEN", argument, **change(0))
    entry.breaks("ACCESS_IS_GRANTED", f"{argument} without access", **change(lambda i: half_mapped(i.process, 0)))
    entry.breaks(
        "RANGE_IS_ALLOCATED", f"{argument} past the mapping", **change(lambda i: half_mapped(i.process) + GRANULE - 8)
    )
    for name, unknown in {
        "nowhere": NOWHERE,
        "freed": lambda i: freed(i.process),
        "at the end of what there is": LARGEST - 7,
    }.items():
        entry.undefined("ADDRESS_IS_KNOWN", f"{argument} {name}", code=Result.INVALID_VALUE, **change(unknown))
    if writes:
        entry.breaks("ACCESS_IS_GRANTED", f"{argument} to read", **change(lambda i: half_mapped(i.process, READ)))
        entry.breaks("MEMORY_IS_WRITABLE", argument, **change(lambda i: registered(i.process, flags=READ_ONLY)))


def host_side(entry: Entry, argument: str, change: Change | None = None, *, writes: bool = False) -> None:
    """Add the cases of a host address; see :func:`device_side`."""
    change = change or (lambda value: {argument: value})
    entry.undefined("ADDRESS_IS_KNOWN", f"{argument} nowhere", code=Result.INVALID_VALUE, **change(NOWHERE))
    entry.breaks(
        "RANGE_IS_ALLOCATED",
        f"{argument} behind what is registered",
        **change(lambda i: registered(i.process) + PAGE - 8),
    )
    entry.also(f"{argument} before what is registered", **change(before_registered))
    if writes:
        entry.breaks("MEMORY_IS_WRITABLE", argument, **change(lambda i: registered(i.process, flags=READ_ONLY)))


def before_registered(i: Invocation) -> int:
    """Return an address in plain memory a few bytes before registered memory."""
    address = i.process.host_memory(2 * PAGE)
    i.process.ok.cuMemHostRegister(address + PAGE, PAGE, 0)
    return address + PAGE - 8


def in_stream(entry: Entry, argument: str = "hStream") -> None:
    """Add the cases of a call with a stream."""
    refuse(entry, argument)
    accept(entry, argument)


def blocked(w: World, i: Invocation) -> tuple[Invocation, Callable[[], None]]:
    """Return the call in a waiting stream, and a function that ends the wait."""
    waiting = stream(i.process, NON_BLOCKING)
    return i.evolve(hStream=waiting), block(w, i.process, waiting)


def left_to_the_stream(entry: Entry, address: Callable[[Invocation], int], size: int = 4) -> None:
    """Add the case that a call returns before its stream has run it.

    Args:
        entry: The entry.
        address: Returns where the call writes.
        size: Bytes of it that are compared.
    """

    @entry.also("it is left to the stream")
    def waits(w: World, i: Invocation) -> None:
        i, unblock = blocked(w, i)
        assert i.run() == (0,)
        assert i.c.cuStreamQuery(i.args["hStream"]) == (Result.NOT_READY,)
        assert content(i.process, address(i), size) == bytes([OLD]) * size
        unblock()
        assert content(i.process, address(i), size) != bytes([OLD]) * size


def waits_for_managed_memory(entry: Entry, *changes: Callable[[Invocation, int], Invocation]) -> None:
    """Add the cases of managed memory passed as host memory, for which the call waits.

    Args:
        entry: The entry.
        changes: Make the call that has memory of the host there.
    """
    for number, change in enumerate(changes):

        @entry.also(f"managed memory as the host's is waited for: {number}")
        def waits(_: World, i: Invocation, change: Callable[[Invocation, int], Invocation] = change) -> None:
            a = i.process
            managed, working = a.ok.cuMemAllocManaged(PAGE, 1), stream(a, NON_BLOCKING)
            a.ok.cuLaunchHostFunc(working, a.c_function("usleep"), 100_000)
            assert change(i, managed).evolve(hStream=working).run()[0] == 0
            assert a.c.cuStreamQuery(working) == (0,)


def with_peers(w: World, i: Invocation, argument: str, *, enable: bool = True) -> Invocation:
    """Return the call on memory of device 1 from a context on device 0."""
    if enable:
        w.needs_peers()
    else:
        w.needs_devices(2)
    peer = i.process.ok.cuCtxCreate(None, 0, 1)
    address = filled(i.process, OLD)
    i.process.ok.cuCtxPopCurrent()
    if enable:
        i.process.ok.cuCtxEnablePeerAccess(peer, 0)
    return i.evolve(**{argument: address})
