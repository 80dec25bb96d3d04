"""Values that graphs write, in memory that is not there any more."""

from __future__ import annotations

import fakecuda
from fakecuda.spec.codes import Result

from .world import done, started

GRANULE, PINNED, RELAXED = 2 << 20, (1, 0, (1, 0), 0, (0, 0, 0)), 2


def test_a_value_in_memory_that_was_unmapped() -> None:
    """On a machine that is not strict, the launch succeeds, and fails when the stream gets there."""
    a = started(fakecuda.Machine("h200", strict=False))
    place = done(a.c.cuMemAddressReserve(GRANULE, 0, 0, 0))
    handle = done(a.c.cuMemCreate(GRANULE, PINNED, 0))
    done(a.c.cuMemMap(place, GRANULE, 0, handle, 0))
    done(a.c.cuMemSetAccess(place, GRANULE, (((1, 0), 3),), 1))
    stream = done(a.c.cuStreamCreate(1))
    done(a.c.cuStreamBeginCapture(stream, RELAXED))
    done(a.c.cuStreamWriteValue32(stream, place, 1, 0))
    made = done(a.c.cuGraphInstantiate(done(a.c.cuStreamEndCapture(stream)), 0))
    done(a.c.cuMemUnmap(place, GRANULE))
    done(a.c.cuGraphLaunch(made, stream))
    assert a.c.cuStreamSynchronize(stream) == (Result.LAUNCH_FAILED,)
