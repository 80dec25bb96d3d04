"""Copies and memsets of the runtime API, by the kind of the copy and between devices.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import (
    DEFAULT,
    DEVICE_TO_DEVICE,
    DEVICE_TO_HOST,
    HOST_TO_DEVICE,
    HOST_TO_HOST,
    memory,
    peered,
    pinned,
)
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World

SIZE = 16
FLAT = [
    Entry.of("cudaMemcpy", lambda a: (memory(a), memory(a), SIZE, DEVICE_TO_DEVICE)),
    Entry.of("cudaMemcpyAsync", lambda a: (memory(a), memory(a), SIZE, DEVICE_TO_DEVICE, 0)),
]
ROWS = [
    Entry.of("cudaMemcpy2D", lambda a: (memory(a), 64, memory(a), 32, 16, 4, DEVICE_TO_DEVICE)),
    Entry.of("cudaMemcpy2DAsync", lambda a: (memory(a), 64, memory(a), 32, 16, 4, DEVICE_TO_DEVICE, 0)),
]


def across(a: Process) -> tuple[int, int, int, int, int]:
    """Return the arguments of a copy from the second device to the first."""
    here = memory(a)
    a.ok.cudaSetDevice(1)
    there = memory(a)
    a.ok.cudaSetDevice(0)
    return here, 0, there, 1, SIZE


PEERS = [
    Entry.of("cudaMemcpyPeer", across, start=peered),
    Entry.of("cudaMemcpyPeerAsync", lambda a: (*across(a), 0), start=peered),
]
for _one in PEERS:
    _one.also("no target", dst=0, rule="POINTERS_ARE_GIVEN")
    _one.also("no source", src=0, rule="POINTERS_ARE_GIVEN")
    _one.also("more than there is", count=1 << 40, rule="RANGE_IS_ALLOCATED")
PEERS[1].also("an unknown stream", stream=(1 << 64) - 1, rule="STREAM_IS_KNOWN")
PEERS[1].model_only("an-unknown-stream", code=Result.INVALID_HANDLE)  # a card follows its pointer
SETS = [
    Entry.of("cudaMemset", lambda a: (memory(a), 7, SIZE)),
    Entry.of("cudaMemsetAsync", lambda a: (memory(a), 7, SIZE, 0)),
    Entry.of("cudaMemset2D", lambda a: (memory(a), 64, 7, 16, 4)),
    Entry.of("cudaMemset2DAsync", lambda a: (memory(a), 64, 7, 16, 4, 0)),
]


def kinds(one: Entry) -> None:
    """Declare the cases of a kind of copy, with the memory that it is of."""

    @one.also("host to device")
    def to_device(_w: World, i: Invocation) -> Invocation:
        return i.evolve(src=pinned(i.process), kind=HOST_TO_DEVICE)

    @one.also("device to host")
    def to_host(_w: World, i: Invocation) -> Invocation:
        return i.evolve(dst=pinned(i.process), kind=DEVICE_TO_HOST)

    @one.also("host to host")
    def host(_w: World, i: Invocation) -> Invocation:
        return i.evolve(dst=pinned(i.process), src=pinned(i.process), kind=HOST_TO_HOST)

    @one.also("default, of both")
    def default(_w: World, i: Invocation) -> Invocation:
        return i.evolve(src=pinned(i.process), kind=DEFAULT)


for each in (*FLAT, *ROWS):
    each.breaks("KIND_IS_KNOWN", kind=5)
    each.breaks("KIND_IS_KNOWN", "negative", kind=-1)
    kinds(each)
for each in FLAT:
    each.also("nothing", count=0)
    each.also("nothing of an unknown kind", count=0, kind=5)
    each.also("nothing to nowhere", count=0, dst=0, src=0)
    each.also("to null", dst=0, rule="RANGE_IS_ALLOCATED")
for each in ROWS:
    each.breaks("PITCH_SPANS_THE_ROW", "of the target", dpitch=8)
    each.breaks("PITCH_SPANS_THE_ROW", "of the source", spitch=8)
    each.also("no rows", height=0)
    each.also("no bytes", width=0)
    each.also("no rows of an unknown kind, past the pitch", height=0, kind=5, dpitch=8)
    each.also("one row past the pitch", height=1, dpitch=8, rule="copy.shape.PITCH_SPANS_THE_ROW")
for each in PEERS:
    each.also("nothing, of a device that is none", count=0, dstDevice=99)
    each.breaks("DEVICE_IS_THERE", "of the target", dstDevice=99)
    each.breaks("DEVICE_IS_THERE", "of the source", srcDevice=99)
    each.also("nothing", count=0)
for each in SETS[:2]:
    each.also("nothing", count=0)
    each.also("of nothing", devPtr=0, rule="RANGE_IS_ALLOCATED")
    each.also("more than a byte", value=0x107)
for each in SETS[2:]:
    each.also("no rows", height=0)
    each.also("a pitch that is too small", pitch=8, rule="PITCH_SPANS_THE_ROW")

test_copy = suite(*FLAT, *ROWS, *PEERS, *SETS)
