"""The graph memory of a device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.graph.fixtures import ROOM
from conformance.cases.driver.graph.memory import BLOCK, allocating, launched
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

USED, USED_HIGH, RESERVED, RESERVED_HIGH = range(4)
"""CUgraphMem_attribute."""


def kept(a: Process) -> list[int]:
    """Return the values of all graph memory attributes of a device."""
    return [a.ok.cuDeviceGetGraphMemAttribute(0, attribute) for attribute in range(4)]


def valid(w: World) -> Invocation:
    a = w.process()
    launched(a, allocating(a, frees=True)[0])
    return a.call("cuDeviceGetGraphMemAttribute", device=0, attr=USED)


asks = Entry("cuDeviceGetGraphMemAttribute", valid)
asks.breaks("DEVICE_IS_VALID", device=99)
asks.breaks("DEVICE_IS_VALID", "negative", device=-1)
asks.breaks("ATTRIBUTE_IS_KNOWN", attr=4)
asks.null("value", "RESULT_IS_GIVEN")
for attribute in (USED_HIGH, RESERVED, RESERVED_HIGH):
    asks.also(f"{attribute}", attr=attribute)


@asks.also("once it is trimmed")
def trimmed(_w: World, i: Invocation) -> None:
    i.process.ok.cuDeviceGraphMemTrim(0)


@asks.also("of a block that executable graphs hand on")
def handed_on(_w: World, i: Invocation) -> None:
    a, (of, memory) = i.process, allocating(i.process)
    first = launched(a, allocating(a, frees=True)[0])
    for mark in (USED_HIGH, RESERVED_HIGH):
        a.ok.cuDeviceSetGraphMemAttribute(0, mark, 0)
    second = launched(a, of)
    assert kept(a) == [BLOCK] * 4
    a.ok.cuGraphLaunch(first, 0)
    a.ok.cuCtxSynchronize()
    assert kept(a)[RESERVED] == 2 * BLOCK
    a.ok.cuGraphExecDestroy(first)
    a.ok.cuDeviceGraphMemTrim(0)
    a.ok.cuMemFree(memory)
    a.ok.cuGraphExecDestroy(second)
    of, memory = allocating(a)
    launched(a, of)
    assert kept(a) == [BLOCK, 2 * BLOCK, BLOCK, 2 * BLOCK]
    a.ok.cuDeviceSetGraphMemAttribute(0, USED_HIGH, 0)
    assert kept(a) == [BLOCK, BLOCK, BLOCK, 2 * BLOCK]
    a.ok.cuMemFree(memory)


test_device_get_graph_mem_attribute = asks.test()


def reset(w: World) -> Invocation:
    a = w.process()
    launched(a, allocating(a, frees=True)[0])
    a.ok.cuDeviceGraphMemTrim(0)
    return a.call("cuDeviceSetGraphMemAttribute", device=0, attr=USED_HIGH, value=0)


def is_reset(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the high-water mark is reset."""
    i.c.cuDeviceGetGraphMemAttribute(0, i.args["attr"])


sets = Entry("cuDeviceSetGraphMemAttribute", reset, is_reset)
sets.breaks("DEVICE_IS_VALID", device=99)
sets.breaks("ATTRIBUTE_IS_KNOWN", attr=4)
sets.breaks("ATTRIBUTE_IS_A_MARK", "used", attr=USED)
sets.breaks("ATTRIBUTE_IS_A_MARK", "reserved", attr=RESERVED)
sets.breaks("MARK_IS_RESET", value=1)
sets.undefined("VALUE_IS_GIVEN", code=1, value=None)
sets.also("what is reserved", attr=RESERVED_HIGH)
test_device_set_graph_mem_attribute = sets.test()


def given_back(w: World) -> Invocation:
    a = w.process()
    launched(a, allocating(a, frees=True)[0])
    return a.call("cuDeviceGraphMemTrim", device=0)


def is_gone(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the device has no graph memory any more."""
    assert i.c.cuDeviceGetGraphMemAttribute(0, RESERVED) == (0, 0)


trims = Entry("cuDeviceGraphMemTrim", given_back, is_gone)
trims.breaks("DEVICE_IS_VALID", device=99)


@trims.also("what a launch has allocated stays")
def stays(_w: World, i: Invocation) -> None:
    a = i.process
    launched(a, allocating(a)[0])
    a.ok.cuDeviceGraphMemTrim(0)
    assert a.ok.cuDeviceGetGraphMemAttribute(0, RESERVED) == BLOCK


@trims.also("a later launch takes memory at the same address")
def taken_again(_w: World, i: Invocation) -> None:
    a, (of, memory) = i.process, allocating(i.process)
    made = launched(a, of)
    for _ in range(2):
        a.ok.cuMemFree(memory)
        a.ok.cuDeviceGraphMemTrim(0)
        a.ok.cuGraphLaunch(made, 0)
        a.ok.cuCtxSynchronize()
        assert a.ok.cuMemGetAddressRange(memory) == (memory, ROOM)
    a.ok.cuMemFree(memory)
    assert a.c.cuMemFree(memory) == (Result.INVALID_VALUE,)


@trims.also("what a stream has not freed yet stays, and a launch elsewhere waits for it")
def not_freed_yet(w: World, i: Invocation) -> None:
    a, (of, memory) = i.process, allocating(i.process)
    made, (blocked, other) = launched(a, of), (stream(a, NON_BLOCKING) for _ in range(2))
    block(w, a, blocked)
    a.ok.cuMemFreeAsync(memory, blocked)
    a.ok.cuDeviceGraphMemTrim(0)
    assert kept(a)[RESERVED] == BLOCK
    a.ok.cuGraphLaunch(made, other)
    assert a.c.cuStreamQuery(other) == (Result.NOT_READY,)


test_device_graph_mem_trim = trims.test()
