"""Runtime calls that check an argument before the driver does.

https://docs.nvidia.com/cuda/cuda-runtime-api/index.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import (
    HERE,
    INTERPROCESS,
    PAGE,
    destroyed,
    event,
    memory,
    pool,
    recorded,
    stream,
)
from conformance.kit.case import Entry, suite
from conformance.kit.program import FORKED

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

elapsed = Entry.of("cudaEventElapsedTime", lambda a: (recorded(a), recorded(a)))
elapsed.null("ms", "RESULTS_ARE_GIVEN")
elapsed.also("of no event", start=0, rule="EVENT_IS_GIVEN")
elapsed.also("never recorded", start=lambda i: event(i.process), rule="EVENT_IS_RECORDED")

shared = Entry.of("cudaIpcGetMemHandle", lambda a: (memory(a),))
shared.null("handle", "HANDLE_IS_GIVEN")
shared.also("of nothing", devPtr=0, rule="POINTER_IS_GIVEN")
shared.also("within memory", devPtr=lambda i: i.args["devPtr"] + 5)

shared_event = Entry.of("cudaIpcGetEventHandle", lambda a: (event(a, INTERPROCESS),))
shared_event.null("handle", "HANDLE_IS_GIVEN")
shared_event.also("of no event", event=0, rule="EVENT_IS_GIVEN")
shared_event.also("of an event that is not shared", event=lambda i: event(i.process), rule="EVENT_IS_INTERPROCESS")

access = Entry.of("cudaMemPoolGetAccess", lambda a: (pool(a), HERE))
access.null("flags", "FLAGS_ARE_GIVEN")
access.also("of a device that there is not", location=(1, 99), rule="LOCATION_IS_KNOWN")

where = Entry.of("cudaStreamGetDevice", lambda a: (stream(a),))
where.null("device", "DEVICE_IS_GIVEN")
where.also("the legacy default stream", hStream=0)
where.also("the thread's default stream", hStream=2)

unified = Entry.of("cudaMallocManaged", lambda _: (PAGE, 1))
unified.null("devPtr", "RESULTS_ARE_GIVEN")
unified.breaks("FLAGS_ARE_KNOWN", flags=3)
unified.also("nothing", size=0)

ordered = Entry.of("cudaMallocAsync", lambda _: (PAGE, 0))
ordered.null("devPtr", "RESULTS_ARE_GIVEN")
ordered.also("nothing", size=0)
ordered.also("more than there is", size=1 << 60, rule="pool.mem_alloc_async.MEMORY_SUFFICES")


elapsed.answers_inside()
where.answers_inside()


from_pool = Entry.of("cudaMallocFromPoolAsync", lambda a: (PAGE, pool(a), 0))
from_pool.null("ptr", "RESULTS_ARE_GIVEN")
from_pool.also("of no pool", memPool=0, rule="POOL_IS_GIVEN")
from_pool.also("nothing", size=0)


@where.also("in a fork")
def forked(_w: World, i: Invocation) -> Invocation:
    return i.on_thread(FORKED)


@ordered.also("nothing, while a destroyed context is current")
def nothing(_w: World, i: Invocation) -> Invocation:
    made = stream(i.process)
    destroyed(i.process)
    return i.evolve(size=0, hStream=made)


@ordered.world("CONTEXT_IS_ALIVE")
def dead(_w: World, i: Invocation) -> None:
    destroyed(i.process)


test_default = suite(elapsed, shared, shared_event, access, where, unified, ordered, from_pool)
