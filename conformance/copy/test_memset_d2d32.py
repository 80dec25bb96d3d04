"""cuMemsetD2D32: rows of device memory are filled with a value of 32 bits.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry
from conformance.copy.parts import OLD, ROOM, device_side, filled, with_peers
from conformance.va.parts import adjoining, content
from conformance.world import GRANULE

if TYPE_CHECKING:
    from conformance.program import Plain
    from conformance.world import Invocation, World

WIDTH = 4
VALUE = 0x12345678
BYTES = VALUE.to_bytes(WIDTH, "little")
PITCH, ROW, ROWS = 32, 16, 3
"""Bytes from row to row, bytes of a row, rows."""


def valid(w: World) -> Invocation:
    a = w.process()
    dst = filled(a, OLD)
    return a.call("cuMemsetD2D32", dstDevice=dst, dstPitch=PITCH, ui=VALUE, Width=ROW // WIDTH, Height=ROWS)


def filled_up(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """As many values in each row as are said, the lowest byte first; nothing in between."""
    i.process.ok.cuCtxSynchronize()
    row = BYTES * (ROW // WIDTH) + bytes([OLD]) * (PITCH - ROW)
    assert content(i.process, i.args["dstDevice"], (ROWS + 1) * PITCH) == row * ROWS + bytes([OLD]) * PITCH


entry = Entry("cuMemsetD2D32", valid, filled_up)
device_side(entry, "dstDevice", writes=True)
entry.breaks("PITCH_SPANS_THE_ROW", dstPitch=ROW - WIDTH)
entry.breaks("PITCH_SPANS_THE_ROW", "of 0", dstPitch=0)
entry.breaks("RANGE_IS_ALLOCATED", "rows past the end", Height=ROOM // PITCH + 1)
entry.breaks("RANGE_IS_ALLOCATED", "a pitch past the end", dstPitch=ROOM)
for offset in (1, 2, 3):
    entry.breaks("POINTER_IS_ALIGNED", f"by {offset}", dstDevice=lambda i, o=offset: i.args["dstDevice"] + o)
    entry.breaks("PITCH_IS_ALIGNED", f"by {offset}", dstPitch=PITCH + offset)
entry.also("one row with a pitch that is no multiple", dstPitch=1, Height=1)
entry.also("one row", dstPitch=0, Height=1)
entry.also("rows without gaps", dstPitch=ROW)
entry.also("the last row ends with the allocation", dstDevice=lambda i: i.args["dstDevice"] + ROOM - 2 * PITCH - ROW)
entry.also("no values at null", dstDevice=0, Width=0)
entry.also("no rows at null", dstDevice=0, Height=0)


@entry.also("across mappings that adjoin")
def across(_: World, i: Invocation) -> None:
    start = adjoining(i.process) + GRANULE - PITCH - ROW // 2
    assert i.evolve(dstDevice=start).run() == (0,)
    i.process.ok.cuCtxSynchronize()
    row = BYTES * (ROW // WIDTH)
    assert content(i.process, start + PITCH, ROW) == row
    assert content(i.process, start, ROW) == content(i.process, start + 2 * PITCH, ROW) == row


@entry.world("PEER_IS_ENABLED")
def peer_not_enabled(w: World, i: Invocation) -> Invocation:
    return with_peers(w, i, "dstDevice", enable=False)


@entry.also("memory of a peer", then=filled_up)
def peer_enabled(w: World, i: Invocation) -> Invocation:
    return with_peers(w, i, "dstDevice")


test_memset_d2d32 = entry.test()
