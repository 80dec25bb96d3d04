"""cuMemPrefetchAsync: prefetch pages of managed memory to a location.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, accept, block, refuse, stream
from conformance.cases.driver.unified.fixtures import (
    ACCESSED,
    CONCURRENT,
    CPU,
    GPU,
    NONE,
    PAGEABLE,
    PLACES,
    PREFERRED,
    READ_MOSTLY,
    SIZE,
    asked,
    managed,
    pooled,
    refuse_places,
    refuse_ranges,
    with_,
    without,
    wrapped,
)
from conformance.cases.driver.va.fixtures import HOST, HOST_NUMA, NOWHERE, content, on_model
from conformance.kit.case import Entry
from conformance.kit.program import FORKED
from conformance.kit.world import location
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

LAST = "LAST_PREFETCH_LOCATION"


def valid(w: World) -> Invocation:
    a = w.process()
    ptr = managed(a)
    a.ok.cuMemsetD8(ptr, 7, SIZE)
    return a.call("cuMemPrefetchAsync", devPtr=ptr, count=SIZE, location=GPU, flags=0, hStream=0)


def sent(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check the range's last prefetch location, and its bytes."""
    a, ptr = i.process, i.args["devPtr"]
    kind, number = i.args["location"]
    shown = {1: number, 2: CPU, 3: CPU, 4: CPU}[kind]
    assert asked(a, LAST, ptr) == shown
    assert asked(a, f"{LAST}_TYPE", ptr) == kind
    assert asked(a, f"{LAST}_ID", ptr) == {1: number, 2: CPU, 3: number, 4: number}[kind]
    assert asked(a, "PREFERRED_LOCATION", ptr) == NONE
    assert content(a, ptr + SIZE - 4) == b"\7" * 4


entry = Entry("cuMemPrefetchAsync", valid, sent)
refuse(entry)
accept(entry)
refuse_ranges(entry)
wrapped(entry)
refuse_places(entry, "DEVICE_IS_THERE")
entry.breaks("FLAGS_ARE_ZERO", flags=1)
for label, where in PLACES.items():
    entry.also(f"to {label}", location=where, then=sent)


@entry.world("FLAGS_ARE_ZERO", "before a context is looked for")
def flags_first(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(flags=1)


@entry.world("LOCATION_IS_KNOWN", "before a context is looked for")
def location_first(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(location=(0, 0))


@entry.world("NODE_IS_THERE", "before a context is looked for")
def node_first(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(location=(HOST_NUMA, 99))


@entry.undefined("PROCESS_IS_NOT_FORKED", code=Result.NOT_INITIALIZED)
def forked(_: World, i: Invocation) -> Invocation:
    return evolve(i.evolve(hStream=stream(i.process)), thread=FORKED)


@entry.world("RANGE_IS_MANAGED", "in a fork")
def forked_nowhere(_: World, i: Invocation) -> Invocation:
    return evolve(i.evolve(hStream=stream(i.process), devPtr=NOWHERE), thread=FORKED)


@entry.also("memory of a managed pool", then=sent)
def of_a_pool(_: World, i: Invocation) -> Invocation:
    ptr = pooled(i.process)
    i.process.ok.cuMemsetD8(ptr, 7, SIZE)
    return i.evolve(devPtr=ptr)


@entry.also("to another device", then=sent)
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(location=location(1))


@entry.also("back to the host", then=sent)
def back(_: World, i: Invocation) -> Invocation:
    i.run()
    return i.evolve(location=(HOST, 0))


@entry.also("a byte is a page")
def rounded(_: World, i: Invocation) -> Invocation:
    a, ptr = i.process, i.args["devPtr"]
    a.ok.cuMemPrefetchAsync(ptr + PAGE + 1, 1, GPU, 0, 0)
    assert asked(a, LAST, ptr + PAGE, PAGE) == 0
    assert asked(a, LAST, ptr, PAGE) == NONE
    assert asked(a, LAST, ptr + 2 * PAGE, PAGE) == NONE
    return i


@entry.also("two bytes are two pages")
def across_a_border(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    a.ok.cuMemPrefetchAsync(ptr + PAGE - 1, 2, GPU, 0, 0)
    assert asked(a, LAST, ptr, 2 * PAGE) == 0
    assert asked(a, LAST, ptr, 3 * PAGE) == NONE


@entry.also("pages that went to different places")
def parted(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    a.ok.cuMemPrefetchAsync(ptr, SIZE, GPU, 0, 0)
    a.ok.cuMemPrefetchAsync(ptr, PAGE, (HOST, 0), 0, 0)
    assert asked(a, LAST, ptr) == NONE
    assert asked(a, f"{LAST}_TYPE", ptr) == 0
    assert asked(a, LAST, ptr, PAGE) == CPU
    assert asked(a, LAST, ptr + PAGE, SIZE - PAGE) == 0


@entry.also("memory of which advice was given", then=None)
def advised(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    for advice in (READ_MOSTLY, PREFERRED, ACCESSED):
        a.ok.cuMemAdvise(ptr, SIZE, advice, (HOST, 0))
    i.run()
    assert asked(a, LAST, ptr) == 0
    assert asked(a, "PREFERRED_LOCATION", ptr) == CPU
    assert asked(a, "READ_MOSTLY", ptr) == 1


@entry.also("the location is told before the stream gets there")
def at_once(w: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    waiting = stream(a, NON_BLOCKING)
    block(w, a, waiting)
    a.ok.cuMemPrefetchAsync(ptr, SIZE, GPU, 0, waiting)
    assert a.c.cuStreamQuery(waiting) == (Result.NOT_READY,)
    assert asked(a, LAST, ptr) == 0


@entry.also("it is part of the stream's work")
def queued(w: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    waiting, event = stream(a, NON_BLOCKING), a.ok.cuEventCreate(2)
    unblock = block(w, a, waiting)
    a.ok.cuMemPrefetchAsync(ptr, SIZE, GPU, 0, waiting)
    a.ok.cuEventRecord(event, waiting)
    assert a.c.cuEventQuery(event) == (Result.NOT_READY,)
    unblock()
    a.ok.cuEventQuery(event)


test_mem_prefetch_async = entry.test()


def test_access_is_concurrent() -> None:
    """A prefetch needs concurrent managed access of the target and stream device."""
    on_model(entry, "ACCESS_IS_CONCURRENT", Result.INVALID_DEVICE, lambda *_: None, **without(CONCURRENT, 0))
    on_model(
        entry,
        "ACCESS_IS_CONCURRENT",
        Result.INVALID_DEVICE,
        lambda _, i: i.evolve(location=location(1)),
        **without(CONCURRENT, 1),
    )
    on_model(
        entry,
        "ACCESS_IS_CONCURRENT",
        Result.INVALID_DEVICE,
        lambda _, i: i.evolve(location=(HOST, 0)),
        **without(CONCURRENT, 0),
    )


def test_pageable_memory_is_not_managed() -> None:
    """Pageable memory is not managed memory, even if devices can access it."""
    on_model(
        entry,
        "RANGE_IS_MANAGED",
        Result.INVALID_VALUE,
        lambda _, i: i.evolve(devPtr=i.process.host_memory(SIZE)),
        **with_(PAGEABLE, 1, 0, 1),
    )
