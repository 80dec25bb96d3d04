"""cuStreamWaitValue64: a stream's work waits for a value of 64 bits in memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.case import Entry
from conformance.memory.parts import registered
from conformance.stream.mem_ops import AND, EQ, FLUSH, GEQ, NOR, devices, holding, on_capable_model, with_peers
from conformance.stream.parts import NON_BLOCKING, accept, pooled, refuse, short, stream, word
from conformance.va.parts import NOWHERE, freed, half_mapped, on_model
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.world import Invocation, World

ONES = (1 << 64) - 1
HIGH = 1 << 40
"""A bit that no value of 32 bits has."""


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuStreamWaitValue64", stream=0, addr=word(a), value=0, flags=GEQ)


entry = Entry("cuStreamWaitValue64", valid)
refuse(entry, "stream")
accept(entry, "stream")
entry.breaks("FLAGS_ARE_KNOWN", flags=4)
entry.breaks("FLAGS_ARE_KNOWN", "highest bit", flags=1 << 31)
entry.breaks("FLUSH_IS_SUPPORTED", flags=FLUSH)
entry.breaks("ADDRESS_IS_ALIGNED", addr=lambda i: i.args["addr"] + 4)
entry.breaks("MEMORY_IS_NOT_MANAGED", addr=lambda i: i.process.ok.cuMemAllocManaged(64, 1))
entry.breaks("MEMORY_IS_OF_NO_POOL", addr=lambda i: pooled(i.process))
entry.breaks("RANGE_IS_ALLOCATED", addr=NOWHERE)
entry.breaks("RANGE_IS_ALLOCATED", "null", addr=0)
entry.breaks("RANGE_IS_ALLOCATED", "freed", addr=lambda i: freed(i.process))
entry.breaks("ACCESS_IS_GRANTED", addr=lambda i: half_mapped(i.process, 0))
with_peers(entry)
entry.also("equal", addr=lambda i: holding(i, HIGH), value=HIGH, flags=EQ)
entry.also("a bit that is set", addr=lambda i: holding(i, 3 * HIGH), value=HIGH, flags=AND)
entry.also("a bit that neither has", value=ONES - HIGH, flags=NOR)
entry.also("greater", addr=lambda i: holding(i, HIGH + 1), value=HIGH)
entry.also("greater, around zero", addr=lambda i: holding(i, 1), value=ONES)
entry.also("past the end", addr=lambda i: short(i.process, 8), value=1, flags=AND)
entry.also("page-locked memory", addr=lambda i: i.process.ok.cuMemAllocHost(64))


@entry.also("registered memory by its device pointer")
def by_device_pointer(_w: World, i: Invocation) -> Invocation:
    return i.evolve(addr=i.process.ok.cuMemHostGetDevicePointer(registered(i.process), 0))


for label, there, condition, value in (
    ("less", HIGH, GEQ, HIGH + 1),
    ("less, around zero", ONES, GEQ, 1),
    ("another", HIGH, EQ, 0),
    ("no common bit", ONES - HIGH, AND, HIGH),
    ("every bit", HIGH, NOR, ONES - HIGH),
):

    @entry.also(f"{label}: it waits")
    def waits(_w: World, i: Invocation, there: int = there, condition: int = condition, value: int = value) -> None:
        a = i.process
        blocked, opener = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
        place = holding(i, there)
        a.ok.cuStreamWaitValue64(blocked, place, value, condition)
        assert a.c.cuStreamQuery(blocked) == (Result.NOT_READY,)
        comes = {GEQ: value, EQ: value, AND: value, NOR: 0}[condition]
        a.ok.cuStreamWriteValue64(opener, place, comes, 0)
        a.ok.cuStreamSynchronize(opener)
        a.ok.cuStreamSynchronize(blocked)


test_stream_wait_value64 = entry.test()


def test_width_is_supported() -> None:
    narrow = devices(CAN_USE_64_BIT_STREAM_MEM_OPS=0)
    on_model(entry, "WIDTH_IS_SUPPORTED", Result.NOT_SUPPORTED, lambda *_: None, **narrow)


def test_nor_is_supported() -> None:
    without = devices(CAN_USE_STREAM_WAIT_VALUE_NOR=0)
    on_model(entry, "NOR_IS_SUPPORTED", Result.NOT_SUPPORTED, lambda _, i: i.evolve(flags=NOR), **without)


def test_a_device_may_flush_remote_writes() -> None:
    for flags in (FLUSH, FLUSH | EQ, FLUSH | NOR):
        on_capable_model(entry, partial(_with_flags, flags), CAN_FLUSH_REMOTE_WRITES=1)


def _with_flags(flags: int, _w: World, i: Invocation) -> Invocation:
    return i.evolve(flags=flags)
