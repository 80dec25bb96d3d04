"""cuMemcpyBatchAsync: a stream makes many copies in any order.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import evolve

from conformance.cases.driver.copy.fixtures import (
    LATER,
    NEW,
    OLD,
    ROOM,
    SIZE,
    any_side,
    blocked,
    filled,
    host,
    left_to_the_stream,
    on_host,
)
from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.stream.captured_calls import BROKEN, broken
from conformance.cases.driver.stream.fixtures import LEGACY, NON_BLOCKING, PER_THREAD, elsewhere, refuse, stream
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from conformance.kit.program import FORKED, INSIDE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

IN_ORDER, DURING_THE_CALL, ANY = 1, 2, 3
"""CUmemcpySrcAccessOrder."""
COPIES = 3
NONE, DEVICE, HOST, NODE, INVISIBLE = (0, 0), (1, 0), (2, 0), (4, 0), (5, 0)
"""Plain CUmemLocation."""


def attributes(
    order: int = IN_ORDER, source: tuple[int, int] = NONE, target: tuple[int, int] = NONE, flags: int = 0
) -> tuple[Plain, ...]:
    """Return plain CUmemcpyAttributes."""
    return (order, source, target, flags)


def valid(w: World) -> Invocation:
    a = w.process()
    dst, src = filled(a, OLD, 8 * SIZE), filled(a, NEW, 8 * SIZE)
    return a.call(
        "cuMemcpyBatchAsync",
        dsts=tuple(dst + 2 * SIZE * number for number in range(COPIES)),
        srcs=tuple(src + 2 * SIZE * number for number in range(COPIES)),
        sizes=(SIZE,) * COPIES,
        count=COPIES,
        attrs=(attributes(), attributes(ANY, flags=1)),
        attrsIdxs=(0, 2),
        numAttrs=2,
        hStream=PER_THREAD,
    )


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that all copies arrived, each with its size."""
    i.process.ok.cuCtxSynchronize()
    expected = (bytes([NEW]) * SIZE + bytes([OLD]) * SIZE) * COPIES
    assert content(i.process, i.args["dsts"][0], len(expected)) == expected


def one(name: str, value: Any) -> dict[str, Any]:
    """Return an argument with another last member: a value or a function."""
    return {name: lambda i: (*i.args[name][:-1], value(i) if callable(value) else value)}


def ordered(i: Invocation, order: int, **args: Plain) -> Invocation:
    """Return the call with one access order for all copies."""
    return i.evolve(attrs=(attributes(order),), attrsIdxs=(0,), numAttrs=1, **args)


entry = Entry("cuMemcpyBatchAsync", valid, arrived)
refuse(entry)
entry.breaks("STREAM_IS_NOT_LEGACY", "null", hStream=0)
entry.breaks("STREAM_IS_NOT_LEGACY", "legacy", hStream=LEGACY)
for count in (0, COPIES):
    entry.also(f"a broken capture and {count} copies", code=BROKEN, count=count, hStream=lambda i: broken(i.process))
for array in ("dsts", "srcs", "sizes", "attrs", "attrsIdxs"):
    entry.breaks("ARRAYS_ARE_GIVEN", array, **{array: None})
entry.breaks("EVERY_COPY_HAS_ATTRIBUTES", "none", numAttrs=0)
entry.breaks("EVERY_COPY_HAS_ATTRIBUTES", "more than copies", count=1)
entry.breaks("EVERY_COPY_HAS_ATTRIBUTES", "no copies", count=0)
entry.breaks("FIRST_INDEX_IS_ZERO", attrsIdxs=(1, 2))
entry.breaks("INDICES_INCREASE", "equal", attrsIdxs=(0, 0))
entry.breaks("INDICES_INCREASE", "behind the last copy", attrsIdxs=(0, COPIES))
for order in (0, 4, -1):
    entry.breaks("ORDER_IS_KNOWN", f"{order}", **one("attrs", attributes(order)))
entry.breaks("FLAGS_ARE_KNOWN", **one("attrs", attributes(flags=2)))
entry.breaks("BYTES_ARE_COPIED", "one of them", **one("sizes", 0))
entry.breaks("BYTES_ARE_COPIED", "between nulls", dsts=(0,) * COPIES, srcs=(0,) * COPIES, sizes=(0,) * COPIES)
any_side(entry, "dst", partial(one, "dsts"), writes=True)
any_side(entry, "src", partial(one, "srcs"))
entry.breaks("RANGE_IS_ALLOCATED", "dst past the end", **one("dsts", lambda i: i.args["dsts"][0] + ROOM - 8))
entry.breaks("RANGE_IS_ALLOCATED", "src past the end", **one("srcs", lambda i: i.args["srcs"][0] + ROOM - 8))
left_to_the_stream(entry, lambda i: i.args["dsts"][0])

for name, hint in {"no place": INVISIBLE, "no device": (1, 99), "a negative type": (-1, 0)}.items():
    for side in ("source", "target"):

        @entry.world("HINT_IS_A_PLACE", f"{name} for the {side}")
        def no_place(_w: World, i: Invocation, hint: Any = hint, side: str = side) -> Invocation:
            managed = i.process.ok.cuMemAllocManaged(PAGE, 1)
            array = "srcs" if side == "source" else "dsts"
            addresses = (managed, *i.args[array][1:])
            return i.evolve(attrs=(attributes(**{side: hint}),), attrsIdxs=(0,), numAttrs=1, **{array: addresses})

    entry.breaks("HINT_IS_A_PLACE", f"{name} for other memory", **one("attrs", attributes(source=hint, target=hint)))

for name, hint in {"none": NONE, "a device": DEVICE, "the host": HOST, "the current node": NODE}.items():

    @entry.also(f"managed memory should be on {name}")
    def place(_w: World, i: Invocation, hint: Any = hint) -> Invocation:
        managed = i.process.ok.cuMemAllocManaged(PAGE, 1)
        return i.evolve(dsts=(*i.args["dsts"][:-1], managed), attrs=(attributes(), attributes(target=hint)))


DEPENDENT = {
    "two targets overlap": {"dsts": lambda i: (i.args["dsts"][0], i.args["dsts"][0] + 8, i.args["dsts"][2])},
    "a target is a source of another": one("dsts", lambda i: i.args["srcs"][0] + 8),
    "a source is a target of another": one("srcs", lambda i: i.args["dsts"][0] + 8),
}
for name, change in DEPENDENT.items():
    entry.undefined("COPIES_ARE_INDEPENDENT", name, code=Result.SUCCESS, **change)


entry.also("two copies of one source", srcs=lambda i: (i.args["srcs"][0],) * COPIES, then=arrived)
entry.also("onto itself", srcs=lambda i: i.args["dsts"])
entry.also("one copy", count=1, attrs=(attributes(),), attrsIdxs=(0,), numAttrs=1)
entry.also("created", hStream=lambda i: stream(i.process), then=arrived)


@entry.also("created, in a fork")
def forked(_: World, i: Invocation) -> Invocation:
    return evolve(i.evolve(hStream=stream(i.process)), thread=FORKED)


@entry.world("CALLS_ARE_PERMITTED", "with a created stream")
def inside(_: World, i: Invocation) -> Invocation:
    return i.evolve(hStream=stream(i.process)).on_thread(INSIDE)


@entry.world("THREAD_HAS_A_CONTEXT")
def no_context(_: World, i: Invocation) -> Invocation:
    i = i.evolve(hStream=stream(i.process))
    i.process.ok.cuCtxPopCurrent()
    return i


@entry.world("THREAD_HAS_A_CONTEXT", "in a fork")
def forked_without(_: World, i: Invocation) -> Invocation:
    i = i.evolve(hStream=stream(i.process))
    i.process.ok.cuCtxPopCurrent()
    return evolve(i, thread=FORKED)


entry.also("of another context", hStream=lambda i: elsewhere(i.process)[0])


@entry.also("to the host")
def to_host(_w: World, i: Invocation) -> None:
    target = host(i.process, OLD)
    working = stream(i.process, NON_BLOCKING)
    i = ordered(i, IN_ORDER, dsts=(target, *i.args["dsts"][1:]), hStream=working)
    assert i.run() == (0,)
    i.process.ok.cuStreamSynchronize(working)
    assert on_host(i.process, target) == bytes([NEW]) * SIZE


@entry.also("pinned memory that changes while the stream waits, read in order")
def changes(w: World, i: Invocation) -> None:
    source, before, later = i.process.ok.cuMemAllocHost(PAGE), filled(i.process, NEW), filled(i.process, LATER)
    i.process.ok.cuMemcpyDtoH(source, before, SIZE)
    i, unblock = blocked(w, i)
    i = ordered(i, IN_ORDER, srcs=(source,), dsts=i.args["dsts"][:1], sizes=(SIZE,), count=1)
    assert i.run() == (0,)
    i.process.ok.cuMemcpyDtoH(source, later, SIZE)
    unblock()
    assert content(i.process, i.args["dsts"][0]) == bytes([LATER]) * 4


@entry.also("pinned memory that is read during the call: it waits for the stream")
def during_the_call(_: World, i: Invocation) -> None:
    a = i.process
    source, working = a.ok.cuMemAllocHost(PAGE), stream(a, NON_BLOCKING)
    a.ok.cuMemcpyDtoH(source, filled(a, NEW), SIZE)
    a.ok.cuLaunchHostFunc(working, a.c_function("usleep"), 100_000)
    i = ordered(i, DURING_THE_CALL, srcs=(source,), dsts=i.args["dsts"][:1], sizes=(SIZE,), count=1, hStream=working)
    assert i.run() == (0,)
    assert a.c.cuStreamQuery(working) == (0,)
    assert content(a, i.args["dsts"][0]) == bytes([NEW]) * 4


for order, kind in (
    (IN_ORDER, "source"),
    (IN_ORDER, "target"),
    (DURING_THE_CALL, "source"),
    (DURING_THE_CALL, "target"),
):

    @entry.also(f"pageable memory of order {order} as the {kind}")
    def pageable(_: World, i: Invocation, order: int = order, kind: str = kind) -> None:
        a, working = i.process, stream(i.process, NON_BLOCKING)
        plain, there = a.host_memory(PAGE), i.args["dsts"][0]
        ends = {"srcs": (plain,), "dsts": (there,)} if kind == "source" else {"srcs": (there,), "dsts": (plain,)}
        a.ok.cuLaunchHostFunc(working, a.c_function("usleep"), 100_000)
        ordered(i, order, sizes=(SIZE,), count=1, hStream=working, **ends).run()
        a.c.cuStreamQuery(working)
        a.ok.cuStreamSynchronize(working)


test_memcpy_batch_async = entry.test()
