"""cuStreamBatchMemOp: a stream waits for values and writes values, one after the other.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from conformance.case import Entry
from conformance.memory.parts import READ_ONLY, registered
from conformance.stream.mem_ops import EQ, FLUSH, GEQ, NO_BARRIER, NOR, OPERATION, devices, on_capable_model
from conformance.stream.parts import NON_BLOCKING, accept, refuse, stream, word
from conformance.va.parts import NOWHERE, READ, content, half_mapped, on_model
from fakecuda.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.program import Plain
    from conformance.world import Invocation, World

    Operation = tuple[int, ...]

ADD, AND, OR = 0, 5, 6
"""CUstreamAtomicReductionOpType."""
UNSIGNED_32, UNSIGNED_64 = 14, 22
"""CUstreamAtomicReductionDataType."""
WAIT_FLAGS = "stream.stream_wait_value32.FLAGS_ARE_KNOWN"
WRITE_FLAGS = "stream.stream_write_value32.FLAGS_ARE_KNOWN"
MOST = 255
REDUCES = {"ATOMIC_REDUCTION_SUPPORTED": 1}


def wait(address: int, value: int = 0, flags: int = GEQ, width: int = 32) -> Operation:
    """Return an operation that waits for a value."""
    return (OPERATION[f"WAIT_VALUE_{width}"], address, value, flags)


def write(address: int, value: int = 1, flags: int = 0, width: int = 32) -> Operation:
    """Return an operation that writes a value."""
    return (OPERATION[f"WRITE_VALUE_{width}"], address, value, flags)


def reduce(address: int, value: int = 1, operation: int = ADD, kind: int = UNSIGNED_32, flags: int = 0) -> Operation:
    """Return an operation that changes a value by another."""
    return (OPERATION["ATOMIC_REDUCTION"], flags, operation, kind, address, value)


def valid(w: World) -> Invocation:
    a = w.process()
    place = word(a)
    operations = (write(place, 0x0807060504030201, width=64), wait(place, 0x04030201, EQ), write(place + 8, 9))
    return a.call("cuStreamBatchMemOp", stream=0, count=3, paramArray=operations, flags=0)


def written(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """The values stand in memory."""
    i.process.ok.cuStreamSynchronize(i.args["stream"])
    assert content(i.process, i.args["paramArray"][0][1], 16) == bytes(range(1, 10)) + bytes(7)


entry = Entry("cuStreamBatchMemOp", valid, written)
refuse(entry, "stream")
accept(entry, "stream")
entry.breaks("FLAGS_ARE_ZERO", flags=1)
entry.breaks("FLAGS_ARE_ZERO", "highest bit", flags=1 << 31)
entry.undefined("OPERATION_IS_THERE", code=Result.INVALID_VALUE, count=0)
entry.breaks("ARRAY_IS_GIVEN", paramArray=None)


def one(rule: str, case: str, operation: Callable[[int, Invocation], Operation]) -> None:
    """Break a rule by the only operation: what is returned for the address of a word, and the invocation."""

    @entry.world(rule, case)
    def alone(_w: World, i: Invocation) -> Invocation:
        return i.evolve(count=1, paramArray=(operation(i.args["paramArray"][0][1], i),))


def managed(i: Invocation) -> int:
    """Return the address of managed memory."""
    address: int = i.process.ok.cuMemAllocManaged(64, 1)
    return address


@entry.world("OPERATIONS_ARE_FEW")
def many(_w: World, i: Invocation) -> Invocation:
    return i.evolve(count=MOST + 1, paramArray=(i.args["paramArray"][0],) * (MOST + 1))


one("OPERATION_IS_KNOWN", "0", lambda *_: (0,))
one("OPERATION_IS_KNOWN", "unused", lambda *_: (7,))
one("OPERATION_IS_KNOWN", "negative", lambda *_: (-1,))
one("OPERATION_S_FLAGS_ARE_KNOWN", "barrier", lambda *_: (OPERATION["BARRIER"], 2))
one("OPERATION_S_FLAGS_ARE_KNOWN", "flush", lambda *_: (OPERATION["FLUSH_REMOTE_WRITES"], 1))
one("FLUSH_IS_SUPPORTED", "operation", lambda *_: (OPERATION["FLUSH_REMOTE_WRITES"], 0))
one("REDUCTION_IS_SUPPORTED", "", lambda place, _: reduce(place))
for width in (32, 64):
    waits, writes = partial(wait, width=width), partial(write, width=width)
    one(WAIT_FLAGS, f"{width}", lambda place, _, do=waits: do(place, 0, 4))
    one("FLUSH_IS_SUPPORTED", f"wait {width}", lambda place, _, do=waits: do(place, 0, FLUSH))
    one(WRITE_FLAGS, f"{width}", lambda place, _, do=writes: do(place, 0, 2))
    one("BARRIER_IS_LEFT_IN", f"{width}", lambda place, _, do=writes: do(place, 0, NO_BARRIER))
    one("MEMORY_IS_WRITABLE", f"{width}", lambda _, i, do=writes: do(registered(i.process, flags=READ_ONLY)))
    one("ACCESS_IS_GRANTED", f"wait {width}", lambda _, i, do=waits: do(half_mapped(i.process, 0)))
    one("ACCESS_IS_GRANTED", f"write {width}", lambda _, i, do=writes: do(half_mapped(i.process, READ)))
    for kind, do in {"wait": waits, "write": writes}.items():
        one("ADDRESS_IS_ALIGNED", f"{kind} {width}", lambda place, _, do=do, by=width // 16: do(place + by))
        one("MEMORY_IS_NOT_MANAGED", f"{kind} {width}", lambda _, i, do=do: do(managed(i)))
        one("RANGE_IS_ALLOCATED", f"{kind} {width}", lambda *_, do=do: do(NOWHERE))


@entry.also("the most that there may be")
def most(_w: World, i: Invocation) -> Invocation:
    return i.evolve(count=MOST, paramArray=(i.args["paramArray"][0],) * MOST)


@entry.also("barriers")
def barriers(_w: World, i: Invocation) -> Invocation:
    return i.evolve(count=2, paramArray=((OPERATION["BARRIER"], 0), (OPERATION["BARRIER"], 1)))


@entry.also("fewer than the array has")
def fewer(_w: World, i: Invocation) -> None:
    a = i.process
    place = word(a)
    a.ok.cuStreamBatchMemOp(0, 1, (write(place, 5), (0,)), 0)
    a.ok.cuStreamSynchronize(0)
    assert content(a, place) == bytes([5, 0, 0, 0])


@entry.also("in the order of the array")
def in_order(_w: World, i: Invocation) -> None:
    a = i.process
    working, opener, place = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING), word(a)
    operations = (
        write(place, 1),
        wait(place + 8, 1, EQ),
        write(place, 2),
        wait(place + 8, 3, NOR),
        write(place + 4, 4),
    )
    a.ok.cuStreamBatchMemOp(working, len(operations), operations, 0)
    a.ok.cuStreamWaitValue32(opener, place, 1, EQ)
    a.ok.cuStreamSynchronize(opener)
    assert a.c.cuStreamQuery(working) == (Result.NOT_READY,)
    a.ok.cuStreamWriteValue32(opener, place + 8, 1, 0)
    a.ok.cuStreamSynchronize(working)
    assert content(a, place, 8) == bytes([2, 0, 0, 0, 4, 0, 0, 0])


@entry.also("one that is refused leaves the others undone")
def all_or_none(_w: World, i: Invocation) -> None:
    a = i.process
    place = word(a)
    refused = a.c.cuStreamBatchMemOp(0, 2, (write(place, 5), write(place + 5, 6)), 0)
    assert refused == (Result.INVALID_VALUE,)
    a.ok.cuStreamSynchronize(0)
    assert content(a, place) == bytes(4)


test_stream_batch_mem_op = entry.test()


def alone(operation: Callable[[int, Invocation], Operation], _w: World, i: Invocation) -> Invocation:
    """Make the call with one operation."""
    return i.evolve(count=1, paramArray=(operation(i.args["paramArray"][0][1], i),))


@pytest.mark.parametrize("do", [wait, write])
def test_width_is_supported(do: Callable[..., Operation]) -> None:
    act = partial(alone, lambda place, _: do(place, width=64))
    narrow = devices(CAN_USE_64_BIT_STREAM_MEM_OPS=0)
    on_model(entry, "WIDTH_IS_SUPPORTED", Result.NOT_SUPPORTED, act, **narrow)
    on_capable_model(entry, partial(alone, lambda place, _: do(place)), CAN_USE_64_BIT_STREAM_MEM_OPS=0)


def test_nor_is_supported() -> None:
    act = partial(alone, lambda place, _: wait(place, 0, NOR))
    on_model(entry, "NOR_IS_SUPPORTED", Result.NOT_SUPPORTED, act, **devices(CAN_USE_STREAM_WAIT_VALUE_NOR=0))


def test_a_device_may_flush_remote_writes() -> None:
    act = partial(alone, lambda *_: (OPERATION["FLUSH_REMOTE_WRITES"], 0))
    on_capable_model(entry, act, CAN_FLUSH_REMOTE_WRITES=1)


REDUCTIONS: dict[str, tuple[str, Callable[[int, Invocation], Operation]]] = {
    "flags": ("OPERATION_S_FLAGS_ARE_KNOWN", lambda place, _: reduce(place, flags=1)),
    "operation": ("REDUCTION_IS_KNOWN", lambda place, _: reduce(place, operation=1)),
    "type": ("REDUCTION_IS_KNOWN", lambda place, _: reduce(place, kind=0)),
    "alignment": ("ADDRESS_IS_ALIGNED", lambda place, _: reduce(place + 4, kind=UNSIGNED_64)),
    "read-only": ("MEMORY_IS_WRITABLE", lambda _, i: reduce(registered(i.process, flags=READ_ONLY))),
    "managed": ("MEMORY_IS_NOT_MANAGED", lambda _, i: reduce(managed(i))),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_rules_of_reductions(name: str) -> None:
    rule, operation = REDUCTIONS[name]
    on_model(entry, rule, Result.INVALID_VALUE, partial(alone, operation), **devices(**REDUCES))


def test_reductions() -> None:
    on_capable_model(entry, _reductions, **REDUCES)


def _reductions(_w: World, i: Invocation) -> None:
    a = i.process
    place = word(a)
    ones = (1 << 64) - 1
    operations = (
        write(place, ones, width=64),
        reduce(place, 2),
        write(place + 8, ones - 1, width=64),
        reduce(place + 8, 3, kind=UNSIGNED_64),
        write(place + 16, 6),
        reduce(place + 16, 3, AND),
        write(place + 20, 6),
        reduce(place + 20, 3, OR),
    )
    a.ok.cuStreamBatchMemOp(0, len(operations), operations, 0)
    a.ok.cuStreamSynchronize(0)
    assert content(a, place, 24) == bytes([1, 0, 0, 0, 255, 255, 255, 255, 1, *[0] * 7, 2, 0, 0, 0, 7, 0, 0, 0])
