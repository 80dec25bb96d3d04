"""What a machine looks like: the memory of its processes to scale, contexts, peers, and what is shared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.interruption import whole
from fakecuda.model.memory import Import
from fakecuda.model.va import Mapping
from fakecuda.pictures.svg import PAD, Drawing, Picture, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.model.context import Context
    from fakecuda.model.machine import Machine
    from fakecuda.model.process import Process

ROW = 20
"""From one row to the next."""
BOX = 16
"""How high a box is."""
WIDE = 360
"""How wide what lies near each other is drawn."""
LEAST = 3
"""How wide the smallest thing is drawn."""
FAR = 64 << 20
"""Bytes between two things that are drawn on scales of their own."""
MOST = 100
"""Things of a process that are drawn; further ones are counted."""
ACCESS = {1: "reads", 3: "reads and writes"}


@whole
def draw(machine: Machine) -> Picture:
    """Return the picture of a machine, which is locked meanwhile.

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
    """Draw a process from a line on; return where it ends."""
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
    """Draw a box with words; return where it ends."""
    width = width_of(words) + PAD
    drawing.box(x, y, width, BOX, kind)
    drawing.text(x + PAD / 2, y + 12, words)
    return x + width


def _name(context: Context) -> str:
    return f"{'primary ' if context.primary else ''}context {context.handle:#x} on device {context.device.ordinal}"


def _memory(drawing: Drawing, process: Process, y: float) -> float:
    """Draw what a process has of addresses, each in a row, to the scale of what lies near it."""
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
    if len(items) > MOST:
        drawing.text(PAD, y + 12, f"and {len(items) - MOST} more", "beside")
        y += ROW
    return y


def near(items: Sequence[Any]) -> list[list[Any]]:
    """Return the items in groups of which none is far from the one before."""
    groups: list[list[Any]] = []
    end = 0
    for item in items:
        if not groups or item.start - end > FAR:
            groups.append([])
        groups[-1].append(item)
        end = max(end, item.end)
    return groups


def _kind(item: Any) -> str:  # noqa: ANN401 - a reservation, or memory of any kind
    """Return what colour something has: reservations, mappings, what others have exported, and memory."""
    if isinstance(item, Mapping):
        return "model"
    if isinstance(item, Import):
        return "sharing"
    return "rules" if hasattr(item, "extent") else "ground"


def _access(item: Any) -> str:  # noqa: ANN401 - likewise
    """Return who may use a mapping, and how."""
    if not isinstance(item, Mapping):
        return ""
    told = [f"device {ordinal} {ACCESS[flags]}" for ordinal, flags in sorted(item.access.items()) if flags]
    told += [f"the host {ACCESS[item.host_access]}"] if item.host_access else []
    return ", ".join(told) or "nobody may use it"


def _peers(drawing: Drawing, contexts: Sequence[Context], y: float) -> float:
    """Draw which context has enabled access to which."""
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
    """Draw what processes have exported, and who has it open."""
    every = {id(share): share for share in machine.shares.values()}  # which may have several names
    shares = [share for share in every.values() if share.live or share.importers]
    if not shares:
        return y
    drawing.text(PAD, y + BOX, "exported by IPC handles", "heading")
    y += ROW + PAD
    words = [f"{share.process.name}: {share.allocation!r}{'' if share.live else ', freed'}" for share in shares]
    left = PAD + max(map(width_of, words)) + 6 * PAD
    for share, told in zip(shares, words, strict=True):
        end = _named(drawing, PAD, y, told, "rules" if share.live else "ground")
        begun = y
        for item in share.importers:
            times = "once" if item.references == 1 else f"{item.references} times"
            opened = f"{item.context.process.name}: {item.start:#x}, opened {times}"
            _named(drawing, left, y, opened, "sharing")
            heights = [begun, begun, y, y]
            path = zip((end, left - PAD, left - PAD, left), heights, strict=True)
            drawing.line(*((x, height + BOX / 2) for x, height in path), arrow=True)
            y += ROW
        y = max(y, begun + ROW)
    return y
