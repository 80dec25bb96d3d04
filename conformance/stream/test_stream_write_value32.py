"""cuStreamWriteValue32: a stream writes a value to memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry
from conformance.memory.parts import READ_ONLY, registered
from conformance.program import FORKED, MAIN
from conformance.stream.mem_ops import with_peers
from conformance.stream.parts import NON_BLOCKING, accept, pooled, refuse, short, stream, word
from conformance.va.parts import NOWHERE, READ, content, freed, half_mapped
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.program import Plain
    from conformance.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuStreamWriteValue32", stream=0, addr=word(a), value=0x01020304, flags=0)


def written(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Its bytes stand in memory, least significant first, and no others."""
    i.process.ok.cuStreamSynchronize(i.args["stream"])
    assert content(i.process, i.args["addr"]) == bytes([4, 3, 2, 1])
    assert content(i.process, i.args["addr"] + 4) == bytes(4)


def cut(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """The bytes that are there stand in memory."""
    i.process.ok.cuStreamSynchronize(i.args["stream"])
    assert content(i.process, i.args["addr"], 2) == bytes([4, 3])


entry = Entry("cuStreamWriteValue32", valid, written)
refuse(entry, "stream")
accept(entry, "stream")
entry.breaks("FLAGS_ARE_KNOWN", flags=2)
entry.breaks("FLAGS_ARE_KNOWN", "no barrier", flags=1)
entry.breaks("ADDRESS_IS_ALIGNED", addr=lambda i: i.args["addr"] + 1)
entry.breaks("MEMORY_IS_OF_NO_POOL", addr=lambda i: pooled(i.process))
entry.breaks("MEMORY_IS_NOT_MANAGED", addr=lambda i: i.process.ok.cuMemAllocManaged(64, 1))
entry.breaks("RANGE_IS_ALLOCATED", addr=NOWHERE)
entry.breaks("RANGE_IS_ALLOCATED", "freed", addr=lambda i: freed(i.process))
entry.breaks("ACCESS_IS_GRANTED", "none", addr=lambda i: half_mapped(i.process, 0))
with_peers(entry, written)
entry.undefined("MEMORY_CAN_BE_WRITTEN", code=Result.SUCCESS, addr=lambda i: half_mapped(i.process, READ))
entry.undefined(
    "MEMORY_CAN_BE_WRITTEN", "registered", code=Result.SUCCESS, addr=lambda i: registered(i.process, flags=READ_ONLY)
)


entry.also("page-locked memory", addr=lambda i: i.process.ok.cuMemAllocHost(64), then=written)


entry.also("past the end", addr=lambda i: short(i.process, 4), then=cut)


@entry.also("registered memory")
def registered_memory(_w: World, i: Invocation) -> Invocation:
    """Its device pointer is what cuMemHostGetDevicePointer tells."""
    pointer = i.process.ok.cuMemHostGetDevicePointer(registered(i.process), 0)
    return i.evolve(addr=pointer)


@entry.also("in forks")
def forked(_w: World, i: Invocation) -> None:
    """The device does what comes to a place of its queue first.

    A fork's work takes the place of the next that its parent gives, and streams get a queue with their first work.
    """
    a, place, one = i.process, i.args["addr"], stream(i.process, NON_BLOCKING)
    writers = [(FORKED, None), (FORKED, one), (MAIN, one), (FORKED, None), (FORKED, one), (FORKED, one), (MAIN, one)]
    for number, (thread, own) in enumerate((*writers, (MAIN, one))):
        a.thread(thread).ok.cuStreamWriteValue32(own or stream(a, NON_BLOCKING), place + 4 * number, 1, 0)
    a.ok.cuCtxSynchronize()
    assert content(a, place, 32)[::4] == bytes([1, 0, 0, 1, 1, 0, 0, 1])


entry.alone("in-forks")

test_stream_write_value32 = entry.test()
