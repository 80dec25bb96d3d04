"""The picture of a machine: the memory of its processes to scale, contexts, peers, and shared objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.explain.pictures.svg import PAD, Drawing, Picture, width_of
from fakecuda.explain.reports.text import times
from fakecuda.model.memory.memory import Import
from fakecuda.model.memory.va import Mapping
from fakecuda.model.os.interruption import whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fakecuda.model.context import Context
    from fakecuda.model.machine import Machine
    from fakecuda.model.memory.va import Handle
    from fakecuda.model.os.process import Process

ROW = 20
"""The distance between rows."""
BOX = 16
"""The height of a box."""
WIDE = 360
"""The width of a group of near objects."""
LEAST = 3
"""The minimum width of an object."""
FAR = 64 << 20
"""The distance in bytes from which objects get separate scales."""
MOST, MOST_SHARED = 100, 20
"""The maximum number of objects, and of exports, to draw."""
ACCESS = {1: "reads", 3: "reads and writes"}


@frozen
class Export:
    """An object that other processes share.

    Attributes:
        words: What it is, and whose.
        importers: The importers, in words.
        ended: Whether its exporter has freed it.
    """

    words: str
    importers: list[str]
    ended: bool = False


@whole
def draw(machine: Machine) -> Picture:
    """Return the picture of a machine.

    Args:
        machine: The machine.
    """
    drawing = Drawing("The processes of a machine: contexts, memory, peers, and what they share")
    y: float = PAD
    for process in machine.processes.values():
        if process.alive and process.contexts:
            y = _process(drawing, process, y) + ROW
    y = _shared(drawing, machine, y)
    if y == PAD:
        drawing.text(PAD, PAD + ROW, "no process has a context", "beside")
    return Picture(drawing.svg())


def _process(drawing: Drawing, process: Process, y: float) -> float:
    """Draw a process from a y position on; return the end."""
    drawing.text(PAD, y + BOX, f"process {process.name}", "heading")
    y += ROW + PAD
    for number, thread in enumerate(list(process.threads.values()), 1):
        if thread.stack:
            name = str(number) if thread.name.isdigit() else thread.name  # the system's numbers say nothing
            y = _stack(drawing, name, thread.stack, y)
    y = _memory(drawing, process, y + PAD)
    contexts = [one for one in process.contexts.values() if not one.destroyed]
    return _peers(drawing, contexts, y + PAD) if len(contexts) > 1 else y


def _stack(drawing: Drawing, name: str, stack: Sequence[Context], y: float) -> float:
    """Draw a thread's stack of contexts, the current one first."""
    words = f"thread {name}: current is"
    drawing.text(PAD, y + 12, words, "beside")
    x = PAD + width_of(words) + PAD
    for context in reversed(stack):
        x = _named(drawing, x, y, _name(context), "rules" if context is stack[-1] else "user") + PAD
    return y + ROW + PAD


def _named(drawing: Drawing, x: float, y: float, words: str, kind: str) -> float:
    """Draw a box with words; return the end."""
    width = width_of(words) + PAD
    drawing.box(x, y, width, BOX, kind)
    drawing.text(x + PAD / 2, y + 12, words)
    return x + width


def _name(context: Context) -> str:
    return f"{'primary ' if context.primary else ''}context {context.handle:#x} on device {context.device.ordinal}"


def _memory(drawing: Drawing, process: Process, y: float) -> float:
    """Draw the address ranges of a process, with a scale for each group."""
    items = sorted([*process.reservations, *process.memory], key=lambda item: (item.start, -item.end))
    shown = items[:MOST]
    left = PAD + max((width_of(repr(item)) for item in shown), default=0) + PAD
    for group in near(shown):
        start = group[0].start
        scale = WIDE / (max(item.end for item in group) - start)
        for item in group:
            drawing.text(PAD, y + 12, repr(item), "beside")
            x = left + min((item.start - start) * scale, WIDE - LEAST)
            width = min(max((item.end - item.start) * scale, LEAST), left + WIDE - x)
            drawing.box(x, y, width, BOX, _kind(item))
            if words := _access(item):
                drawing.text(left + WIDE + PAD, y + 12, words, "beside")
            y += ROW
        y += PAD
    return _more(drawing, PAD, y, len(items) - MOST)


def near(items: Sequence[Any]) -> list[list[Any]]:
    """Return the items in groups of near neighbours."""
    groups: list[list[Any]] = []
    end = 0
    for item in items:
        if not groups or item.start - end > FAR:
            groups.append([])
        groups[-1].append(item)
        end = max(end, item.end)
    return groups


def _kind(item: Any) -> str:
    """Return the colour of an object, by its kind."""
    if isinstance(item, Mapping):
        return "model"
    if isinstance(item, Import):
        return "sharing"
    return "rules" if hasattr(item, "extent") else "ground"


def _access(item: Any) -> str:
    """Return who may access a mapping, as text."""
    if not isinstance(item, Mapping):
        return ""
    told = [f"device {ordinal} {ACCESS[flags]}" for ordinal, flags in sorted(item.access.items()) if flags]
    told += [f"the host {ACCESS[item.host_access]}"] if item.host_access else []
    return ", ".join(told) or "nobody may use it"


def _peers(drawing: Drawing, contexts: Sequence[Context], y: float) -> float:
    """Draw the peer access between contexts."""
    left = PAD + max(width_of(_name(one)) for one in contexts) + 2 * PAD
    drawing.text(PAD, y + 12, "peer access of the context in the row to that in the column", "beside")
    y += ROW
    for number in range(len(contexts)):
        drawing.text(left + number * ROW + 4, y + 12, str(number), "beside")
    y += ROW
    for number, one in enumerate(contexts):
        drawing.text(PAD, y + 12, f"{number} {_name(one)}", "beside")
        for column, other in enumerate(contexts):
            drawing.box(left + column * ROW, y, BOX, BOX, "rules" if other in one.peers else "user")
        y += ROW
    return y


def _shared(drawing: Drawing, machine: Machine, y: float) -> float:
    """Draw the exports of processes, by kind, with their importers."""
    alive = [process for process in machine.processes.values() if process.alive]
    ways = {
        "exported by IPC handles": list(_exports(machine)),
        "allocation handles that were exported": list(_handles(alive)),
        "pools that were exported": list(_imports([process.pools.live for process in alive], "source")),
        "events that were exported": list(_imports([process.events for process in alive], "exported")),
    }
    for heading, exports in ways.items():
        if exports:
            y = _graph(drawing, heading, exports, y)
    return y


def _exports(machine: Machine) -> Iterator[Export]:
    """Yield exports with legacy IPC handles."""
    for share in {
        id(share): share for share in machine.exchange.shares.values()
    }.values():  # which may have several names
        if share.live or share.importers:
            opened = [
                f"{item.context.process.name}: {item.start:#x}, opened {times(item.references)}"
                for item in share.importers
            ]
            words = f"{share.process.name}: {share.allocation!r}{'' if share.live else ', freed'}"
            yield Export(words, opened, ended=not share.live)


def _handles(processes: Iterable[Process]) -> Iterator[Export]:
    """Yield memory with allocation handles in several processes."""
    found: dict[int, list[tuple[Process, Handle]]] = {}
    for process in processes:
        mapped = (mapping.handle for reservation in process.reservations for mapping in reservation.mappings)
        for handle in dict.fromkeys([*process.handles.values(), *mapped]):
            found.setdefault(id(handle.physical), []).append((process, handle))
    for those in found.values():
        told = {imported: [_holder(*one) for one in those if one[1].imported == imported] for imported in (False, True)}
        if told[True]:
            yield Export(", ".join(told[False]) or "a process that has released it", told[True], ended=not told[False])


def _holder(process: Process, handle: Handle) -> str:
    mapped = f", mapped {times(handle.mappings)}" if handle.mappings else ""
    return f"{process.name}: {handle!r}{mapped}"


def _imports(tables: Iterable[dict[int, Any]], exporter: str) -> Iterator[Export]:
    """Yield the pools or events that other processes have imported."""
    found: dict[Any, list[str]] = {}
    for table in tables:
        for item in table.values():
            if (source := getattr(item, exporter)) is not None:
                found.setdefault(source, []).append(f"{_owner(item).name}: {item!r}")
    for source, told in found.items():
        yield Export(f"{_owner(source).name}: {source!r}", told)


def _owner(item: Any) -> Process:
    """Return the process of a pool or an event."""
    owner: Process = getattr(item, "process", None) or item.context.process
    return owner


def _graph(drawing: Drawing, heading: str, exports: Sequence[Export], y: float) -> float:
    """Draw the exports with arrows to their importers; return the end."""
    drawing.text(PAD, y + BOX, heading, "heading")
    y += ROW + PAD
    shown = exports[:MOST_SHARED]
    left = PAD + max(width_of(one.words) for one in shown) + 6 * PAD
    for one in shown:
        end = _named(drawing, PAD, y, one.words, "ground" if one.ended else "rules")
        begun = y
        for words in one.importers[:MOST_SHARED]:
            _named(drawing, left, y, words, "sharing")
            heights = [begun, begun, y, y]
            path = zip((end, left - PAD, left - PAD, left), heights, strict=True)
            drawing.line(*((x, height + BOX / 2) for x, height in path), arrow=True)
            y += ROW
        y = _more(drawing, left, y, len(one.importers) - MOST_SHARED)
        y = max(y, begun + ROW)
    return _more(drawing, PAD, y, len(exports) - MOST_SHARED)


def _more(drawing: Drawing, x: float, y: float, number: int) -> float:
    """Draw the number of omitted objects, if any; return the end."""
    if number <= 0:
        return y
    drawing.text(x, y + 12, f"and {number} more", "beside")
    return y + ROW
