"""cuMemHostGetFlags: the flags of page-locked memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html

Memory of up to 1 MiB lies in a block with others: what is told are the flags of the allocation that the block was made
for. Each case has a context of its own, therefore.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import (
    DEVICE_MAP,
    PAGE,
    PORTABLE,
    READ_ONLY,
    WRITE_COMBINED,
    pointers,
    registered,
)
from conformance.cases.driver.va.fixtures import half_mapped
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, access
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

LARGE = 2 << 20


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemHostGetFlags", p=a.ok.cuMemHostAlloc(LARGE, 0))


def mapped(_: World, __: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the memory is mapped."""
    assert results == (DEVICE_MAP,)


entry = Entry("cuMemHostGetFlags", valid, mapped)
entry.null("pFlags", "RESULT_IS_GIVEN")
entry.breaks("POINTER_IS_OF_THE_HOST", "null", p=0)
entry.breaks("POINTER_IS_OF_THE_HOST", "just behind", p=lambda i: i.args["p"] + LARGE)
for kind, args in pointers("p", "linear", "plain", "nowhere"):
    entry.breaks("POINTER_IS_OF_THE_HOST", kind, **args)
for kind, args in pointers("p", "mapped"):
    entry.also(kind, **args)


@entry.world("POINTER_IS_OF_THE_HOST", "freed")
def freed(_: World, i: Invocation) -> None:
    i.process.ok.cuMemFreeHost(i.args["p"])


@entry.world("MAPPING_IS_OF_THE_DEVICE")
def mapped_without_access(_: World, i: Invocation) -> Invocation:
    return i.evolve(p=half_mapped(i.process, 0))


@entry.world("MAPPING_IS_OF_THE_DEVICE", "another device's")
def mapped_for_another_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    ptr = half_mapped(i.process, 0)
    i.process.ok.cuMemSetAccess(ptr, GRANULE, (access(1),), 1)
    return i.evolve(p=ptr)


entry.also("inside", p=lambda i: i.args["p"] + 5, then=mapped)
entry.also("from cuMemAllocHost", p=lambda i: i.process.ok.cuMemAllocHost(LARGE), then=mapped)
for kind, args in pointers("p", "registered", "managed"):
    entry.also(kind, then=mapped, **args)


@entry.also("the flags that were asked for")
def as_asked(_: World, i: Invocation) -> None:
    """Check that memory in its own block has all flags, and is mapped."""
    a = i.process
    for flags in range(8):
        assert a.ok.cuMemHostGetFlags(a.ok.cuMemHostAlloc(LARGE, flags)) == flags | DEVICE_MAP


def told(a: Process, *asked: int) -> list[int]:
    """Return the flags of successive small allocations in a new context."""
    a.ok.cuCtxCreate(None, 0, 0)
    found: list[int] = [a.ok.cuMemHostGetFlags(a.ok.cuMemHostAlloc(PAGE, flags)) for flags in asked]
    return found


@entry.also("the first in a block is portable")
def first_portable(_: World, i: Invocation) -> None:
    assert told(i.process, PORTABLE, 0) == [PORTABLE | DEVICE_MAP] * 2


@entry.also("the first in a block is not portable")
def second_portable(_: World, i: Invocation) -> None:
    assert told(i.process, 0, PORTABLE, DEVICE_MAP) == [DEVICE_MAP] * 3


@entry.also("write-combined memory has blocks of its own")
def write_combined(_: World, i: Invocation) -> None:
    both = WRITE_COMBINED | DEVICE_MAP
    assert told(i.process, 0, WRITE_COMBINED, WRITE_COMBINED | PORTABLE) == [DEVICE_MAP, both, both]


@entry.also("write-combined and portable")
def write_combined_portable(_: World, i: Invocation) -> None:
    every = PORTABLE | DEVICE_MAP | WRITE_COMBINED
    assert told(i.process, 0, WRITE_COMBINED | PORTABLE, WRITE_COMBINED) == [DEVICE_MAP, every, every]


@entry.also("registered with flags")
def registered_with_flags(_: World, i: Invocation) -> None:
    """Check that the flags omit read-only registration."""
    asked = (0, PORTABLE, DEVICE_MAP, PORTABLE | DEVICE_MAP, READ_ONLY)
    found = [i.process.ok.cuMemHostGetFlags(registered(i.process, flags=flags)) for flags in asked]
    assert found == [DEVICE_MAP, PORTABLE | DEVICE_MAP, DEVICE_MAP, PORTABLE | DEVICE_MAP, DEVICE_MAP]


@entry.also("of another context")
def other_context(_: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


@entry.also("the result comes before cuInit and the context")
def result_first(w: World, i: Invocation) -> None:
    bare = w.process(init=False, context=False)
    for door in (bare.c, i.process.thread("bare").c):
        assert door.cuMemHostGetFlags(i.args["p"], null="pFlags") == (Result.INVALID_VALUE, None)


test_mem_host_get_flags = entry.test()
