"""Finds the object of an address or a handle, and describes objects.

``KINDS`` lists all values that name objects, for completion, ``show(address)`` and ``history``. For a new kind of
object, register a function here, under the C type, that yields its values in a process.
"""

from __future__ import annotations

import ctypes
import linecache
import re
from typing import TYPE_CHECKING, Any

from fakecuda.explain.reports.text import SMALL, shown, wrapped
from fakecuda.model.graph.graph import Graph
from fakecuda.prompt.facts import facts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fakecuda.machine.machine import Machine
    from fakecuda.model.memory.va import Reservation
    from fakecuda.reach.process import Process

    Values = Iterable[tuple[int | bytes, Any]]

IPC_HANDLE = 64
OWN_FRAME = re.compile(r"<frozen |/code\.py:|/fakecuda/(__main__|prompt/\w+)\.py:|/bin/fakecuda:")
KINDS: dict[str, list[Callable[[Process], Values]]] = {}
"""For each C type, functions that yield a process's live values of that type, each with its object."""


def kind(name: str) -> Callable[[Callable[[Process], Values]], Callable[[Process], Values]]:
    """Register a function that yields a process's live values of a C type.

    Each value comes with its object.
    """

    def declare(function: Callable[[Process], Values]) -> Callable[[Process], Values]:
        KINDS.setdefault(name, []).append(function)
        return function

    return declare


@kind("CUdevice")
def _devices(process: Process) -> Values:
    return enumerate(process.machine.devices)


@kind("CUcontext")
def _contexts(process: Process) -> Values:
    return process.contexts.items()


@kind("CUdeviceptr")
def _memory(process: Process) -> Values:
    return ((item.start, item) for item in process.memory)


@kind("CUdeviceptr")
def _free_addresses(process: Process) -> Values:
    for item in process.reservations:
        yield item.start, item
        yield from ((start, item) for start, _ in holes(item))


@kind("CUmemGenericAllocationHandle")
def _handles(process: Process) -> Values:
    return process.handles.items()


@kind("CUipcMemHandle")
def _shares(process: Process) -> Values:
    return ((share.handle, share) for share in process.machine.exchange.shares.values() if share.live)


@kind("CUevent")
def _events(process: Process) -> Values:
    return process.events.items()


@kind("CUstream")
def _streams(process: Process) -> Values:
    return process.streams.items()


def _by_class(ctype: str, table: str, name: str) -> None:
    """Register the objects of one class in a process's table of several classes."""

    def values(process: Process) -> Values:
        return ((key, item) for key, item in getattr(process, table).items() if type(item).__name__ == name)

    kind(ctype)(values)


for _ctype, _table, _name in (
    ("CUgraph", "graphs", "Graph"),
    ("CUgraphNode", "graphs", "Node"),
    ("CUgraphExec", "graphs", "Executable"),
    ("CUmodule", "loaded", "Module"),
    ("CUfunction", "loaded", "Function"),
    ("CUlibrary", "loaded", "Library"),
    ("CUkernel", "loaded", "Kernel"),
    ("CUlinkState", "loaded", "Linker"),
    ("CUarray", "arrays", "Array"),
    ("CUmipmappedArray", "arrays", "Mipmapped"),
):
    _by_class(_ctype, _table, _name)


@kind("CUtexObject")
def _textures(process: Process) -> Values:
    return (pair for context in process.contexts.values() for pair in context.textures.items())


@kind("CUsurfObject")
def _surfaces(process: Process) -> Values:
    return (pair for context in process.contexts.values() for pair in context.surfaces.items())


@kind("CUgraphConditionalHandle")
def _conditions(process: Process) -> Values:
    for item in process.graphs.values():
        if isinstance(item, Graph):
            yield from item.conditions.items()


@kind("CUuserObject")
def _user_objects(process: Process) -> Values:
    return process.user_objects.live.items()


@kind("CUmemoryPool")
def _pools(process: Process) -> Values:
    return process.pools.live.items()


@kind("CUmemPoolPtrExportData")
def _pool_shares(process: Process) -> Values:
    return ((data, item) for data, item in process.machine.exchange.pool_shares.items() if item.live)


@kind("CUipcEventHandle")
def _event_shares(process: Process) -> Values:
    return process.machine.exchange.exported_events.items()


def holes(reservation: Reservation) -> Iterator[tuple[int, int]]:
    """Yield the parts of a reservation without a mapping, each as start and end."""
    start = reservation.start
    for mapping in reservation.mappings:
        if mapping.start > start:
            yield start, mapping.start
        start = mapping.end
    if start < reservation.end:
        yield start, reservation.end


def value_of(item: Any) -> int | bytes | None:
    """Return the plain value of an address, a handle or an IPC handle.

    The result is None for other objects.
    """
    if isinstance(item, bytes):
        return item
    if type(item).__name__ in {"CUipcMemHandle", "CUipcEventHandle"}:
        return ctypes.string_at(item.getPtr(), IPC_HANDLE)
    if isinstance(item, str | float) or not hasattr(type(item), "__int__"):
        return None
    try:
        return int(item)
    except (TypeError, ValueError, OverflowError):
        return None


def variables(scope: Mapping[str, Any]) -> Iterator[tuple[str, Any, int | bytes]]:
    """Yield the variables that may hold an address or a handle.

    Each comes as its name, its object and the plain value.
    """
    for name, item in scope.items():
        value = None if name.startswith("_") else value_of(item)
        if isinstance(value, bytes) or (value is not None and value > SMALL):
            yield name, item, value


def live(process: Process, ctype: str) -> dict[int | bytes, Any]:
    """Return a process's live values of a C type.

    Each comes with the first object that has it.
    """
    found: dict[int | bytes, Any] = {}
    for values in KINDS.get(ctype, ()):
        for value, item in values(process):
            found.setdefault(value, item)
    return found


def found(machine: Machine, value: int | bytes) -> list[tuple[Process, Any]]:
    """Return the objects of a value, with their processes.

    They are live objects, or if there are no live ones, dead ones.
    """
    if isinstance(value, int) and value <= SMALL:
        return []
    there: dict[int, tuple[Process, Any]] = {}
    gone: dict[int, tuple[Process, Any]] = {}
    for process in machine.processes.values():
        for ctype in KINDS:
            for key, item in live(process, ctype).items():
                if key == value or _covers(item, value):
                    there[id(item)] = _owner(item) or process, item
        for table in (process.freed, process.dead_contexts):
            for key, item in table.items():
                if key == value or _covers(item, value):
                    gone[id(item)] = process, item
    for share in machine.exchange.shares.values():
        if share.handle == value:
            gone[id(share)] = machine.processes[share.process.name], share
    return list((there or gone).values())


def numbered(machine: Machine, ctype: str, value: int | bytes) -> list[tuple[Process, Any]]:
    """Return the objects of one C type with a value, which may be a small number, with their processes."""
    pairs = [(process, live(process, ctype).get(value)) for process in machine.processes.values()]
    return [(process, item) for process, item in pairs if item is not None]


def _owner(item: Any) -> Process | None:
    """Return the process of an object or of its context; None if it has neither."""
    found: Process | None = getattr(getattr(item, "context", item), "process", None)
    return found


def _covers(item: Any, value: int | bytes) -> bool:
    if isinstance(value, bytes) or not hasattr(item, "end"):
        return False
    return bool(item.start <= value < item.end)


def described(item: Any, width: int, process: Process | None = None) -> list[str]:
    """Return an object of the model as lines of text.

    The lines are its title, its members and its history.
    """
    lines = wrapped(f"{item}" + (f" of process {process.name}" if process else ""), width, "    ")
    told = {name: value for name, value in facts_of(item).items() if value not in (None, "", (), [], {}, set(), b"")}
    pad = max(map(len, told), default=0)
    for name, value in told.items():
        lines += wrapped(f"  {name:{pad}}  {shown(value)}", width, " " * (pad + 4))
    return lines + history_of(item, width, "  ")


def history_of(item: Any, width: int, indent: str) -> list[str]:
    """Return an object's history with the typed source.

    The prompt's own frames are left out.
    """
    history = getattr(item, "history", None)
    lines = []
    for line in history() if history else ():
        if not OWN_FRAME.search(line):
            lines += wrapped(indent + quoted(line), width, indent + "    ")
    return lines


def quoted(line: str) -> str:
    """Return a line of a stack, with the source if it was typed at the prompt."""
    typed = re.search(r"(<input \d+>):(\d+)", line)
    source = linecache.getline(typed[1], int(typed[2])).strip() if typed else ""
    return line.replace(" in <module>", f": {source}") if source else line
