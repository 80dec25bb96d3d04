"""cuStreamBatchMemOp: a stream waits for values and writes values, in order.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from conformance.cases.driver.graph.fixtures import executable
from conformance.cases.driver.memory.fixtures import READ_ONLY, registered
from conformance.cases.driver.stream.captured_calls import captured
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, accept, pooled, refuse, stream, word
from conformance.cases.driver.stream.mem_ops import (
    EQ,
    FLUSH,
    GEQ,
    NO_BARRIER,
    NOR,
    OPERATION,
    devices,
    far,
    on_capable_model,
)
from conformance.cases.driver.va.fixtures import NOWHERE, READ, content, half_mapped, on_model
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

    Operation = tuple[int, ...]
    Do = Callable[[int], Operation]

ADD, AND, OR = 0, 5, 6
"""CUstreamAtomicReductionOpType."""
UNSIGNED_32, UNSIGNED_64 = 14, 22
"""CUstreamAtomicReductionDataType."""
WAIT_FLAGS = "stream.stream_wait_value.FLAGS_ARE_KNOWN"
WRITE_FLAGS = "stream.stream_write_value.FLAGS_ARE_KNOWN"
MOST = 255
REDUCES = {"ATOMIC_REDUCTION_SUPPORTED": 1}


def wait(address: int, value: int = 0, flags: int = GEQ, width: int = 32) -> Operation:
    """Return an operation that waits for a value."""
    return (OPERATION[f"WAIT_VALUE_{width}"], address, value, flags)


def write(address: int, value: int = 1, flags: int = 0, width: int = 32) -> Operation:
    """Return an operation that writes a value."""
    return (OPERATION[f"WRITE_VALUE_{width}"], address, value, flags)


def reduce(address: int, value: int = 1, operation: int = ADD, kind: int = UNSIGNED_32, flags: int = 0) -> Operation:
    """Return an operation that combines a value in memory with another."""
    return (OPERATION["ATOMIC_REDUCTION"], flags, operation, kind, address, value)


def valid(w: World) -> Invocation:
    a = w.process()
    memory = word(a)
    operations = (write(memory, 0x0807060504030201, width=64), wait(memory, 0x04030201, EQ), write(memory + 8, 9))
    return a.call("cuStreamBatchMemOp", stream=0, count=3, paramArray=operations, flags=0)


def written(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check the values in memory."""
    i.process.ok.cuStreamSynchronize(i.args["stream"])
    assert content(i.process, place(i), 16) == bytes(range(1, 10)) + bytes(7)


entry = Entry("cuStreamBatchMemOp", valid, written)
refuse(entry, "stream")
accept(entry, "stream")
entry.breaks("FLAGS_ARE_ZERO", flags=1)
entry.breaks("FLAGS_ARE_ZERO", "highest bit", flags=1 << 31)
entry.undefined("ARRAY_IS_GIVEN", code=Result.INVALID_VALUE, paramArray=None)
entry.also("none at all", count=0)
entry.also("none at all, and no array", count=0, paramArray=None)


def one(rule: str, case: str, operation: Callable[[Invocation], Operation]) -> None:
    """Break a rule by the only operation."""
    entry.world(rule, case)(partial(alone, operation))


def alone(operation: Callable[[Invocation], Operation], _w: World, i: Invocation) -> Invocation:
    """Make the call with one operation."""
    return i.evolve(count=1, paramArray=(operation(i),))


def place(i: Invocation) -> int:
    """Return the address of the invocation's memory."""
    return int(i.args["paramArray"][0][1])


def managed(a: Process) -> int:
    """Return the address of managed memory."""
    address: int = a.ok.cuMemAllocManaged(64, 1)
    return address


def refuse_memory(do: Do, name: str, width: int) -> None:
    """Add the cases of an operation with unsuitable memory.

    Args:
        do: Makes the operation from an address.
        name: What the cases are called.
        width: The value's bits.
    """
    one("ADDRESS_IS_ALIGNED", name, lambda i: do(place(i) + width // 16))
    one("MEMORY_IS_NOT_MANAGED", name, lambda i: do(managed(i.process)))
    one("RANGE_IS_ALLOCATED", name, lambda _: do(NOWHERE))
    one("MEMORY_IS_OF_NO_POOL", name, lambda i: do(pooled(i.process)))
    one("ACCESS_IS_GRANTED", f"{name} none", lambda i: do(half_mapped(i.process, 0)))
    entry.world("PEER_IS_ENABLED", name)(lambda w, i: i.evolve(count=1, paramArray=(do(far(w, i.process)),)))


def refuse_values(width: int) -> None:
    """Add the cases of operations with values of a width in bits."""
    waits, writes = partial(wait, width=width), partial(write, width=width)
    one(WAIT_FLAGS, f"{width}", lambda i: waits(place(i), 0, 4))
    one("FLUSH_IS_SUPPORTED", f"wait {width}", lambda i: waits(place(i), 0, FLUSH))
    one(WRITE_FLAGS, f"{width}", lambda i: writes(place(i), 0, 2))
    one(WRITE_FLAGS, f"{width}, no barrier", lambda i: writes(place(i), 0, NO_BARRIER))
    refuse_memory(waits, f"wait {width}", width)
    refuse_memory(writes, f"write {width}", width)


@entry.world("OPERATIONS_ARE_FEW")
def many(_w: World, i: Invocation) -> Invocation:
    return i.evolve(count=MOST + 1, paramArray=(i.args["paramArray"][0],) * (MOST + 1))


one("OPERATION_IS_KNOWN", "0", lambda _: (0,))
one("OPERATION_IS_KNOWN", "unused", lambda _: (7,))
one("OPERATION_IS_KNOWN", "negative", lambda _: (-1,))
one("OPERATION_S_FLAGS_ARE_KNOWN", "barrier", lambda _: (OPERATION["BARRIER"], 2))
one("FLUSH_IS_SUPPORTED", "operation with flags", lambda _: (OPERATION["FLUSH_REMOTE_WRITES"], 1))
one("FLUSH_IS_SUPPORTED", "operation", lambda _: (OPERATION["FLUSH_REMOTE_WRITES"], 0))
one("REDUCTION_IS_SUPPORTED", "", lambda i: reduce(place(i)))
for bits in (32, 64):
    refuse_values(bits)


@entry.undefined("MEMORY_CAN_BE_WRITTEN", code=Result.SUCCESS)
def read_only(_w: World, i: Invocation) -> Invocation:
    return i.evolve(count=1, paramArray=(write(registered(i.process, flags=READ_ONLY)),))


@entry.undefined("MEMORY_CAN_BE_WRITTEN", "mapped", code=Result.SUCCESS)
def mapped_to_read(_w: World, i: Invocation) -> Invocation:
    return i.evolve(count=1, paramArray=(write(half_mapped(i.process, READ)),))


entry.also("the most that there may be", count=MOST, paramArray=lambda i: (i.args["paramArray"][0],) * MOST)


entry.also("barriers", count=2, paramArray=((OPERATION["BARRIER"], 0), (OPERATION["BARRIER"], 1)))


@entry.also("fewer than the array has")
def fewer(_w: World, i: Invocation) -> None:
    a = i.process
    memory = word(a)
    a.ok.cuStreamBatchMemOp(0, 1, (write(memory, 5), (0,)), 0)
    a.ok.cuStreamSynchronize(0)
    assert content(a, memory) == bytes([5, 0, 0, 0])


@entry.also("in the order of the array")
def in_order(_w: World, i: Invocation) -> None:
    a = i.process
    working, opener, memory = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING), word(a)
    operations = (
        write(memory, 1),
        wait(memory + 8, 1, EQ),
        write(memory, 2),
        wait(memory + 8, 3, NOR),
        write(memory + 4, 4),
    )
    a.ok.cuStreamBatchMemOp(working, len(operations), operations, 0)
    a.ok.cuStreamWaitValue32(opener, memory, 1, EQ)
    a.ok.cuStreamSynchronize(opener)
    assert a.c.cuStreamQuery(working) == (Result.NOT_READY,)
    a.ok.cuStreamWriteValue32(opener, memory + 8, 1, 0)
    a.ok.cuStreamSynchronize(working)
    assert content(a, memory, 8) == bytes([2, 0, 0, 0, 4, 0, 0, 0])


@entry.also("one that is refused leaves the others undone")
def all_or_none(_w: World, i: Invocation) -> None:
    a = i.process
    memory = word(a)
    refused = a.c.cuStreamBatchMemOp(0, 2, (write(memory, 5), write(memory + 5, 6)), 0)
    assert refused == (Result.INVALID_VALUE,)
    a.ok.cuStreamSynchronize(0)
    assert content(a, memory) == bytes(4)


def operated(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check the values in memory after the graph's launch."""
    a, working = i.process, i.args["stream"]
    made = a.ok.cuStreamEndCapture(working)
    assert content(a, place(i), 16) == bytes(16)
    a.ok.cuGraphLaunch(executable(a, made), working)
    a.ok.cuStreamSynchronize(working)
    assert content(a, place(i), 16) == bytes(range(1, 10)) + bytes(7)


@entry.also("in a stream that is captured", then=operated)
def while_captured(_w: World, i: Invocation) -> Invocation:
    return i.evolve(stream=captured(i.process))


@entry.also("managed memory, in a stream that is captured")
def managed_while_captured(_w: World, i: Invocation) -> Invocation:
    return i.evolve(stream=captured(i.process), count=1, paramArray=(write(managed(i.process)),))


for rule, refused in (
    ("FLAGS_ARE_ZERO", {"flags": 1}),
    ("OPERATION_IS_KNOWN", {"count": 1, "paramArray": ((7,),)}),
    ("OPERATION_S_FLAGS_ARE_KNOWN", {"count": 1, "paramArray": ((OPERATION["BARRIER"], 2),)}),
    (WAIT_FLAGS, {"count": 1, "paramArray": (wait(NOWHERE, 0, 4),)}),
    (WRITE_FLAGS, {"count": 1, "paramArray": (write(NOWHERE, 0, 2),)}),
):
    entry.breaks(rule, "while it is captured", stream=lambda i: captured(i.process), **refused)


test_stream_batch_mem_op = entry.test()


@pytest.mark.parametrize("do", [wait, write])
def test_width_is_supported(do: Callable[..., Operation]) -> None:
    act = partial(alone, lambda i: do(place(i), width=64))
    narrow = devices(CAN_USE_64_BIT_STREAM_MEM_OPS=0)
    on_model(entry, "WIDTH_IS_SUPPORTED", Result.NOT_SUPPORTED, act, **narrow)
    on_capable_model(entry, partial(alone, lambda i: do(place(i))), CAN_USE_64_BIT_STREAM_MEM_OPS=0)


def test_nor_is_supported() -> None:
    act = partial(alone, lambda i: wait(place(i), 0, NOR))
    on_model(entry, "NOR_IS_SUPPORTED", Result.NOT_SUPPORTED, act, **devices(CAN_USE_STREAM_WAIT_VALUE_NOR=0))


def test_a_device_may_flush_remote_writes() -> None:
    act = partial(alone, lambda _: (OPERATION["FLUSH_REMOTE_WRITES"], 0))
    on_capable_model(entry, act, CAN_FLUSH_REMOTE_WRITES=1)
    flagged = partial(alone, lambda _: (OPERATION["FLUSH_REMOTE_WRITES"], 1))
    flushing = devices(CAN_FLUSH_REMOTE_WRITES=1)
    on_model(entry, "OPERATION_S_FLAGS_ARE_KNOWN", Result.INVALID_VALUE, flagged, **flushing)


REDUCTIONS: dict[str, tuple[str, Callable[[Invocation], Operation]]] = {
    "flags": ("OPERATION_S_FLAGS_ARE_KNOWN", lambda i: reduce(place(i), flags=1)),
    "operation": ("REDUCTION_IS_KNOWN", lambda i: reduce(place(i), operation=1)),
    "type": ("REDUCTION_IS_KNOWN", lambda i: reduce(place(i), kind=0)),
    "alignment": ("ADDRESS_IS_ALIGNED", lambda i: reduce(place(i) + 4, kind=UNSIGNED_64)),
    "pooled": ("MEMORY_IS_OF_NO_POOL", lambda i: reduce(pooled(i.process))),
    "managed": ("MEMORY_IS_NOT_MANAGED", lambda i: reduce(managed(i.process))),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_rules_of_reductions(name: str) -> None:
    rule, operation = REDUCTIONS[name]
    on_model(entry, rule, Result.INVALID_VALUE, partial(alone, operation), **devices(**REDUCES))


def test_reductions() -> None:
    on_capable_model(entry, _reductions, **REDUCES)


def test_a_captured_reduction() -> None:
    on_capable_model(entry, _captured_reduction, **REDUCES)


def _captured_reduction(_w: World, i: Invocation) -> None:
    a, memory, begun = i.process, word(i.process), captured(i.process)
    a.ok.cuStreamBatchMemOp(begun, 1, (reduce(memory, 3),), 0)
    a.ok.cuGraphLaunch(executable(a, a.ok.cuStreamEndCapture(begun)), begun)
    a.ok.cuStreamSynchronize(begun)
    assert content(a, memory) == bytes([3, 0, 0, 0])


def _reductions(_w: World, i: Invocation) -> None:
    a = i.process
    memory = word(a)
    ones = (1 << 64) - 1
    operations = (
        write(memory, ones, width=64),
        reduce(memory, 2),
        write(memory + 8, ones - 1, width=64),
        reduce(memory + 8, 3, kind=UNSIGNED_64),
        write(memory + 16, 6),
        reduce(memory + 16, 3, AND),
        write(memory + 20, 6),
        reduce(memory + 20, 3, OR),
    )
    a.ok.cuStreamBatchMemOp(0, len(operations), operations, 0)
    a.ok.cuStreamSynchronize(0)
    assert content(a, memory, 24) == bytes([1, 0, 0, 0, 255, 255, 255, 255, 1, *[0] * 7, 2, 0, 0, 0, 7, 0, 0, 0])
