"""Snapshots of a machine's whole state for comparison."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs

from fakecuda.model.context import PrimaryContext
from fakecuda.model.finding import Finding
from fakecuda.model.memory.addresses import AddressMap
from fakecuda.model.memory.backing import DeviceMemory, Extent
from fakecuda.model.memory.blocks import Arena
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.memory.multicast import Fabric
from fakecuda.model.memory.narrow import Narrow
from fakecuda.model.memory.pool import Pool
from fakecuda.model.memory.space import Addresses
from fakecuda.model.os.thread import Thread
from fakecuda.model.work.clock import Clock
from fakecuda.model.work.stream import PER_THREAD, Stream
from fakecuda.profiles import DeviceProfile, Profile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.model.machine import Machine

# Logs, derived values and values for reports are not state.
LEFT_OUT = {
    "calls",
    "deadlocks",
    "findings",
    "lock",
    "layers",
    "progress",
    "worker",
    "workers",
    "wait_timeout",
    "census",
    "inside",
    "act",
    "begun",
    "ready",
    "prepared",
    "uses",
    "number",
    "identity",
    "stream_identities",
    "acting",
    "call",
    "native",
    "per_thread",
    "gates",
    "follows",
    "captured",
    "order",
    "shape",
    "races",
    "skipped",
    "unknown",
    "pid",
    "numbers",
    "poller",
    "record",
    "random_bytes",
    "territory",
    "created",
    "queued",
    "command",
    "connected",
    "retains",
    "left",
    "refused",
    "ended",
    "identities",
    "context_identities",
    "driver",
    "runtime",
    "forked",
    "_bytes",
    "_doors",
    "_functions",
    "_maps",
    "_cudart",
    "hip_error",
    "last_error",
    "refused_text",
    "failed",
    "hip_failed",
    "invalidated_by",
    "of_node",
    "freed_by",
    "started",
    "failed_at",
    "laid",
    "destroyer",
    "c",
    "remote",
    "session",
    "forked_thread",
    "forked_stack",
    "forked_from",
    "system",
    "lasting",
    "holding",
    "living",
    "dead",
    "exports",
    "is_own",
    "_chance",
    "_key",
    "remains",
    "shared",
    "shares",
}
OPAQUE = (Profile, DeviceProfile, Finding)
FIELDS: dict[type, tuple[str, ...]] = {
    Extent: ("size", "references"),
    DeviceMemory: ("total", "used"),
    HostMemory: ("total", "used"),
    Fabric: ("total", "used"),
    Addresses: ("reuse",),
    Narrow: ("unused",),
    Clock: ("worked", "advanced"),
}
"""Attributes that are state, for classes that manage free space."""
PLAIN: set[type] = set()
"""Classes whose objects are compared by value."""
NAMED: set[type] = set()
"""Classes whose objects are represented by their class name."""
TABLES = {dict, list, set, deque, AddressMap}
"""Classes of tables, which are mostly empty."""
Reader = Callable[[Any], Sequence[Any]]
READERS: dict[type, Reader] = {}
"""By class, a function that returns the parts of an object."""
BLANK: dict[type, Callable[[Any], bool]] = {
    Thread: lambda thread: not thread.stack,
    Arena: lambda arena: not arena.blocks,
    Pool: lambda pool: pool.untouched,
    Stream: lambda stream: stream.handle <= PER_THREAD and not stream.work and not stream.attributes,
    PrimaryContext: lambda primary: primary.context is None and not primary.references and not primary.flags,
}
"""Whether an object is unchanged since a look-up made it."""


def snapshot(machine: Machine) -> list[Any]:
    """Return the machine's state as a flat list, which is equal for equal machines.

    Each object is listed as the number of its parts, and the parts. A part that is listed later is represented by its
    class. An object that was listed before is represented by its number, so that shared objects differ from equal ones.
    """
    machine.exchange.reap()  # a descriptor that was closed is no effect of the next call
    told: list[Any] = []
    tell = told.append
    seen: dict[int, int] = {}
    waiting: list[Any] = [machine]
    _reader(machine)
    while waiting:
        item = waiting.pop()
        number = seen.get(id(item))
        if number is not None:
            tell(number)
            continue
        seen[id(item)] = len(seen)
        parts = READERS[type(item)](item)
        tell(len(parts))
        for part in parts:
            kind = type(part)
            if kind in PLAIN:
                tell(part)
            elif kind in TABLES and not (part and (kind is not dict or _changed(part))):
                tell(0)
            elif kind in NAMED:
                tell(kind)
            elif kind in READERS or _reader(part):
                tell(kind)
                waiting.append(part)
            else:
                tell(part if kind in PLAIN else kind)
    return told


def _reader(item: Any) -> Reader | None:
    """Return the function that returns an object's parts.

    None for an object that is compared by its value or its class alone.
    """
    kind = type(item)
    if kind in READERS:
        return READERS[kind]
    if item is None or isinstance(item, int | float | str | bytes):
        PLAIN.add(kind)
        return None
    if isinstance(item, OPAQUE) or callable(item):
        NAMED.add(kind)
        return None
    if isinstance(item, dict):
        reader: Reader = _changed
    elif isinstance(item, AddressMap):
        reader = _by_address
    elif isinstance(item, set):
        reader = _numbers
    elif isinstance(item, tuple | list) or hasattr(item, "popleft"):
        reader = tuple
    else:
        names = [a.name for a in attrs.fields(kind)] if attrs.has(kind) else FIELDS[kind]
        # The class makes at least two names: attrgetter returns no tuple for one.
        reader = attrgetter("__class__.__name__", *(name for name in names if name not in LEFT_OUT))
    READERS[kind] = reader
    return reader


def _changed(table: dict[Any, Any]) -> list[Any]:
    """Return the items of a table, without unchanged objects that look-ups made."""
    return [
        part
        for key, one in table.items()
        if (blank := BLANK.get(type(one))) is None or not blank(one)
        for part in (key, one)
    ]


def _by_address(ranges: Iterable[Any]) -> list[Any]:
    """Return ranges sorted by address."""
    return sorted(ranges, key=attrgetter("start"))


def _numbers(ones: set[Any]) -> list[int]:
    """Return the handles of a context's peers or device numbers, sorted."""
    return sorted(one if isinstance(one, int) else one.handle for one in ones)
