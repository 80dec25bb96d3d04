"""Texts of ``show``.

Tables of the machine or of a process, or the description of an object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from fakecuda.explain.reports.text import SMALL, columns, shown, table, wrapped
from fakecuda.model.context import Device
from fakecuda.model.os.interruption import whole
from fakecuda.near import nearest
from fakecuda.prompt import work_tables  # noqa: F401 - it registers its tables
from fakecuda.prompt.facts import is_internal
from fakecuda.prompt.objects import KINDS, described, found, numbered, value_of
from fakecuda.prompt.tables import LISTINGS, topics
from fakecuda.reach.process import Process, ThreadDoor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.machine.machine import Machine
    from fakecuda.prompt.tables import Listing

OVERVIEW = "overview"
ALSO = {"kernels": "code", "modules": "code", "functions": "code"}
"""Alternative names of topics."""
PROCESS = "process"
DEVICE, MODEL, LONG = "CUdevice", "fakecuda.model.", 60


@whole
def show_text(machine: Machine, what: Any = OVERVIEW, width: int | None = None) -> str:
    """Return the machine's state as text.

    Args:
        machine: The machine.
        what: A topic, the machine, a process or a thread of it, an address, a handle, an IPC handle or an object of the model.
        width: Columns of text; the terminal's by default.
    """
    width = width or columns()
    if what is machine:
        what = OVERVIEW
    if isinstance(what, str):
        return _topic(machine, what, width)
    if isinstance(what, Process):
        return _process(machine, what, width)
    return _object(machine, what, width)


def _topic(machine: Machine, name: str, width: int) -> str:
    name = ALSO.get(name, name)
    if name not in topics():
        return nearest(name, topics(), "topic")
    chosen = [item for item in LISTINGS if name in {item.name, item.within}]
    text = _tables(machine, chosen, width)
    if name == OVERVIEW:
        others = [topic for topic in topics() if topic not in {OVERVIEW, *(item.name for item in chosen)}]
        return "\n".join(
            [text, "", *wrapped(f'More: show("…") of {", ".join(others)}; show(a), show(address).', width)]
        )
    return text or f"{name}: none"


def _process(machine: Machine, process: Process, width: int) -> str:
    if process.machine is not machine:
        return f"process {process.name} belongs to another machine: call show_text with that machine"
    return _tables(machine, LISTINGS, width, process.name)


def _tables(machine: Machine, chosen: Sequence[Listing], width: int, process: str = "") -> str:
    """Return the non-empty tables; with a process's name, only its rows."""
    parts = []
    for item in chosen:
        head, every = item.table(machine)
        rows: list[Sequence[str] | str] = list(every)
        if process:
            if head[0] != PROCESS:
                continue
            rows = [row[1:] for row in rows if row[0] == process]
            head = head[1:]
        elif head[0] == PROCESS:
            rows = _ditto(rows)
        if rows:
            parts.append((f"{item.name}\n" if len(chosen) > 1 else "") + table(head, rows, width))
    return "\n\n".join(parts)


def _ditto(rows: list[Sequence[str] | str]) -> list[Sequence[str] | str]:
    """Return rows with repeated first cells left empty."""
    above = [None, *(row[0] for row in rows)]
    return [("", *row[1:]) if row[0] == last else row for row, last in zip(rows, above, strict=False)]


def _object(machine: Machine, what: Any, width: int) -> str:
    if isinstance(what, ThreadDoor):
        return _process(machine, what.process, width)
    if attrs.has(type(what)) and type(what).__module__.startswith(MODEL) and not is_internal(type(what)):
        return "\n".join(described(what, width))
    value = value_of(what)
    if value is None:
        known = f"{saying(what)} is not a topic, a process, an address or a handle; topics: {', '.join(topics())}"
        return "\n".join(wrapped(known, width))
    ctype = type(what).__name__
    small = isinstance(value, int) and value <= SMALL
    items = numbered(machine, ctype if ctype in KINDS else DEVICE, value) if small else found(machine, value)
    if not items:
        return f"{shown(value)} is not an address or a handle of this machine"
    if isinstance(items[0][1], Device):
        return "\n".join(described(items[0][1], width))  # the same for each process
    return "\n\n".join("\n".join(described(item, width, process)) for process, item in items)


def saying(what: Any) -> str:
    """Return a value as shortened text, or its class."""
    text = (
        repr(what)
        if isinstance(what, str | int | float | list | tuple | dict)
        else f"an object of {type(what).__name__}"
    )
    return text if len(text) <= LONG else f"{text[:LONG]}…"
