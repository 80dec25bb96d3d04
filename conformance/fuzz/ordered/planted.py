"""Mistakes planted in race detection, and a program that finds each: ``python -m conformance.fuzz.ordered.planted``.

The command draws programs until one finds a mistake, and prints the numbers as they stand in ``NUMBERS``.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fuzz.ordered.draw import drawn
from conformance.fuzz.ordered.loop import compared
from conformance.fuzz.ordered.program import SIZE
from fakecuda.model import context_effects
from fakecuda.model.graph import executables
from fakecuda.model.memory import shadow_memory
from fakecuda.model.memory.array import Grid
from fakecuda.model.memory.cells import Cells
from fakecuda.model.work import accesses, stream_scheduler
from fakecuda.model.work.accesses import READS, WRITES
from fakecuda.model.work.event import Event
from fakecuda.model.work.happens_before import Races, _joined
from fakecuda.model.work.host_accesses import HostAccesses
from fakecuda.model.work.waiting import finish
from fakecuda.progress import say
from fakecuda.rules.driver.copy import plan
from fakecuda.rules.driver.execution import submitted
from fakecuda.rules.driver.graph import branches
from fakecuda.rules.driver.stream import order, race, stream_attach_mem_async, stream_query
from fakecuda.rules.driver.unified import mem_batches, mem_prefetch_async

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.work.stream import Stream
    from fakecuda.rules.driver.copy.plan import Plan

    Patch = pytest.MonkeyPatch
    Mistake = Callable[[Patch], None]

MOST = 20_000
"""After so many programs no more are drawn."""


def nothing(*_: object, **__: object) -> None:
    """Do nothing."""


def dropped(place: object, name: str) -> Mistake:
    """Return a mistake: a function does nothing."""
    return lambda patch: patch.setattr(place, name, nothing)


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
            event.order = _joined([before, event.order])

    patch.setattr(Event, "record", record)


def values_order_all_earlier_work(patch: Patch) -> None:
    """A write of a value comes after the earlier work of all streams."""
    real = Races.write

    def write(self: Races, stream: Stream, *args: Any) -> None:
        self.follow_all(stream)
        real(self, stream, *args)

    patch.setattr(Races, "write", write)


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

    def noted(call: Call, made: Plan) -> Any:
        return real(call, made._replace(waits=False))

    patch.setattr(plan, "_noted", noted)


def writes_of_the_host(patch: Patch) -> None:
    """The host may write what a stream reads."""
    real = HostAccesses.watch
    patch.setattr(
        HostAccesses,
        "watch",
        lambda self, stream, uses, stack: real(self, stream, tuple(use for use in uses if use[0] != READS), stack),
    )


def polled_values(patch: Patch) -> None:
    """The host sees no value that a stream writes to its memory."""
    patch.setattr(order, "_is_pinned", lambda _: False)


MISTAKES: dict[str, Mistake] = {
    "kernels": lambda patch: patch.setattr(submitted, "_uses", lambda _: ()),
    "waits for events": dropped(Races, "follow"),
    "waits of a context": dropped(Races, "follow_in"),
    "waits for values": dropped(Races, "follow_value"),
    "waits for a stream": dropped(Races, "seen_stream"),
    "waits for a context": dropped(Races, "seen_context"),
    "launches of one executable graph": dropped(executables, "follow_launch_in_order"),
    "allocations are accesses": dropped(Races, "allocated"),
    "frees to a pool are accesses": dropped(race, "freed"),
    "frees of other memory are accesses": dropped(race, "ended"),
    "unmaps are accesses": dropped(race, "unmapped"),
    "discards are accesses": dropped(mem_batches, "discard"),
    "accesses of the host": dropped(HostAccesses, "watch"),
    **{
        str(one.__name__).replace("_", " "): one
        for one in (
            *(default_stream_orders_nothing, blocking_streams_order_each_other, a_wait_for_a_stream_is_one_for_all),
            *(
                first_byte_alone,
                last_byte_left_out,
                gaps_between_rows,
                reads_conflict,
                sources_of_copies,
                branches_of_graphs,
            ),
            *(earlier_records_of_events, values_order_all_earlier_work, a_query_that_is_not_ready_orders),
            *(uses_of_arrays, ends_of_arrays_are_no_accesses, prefetches_are_writes, an_attachment_waits),
            *(managed_memory_as_the_hosts, writes_of_the_host),
            *(a_destroyed_stream_is_done, a_free_does_not_wait, the_context_of_a_wait, polled_values),
        )
    },
}
"""What race detection does not know, or takes for an order, in each of its mistakes."""
NEEDED = {
    "waits of a context": "context_wait",
    "waits for a stream": ".sync",
    "waits for a context": "context_sync",
    "launches of one executable graph": "launch",
    "allocations are accesses": "allocate",
    "frees to a pool are accesses": ".free",
    "frees of other memory are accesses": ".end('b'",
    "unmaps are accesses": ".end('",
    "default stream orders nothing": "legacy",
    "gaps between rows": "rows",
    "branches of graphs": "launch",
    "earlier records of events": "record",
    "values order all earlier work": "await",
    "a query that is not ready orders": ".query",
    "a destroyed stream is done": "destroy_stream",
    "a free does not wait": ".end('",
    "the context of a wait": "context_sync",
    "polled values": ".write('g'",
    "ends of arrays are no accesses": ".end(",
    "discards are accesses": "discard",
    "accesses of the host": "'u'",
    "prefetches are writes": "prefetch",
    "an attachment waits": "attach",
    "managed memory as the hosts": "as_host",
    "writes of the host": ".touch",
}
"""What stands in a program that can find a mistake, for those that few programs find."""
NUMBERS: dict[str, int] = {
    "kernels": 11,
    "waits for events": 54,
    "waits of a context": 27,
    "waits for values": 303,
    "waits for a stream": 119,
    "waits for a context": 31,
    "launches of one executable graph": 279,
    "allocations are accesses": 39,
    "frees to a pool are accesses": 13,
    "frees of other memory are accesses": 526,
    "unmaps are accesses": 3273,
    "discards are accesses": 68,
    "accesses of the host": 211,
    "default stream orders nothing": 3,
    "blocking streams order each other": 5,
    "a wait for a stream is one for all": 272,
    "first byte alone": 2,
    "last byte left out": 11,
    "gaps between rows": 1874,
    "reads conflict": 64,
    "sources of copies": 19,
    "branches of graphs": 56,
    "earlier records of events": 8022,
    "values order all earlier work": 2124,
    "a query that is not ready orders": 372,
    "uses of arrays": 340,
    "ends of arrays are no accesses": 9820,
    "prefetches are writes": 448,
    "an attachment waits": 476,
    "managed memory as the hosts": 429,
    "writes of the host": 322,
    "a destroyed stream is done": 1369,
    "a free does not wait": 235,
    "the context of a wait": 526,
    "polled values": 427,
}
"""For each mistake, the number of a program of seed 0 that finds it."""


def found(name: str, number: int) -> str:
    """Return how a program of seed 0 differs with a planted mistake; empty if it does not."""
    with pytest.MonkeyPatch.context() as patch:
        MISTAKES[name](patch)
        return compared(drawn(0, number)).difference


def main() -> int:
    """Print the first program that finds each mistake; return 1 if none finds one, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.fuzz.ordered.planted", description=__doc__.partition("\n")[0]
    )
    parser.parse_args()
    missing = 0
    for name in MISTAKES:
        needed = NEEDED.get(name, "")
        number = next((one for one in range(MOST) if needed in str(drawn(0, one)) and found(name, one)), None)
        missing += number is None
        say(f"    {name!r}: {number},")
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
