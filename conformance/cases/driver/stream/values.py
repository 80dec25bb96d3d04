"""The cases of the calls that wait for one value, and of those that write one: of 32 bits and of 64."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import described, with_attributes, without
from conformance.cases.driver.memory.fixtures import READ_ONLY, registered
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, accept, pooled, refuse, short, stream, word
from conformance.cases.driver.stream.mem_ops import AND, EQ, FLUSH, GEQ, NO_BARRIER, NOR, devices, holding, with_peers
from conformance.cases.driver.va.fixtures import NOWHERE, READ, content, freed, half_mapped, on_model
from conformance.kit.case import Entry
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def waiting(width: int) -> Entry:
    """Return the entry of the call that waits for a value, with its cases.

    Args:
        width: Bytes of the value.
    """
    call, ones, high = f"cuStreamWaitValue{8 * width}", (1 << 8 * width) - 1, 1 << (8 * width - 24)

    def valid(w: World) -> Invocation:
        a = w.process()
        return a.call(call, stream=0, addr=word(a), value=0, flags=GEQ)

    entry = Entry(call, valid)
    _either(entry, width)
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

    return entry


def writing(width: int) -> Entry:
    """Return the entry of the call that writes a value, with its cases.

    Args:
        width: Bytes of the value.
    """
    call, stored = f"cuStreamWriteValue{8 * width}", bytes(range(width, 0, -1))

    def valid(w: World) -> Invocation:
        a = w.process()
        return a.call(call, stream=0, addr=word(a), value=int.from_bytes(stored, "little"), flags=0)

    def written(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
        """Its bytes stand in memory, least significant first, and no others."""
        i.process.ok.cuStreamSynchronize(i.args["stream"])
        assert content(i.process, i.args["addr"], width + 4) == stored + bytes(4)

    def cut(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
        """The bytes that are there stand in memory."""
        i.process.ok.cuStreamSynchronize(i.args["stream"])
        assert content(i.process, i.args["addr"], width // 2) == stored[: width // 2]

    entry = Entry(call, valid, written)
    _either(entry, width)
    entry.breaks("FLAGS_ARE_KNOWN", flags=2)
    entry.breaks("FLAGS_ARE_KNOWN", "no barrier", flags=NO_BARRIER)
    with_peers(entry, written)
    cannot = "MEMORY_CAN_BE_WRITTEN"
    entry.undefined(cannot, code=Result.SUCCESS, addr=lambda i: half_mapped(i.process, READ))
    entry.undefined(cannot, "registered", code=Result.SUCCESS, addr=lambda i: registered(i.process, flags=READ_ONLY))
    entry.also("past the end", addr=lambda i: short(i.process, width), then=cut)
    return entry


def _either(entry: Entry, width: int) -> None:
    """Add the cases that waits and writes have in common."""
    refuse(entry, "stream")
    accept(entry, "stream")
    entry.breaks("ADDRESS_IS_ALIGNED", addr=lambda i: i.args["addr"] + width // 2)
    entry.breaks("MEMORY_IS_NOT_MANAGED", addr=lambda i: i.process.ok.cuMemAllocManaged(64, 1))
    entry.breaks("MEMORY_IS_OF_NO_POOL", addr=lambda i: pooled(i.process))
    entry.breaks("RANGE_IS_ALLOCATED", addr=NOWHERE)
    entry.breaks("RANGE_IS_ALLOCATED", "freed", addr=lambda i: freed(i.process))
    entry.breaks("ACCESS_IS_GRANTED", addr=lambda i: half_mapped(i.process, 0))
    entry.also("page-locked memory", addr=lambda i: i.process.ok.cuMemAllocHost(64), then=entry.then)
    entry.also(
        "registered memory",
        addr=lambda i: i.process.ok.cuMemHostGetDevicePointer(registered(i.process), 0),
        then=entry.then,
    )


def check_conditions(entry: Entry) -> None:
    """Check what attributes of a device tell of the conditions of a wait: a NOR, a flush."""
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


def check_width(entry: Entry) -> None:
    """Check that an attribute of a device tells whether it has values of 64 bits."""
    narrow = devices(CAN_USE_64_BIT_STREAM_MEM_OPS=0)
    on_model(entry, "WIDTH_IS_SUPPORTED", Result.NOT_SUPPORTED, lambda *_: None, **narrow)
