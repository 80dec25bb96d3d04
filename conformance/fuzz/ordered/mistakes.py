"""Mistakes in race detection, each as a function that plants it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.fuzz.ordered.program import SIZE
from fakecuda.kernels import launch
from fakecuda.model import context_effects
from fakecuda.model.graph.branches import Branches
from fakecuda.model.graph.conditional import Choice
from fakecuda.model.memory import shadow_memory
from fakecuda.model.memory.array import Grid
from fakecuda.model.memory.cells import Cells, Shared
from fakecuda.model.work import accesses, stream_scheduler, written_values
from fakecuda.model.work.accesses import READS, WRITES
from fakecuda.model.work.event import Event
from fakecuda.model.work.happens_before import Races
from fakecuda.model.work.host_accesses import HostAccesses
from fakecuda.model.work.stream_order import joined
from fakecuda.model.work.waiting import finish
from fakecuda.model.work.written_values import WrittenValues
from fakecuda.rules.driver.copy import plan
from fakecuda.rules.driver.execution import submitted
from fakecuda.rules.driver.graph import branches, graph_launch
from fakecuda.rules.driver.stream import order, race, stream_attach_mem_async, stream_query, value_races
from fakecuda.rules.driver.unified import mem_prefetch_async

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.graph.executables import Step
    from fakecuda.model.work.stream import Stream
    from fakecuda.rules.driver.copy.plan import Plan
    from fakecuda.spec.orders import Order

    Patch = pytest.MonkeyPatch
    Mistake = Callable[[Patch], None]


def nothing(*_: object, **__: object) -> None:
    """Do nothing."""


def dropped(place: object, name: str) -> Mistake:
    """Return a mistake: a function does nothing."""
    return lambda patch: patch.setattr(place, name, nothing)


def not_taken(row: Order) -> Mistake:
    """Return a mistake: calls do not order work by a row of the table."""
    real = Races.takes
    return lambda patch: patch.setattr(Races, "takes", lambda self, one: one is not row and real(self, one))


def a_discard_replaces_what_was_before(patch: Patch) -> None:
    """Behind a discard, the last writer, its readers and other discards are forgotten."""
    patch.setattr(Shared, "share", lambda self, _, operation, __: self.written(operation))


def memory_that_says_so(patch: Patch) -> None:
    """Calls without a stream wait for no memory and in no context that has SYNC_MEMOPS."""
    patch.setattr(race, "is_synchronous", lambda *_, **__: False)


def default_stream_orders_nothing(patch: Patch) -> None:
    """Blocking streams and the legacy default stream run side by side."""
    patch.setattr(Races, "_before", lambda *_: ())


def blocking_streams_order_each_other(patch: Patch) -> None:
    """A blocking stream comes after all other streams of its context."""
    patch.setattr(
        Races,
        "_before",
        lambda self, stream: [one for one in self.streams if one.context is stream.context and one is not stream],
    )


def a_wait_for_a_stream_is_one_for_all(patch: Patch) -> None:
    """After a wait for one stream, the work of every stream counts as done."""
    patch.setattr(Races, "seen_stream", lambda self, _: self.forget())


def first_byte_alone(patch: Patch) -> None:
    """Only the first byte of an access is compared."""
    real = Cells.conflict
    patch.setattr(Cells, "conflict", lambda self, start, _, *rest: real(self, start, start + 1, *rest))


def last_byte_left_out(patch: Patch) -> None:
    """The last byte of an access is not compared."""
    real = Cells.conflict
    patch.setattr(Cells, "conflict", lambda self, start, end, *rest: real(self, start, max(start + 1, end - 1), *rest))


def gaps_between_rows(patch: Patch) -> None:
    """The bytes between rows count as used."""
    for module in (shadow_memory, accesses):
        patch.setattr(module, "bytes_of", lambda pieces, _: pieces)


def reads_conflict(patch: Patch) -> None:
    """Two reads of the same bytes need an order."""
    real = Cells.conflict
    patch.setattr(
        Cells, "conflict", lambda self, start, end, stream, after, _: real(self, start, end, stream, after, WRITES)
    )


def sources_of_copies(patch: Patch) -> None:
    """A copy does not use what it reads."""
    real = plan._noted  # noqa: SLF001 - the mistake is planted there

    def noted(*args: Any) -> Any:
        uses, waits = real(*args)
        return tuple(use for use in uses if use[0] != READS), waits

    patch.setattr(plan, "_noted", noted)


def branches_are_a_row(patch: Patch) -> None:
    """An event that a node records comes after all nodes of its launch, and all nodes come after one that waits."""
    patch.setattr(branches, "lanes_of", nothing)


def a_host_pool_is_in_reach(patch: Patch) -> None:
    """A copy in a stream to a host pool that grants the device no access is left to the stream."""
    patch.setattr(plan, "is_out_of_reach", lambda _, __, memory, ___: plan.is_pageable(memory))


def branches_of_graphs(patch: Patch) -> None:
    """Nodes of a graph are never beside each other."""
    patch.setattr(branches, "branches_of", lambda _: None)


def earlier_records_of_events(patch: Patch) -> None:
    """A wait for an event is one for its earlier records, too."""
    real = Event.record

    def record(self: Event, *args: Any) -> None:
        event = self.exported or self
        before = event.order
        real(self, *args)
        if before is not None and event.order is not None:
            event.order = joined([before, event.order])

    patch.setattr(Event, "record", record)


def values_order_all_earlier_work(patch: Patch) -> None:
    """A write of a value comes after the earlier work of all streams."""
    real = value_races.value_written

    def written(call: Call, stream: Stream, *args: Any) -> Any:
        assert call.machine.races is not None
        call.machine.races.follow_all(stream)
        return real(call, stream, *args)

    patch.setattr(value_races, "value_written", written)


def a_query_that_is_not_ready_orders(patch: Patch) -> None:
    """A query of a stream with unfinished work is a wait."""
    real = stream_scheduler.unfinished

    def unfinished(stream: Stream) -> list[Stream]:
        races = stream.context.process.machine.races
        if races is not None:
            races.seen_stream(stream)
        return real(stream)

    patch.setattr(stream_query, "unfinished", unfinished)


def a_destroyed_stream_is_done(patch: Patch) -> None:
    """The end of a stream waits for its work."""
    real = context_effects.end_stream

    def end_stream(process: Any, stream: Stream, *args: Any, **more: Any) -> None:
        if process.machine.races is not None:
            process.machine.races.seen_stream(stream)
        real(process, stream, *args, **more)

    patch.setattr(context_effects, "end_stream", end_stream)


def a_free_does_not_wait(patch: Patch) -> None:
    """The host does not come after the work that a free has waited for."""
    patch.setattr(order, "emptied", lambda _, context, *__: finish(context))


def the_context_of_a_wait(patch: Patch) -> None:
    """A wait for a context is one for all contexts of its process."""

    def seen_context(self: Races, context: Context) -> None:
        for one in {stream.context for stream in self.streams if stream.context.process is context.process}:
            self.seen(self.captured_of(one))

    patch.setattr(Races, "seen_context", seen_context)


def uses_of_arrays(patch: Patch) -> None:
    """Copies do not use arrays."""
    real = plan._noted  # noqa: SLF001 - the mistake is planted there

    def noted(call: Call, *args: Any) -> Any:
        uses, waits = real(call, *args)
        arrays = [one.start for one in call.process.arrays.values()]
        return tuple(use for use in uses if not any(0 <= use[1][0] - start < SIZE for start in arrays)), waits

    patch.setattr(plan, "_noted", noted)


def ends_of_arrays_are_no_accesses(patch: Patch) -> None:
    """An array may be destroyed while another context uses it."""
    real = race.ended
    patch.setattr(race, "ended", lambda call, memory: None if isinstance(memory, Grid) else real(call, memory))


def prefetches_are_writes(patch: Patch) -> None:
    """A prefetch writes its range."""
    real = mem_prefetch_async.sent

    def sent(call: Call, working: Stream, start: int, size: int, location: tuple[int, int]) -> Callable[[], None]:
        send = real(call, working, start, size, location)
        memory: Any = call.process.memory.at(start)
        race.in_stream(call, working, ((WRITES, (start, size), [(memory.extent, start - memory.origin, size)], None),))
        return send

    patch.setattr(mem_prefetch_async, "sent", sent)


def an_attachment_waits(patch: Patch) -> None:
    """The host has waited for a stream when it attaches memory to it."""
    real = stream_attach_mem_async.attachable

    def attachable(call: Call, stream: Stream, *args: Any) -> None:
        assert call.machine.races is not None
        call.machine.races.seen_stream(stream)
        real(call, stream, *args)

    patch.setattr(stream_attach_mem_async, "attachable", attachable)


def managed_memory_as_the_hosts(patch: Patch) -> None:
    """A copy in a stream that takes managed memory as host memory does not wait."""
    real = plan._noted  # noqa: SLF001 - the mistake is planted there

    def noted(call: Call, stream: Stream, made: Plan) -> Any:
        return real(call, stream, made._replace(waits=False))

    patch.setattr(plan, "_noted", noted)


def writes_of_the_host(patch: Patch) -> None:
    """The host may write what a stream reads."""
    real = HostAccesses.watch
    patch.setattr(
        HostAccesses,
        "watch",
        lambda self, stream, uses, stack: real(self, stream, tuple(use for use in uses if use[0] != READS), stack),
    )


def turns_of_a_loop_are_beside_each_other(patch: Patch) -> None:
    """A turn of a loop does not come after the turn before."""

    def enter(self: Branches, step: Step) -> None:
        self._step = step

    patch.setattr(Branches, "enter", enter)


def the_other_body(patch: Patch) -> None:
    """A conditional node runs its first body for 0."""
    real = Choice.of
    patch.setattr(Choice, "of", lambda self, value: real(self, int(not value)))


def kernels_from_ptx(patch: Patch) -> None:
    """A kernel that runs from its PTX uses no memory."""
    real = launch.ended

    def ended(*args: Any) -> Any:
        run = real(*args)
        run.written = []
        return run

    patch.setattr(launch, "ended", ended)


def kernel_nodes(patch: Patch) -> None:
    """A kernel of a graph uses no memory."""
    real = submitted.submit

    def submit(*args: Any) -> None:
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(submitted, "_uses", lambda _: ())
            real(*args)

    patch.setattr(graph_launch, "submit", submit)


def waits_that_may_be(patch: Patch) -> None:
    """The manual promises the waits that it only allows."""
    patch.setattr(Races, "takes", lambda *_: True)


def each_writer_is_awaited(patch: Patch) -> None:
    """A wait for a value comes after what is before any write that may have ended it."""
    patch.setattr(written_values, "common", joined)


def values_of_before_are_gone(patch: Patch) -> None:
    """A value that was there before all known writes ends no wait."""
    real = WrittenValues.write
    patch.setattr(WrittenValues, "write", lambda self, place, write, _: real(self, place, write, None))


def values_are_no_accesses(patch: Patch) -> None:
    """Writes of values and waits for them use no memory."""
    patch.setattr(value_races, "use_of_value", lambda place, _, does: ((does, place, [], None),))


def polled_values(patch: Patch) -> None:
    """The host sees no value that a stream writes to its memory."""
    patch.setattr(order, "_is_pinned", lambda _: False)
