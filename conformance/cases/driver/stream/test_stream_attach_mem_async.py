"""cuStreamAttachMemAsync: attach managed memory to streams.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import described, with_attributes, without
from conformance.cases.driver.memory.fixtures import PAGE, pointers
from conformance.cases.driver.stream.fixtures import LEGACY, NON_BLOCKING, PER_THREAD, accept, block, refuse, stream
from conformance.cases.driver.va.fixtures import NOWHERE
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


GLOBAL, HOST, SINGLE = 1, 2, 4
"""CUmemAttach_flags."""


def valid(w: World) -> Invocation:
    a = w.process()
    managed = a.ok.cuMemAllocManaged(PAGE, GLOBAL)
    return a.call("cuStreamAttachMemAsync", hStream=0, dptr=managed, length=0, flags=GLOBAL)


def done(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    i.process.ok.cuStreamSynchronize(i.args["hStream"])


entry = Entry("cuStreamAttachMemAsync", valid, done)
refuse(entry)
accept(entry)
entry.undefined("FLAGS_ARE_GIVEN", code=Result.INVALID_VALUE, flags=0)
entry.also("no flags, of memory that cannot be attached", dptr=0, flags=0, code=Result.INVALID_VALUE)
entry.breaks("FLAGS_ARE_KNOWN", "two of them", flags=GLOBAL | HOST)
entry.breaks("FLAGS_ARE_KNOWN", "another", flags=8)
entry.breaks("STREAM_IS_NOT_NULL", flags=SINGLE)
entry.breaks("ALLOCATION_IS_WHOLE", length=PAGE - 1)
entry.breaks("ALLOCATION_IS_WHOLE", "too long", length=PAGE + 1)
entry.breaks("ALLOCATION_IS_WHOLE", "from within", dptr=lambda i: i.args["dptr"] + 512)
entry.breaks("MEMORY_CAN_BE_ATTACHED", "null", dptr=0)
for kind, argument in pointers("dptr", "linear", "pinned", "registered", "mapped", "nowhere"):
    entry.breaks("MEMORY_CAN_BE_ATTACHED", kind, **argument)
entry.also("by its length", length=PAGE, then=done)
entry.also("to the host", flags=HOST, then=done)


@entry.world("MEMORY_CAN_BE_ATTACHED", "plain, on a device that cannot access it")
def plain(_w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=i.process.host_memory(PAGE), length=PAGE)


entry.also("singly to the legacy default stream by its handle", then=done, hStream=LEGACY, flags=SINGLE)


entry.also("singly", then=done, hStream=lambda i: stream(i.process), flags=SINGLE)


entry.also("singly to the thread's default stream", then=done, hStream=PER_THREAD, flags=SINGLE)


@entry.also("again, then the stream is destroyed")
def again(_w: World, i: Invocation) -> Invocation:
    a, own = i.process, stream(i.process)
    a.ok.cuStreamAttachMemAsync(own, i.args["dptr"], 0, SINGLE)
    a.ok.cuStreamAttachMemAsync(own, i.args["dptr"], 0, HOST)
    a.ok.cuStreamAttachMemAsync(own, i.args["dptr"], 0, SINGLE)
    a.ok.cuStreamDestroy(own)
    a.ok.cuCtxSynchronize()
    return i.evolve(hStream=stream(a))


def in_its_turn(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert i.process.c.cuStreamQuery(i.args["hStream"]) == (Result.NOT_READY,)


@entry.also("after earlier work", then=in_its_turn)
def after_work(w: World, i: Invocation) -> Invocation:
    blocked = stream(i.process, NON_BLOCKING)
    block(w, i.process, blocked)
    return i.evolve(hStream=blocked)


test_stream_attach_mem_async = entry.test()


def test_what_a_device_must_have() -> None:
    """Devices need managed memory; pageable memory needs access and a length."""
    with described(without("MANAGED_MEMORY")) as c:
        c.cuCtxCreate(None, 0, 0)
        _, pointer = c.cuMemAlloc(PAGE)
        assert c.cuStreamAttachMemAsync(0, pointer, 0, GLOBAL) == (Result.NOT_SUPPORTED,)
    room = ctypes.create_string_buffer(PAGE)
    with described(with_attributes(PAGEABLE_MEMORY_ACCESS=1)) as c:
        c.cuCtxCreate(None, 0, 0)
        for address, length, code in (
            (ctypes.addressof(room), PAGE, Result.SUCCESS),
            (ctypes.addressof(room), 0, Result.INVALID_VALUE),
            (NOWHERE, PAGE, Result.INVALID_VALUE),
            (c.cuMemAlloc(PAGE)[1], PAGE, Result.INVALID_VALUE),
        ):
            assert c.cuStreamAttachMemAsync(0, address, length, GLOBAL) == (code,)
