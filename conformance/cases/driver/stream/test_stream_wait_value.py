"""cuStreamWaitValue32, cuStreamWaitValue64: a stream waits for a value in memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEMOP.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.cases.driver.context.fixtures import described, with_attributes, without
from conformance.cases.driver.graph.fixtures import executable
from conformance.cases.driver.stream.captured_calls import captured
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, short, stream, word
from conformance.cases.driver.stream.mem_ops import AND, EQ, FLUSH, GEQ, NOR, holding, with_peers
from conformance.cases.driver.stream.values import check_width, refuse_places
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def waiting(width: int) -> Entry:
    """Return the entry of a call that waits for a value, with its cases.

    Args:
        width: Bytes of the value.
    """
    call, ones, high = f"cuStreamWaitValue{8 * width}", (1 << 8 * width) - 1, 1 << (8 * width - 24)

    def valid(w: World) -> Invocation:
        a = w.process()
        return a.call(call, stream=0, addr=word(a), value=0, flags=GEQ)

    entry = Entry(call, valid)
    refuse_places(entry, width)
    entry.breaks("FLAGS_ARE_KNOWN", flags=4)
    entry.breaks("FLAGS_ARE_KNOWN", "highest bit", flags=1 << 31)
    entry.breaks("FLUSH_IS_SUPPORTED", flags=FLUSH)
    entry.breaks("FLUSH_IS_SUPPORTED", "of a NOR", flags=FLUSH | NOR)
    entry.breaks("RANGE_IS_ALLOCATED", "null", addr=0)
    with_peers(entry)
    entry.also("equal", addr=lambda i: holding(i, high), value=high, flags=EQ)
    entry.also("a bit that is set", addr=lambda i: holding(i, 3 * high), value=high, flags=AND)
    entry.also("a bit that neither has", value=ones - high, flags=NOR)
    entry.also("greater", addr=lambda i: holding(i, high + 1), value=high)
    entry.also("greater, around zero", addr=lambda i: holding(i, 1), value=ones)
    entry.also("past the end", addr=lambda i: short(i.process, width), value=1, flags=AND)
    for label, there, condition, value in (
        ("less", high, GEQ, high + 1),
        ("less, around zero", ones, GEQ, 1),
        ("another", high, EQ, 0),
        ("no common bit", ones - high, AND, high),
        ("every bit", high, NOR, ones - high),
    ):

        @entry.also(f"{label}: it waits")
        def waits(_w: World, i: Invocation, there: int = there, condition: int = condition, value: int = value) -> None:
            a = i.process
            blocked, opener = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
            place = holding(i, there)
            getattr(a.ok, call)(blocked, place, value, condition)
            assert a.c.cuStreamQuery(blocked) == (Result.NOT_READY,)
            comes = {GEQ: value, EQ: value, AND: value, NOR: 0}[condition]
            getattr(a.ok, call.replace("Wait", "Write"))(opener, place, comes, 0)
            a.ok.cuStreamSynchronize(opener)
            a.ok.cuStreamSynchronize(blocked)

    @entry.also("in a stream that is captured")
    def becomes_a_node(_w: World, i: Invocation) -> None:
        a, place, begun = i.process, word(i.process), captured(i.process)
        write = call.replace("Wait", "Write")
        getattr(a.ok, call)(begun, place, 5, EQ)
        getattr(a.ok, write)(begun, place + 8, 7, 0)
        a.ok.cuGraphLaunch(executable(a, a.ok.cuStreamEndCapture(begun)), begun)
        assert a.c.cuStreamQuery(begun) == (Result.NOT_READY,)
        getattr(a.ok, write)(stream(a, NON_BLOCKING), place, 5, 0)
        a.ok.cuStreamSynchronize(begun)
        assert content(a, place, 10) == bytes([5, *[0] * 7, 7, 0])

    return entry


narrow, broad = waiting(4), waiting(8)

test_stream_wait_value32 = narrow.test()
test_stream_wait_value64 = broad.test()


@pytest.mark.parametrize("entry", [narrow, broad], ids=lambda entry: entry.call)
def test_conditions_are_supported(entry: Entry) -> None:
    """Device attributes report support of NOR conditions and of flushes."""
    flush, plain = with_attributes(CAN_FLUSH_REMOTE_WRITES=1), without("CAN_USE_STREAM_WAIT_VALUE_NOR")
    for profile, flags, code in (
        (plain, NOR, Result.NOT_SUPPORTED),
        (plain, AND, Result.SUCCESS),
        *((flush, condition | FLUSH, Result.SUCCESS) for condition in (GEQ, EQ, AND, NOR)),
    ):
        with described(profile) as c:
            c.cuCtxCreate(None, 0, 0)
            _, address = c.cuMemAlloc(8)
            c.cuMemsetD32(address, 0, 2)
            c.cuMemsetD32(address, 2, 1)
            assert getattr(c, entry.call)(0, address, 2, flags) == (code,)
            assert c.cuStreamQuery(0) == (Result.SUCCESS,)


def test_width_is_supported() -> None:
    check_width(broad)
