"""The picture of a reservation over time.

It shows its mappings, their access, and references to memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.world import GRANULE, access, pinned
from fakecuda.model.history import counted
from tools.pictures.story import Box, Story, told

if TYPE_CHECKING:
    import fakecuda

WIDE = 72
"""The width of two mebibytes."""


def draw() -> str:
    """Return the picture."""
    title = "A reservation and its mappings: each call, and what lies at the reservation's addresses then"
    return told(title, "the reservation's addresses and the references to handles, after each call", _scene, _program)


def _scene(machine: fakecuda.Machine) -> list[Box]:
    """Return the reservation to scale, and the references to handles.

    Free parts are white.
    """
    process = machine.processes["a"]
    found: list[Box] = []
    for reservation in process.reservations:
        at = reservation.start
        for mapping in [*reservation.mappings, None]:
            until = reservation.end if mapping is None else mapping.start
            found += [Box("", "user", width=WIDE * (until - at) / GRANULE, gap=0)] if until > at else []
            if mapping is not None:
                words = "device 0" if mapping.access.get(0) else "no access"
                found.append(Box(words, "model" if mapping.access.get(0) else "way in", width=WIDE, gap=0))
                at = mapping.end
    held = [handle for handle in process.handles.values() if handle.references]
    return [*found, *(Box(f"handle: {counted(handle.references, 'reference')}", "rules") for handle in held)]


def _program(story: Story) -> None:
    process = story.machine.spawn("a")
    process.c.cuInit(0)
    process.c.cuCtxCreate(None, 0, 0)
    story.names |= {pinned(0): "on device 0", (access(0),): "device 0"}
    va = story.call("a", "cuMemAddressReserve", 4 * GRANULE, 0, 0, 0, result="va")
    first = story.call("a", "cuMemCreate", GRANULE, pinned(0), 0, result="h")
    story.call("a", "cuMemMap", va, GRANULE, 0, first, 0)
    story.call("a", "cuMemsetD8", va, 0, GRANULE)
    story.call("a", "cuMemSetAccess", va, GRANULE, (access(0),), 1)
    story.call("a", "cuMemsetD8", va, 0, GRANULE)
    story.call("a", "cuMemRelease", first)
    second = story.call("a", "cuMemCreate", GRANULE, pinned(0), 0, result="h2")
    story.call("a", "cuMemMap", va, GRANULE, 0, second, 0)
    story.call("a", "cuMemMap", va + GRANULE, GRANULE, 0, second, 0)
    story.call("a", "cuMemSetAccess", va, 2 * GRANULE, (access(0),), 1)
    story.call("a", "cuMemUnmap", va, GRANULE // 2)
    story.call("a", "cuMemAddressFree", va, 4 * GRANULE)
    story.call("a", "cuMemUnmap", va, 2 * GRANULE)
    story.call("a", "cuCtxSynchronize")
    story.call("a", "cuMemUnmap", va, 2 * GRANULE)
    story.call("a", "cuMemRelease", second)
    story.call("a", "cuMemAddressFree", va, 4 * GRANULE)
