"""cuStreamWaitValue32: a stream's work waits for a value in memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry
from conformance.context.parts import described, with_attributes, without
from conformance.memory.parts import registered
from conformance.stream.mem_ops import with_peers
from conformance.stream.parts import NON_BLOCKING, accept, pooled, refuse, short, stream, word
from conformance.va.parts import NOWHERE, freed, half_mapped
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.world import Invocation, World

GEQ, EQ, AND, NOR = range(4)
"""Conditions of CUstreamWaitValue_flags."""
FLUSH = 1 << 30
ONES = 0xFFFF_FFFF


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuStreamWaitValue32", stream=0, addr=word(a), value=0, flags=GEQ)


entry = Entry("cuStreamWaitValue32", valid)
refuse(entry, "stream")
accept(entry, "stream")
entry.breaks("FLAGS_ARE_KNOWN", flags=4)
entry.breaks("FLAGS_ARE_KNOWN", "highest bit", flags=1 << 31)
entry.breaks("FLUSH_IS_SUPPORTED", flags=FLUSH)
entry.breaks("FLUSH_IS_SUPPORTED", "of a NOR", flags=FLUSH | NOR)
entry.breaks("ADDRESS_IS_ALIGNED", addr=lambda i: i.args["addr"] + 2)
entry.breaks("MEMORY_IS_NOT_MANAGED", addr=lambda i: i.process.ok.cuMemAllocManaged(64, 1))
entry.breaks("MEMORY_IS_OF_NO_POOL", addr=lambda i: pooled(i.process))
entry.breaks("RANGE_IS_ALLOCATED", addr=NOWHERE)
entry.breaks("RANGE_IS_ALLOCATED", "null", addr=0)
entry.breaks("RANGE_IS_ALLOCATED", "freed", addr=lambda i: freed(i.process))
entry.breaks("ACCESS_IS_GRANTED", addr=lambda i: half_mapped(i.process, 0))
with_peers(entry)
entry.also("equal", flags=EQ)
entry.also("a bit that is set", addr=lambda i: holding(i, 6), value=2, flags=AND)
entry.also("a bit that neither has", value=ONES - 1, flags=NOR)
entry.also("greater", addr=lambda i: holding(i, 7), value=6)
entry.also("greater, around zero", addr=lambda i: holding(i, 1), value=ONES)
entry.also("past the end", addr=lambda i: short(i.process, 4), value=1, flags=AND)
entry.also("page-locked memory", addr=lambda i: i.process.ok.cuMemAllocHost(64))
entry.also(
    "registered memory", addr=lambda i: i.process.ok.cuMemHostGetDevicePointer(registered(i.process), 0), value=0
)


def holding(i: Invocation, value: int) -> int:
    """Return the device address of memory that holds a value."""
    i.process.ok.cuMemsetD32(i.args["addr"], value, 1)
    i.process.ok.cuCtxSynchronize()
    return int(i.args["addr"])


for label, there, condition, value in (
    ("less", 5, GEQ, 6),
    ("less, around zero", ONES, GEQ, 1),
    ("another", 5, EQ, 6),
    ("no common bit", 5, AND, 2),
    ("every bit", 5, NOR, ONES - 5),
):

    @entry.also(f"{label}: it waits")
    def waits(_w: World, i: Invocation, there: int = there, condition: int = condition, value: int = value) -> None:
        a = i.process
        blocked, opener = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
        place = holding(i, there)
        a.ok.cuStreamWaitValue32(blocked, place, value, condition)
        assert a.c.cuStreamQuery(blocked) == (Result.NOT_READY,)
        comes = {GEQ: value, EQ: value, AND: value, NOR: 0}[condition]
        a.ok.cuStreamWriteValue32(opener, place, comes, 0)
        a.ok.cuStreamSynchronize(opener)
        a.ok.cuStreamSynchronize(blocked)


test_stream_wait_value32 = entry.test()


def test_what_a_device_can_wait_for() -> None:
    """Its attributes tell: a NOR, a flush."""
    flush = with_attributes(CAN_FLUSH_REMOTE_WRITES=1)
    for profile, flags, code in (
        (without("CAN_USE_STREAM_WAIT_VALUE_NOR"), NOR, Result.NOT_SUPPORTED),
        (without("CAN_USE_STREAM_WAIT_VALUE_NOR"), AND, Result.SUCCESS),
        (flush, NOR | FLUSH, Result.SUCCESS),
        (flush, GEQ | FLUSH, Result.SUCCESS),
    ):
        with described(profile) as c:
            c.cuCtxCreate(None, 0, 0)
            _, address = c.cuMemAlloc(4)
            c.cuMemsetD32(address, 2, 1)
            assert c.cuStreamWaitValue32(0, address, 2, flags) == (code,)
            assert c.cuStreamQuery(0) == (Result.SUCCESS,)
