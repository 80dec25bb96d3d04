"""Copies between the memory of two contexts, by the host and by a stream.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from conformance.cases.driver.context.fixtures import GARBAGE
from conformance.cases.driver.copy.fixtures import (
    NEW,
    OLD,
    ROOM,
    SIZE,
    device_side,
    filled,
    in_stream,
    left_to_the_stream,
    with_peers,
)
from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.pool.fixtures import memory, pool
from conformance.cases.driver.stream.fixtures import in_its_turn
from conformance.cases.driver.va.fixtures import NOWHERE, READ, content, freed, half_mapped
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, GRANULE, READ_WRITE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


def valid(call: str, w: World) -> Invocation:
    """Return a valid copy within one device and one context."""
    a = w.process()
    queued: dict[str, Any] = {"hStream": 0} if call.endswith("Async") else {}
    return a.call(
        call,
        dstDevice=filled(a, OLD),
        dstContext=a.context,
        srcDevice=filled(a, NEW),
        srcContext=a.context,
        ByteCount=SIZE,
        **queued,
    )


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the bytes arrived, after any pending copy between devices."""
    i.process.ok.cuCtxSynchronize()
    assert content(i.process, i.args["dstDevice"] + SIZE - 2) == bytes([NEW, NEW, OLD, OLD])


def destroyed(a: Process) -> int:
    """Return a destroyed context."""
    context: int = a.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuCtxDestroy(context)
    return context


def entry_of(call: str) -> Entry:
    """Return the entry of a copy, with the common cases."""
    entry = Entry(call, partial(valid, call), arrived)
    entry.without("not_initialized")  # the driver follows the contexts before it looks

    @entry.world("DRIVER_IS_INITIALIZED")
    def before_init(w: World, i: Invocation) -> Invocation:
        return attrs.evolve(i, process=w.process(init=False)).evolve(dstContext=0, srcContext=0)

    for side in ("dst", "src"):
        device, context = f"{side}Device", f"{side}Context"
        entry.breaks("POINTERS_ARE_GIVEN", side, **{device: 0})
        end = {device: lambda i, s=device: i.args[s] + ROOM - 8}
        entry.breaks("RANGE_IS_ALLOCATED", f"{device} past the end", **end)
        for rule, wrong in (("CONTEXTS_ARE_LIVE", lambda i: destroyed(i.process)), ("CONTEXT_IS_KNOWN", GARBAGE)):
            entry.undefined(rule, context, code=Result.INVALID_CONTEXT, **{context: wrong})
    entry.also("no contexts", dstContext=0, srcContext=0, then=arrived)
    entry.also("no bytes between nulls", dstDevice=0, srcDevice=0, ByteCount=0)
    return entry


entry = entry_of("cuMemcpyPeer")
for side in ("dst", "src"):
    device, context = f"{side}Device", f"{side}Context"
    entry.breaks("RANGE_IS_ALLOCATED", f"{device} nowhere", **{device: NOWHERE})
    entry.breaks("RANGE_IS_ALLOCATED", f"{device} plain host", **{device: lambda i: i.process.host_memory(PAGE)})
    entry.breaks("ACCESS_IS_GRANTED", f"{device} without access", **{device: lambda i: half_mapped(i.process, 0)})
    nothing: dict[str, Any] = {context: 0}
    entry.also(f"no {context}", then=arrived, **nothing)
entry.breaks("RANGE_IS_ALLOCATED", "srcDevice freed", srcDevice=lambda i: freed(i.process))
entry.breaks("ACCESS_IS_GRANTED", "dstDevice to read", dstDevice=lambda i: half_mapped(i.process, READ))
entry.also("no bytes", ByteCount=0)


def to_the_other_device(w: World, i: Invocation) -> Invocation:
    """Return the copy to memory of device 1."""
    w.needs_devices(2)
    other = i.process.ok.cuCtxCreate(None, 0, 1)
    dst = filled(i.process, OLD)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(dstDevice=dst, dstContext=other)


@entry.also("between devices without peer access", then=arrived)
def between_devices(w: World, i: Invocation) -> Invocation:
    return to_the_other_device(w, i)


def on_the_other_device(w: World, i: Invocation, make: Callable[[Process], int]) -> Invocation:
    """Return a copy to memory on device 1 with its context current."""
    a = i.process
    other = to_the_other_device(w, i).args["dstContext"]
    a.ok.cuCtxPushCurrent(other)
    dst = make(a)
    a.ok.cuCtxPopCurrent()
    return i.evolve(dstDevice=dst, dstContext=other)


def bytes_there(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check the bytes, which only the other context can read."""
    a = i.process
    a.ok.cuCtxSynchronize()
    a.ok.cuCtxPushCurrent(i.args["dstContext"])
    assert content(a, i.args["dstDevice"]) == bytes([NEW]) * 4


@entry.also("a mapping of the other device alone", then=bytes_there)
def mapped_there(w: World, i: Invocation) -> Invocation:
    def make(a: Process) -> int:
        ptr = half_mapped(a, 0, location=(DEVICE, 1))
        a.ok.cuMemSetAccess(ptr, GRANULE, (((DEVICE, 1), READ_WRITE),), 1)
        return ptr

    return on_the_other_device(w, i, make)


@entry.also("a pool of the other device, which grants this one nothing", then=bytes_there)
def pooled_there(w: World, i: Invocation) -> Invocation:
    def make(a: Process) -> int:
        ptr = memory(a, pool(a, location=(DEVICE, 1)))
        a.ok.cuCtxSynchronize()
        return ptr

    return on_the_other_device(w, i, make)


@entry.world("POOL_GRANTS_ACCESS", "through a context of another device")
def pooled_here(w: World, i: Invocation) -> Invocation:
    return to_the_other_device(w, i).evolve(dstDevice=memory(i.process))


@entry.world("POOL_GRANTS_ACCESS", "a source through a context of another device")
def pooled_source(w: World, i: Invocation) -> Invocation:
    other = to_the_other_device(w, i).args["dstContext"]
    return i.evolve(srcDevice=memory(i.process), srcContext=other)


@entry.undefined("CONTEXT_OF_THE_SIDE_IS_GIVEN", code=Result.INVALID_VALUE)
def pooled_without(w: World, i: Invocation) -> Invocation:
    i = pooled_there(w, i)
    return i.evolve(dstContext=0, srcContext=i.args["dstContext"])


@entry.also("contexts swapped", then=arrived)
def swapped(w: World, i: Invocation) -> Invocation:
    i = to_the_other_device(w, i)
    return i.evolve(dstContext=i.args["srcContext"], srcContext=i.args["dstContext"])


@entry.also("one context for memory of two devices", then=arrived)
def one_context(w: World, i: Invocation) -> Invocation:
    i = to_the_other_device(w, i)
    return i.evolve(srcContext=i.args["dstContext"])


entry.also("to pinned memory", dstDevice=lambda i: i.process.ok.cuMemHostAlloc(SIZE, 0))


in_its_turn(entry, "dstDevice", bytes([NEW, NEW]))

queued = entry_of("cuMemcpyPeerAsync")
in_stream(queued)
for side in ("dst", "src"):
    device_side(queued, f"{side}Device", writes=side == "dst", null="")
left_to_the_stream(queued, lambda i: i.args["dstDevice"])
queued.undefined("CONTEXT_OF_THE_SIDE_IS_GIVEN", code=Result.INVALID_VALUE)(pooled_without)


@queued.also("between devices without peer access", then=arrived)
def between_devices_in_stream(w: World, i: Invocation) -> Invocation:
    return with_peers(w, i, "dstDevice", enable=False)


test_memcpy_peer = entry.test()
test_memcpy_peer_async = queued.test()
