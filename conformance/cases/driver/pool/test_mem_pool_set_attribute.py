"""cuMemPoolSetAttribute: set a pool's reuse policies, threshold or marks.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.pool.fixtures import (
    ATTRIBUTE,
    CHUNK,
    FOLLOW_EVENTS,
    SIZE,
    books,
    imported,
    memory,
    pool,
    refuse,
    value,
)
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


THRESHOLD = ATTRIBUTE["RELEASE_THRESHOLD"]


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemPoolSetAttribute", pool=pool(a), attr=FOLLOW_EVENTS, value=0)


def set_(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the attribute has its new value."""
    assert i.process.ok.cuMemPoolGetAttribute(i.args["pool"], i.args["attr"]) == i.args["value"]


entry = Entry("cuMemPoolSetAttribute", valid, set_)
refuse(entry)
for attribute in (0, 16, 99):
    entry.breaks("ATTRIBUTE_IS_KNOWN", f"attribute {attribute}", attr=attribute)
for name in ("ALLOCATION_TYPE", "LOCATION_ID", "MAX_POOL_SIZE"):
    entry.breaks("ATTRIBUTE_IS_KNOWN", name.lower(), attr=ATTRIBUTE[name])
for name in ("RESERVED_MEM_CURRENT", "USED_MEM_CURRENT"):
    entry.breaks("ATTRIBUTE_CAN_BE_SET", name.lower(), attr=ATTRIBUTE[name])
for name in ("RESERVED_MEM_HIGH", "USED_MEM_HIGH"):
    entry.breaks("MARK_IS_RESET", name.lower(), attr=ATTRIBUTE[name], value=1)
    entry.also(name.lower(), attr=ATTRIBUTE[name], then=set_)
entry.undefined("VALUE_IS_GIVEN", code=Result.INVALID_VALUE, value=None)
for name in ("REUSE_FOLLOW_EVENT_DEPENDENCIES", "REUSE_ALLOW_OPPORTUNISTIC", "REUSE_ALLOW_INTERNAL_DEPENDENCIES"):
    for enabled in (0, 1):
        entry.also(f"{name.lower()} {enabled}", attr=ATTRIBUTE[name], value=enabled, then=set_)
for size in (0, 1, CHUNK, (1 << 64) - 1):
    entry.also(f"threshold {size}", attr=THRESHOLD, value=size, then=set_)


@entry.also("a policy is on or off")
def flag(_: World, i: Invocation) -> Invocation:
    a = i.process
    a.ok.cuMemPoolSetAttribute(i.args["pool"], FOLLOW_EVENTS, 2)
    assert a.ok.cuMemPoolGetAttribute(i.args["pool"], FOLLOW_EVENTS) == 1
    return i


entry.also("of the default pool", pool=lambda i: i.process.ok.cuDeviceGetDefaultMemPool(0))


@entry.world("POOL_HAS_BOOKS")
def import_(w: World, i: Invocation) -> Invocation:
    return i.evolve(pool=imported(i.process, w.process())[0])


def released(i: Invocation, how: str) -> int:
    """Return the bytes that a pool keeps of three blocks after a synchronisation."""
    a, source, working = i.process, i.args["pool"], stream(i.process, NON_BLOCKING)
    for ptr in [memory(a, source, CHUNK, working) for _round in range(3)]:
        a.ok.cuMemFreeAsync(ptr, working)
    recorded = a.ok.cuEventCreate(0)
    a.ok.cuEventRecord(recorded, working)
    if how == "stream":
        a.ok.cuStreamSynchronize(working)
    elif how == "event":
        a.ok.cuEventSynchronize(recorded)
    elif how == "context":
        a.ok.cuCtxSynchronize()
    elif how == "context by name":
        a.ok.cuCtxSynchronize_v2(a.context)
    return books(a, source)[0]


for how in ("stream", "event", "context", "context by name"):

    @entry.also(f"what is above the threshold goes when somebody waits for the {how}")
    def synchronise(_: World, i: Invocation, how: str = how) -> None:
        assert released(i, how) == 0
        i.process.ok.cuMemPoolSetAttribute(i.args["pool"], THRESHOLD, 2 * CHUNK)
        assert released(i, how) == 2 * CHUNK


@entry.also("nobody waits")
def nobody(_: World, i: Invocation) -> None:
    assert released(i, "") == 3 * CHUNK


@entry.also("a mark begins with what there is")
def marks(_: World, i: Invocation) -> None:
    a, source = i.process, i.args["pool"]
    kept, gone = memory(a, source), memory(a, source, 2 * CHUNK)
    a.ok.cuMemFreeAsync(gone, 0)
    a.ok.cuCtxSynchronize()
    assert value(a, source, "RESERVED_MEM_HIGH") == 3 * CHUNK
    assert value(a, source, "USED_MEM_HIGH") == 2 * CHUNK + SIZE
    for name in ("RESERVED_MEM_HIGH", "USED_MEM_HIGH"):
        a.ok.cuMemPoolSetAttribute(source, ATTRIBUTE[name], 0)
    assert value(a, source, "RESERVED_MEM_HIGH") == CHUNK
    assert value(a, source, "USED_MEM_HIGH") == SIZE
    a.ok.cuMemFreeAsync(kept, 0)


test_mem_pool_set_attribute = entry.test()
