"""cuMemRangeGetAttribute: an attribute of a range of managed memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.pool.fixtures import MANAGED, memory, pool
from conformance.cases.driver.unified.fixtures import (
    ACCESSED,
    ATTRIBUTE,
    CPU,
    GPU,
    LARGEST,
    NONE,
    PREFERRED,
    READ_MOSTLY,
    SIZE,
    UNSET_READ_MOSTLY,
    WIDTH,
    asked,
    managed,
    refuse_ranges,
    wrapped,
)
from conformance.cases.driver.va.fixtures import HOST, HOST_NUMA
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

EMPTY = {
    "READ_MOSTLY": 0,
    "PREFERRED_LOCATION": NONE,
    "ACCESSED_BY": (NONE,),
    "LAST_PREFETCH_LOCATION": NONE,
    "PREFERRED_LOCATION_TYPE": 0,
    "LAST_PREFETCH_LOCATION_TYPE": 0,
}
"""Attributes of memory without advice; location ids are then arbitrary."""


def valid(w: World) -> Invocation:
    a = w.process()
    args: dict[str, Plain] = {
        "dataSize": WIDTH,
        "attribute": ATTRIBUTE["READ_MOSTLY"],
        "devPtr": managed(a),
        "count": SIZE,
    }
    return a.call("cuMemRangeGetAttribute", **args)


entry = Entry("cuMemRangeGetAttribute", valid)
entry.null("data", "RESULT_IS_GIVEN")
refuse_ranges(entry)
wrapped(entry)
for label, unknown in {"none": 0, "beyond the last": 9, "negative": -1}.items():
    entry.breaks("ATTRIBUTE_IS_KNOWN", label, attribute=unknown)
for attribute in EMPTY:
    for size in (0, 3, 8) if attribute != "ACCESSED_BY" else (0, 3, 6):

        @entry.world("SIZE_IS_THE_ATTRIBUTES", f"{size} bytes of {attribute}")
        def of_another_size(_: World, i: Invocation, size: int = size, attribute: str = attribute) -> Invocation:
            return i.evolve(dataSize=size, attribute=ATTRIBUTE[attribute])


@entry.also("nothing was said")
def empty(_: World, i: Invocation) -> None:
    assert {name: asked(i.process, name, i.args["devPtr"]) for name in EMPTY} == EMPTY


for where, preferred in (((DEVICE, 0), (0, DEVICE, 0)), ((HOST_NUMA, 0), (CPU, HOST_NUMA, 0))):

    @entry.also(f"memory of a pool of location {where}")
    def of_a_pool(
        _: World, i: Invocation, where: tuple[int, int] = where, preferred: tuple[int, int, int] = preferred
    ) -> Invocation:
        ptr = memory(i.process, pool(i.process, kind=MANAGED, location=where), SIZE)
        names = ("PREFERRED_LOCATION", "PREFERRED_LOCATION_TYPE", "PREFERRED_LOCATION_ID")
        assert tuple(asked(i.process, name, ptr) for name in names) == preferred
        return i.evolve(devPtr=ptr)


def halves(a: Process, ptr: int, attribute: str) -> tuple[Plain, Plain, Plain]:
    """Return an attribute of a range's first half, second half, and whole."""
    half = SIZE // 2
    return asked(a, attribute, ptr, half), asked(a, attribute, ptr + half, half), asked(a, attribute, ptr)


@entry.also("read-mostly must be all")
def read_mostly(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    a.ok.cuMemAdvise(ptr, SIZE // 2, READ_MOSTLY, GPU)
    assert halves(a, ptr, "READ_MOSTLY") == (1, 0, 0)
    a.ok.cuMemAdvise(ptr + SIZE // 2, SIZE // 2, READ_MOSTLY, GPU)
    assert halves(a, ptr, "READ_MOSTLY") == (1, 1, 1)
    a.ok.cuMemAdvise(ptr + PAGE, PAGE, UNSET_READ_MOSTLY, GPU)
    assert halves(a, ptr, "READ_MOSTLY") == (0, 1, 0)


@entry.also("a part as long as the range")
def long_enough(_: World, i: Invocation) -> None:
    """Check that a part from before the range counts for it if long enough."""
    a, ptr = i.process, i.args["devPtr"]
    a.ok.cuMemAdvise(ptr, 2 * PAGE, PREFERRED, GPU)
    shown = [a.ok.cuMemRangeGetAttribute(4, ATTRIBUTE["PREFERRED_LOCATION"], ptr + PAGE, n * PAGE) for n in (1, 2, 3)]
    assert shown == [0, 0, NONE]


@entry.also("one preference, or none")
def preference(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    a.ok.cuMemAdvise(ptr, SIZE // 2, PREFERRED, GPU)
    assert halves(a, ptr, "PREFERRED_LOCATION") == (0, NONE, NONE)
    assert halves(a, ptr, "PREFERRED_LOCATION_TYPE") == (1, 0, 0)
    a.ok.cuMemAdvise(ptr + SIZE // 2, SIZE // 2, PREFERRED, (HOST, 0))
    assert halves(a, ptr, "PREFERRED_LOCATION") == (0, CPU, NONE)
    assert halves(a, ptr, "PREFERRED_LOCATION_TYPE") == (1, 2, 0)
    a.ok.cuMemAdvise(ptr, SIZE // 2, PREFERRED, (HOST, 0))
    assert halves(a, ptr, "PREFERRED_LOCATION") == (CPU, CPU, CPU)


@entry.also("the ids of devices and nodes; no node is preferred")
def ids(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    for where in (GPU, (HOST_NUMA, 0)):
        a.ok.cuMemAdvise(ptr, SIZE, PREFERRED, where)
        a.ok.cuMemPrefetchAsync(ptr, SIZE, where, 0, 0)
        for name, shown in {"PREFERRED_LOCATION": GPU, "LAST_PREFETCH_LOCATION": where}.items():
            assert asked(a, f"{name}_TYPE", ptr) == shown[0]
            assert asked(a, f"{name}_ID", ptr) == shown[1]


@entry.also("the ids of the host and of nothing")
def other_ids(_: World, i: Invocation) -> None:
    """Query location ids of the host and of no location, for the recording."""
    a, ptr = i.process, i.args["devPtr"]
    for name in ("PREFERRED_LOCATION", "LAST_PREFETCH_LOCATION"):
        asked(a, f"{name}_ID", ptr)
    a.ok.cuMemAdvise(ptr, SIZE, PREFERRED, (HOST, 0))
    a.ok.cuMemPrefetchAsync(ptr, SIZE, (HOST, 0), 0, 0)
    for name in ("PREFERRED_LOCATION", "LAST_PREFETCH_LOCATION"):
        asked(a, f"{name}_ID", ptr)


@entry.also("those who access all of it")
def accessors(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    a.ok.cuMemAdvise(ptr, SIZE, ACCESSED, GPU)
    a.ok.cuMemAdvise(ptr, SIZE // 2, ACCESSED, (HOST, 0))
    assert asked(a, "ACCESSED_BY", ptr, SIZE // 2, room=2) == (0, CPU)
    assert asked(a, "ACCESSED_BY", ptr, room=2) == (0, NONE)


@entry.also("as many as there is room for")
def room(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    for where in ((HOST, 0), GPU):
        a.ok.cuMemAdvise(ptr, SIZE, ACCESSED, where)
    a.ok.cuMemRangeGetAttribute(WIDTH, ATTRIBUTE["ACCESSED_BY"], ptr, SIZE)
    for several in (3, 5):
        assert asked(a, "ACCESSED_BY", ptr, room=several) == (0, CPU, *[NONE] * (several - 2))


@entry.also("bytes inside of pages")
def inside(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    a.ok.cuMemAdvise(ptr, PAGE, READ_MOSTLY, GPU)
    assert asked(a, "READ_MOSTLY", ptr + 1, PAGE - 1) == 1
    assert asked(a, "READ_MOSTLY", ptr + 1, PAGE) == 0


@entry.also("of no page all is so that can be")
def of_no_page(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["devPtr"]
    shown = {name: asked(a, name, ptr, LARGEST) for name in EMPTY}
    assert shown == {**EMPTY, "READ_MOSTLY": 1, "ACCESSED_BY": (0,)}
    assert CPU in asked(a, "ACCESSED_BY", ptr, LARGEST, room=9)


@entry.also("in another context")
def other_context(_: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)
    i.run()


test_mem_range_get_attribute = entry.test()
