"""cuMemAdvise: advise on the use of a range of memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

import fakecuda
from conformance.cases.driver.memory.fixtures import PAGE, memory
from conformance.cases.driver.unified.fixtures import (
    ACCESSED,
    CONCURRENT,
    CPU,
    DOMAIN,
    GPU,
    LARGEST,
    NONE,
    PAGEABLE,
    PLACES,
    PREFERRED,
    READ_MOSTLY,
    SIZE,
    UNSET_ACCESSED,
    UNSET_PREFERRED,
    UNSET_READ_MOSTLY,
    asked,
    managed,
    pooled,
    refuse_places,
    refuse_ranges,
    with_,
    without,
)
from conformance.cases.driver.va.fixtures import HOST, HOST_NUMA, HOST_NUMA_CURRENT, NOWHERE, on_model
from conformance.kit.case import Entry
from conformance.kit.program import Recorder
from conformance.kit.world import DEVICE, Session, location
from fakecuda.profiles import load
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

EVERYWHERE = [GPU, (HOST, 99), (DEVICE, 99), (DEVICE, CPU)]
"""Locations that advice without a location ignores."""
NUMA = (HOST_NUMA, HOST_NUMA_CURRENT)
"""Locations for which advice has no effect."""


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemAdvise", devPtr=managed(a), count=SIZE, advice=PREFERRED, location=GPU)


def preferred(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the range has its preferred location, and no prefetch."""
    a, ptr = i.process, i.args["devPtr"]
    kind, number = i.args["location"]
    assert asked(a, "PREFERRED_LOCATION", ptr) == {DEVICE: number, HOST: CPU}[kind]
    assert asked(a, "PREFERRED_LOCATION_TYPE", ptr) == kind
    assert asked(a, "LAST_PREFETCH_LOCATION", ptr) == NONE


def ignored(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the range has no preferred location."""
    assert asked(i.process, "PREFERRED_LOCATION", i.args["devPtr"]) == NONE


entry = Entry("cuMemAdvise", valid, preferred)
entry.without("not_initialized")  # no device is there yet
refuse_ranges(entry)
entry.breaks("RANGE_IS_OF_NO_POOL", "past the end, of a managed pool", devPtr=lambda i: pooled(i.process) + SIZE - PAGE)
entry.breaks("RANGE_IS_MANAGED", "that wraps", count=LARGEST)
refuse_places(entry, "DEVICE_IS_KNOWN")
for label, unknown in {"none": 0, "beyond the last": 7, "negative": -1}.items():
    entry.breaks("ADVICE_IS_KNOWN", label, advice=unknown)
for label, where in PLACES.items():
    entry.also(f"preferring {label}", location=where, then=ignored if where[0] in NUMA else preferred)


def accessors(advice: int) -> None:
    """Add the cases of advice on accessors of a range."""
    for name, kind in {
        "a node": HOST_NUMA,
        "the current node": HOST_NUMA_CURRENT,
    }.items():

        @entry.world("ACCESSOR_IS_KNOWN", f"{advice}: {name}")
        def by_another(_: World, i: Invocation, kind: int = kind) -> Invocation:
            return i.evolve(advice=advice, location=(kind, 0))

    for name, kind in {"a domain": DOMAIN, "nothing": 0, "beyond the last": 7}.items():

        @entry.world("LOCATION_IS_KNOWN", f"{advice}: {name}")
        def nowhere(_: World, i: Invocation, kind: int = kind) -> Invocation:
            return i.evolve(advice=advice, location=(kind, 0))

    for name, ordinal in {"beyond the last": 99, "the CPU": CPU}.items():

        @entry.world("DEVICE_IS_KNOWN", f"{advice}: {name}")
        def by_nobody(_: World, i: Invocation, ordinal: int = ordinal) -> Invocation:
            return i.evolve(advice=advice, location=(DEVICE, ordinal))


accessors(ACCESSED)
accessors(UNSET_ACCESSED)


@entry.also("the last preference counts", then=preferred)
def replaced(_: World, i: Invocation) -> Invocation:
    i.run()
    return i.evolve(location=(HOST, 0))


@entry.also("preferring another device", then=preferred)
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(location=location(1))


for advice in (READ_MOSTLY, UNSET_READ_MOSTLY, UNSET_PREFERRED):
    for label, kind in {"a domain": DOMAIN, "nothing": 0}.items():
        entry.breaks("LOCATION_IS_KNOWN", f"{advice}: {label}", advice=advice, location=(kind, 0))


@entry.world("DEVICE_IS_KNOWN", "before cuInit")
def before_init(w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i, process=w.process(init=False))


@entry.world("DRIVER_IS_INITIALIZED", "about no device")
def about_no_device(w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i.evolve(advice=READ_MOSTLY), process=w.process(init=False))


@entry.also("about a node: nothing else is looked at")
def about_a_node(w: World, i: Invocation) -> None:
    for process, ptr in ((i.process, NOWHERE), (i.process, 0), (w.process(init=False), 0)):
        for advice in (READ_MOSTLY, UNSET_READ_MOSTLY, PREFERRED, UNSET_PREFERRED):
            for kind in NUMA:
                process.ok.cuMemAdvise(ptr, 0, advice, (kind, 0))


@entry.also("mostly read, wherever there is a processor")
def mostly_read(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    for where in EVERYWHERE:
        a.ok.cuMemAdvise(ptr, SIZE, READ_MOSTLY, where)
        assert asked(a, "READ_MOSTLY", ptr) == 1
        a.ok.cuMemAdvise(ptr, SIZE, UNSET_READ_MOSTLY, where)
        assert asked(a, "READ_MOSTLY", ptr) == 0


@entry.also("mostly read, about a node")
def mostly_read_by_a_node(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    a.ok.cuMemAdvise(ptr, SIZE, READ_MOSTLY, (HOST_NUMA, 99))
    assert asked(a, "READ_MOSTLY", ptr) == 0
    a.ok.cuMemAdvise(ptr, SIZE, READ_MOSTLY, GPU)
    a.ok.cuMemAdvise(ptr, SIZE, UNSET_READ_MOSTLY, (HOST_NUMA_CURRENT, 0))
    assert asked(a, "READ_MOSTLY", ptr) == 1


@entry.also("nothing preferred any more, wherever there is a processor")
def nowhere(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    for where in EVERYWHERE:
        a.ok.cuMemAdvise(ptr, SIZE, PREFERRED, GPU)
        a.ok.cuMemAdvise(ptr, SIZE, UNSET_PREFERRED, where)
        assert asked(a, "PREFERRED_LOCATION", ptr) == NONE
    a.ok.cuMemAdvise(ptr, SIZE, PREFERRED, GPU)
    a.ok.cuMemAdvise(ptr, SIZE, UNSET_PREFERRED, (HOST_NUMA, 99))
    assert asked(a, "PREFERRED_LOCATION", ptr) == 0


@entry.also("accessed by a device")
def accessed(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    for _round in range(2):
        a.ok.cuMemAdvise(ptr, SIZE, ACCESSED, GPU)
        assert asked(a, "ACCESSED_BY", ptr, room=3) == (0, NONE, NONE)
    for _round in range(2):
        a.ok.cuMemAdvise(ptr, SIZE, UNSET_ACCESSED, GPU)
        assert asked(a, "ACCESSED_BY", ptr, room=3) == (NONE, NONE, NONE)


@entry.also("accessed by the host, whose id is ignored")
def accessed_by_the_host(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    a.ok.cuMemAdvise(ptr, SIZE, ACCESSED, (HOST, 99))
    assert asked(a, "ACCESSED_BY", ptr, room=2) == (CPU, NONE)
    a.ok.cuMemAdvise(ptr, SIZE, UNSET_ACCESSED, (HOST, 0))
    assert asked(a, "ACCESSED_BY", ptr, room=2) == (NONE, NONE)


@entry.also("accessed by two devices")
def accessed_by_two(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    a, ptr = i.process, i.args["devPtr"]
    for device in (1, 0):
        a.ok.cuMemAdvise(ptr, SIZE, ACCESSED, location(device))
    assert asked(a, "ACCESSED_BY", ptr, room=2) == (0, 1)
    a.ok.cuMemAdvise(ptr, PAGE, UNSET_ACCESSED, location(0))
    assert asked(a, "ACCESSED_BY", ptr, room=2) == (1, NONE)


@entry.also("advice of one kind leaves the others")
def apart(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    for advice in (READ_MOSTLY, PREFERRED, ACCESSED):
        a.ok.cuMemAdvise(ptr, SIZE, advice, GPU)
    a.ok.cuMemAdvise(ptr, SIZE, UNSET_PREFERRED, GPU)
    assert asked(a, "READ_MOSTLY", ptr) == 1
    assert asked(a, "ACCESSED_BY", ptr) == (0,)


@entry.also("a byte is a page")
def rounded(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    a.ok.cuMemAdvise(ptr + 2 * PAGE - 1, 1, READ_MOSTLY, GPU)
    assert [asked(a, "READ_MOSTLY", ptr + n * PAGE, PAGE) for n in range(3)] == [0, 1, 0]


for advice in (READ_MOSTLY, UNSET_READ_MOSTLY, PREFERRED, UNSET_PREFERRED, ACCESSED, UNSET_ACCESSED):
    for label, where in {"a device": GPU, "the host": (HOST, 0)}.items():

        @entry.world("RANGE_IS_OF_NO_POOL", f"{advice}: {label}")
        def of_a_pool(_: World, i: Invocation, advice: int = advice, where: tuple[int, int] = where) -> Invocation:
            return i.evolve(devPtr=pooled(i.process), advice=advice, location=where)


@entry.also("advice goes with the memory")
def freed(_: World, i: Invocation) -> None:
    a = i.process
    ptr = a.ok.cuMemAllocManaged(SIZE, 1)
    a.ok.cuMemAdvise(ptr, SIZE, READ_MOSTLY, GPU)
    a.ok.cuMemFree(ptr)
    ptr = a.ok.cuMemAllocManaged(SIZE, 1)
    assert asked(a, "READ_MOSTLY", ptr) == 0


@entry.also("pages that other memory shares have it, and lose it with one of them")
def shared(_: World, i: Invocation) -> None:
    """Check that small memory shares its page."""
    a = i.process
    first, middle, last = (a.ok.cuMemAllocManaged(512, 1) for _ in range(3))
    page = first // PAGE
    if (middle // PAGE, last // PAGE) != (page, page):
        return  # another layout: nothing is shared
    a.ok.cuMemAdvise(middle, 512, READ_MOSTLY, GPU)
    assert [asked(a, "READ_MOSTLY", ptr, 512) for ptr in (first, last)] == [1, 1]
    a.ok.cuMemFree(middle)
    assert [asked(a, "READ_MOSTLY", ptr, 512) for ptr in (first, last)] == [0, 0]


@entry.also("pages that other memory adjoins lose it")
def adjoining(_: World, i: Invocation) -> None:
    a = i.process
    first, second = (a.ok.cuMemAllocManaged(SIZE, 1) for _ in range(2))
    for ptr in (first, second):
        a.ok.cuMemAdvise(ptr, SIZE, READ_MOSTLY, GPU)
    a.ok.cuMemFree(first)
    assert asked(a, "READ_MOSTLY", a.ok.cuMemAllocManaged(SIZE, 1)) == 0
    assert asked(a, "READ_MOSTLY", second) == 1


test_mem_advise = entry.test()

POOR = {**without(CONCURRENT, 1), "name": "poor"}


@pytest.mark.parametrize("advice", [PREFERRED, ACCESSED, UNSET_ACCESSED])
def test_access_is_concurrent(advice: int) -> None:
    """Advice on a device needs its concurrent managed access."""

    def of_the_second(_: World, i: Invocation) -> Invocation:
        return i.evolve(advice=advice, location=location(1))

    on_model(entry, "ACCESS_IS_CONCURRENT", Result.INVALID_DEVICE, of_the_second, **POOR)


@pytest.mark.parametrize("advice", [PREFERRED, ACCESSED, UNSET_ACCESSED])
def test_device_accesses_pageable_memory(advice: int) -> None:
    """Advice on pageable memory needs the device's access to it."""

    def of_the_first(_: World, i: Invocation) -> Invocation:
        return i.evolve(devPtr=i.process.host_memory(SIZE), advice=advice)

    on_model(entry, "DEVICE_ACCESSES_PAGEABLE_MEMORY", Result.INVALID_DEVICE, of_the_first, **with_(PAGEABLE, 1, 1))


@pytest.mark.parametrize(
    ("advice", "where"),
    [(PREFERRED, GPU), (PREFERRED, (HOST, 0)), (ACCESSED, GPU), (ACCESSED, (HOST, 0)), (READ_MOSTLY, (DEVICE, 99))],
)
def test_pageable_memory_takes_advice(advice: int, where: tuple[int, int]) -> None:
    """A device with access accepts advice on pageable memory, without a query of it."""
    with fakecuda.Machine(attrs.evolve(load("h200-x2"), **with_(PAGEABLE, 1, 0)), strict=False) as machine:
        a = Session(Recorder(machine)).world("pageable").process()
        ptr = a.host_memory(SIZE)
        before = machine.snapshot()
        a.ok.cuMemAdvise(ptr, SIZE, advice, where)
        assert machine.snapshot() == before
        assert a.c.cuMemRangeGetAttribute(4, 1, ptr, SIZE) == (Result.INVALID_VALUE, None)


@pytest.mark.parametrize("kind", ["nowhere", "null", "past the end", "registered", "up to registered memory"])
def test_pageable_range_is_the_hosts(kind: str) -> None:
    """A pageable range is the host's, whatever else is at its addresses."""

    def other(_: World, i: Invocation) -> Invocation:
        a = i.process
        pages = a.host_memory(2 * SIZE)
        if kind.endswith("registered memory"):
            a.ok.cuMemHostRegister(pages + SIZE, SIZE, 0)
            return i.evolve(devPtr=pages, count=2 * SIZE)
        places = {"nowhere": NOWHERE, "null": 0, "past the end": pages}
        count = 1 << 45 if kind == "past the end" else SIZE
        return i.evolve(devPtr=places[kind], count=count)

    if kind == "registered":
        on_model(
            entry,
            "RANGE_IS_MANAGED",
            Result.INVALID_VALUE,
            lambda _, i: i.evolve(devPtr=memory(i.process, "registered")),
            **with_(PAGEABLE, 1, 0),
        )
    else:
        on_model(entry, "PAGEABLE_RANGE_IS_THE_HOSTS", Result.INVALID_VALUE, other, **with_(PAGEABLE, 1, 0))
