"""The picture of stream order.

A stream that waits for another stream's event, and a stream that does not.
"""

from __future__ import annotations

from contextlib import suppress

import fakecuda
from tools.pictures.seeded import as_seeded

NON_BLOCKING, NO_TIMING = 1, 2


def draw() -> str:
    """Return the picture."""
    with as_seeded(), fakecuda.Machine("h200-x2", seed=0) as machine:
        c = machine.spawn("a").c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        data, result = c.cuMemAlloc(64)[1], c.cuMemAlloc(64)[1]
        fills, copies = (c.cuStreamCreate(NON_BLOCKING)[1] for _ in range(2))
        filled = c.cuEventCreate(NO_TIMING)[1]
        c.cuMemsetD8Async(data, 1, 64, fills)
        c.cuEventRecord(filled, fills)
        c.cuStreamWaitEvent(copies, filled, 0)
        c.cuMemcpyDtoDAsync(result, data, 64, copies)
        with suppress(fakecuda.UndefinedBehaviour):
            c.cuMemsetD8Async(data, 2, 64, fills)
        return machine.findings[0].draw().svg
