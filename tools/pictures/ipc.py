"""The picture of an IPC handle's life: the importers of memory, and refused calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.explain.reports.text import times
from tools.pictures.story import Box, Story, told

if TYPE_CHECKING:
    import fakecuda

MIB = 1 << 20


def draw() -> str:
    """Return the picture."""
    title = "An IPC handle's life: what two processes call, and what is there after each call"
    return told(title, "a exports memory, b opens it: what is there after each call", _scene, _program)


def _scene(machine: fakecuda.Machine) -> list[Box]:
    """Return the exported memory, and the importers that have opened it."""
    shares = {id(share): share for share in machine.exchange.shares.values()}.values()
    exported = [share.allocation for share in shares]
    memory = machine.processes["a"].memory
    found = [Box(f"a's memory{', exported' if item in exported else ''}", "rules") for item in memory]
    for share in shares:
        if not share.live:
            found.append(Box("freed: the handle names nothing", "ground"))
        found += [Box(f"b: opened {times(item.references)}", "sharing", gap=40, arrow=True) for item in share.importers]
    return found


def _program(story: Story) -> None:
    for name in "ab":
        process = story.machine.spawn(name)
        process.c.cuInit(0)
        process.c.cuCtxCreate(None, 0, 0)
    p = story.call("a", "cuMemAlloc", MIB, result="p")
    handle = story.call("a", "cuIpcGetMemHandle", p, result="handle")
    story.call("a", "cuIpcOpenMemHandle", handle, 1)
    q = story.call("b", "cuIpcOpenMemHandle", handle, 1, result="q")
    story.call("b", "cuIpcOpenMemHandle", handle, 1, result="q")
    story.call("a", "cuMemFree", p)
    story.call("b", "cuMemFree", q)
    story.call("b", "cuIpcCloseMemHandle", q)
    story.call("b", "cuIpcCloseMemHandle", q)
    story.call("b", "cuIpcCloseMemHandle", q)
    story.call("a", "cuMemFree", p)
    story.call("b", "cuIpcOpenMemHandle", handle, 1)
