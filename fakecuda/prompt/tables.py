"""The tables of a machine's state, as ``show`` prints them.

A new table is one function here. It takes the machine and returns titles and rows. It is registered under its name and,
with ``within``, under a topic; ``overview`` is the topic of ``show()``. If the first column is the process,
``show(process)`` prints the rows of that process.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attrs import frozen

from fakecuda.explain.reports.text import size, thread_name, times
from fakecuda.model.machine import HOST
from fakecuda.model.memory.memory import Allocation, Import, Managed, Pinned, Registered
from fakecuda.model.memory.multicast import Multicast
from fakecuda.model.memory.pool import Pool, Pooled
from fakecuda.model.memory.va import Mapping
from fakecuda.model.os.process import CHECKPOINTED, DEINITIALIZED, FORKED, LOCKED, NOT_INITIALIZED, READY
from fakecuda.prompt.objects import holes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fakecuda.machine.machine import Machine
    from fakecuda.model.context import Context, Device
    from fakecuda.model.memory.memory import Share
    from fakecuda.model.memory.va import Physical, Reservation
    from fakecuda.model.work.event import Event
    from fakecuda.reach.process import Process

    Rows = Iterable[Sequence[str] | str]

STATES = {
    NOT_INITIALIZED: "not initialised",
    READY: "ready",
    DEINITIALIZED: "torn down",
    LOCKED: "locked",
    CHECKPOINTED: "checkpointed",
    FORKED: "forked",
}
ACCESS = {0: "-", 1: "r", 3: "rw"}
DESCRIPTORS = Path("/proc/self/fd")
PLURALS = {"library": "libraries", "mipmapped": "mipmapped arrays", "executable": "executable graphs"}
HANDLE_TYPES = {1: "descriptor", 2: "win32", 4: "win32 kmt", 8: "fabric"}
"""The names of CUmemAllocationHandleType values."""


class Table(NamedTuple):
    """Titles and rows, for :func:`fakecuda.explain.reports.text.table`."""

    head: Sequence[str]
    rows: Rows


@frozen
class Listing:
    """A table that ``show`` can print.

    Attributes:
        name: The name of the table.
        within: The topic that contains the table; empty without a topic.
        table: Makes the table of a machine.
    """

    name: str
    within: str
    table: Callable[[Machine], Table]


LISTINGS: list[Listing] = []
"""All tables, in the order in which they are printed."""


def listing(name: str, within: str = "") -> Callable[[Callable[[Machine], Table]], Callable[[Machine], Table]]:
    """Register a table under its name, and under a topic."""

    def declare(function: Callable[[Machine], Table]) -> Callable[[Machine], Table]:
        LISTINGS.append(Listing(name, within, function))
        return function

    return declare


def topics() -> list[str]:
    """Return the topics of ``show``: the names of tables and of groups of tables."""
    return list(dict.fromkeys(name for item in LISTINGS for name in (item.within, item.name) if name))


def each(machine: Machine, rows_of: Callable[[Process], Iterable[Sequence[str]]]) -> Rows:
    """Return the rows of all processes, with the process's name first."""
    return ((process.name, *row) for process in machine.processes.values() for row in rows_of(process))


@listing("devices", "overview")
def _devices(machine: Machine) -> Table:
    rows = [
        (
            str(device.ordinal),
            device.profile.name,
            device.profile.pci,
            *map(size, (device.memory.used, device.memory.total)),
        )
        for device in machine.devices
    ]
    return Table((">device", "name", "PCI", ">used", ">total"), rows)


@listing("processes", "overview")
def _processes(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        held = (process.contexts, process.memory, process.reservations, process.handles)
        counts = (str(len(item)) for item in held)
        yield STATES[process.state] if process.alive else "ended", *counts

    head = ("process", "driver", ">contexts", ">ranges", ">reservations", ">handles")
    return Table(head, each(machine, rows))


@listing("others", "overview")
def _others(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        items = (
            *process.streams.values(),
            *process.events.values(),
            *process.graphs.values(),
            *process.loaded.values(),
        )
        kinds = Counter(type(item).__name__.lower() for item in (*items, *process.arrays.values()))
        if kinds:
            yield (
                ", ".join(
                    f"{count} {PLURALS.get(name, f'{name}s') if count > 1 else name}" for name, count in kinds.items()
                ),
            )

    return Table(("process", "other objects"), each(machine, rows))


@listing("contexts", "overview")
def _contexts(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for context in (*process.contexts.values(), *process.dead_contexts.values()):
            kind = "destroyed" if context.destroyed else "primary" if context.primary else "created"
            retained = str(process.primaries[context.device.ordinal].references) if context.primary else ""
            ranges = str(len(context.allocations) + len(context.imports))
            yield hex(context.handle), str(context.device.ordinal), kind, retained, hex(context.flags), ranges

    head = ("process", "context", ">device", "kind", ">retained", ">flags", ">ranges")
    return Table(head, each(machine, rows))


@listing("stacks", "overview")
def _stacks(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for thread in list(process.threads.values()):
            name = thread_name(thread.name)
            for depth, context in enumerate(reversed(thread.stack)):
                where = "current" if depth == 0 else f"{depth} below"
                yield name if depth == 0 else "", where, hex(context.handle), _context(context)
            if not thread.stack:
                yield name, "none", "", ""

    return Table(("process", "thread", "place", "context", "of"), each(machine, rows))


def _context(context: Context) -> str:
    return f"{context.device}" + ", primary" * context.primary + ", destroyed" * context.destroyed


@listing("memory")
def _memory(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for item in sorted(process.memory, key=lambda item: item.start):
            if isinstance(item, Import):
                kind, detail = "IPC mapping", f"of process {item.share.process.name}, opened {times(item.references)}"
            elif isinstance(item, Mapping):
                kind, detail = "mapping", f"handle {item.handle.value:#x}"
            elif isinstance(item, Pooled):
                kind, detail = "pool memory", f"pool {item.pool.handle:#x}" + ", imported" * bool(item.source)
            else:
                kind, detail = KINDS.get(type(item), "variable"), f"context {item.context.handle:#x}"
            yield hex(item.start), size(item.size), _place(item.device), kind, detail

    return Table(("process", "address", ">size", ">device", "kind", "detail"), each(machine, rows))


KINDS = {Allocation: "allocation", Managed: "managed", Pinned: "pinned", Registered: "registered"}
"""Kinds of memory that are freed with a context."""


@listing("events")
def _events(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for event in process.events.values():
            made = "opened" if event.exported else "exported" if event.ipc_handle else "created"
            state = "not recorded" if event.recorded is None else "complete"
            yield hex(event.handle), hex(event.context.handle), f"{event.flags:#x}", made, state

    return Table(("process", "event", "context", "flags", "kind", "state"), each(machine, rows))


@listing("pools")
def _pools(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for pool in process.pools.live.values():
            current = process.pools.current.get(pool.kind, process.pools.defaults.get(pool.kind)) is pool
            made = "default" if pool.default else "imported" if pool.source else "created"
            books = size(pool.reserved), size(pool.used)
            yield hex(pool.handle), _place(pool.device), made, "yes" if current else "", *books

    return Table(("process", "pool", ">device", "kind", "current", ">reserved", ">used"), each(machine, rows))


def _place(device: Device) -> str:
    return "host" if device.ordinal == HOST else str(device.ordinal)


def _home(physical: Physical) -> str:
    """Return the place of memory; for a multicast object, the state of its team."""
    if isinstance(physical, Multicast):
        return f"team {len(physical.team)}/{physical.wanted}"
    return _place(physical.device)


@listing("reservations", "va")
def _reservations(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for item in sorted(process.reservations, key=lambda item: item.start):
            yield hex(item.start), size(item.size), "reservation", "", ""
            for start, end, mapping in _parts(item):
                what = (hex(mapping.handle.value), _access(mapping)) if mapping else ("", "")
                yield hex(start), size(end - start), "  mapping" if mapping else "  hole", *what

    return Table(("process", "address", ">size", "what", "handle", "access"), each(machine, rows))


def _parts(item: Reservation) -> list[tuple[int, int, Mapping | None]]:
    """Return a reservation's mappings and holes in the order of their addresses."""
    empty: list[tuple[int, int, Mapping | None]] = [(start, end, None) for start, end in holes(item)]
    return sorted([*empty, *((m.start, m.end, m) for m in item.mappings)], key=lambda part: part[0])


def _access(mapping: Mapping) -> str:
    """Return which devices may access a mapping: ``0 rw, 1 r``."""
    flags = [(str(device), flags) for device, flags in sorted(mapping.access.items())]
    if mapping.host_access is not None:
        flags.append(("host", mapping.host_access))
    return ", ".join(f"{who} {ACCESS.get(allowed, allowed)}" for who, allowed in flags) or "none"


@listing("handles", "va")
def _handles(machine: Machine) -> Table:
    def rows(process: Process) -> Iterator[Sequence[str]]:
        for item in process.handles.values():
            physical = item.physical
            shareable = ", ".join(name for value, name in HANDLE_TYPES.items() if value & item.prop.handle_types)
            counts = str(item.references), str(item.mappings)
            yield hex(item.value), size(physical.size), _home(physical), *counts, shareable or "none"

    head = ("process", "handle", ">size", ">device", ">references", ">mappings", "shareable as")
    return Table(head, each(machine, rows))


@listing("links", "peers")
def _links(machine: Machine) -> Table:
    rows = (
        (str(device.ordinal), *("own" if peer is device else _reach(machine, device, peer) for peer in machine.devices))
        for device in machine.devices
    )
    return Table((">from device", *(f"to {device.ordinal}" for device in machine.devices)), rows)


def _reach(machine: Machine, device: Device, peer: Device) -> str:
    link = machine.profile.peers.get((device.ordinal, peer.ordinal))
    return "can" if link and link.can_access else "no"


@listing("peers", "peers")
def _peers(machine: Machine) -> Table:
    def cell(context: Context, device: Device) -> str:
        if context.device is device:
            return "own"
        there = [peer for peer in context.process.contexts.values() if peer.device is device]
        on = sum(peer in context.peers for peer in there)
        return (f"on {on}/{len(there)}" if len(there) > on else "on") if on else _reach(machine, context.device, device)

    def rows(process: Process) -> Iterator[Sequence[str]]:
        for context in process.contexts.values():
            row = (cell(context, device) for device in machine.devices)
            yield hex(context.handle), str(context.device.ordinal), *row

    head = ("process", "context", ">device", *(f"to {device.ordinal}" for device in machine.devices))
    return Table(head, each(machine, rows))


@listing("ipc", "ipc")
def _ipc(machine: Machine) -> Table:
    rows = [row for share in machine.exchange.shares.values() for row in _share(share)]
    rows += [
        row
        for handle, event in machine.exchange.exported_events.items()
        for row in _event_share(machine, handle, event)
    ]
    return Table(("process", "address or event", ">size", "what"), rows)


def _share(share: Share) -> Iterator[Sequence[str]]:
    """Yield an exported allocation, its handle, and the importers' mappings."""
    item = share.allocation
    what = f"{'' if share.live else 'freed '}allocation on {item.device}"
    yield share.process.name, hex(item.start), size(item.size), what
    yield share.process.name, "", "", f"  IPC handle {share.handle[:6].hex()}…{'' if share.importers else ', not open'}"
    for opened in share.importers:
        where = f"    opened {times(opened.references)} in context {opened.context.handle:#x}"
        yield opened.context.process.name, hex(opened.start), size(opened.size), where


def _event_share(machine: Machine, handle: bytes, event: Event) -> Iterator[Sequence[str]]:
    """Yield an exported event, its handle, and the events that opened it.

    The events that opened it are in other processes.
    """
    opened = [other for process in machine.processes.values() for other in process.events.values()]
    opened = [other for other in opened if other.exported is event]
    owner = event.context.process
    state = "" if owner.events.get(event.handle) is event else "ended "
    yield owner.name, hex(event.handle), "", f"{state}event in context {event.context.handle:#x}"
    yield owner.name, "", "", f"  IPC handle {handle[:6].hex()}…{'' if opened else ', not open'}"
    for other in opened:
        where = f"    opened in context {other.context.handle:#x}"
        yield other.context.process.name, hex(other.handle), "", where


@listing("exports", "ipc")
def _exports(machine: Machine) -> Table:
    copies = _descriptors()
    rows = []
    for inode, exported in machine.exchange.exports.items():
        physical = exported.physical
        numbers = ", ".join(str(number) for number in copies.get(inode, ()) if number != exported.descriptor)
        if isinstance(physical, Pool):
            rows.append((numbers or "none here", "", _place(physical.device), str(physical)))
            continue
        rows.append((numbers or "none here", size(physical.size), _home(physical), _holders(machine, physical)))
    return Table(("descriptors", ">size", ">device", "handles (references)"), rows)


def _holders(machine: Machine, physical: Physical) -> str:
    """Return all processes' handles of memory, with their reference counts."""
    held = [
        f"{process.name} {handle.value:#x} ({handle.references})"
        for process in machine.processes.values()
        for handle in process.handles.values()
        if handle.physical is physical
    ]
    return "\n".join(held) or "released"


def _descriptors() -> dict[tuple[int, int], list[int]]:
    """Return this OS process's open descriptors by device and inode.

    The result is empty if they cannot be listed.
    """
    found: dict[tuple[int, int], list[int]] = {}
    for number in sorted(int(entry.name) for entry in DESCRIPTORS.iterdir()) if DESCRIPTORS.is_dir() else ():
        try:
            status = os.fstat(number)
        except OSError:
            continue  # the descriptor of the listing itself
        found.setdefault((status.st_dev, status.st_ino), []).append(number)
    return found
