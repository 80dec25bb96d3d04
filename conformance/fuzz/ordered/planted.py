"""Mistakes planted in race detection, and a program that finds each: ``python -m conformance.fuzz.ordered.planted``.

The command draws programs until one finds a mistake, and prints the numbers as they stand in ``NUMBERS``.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import pytest

from conformance.fuzz.ordered.draw import drawn
from conformance.fuzz.ordered.loop import compared
from conformance.fuzz.ordered.mistakes import (
    a_destroyed_stream_is_done,
    a_discard_replaces_what_was_before,
    a_free_does_not_wait,
    a_host_pool_is_in_reach,
    a_query_that_is_not_ready_orders,
    a_wait_for_a_stream_is_one_for_all,
    an_attachment_waits,
    blocking_streams_order_each_other,
    branches_are_a_row,
    branches_of_graphs,
    default_stream_orders_nothing,
    dropped,
    each_writer_is_awaited,
    earlier_records_of_events,
    ends_of_arrays_are_no_accesses,
    first_byte_alone,
    gaps_between_rows,
    kernel_nodes,
    kernels_from_ptx,
    last_byte_left_out,
    managed_memory_as_the_hosts,
    memory_that_says_so,
    not_taken,
    polled_values,
    prefetches_are_writes,
    reads_conflict,
    sources_of_copies,
    the_context_of_a_wait,
    the_other_body,
    turns_of_a_loop_are_beside_each_other,
    uses_of_arrays,
    values_are_no_accesses,
    values_of_before_are_gone,
    values_order_all_earlier_work,
    waits_that_may_be,
    writes_of_the_host,
)
from fakecuda.model.graph import graph_launches
from fakecuda.model.work.happens_before import Races
from fakecuda.model.work.host_accesses import HostAccesses
from fakecuda.progress import say
from fakecuda.rules.driver.execution import submitted
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.unified import mem_batches
from fakecuda.rules.driver.va import mem_set_access
from fakecuda.spec import orders

if TYPE_CHECKING:
    from collections.abc import Callable

    Patch = pytest.MonkeyPatch
    Mistake = Callable[[Patch], None]

MOST = 20_000
"""The maximum number of programs."""


MISTAKES: dict[str, Mistake] = {
    "kernels": lambda patch: patch.setattr(submitted, "_uses", lambda _: ()),
    "waits for events": dropped(Races, "follow"),
    "waits of a context": dropped(Races, "follow_in"),
    "waits for values": dropped(Races, "follow_value"),
    "waits for a stream": dropped(Races, "seen_stream"),
    "waits for a context": dropped(Races, "seen_context"),
    "launches of one executable graph": dropped(graph_launches, "follow_launch_in_order"),
    "allocations are accesses": dropped(Races, "allocated"),
    "frees to a pool are accesses": dropped(race, "freed"),
    "frees of other memory are accesses": dropped(race, "ended"),
    "unmaps are accesses": dropped(race, "unmapped"),
    "ends of variables are accesses": dropped(race, "unloaded"),
    "discards are accesses": dropped(mem_batches, "discard"),
    "accesses of the host": dropped(HostAccesses, "watch"),
    "sources are read early": dropped(race, "early"),
    "access that is lost": dropped(mem_set_access, "at_rest"),
    "uploads of graphs": dropped(graph_launches, "upload"),
    "waits of limits": not_taken(orders.LIMITED),
    "waits of loads": not_taken(orders.LOADED),
    "waits of unloads": not_taken(orders.UNLOADED),
    "waits of ends of graphs": not_taken(orders.GRAPH_ENDED),
    "waits of ends of contexts": not_taken(orders.CONTEXT_ENDED),
    "waits of ends of arrays": not_taken(orders.ARRAY_ENDED),
    "waits of ends of host memory": not_taken(orders.ENDED),
    "waits of older forms": not_taken(orders.OLDER_DESTROYED),
    "waits of locks": not_taken(orders.LOCKED),
    "waits of an attribute that is set": not_taken(orders.SYNCHRONOUS_SET),
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
            *(managed_memory_as_the_hosts, writes_of_the_host, kernel_nodes, kernels_from_ptx),
            *(turns_of_a_loop_are_beside_each_other, the_other_body),
            *(a_destroyed_stream_is_done, a_free_does_not_wait, the_context_of_a_wait, polled_values),
            *(waits_that_may_be, a_discard_replaces_what_was_before, memory_that_says_so),
            *(branches_are_a_row, a_host_pool_is_in_reach, each_writer_is_awaited, values_of_before_are_gone),
            values_are_no_accesses,
        )
    },
}
"""The mistakes by name: functions that patch race detection."""
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
    "each writer is awaited": ".await",
    "values of before are gone": ".await",
    "values are no accesses": ".reset",
    "a query that is not ready orders": ".query",
    "a destroyed stream is done": "destroy_stream",
    "a free does not wait": ".end('",
    "the context of a wait": "context_sync",
    "polled values": ".write('g'",
    "waits that may be": "the manual's word",
    "ends of arrays are no accesses": ".end(",
    "discards are accesses": "discard",
    "kernels from ptx": "from PTX",
    "kernel nodes": "kernel(",
    "turns of a loop are beside each other": "while",
    "the other body": "choose",
    "accesses of the host": "'u'",
    "prefetches are writes": "prefetch",
    "an attachment waits": "attach",
    "managed memory as the hosts": "as_host",
    "writes of the host": ".touch",
    "sources are read early": ".copy(",
    "ends of variables are accesses": ".end('v'",
    "access that is lost": ".end('n'",
    "uploads of graphs": "upload",
    "waits of limits": "limit",
    "waits of loads": ".load",
    "waits of unloads": "unload",
    "waits of ends of graphs": "end_graph",
    "waits of ends of contexts": "end_context",
    "waits of ends of arrays": ".end(",
    "waits of ends of host memory": ".end(",
    "waits of older forms": "_v1",
    "waits of locks": ".lock",
    "waits of an attribute that is set": ".say",
    "a discard replaces what was before": "discard",
    "memory that says so": "_now",
}
"""Features of programs that find rare mistakes."""
NUMBERS: dict[str, int] = {
    "kernels": 28,
    "waits for events": 13,
    "waits of a context": 5,
    "waits for values": 294,
    "waits for a stream": 45,
    "waits for a context": 76,
    "launches of one executable graph": 204,
    "allocations are accesses": 6,
    "frees to a pool are accesses": 138,
    "frees of other memory are accesses": 1879,
    "unmaps are accesses": 2222,
    "discards are accesses": 68,
    "accesses of the host": 107,
    "sources are read early": 278,
    "access that is lost": 2222,
    "uploads of graphs": 995,
    "waits of limits": 135,
    "waits of loads": 188,
    "waits of unloads": 29,
    "waits of ends of graphs": 16,
    "waits of ends of contexts": 4776,
    "waits of ends of arrays": 1083,
    "waits of ends of host memory": 2115,
    "waits of older forms": 5236,
    "waits of locks": 3955,
    "waits of an attribute that is set": 4859,
    "default stream orders nothing": 47,
    "blocking streams order each other": 6,
    "a wait for a stream is one for all": 77,
    "first byte alone": 31,
    "last byte left out": 118,
    "gaps between rows": 188,
    "reads conflict": 68,
    "sources of copies": 10,
    "branches of graphs": 7,
    "earlier records of events": 898,
    "values order all earlier work": 699,
    "a query that is not ready orders": 632,
    "uses of arrays": 147,
    "ends of arrays are no accesses": 4098,
    "prefetches are writes": 317,
    "an attachment waits": 2880,
    "managed memory as the hosts": 4919,
    "writes of the host": 9012,
    "kernel nodes": 356,
    "kernels from ptx": 69,
    "turns of a loop are beside each other": 851,
    "the other body": 473,
    "a destroyed stream is done": 3393,
    "a free does not wait": 526,
    "the context of a wait": 1956,
    "polled values": 499,
    "waits that may be": 206,
    "a discard replaces what was before": 1263,
    "memory that says so": 17831,
    "branches are a row": 1248,
    "a host pool is in reach": 69,
    "each writer is awaited": 999,
    "values of before are gone": 320,
    "values are no accesses": 101,
    "ends of variables are accesses": 305,
}
"""The number of a program of seed 0 that finds each mistake."""


def found(name: str, number: int) -> str:
    """Return the difference of seed 0's program with a planted mistake, or no text."""
    with pytest.MonkeyPatch.context() as patch:
        MISTAKES[name](patch)
        return compared(drawn(0, number)).difference


def main() -> int:
    """Print the first program that finds each mistake; return 1 if one has none."""
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
