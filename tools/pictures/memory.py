"""The picture of a machine.

Two processes, one of which shares memory with the other.
"""

from __future__ import annotations

import fakecuda
from conformance.kit.world import GRANULE, access, pinned
from tools.pictures.seeded import as_seeded


def draw() -> str:
    """Return the picture."""
    with as_seeded(), fakecuda.Machine("h200-x2", strict=False, seed=0) as machine:
        a, b = (machine.spawn(name) for name in "ab")
        for process in (a, b):
            process.c.cuInit(0)
            process.c.cuCtxCreate(None, 0, 0)
        memory = a.c.cuMemAlloc(1 << 20)[1]
        a.c.cuMemAlloc(3 << 20)
        b.c.cuMemAlloc(8 << 20)
        b.c.cuIpcOpenMemHandle(a.c.cuIpcGetMemHandle(memory)[1], 1)
        first = a.c.cuCtxGetCurrent()[1]
        a.c.cuCtxCreate(None, 0, 1)
        a.c.cuCtxEnablePeerAccess(first, 0)
        start = a.c.cuMemAddressReserve(4 * GRANULE, 0, 0, 0)[1]
        for place, device in ((0, 0), (2, 1)):
            handle = a.c.cuMemCreate(GRANULE, pinned(device), 0)[1]
            a.c.cuMemMap(start + place * GRANULE, GRANULE, 0, handle, 0)
        a.c.cuMemSetAccess(start, GRANULE, (access(0), access(1, 1)), 2)
        return machine.draw().svg
