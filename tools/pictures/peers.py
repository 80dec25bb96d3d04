"""The picture of peer tables.

Peer access of pairs of contexts, one direction at a time.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from tools.pictures.story import Box, Story, told

if TYPE_CHECKING:
    import fakecuda


def draw() -> str:
    """Return the picture."""
    title = "Peer access of three contexts: each call, and which direction of which pair is enabled then"
    return told(title, "x is on device 0, y and z are on device 1; x>y: x may use y's memory", _scene, _program)


def _scene(machine: fakecuda.Machine) -> list[Box]:
    """Return the directions of all pairs of contexts; enabled ones are coloured."""
    contexts = dict(zip("xyz", machine.processes["a"].contexts.values(), strict=True))
    return [
        Box(f"{one}>{other}", "rules" if contexts[other] in contexts[one].peers else "user", gap=4)
        for one, other in permutations("xyz", 2)
    ]


def _program(story: Story) -> None:
    c = story.machine.spawn("a").c
    c.cuInit(0)
    x, y, z = (c.cuCtxCreate(None, 0, device)[1] for device in (0, 1, 1))
    story.names |= {x: "x", y: "y", z: "z"}
    story.call("a", "cuCtxSetCurrent", x)
    story.call("a", "cuCtxEnablePeerAccess", y, 0)
    story.call("a", "cuCtxEnablePeerAccess", y, 0)
    story.call("a", "cuCtxSetCurrent", y)
    story.call("a", "cuCtxDisablePeerAccess", x)
    story.call("a", "cuCtxEnablePeerAccess", x, 0)
    story.call("a", "cuCtxEnablePeerAccess", z, 0)
    story.call("a", "cuCtxSetCurrent", x)
    story.call("a", "cuCtxEnablePeerAccess", z, 0)
    story.call("a", "cuCtxDisablePeerAccess", y)
    story.call("a", "cuCtxEnablePeerAccess", x, 0)
