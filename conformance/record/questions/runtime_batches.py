"""Questions about calls of the runtime API that came with CUDA 13: prefetches in batches, and what a driver of 13.0 lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import ATTRIBUTES, HERE, PAGE, fresh, managed, memory, stream, using
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import World

HOST, NODE, NONE, CURRENT = (2, 0), (3, 0), (0, 0), (4, 0)
LAST_PLACE, LAST_TYPE, LAST_ID = 4, 7, 8
"""cudaMemRangeAttribute: the last location of a prefetch in one number, its type, its id."""


@question()
def prefetches_in_batches(w: World) -> None:
    """What is looked at first, which places there are, and what can be asked of the ranges afterwards."""
    a = using(w)
    one, other, working = managed(a), managed(a), stream(a)
    both, sizes, places = (one, other), (PAGE, PAGE), (HERE, HOST)
    calls: tuple[tuple[object, ...], ...] = (
        (both, sizes, 2, places, (0, 1), 2, 0, working),
        (both, sizes, 2, (HERE,), (0,), 1, 0, working),
        (both, sizes, 2, (NODE, CURRENT), (0, 1), 2, 0, working),
        (both, sizes, 2, (HERE, NONE), (0, 1), 2, 0, working),
        (both, sizes, 2, (HERE, (1, 99)), (0, 1), 2, 0, working),
        (both, sizes, 2, (HERE, (3, 99)), (0, 1), 2, 0, working),
        (both, sizes, 2, places, (0, 1), 2, 0, 0),
        (both, sizes, 2, places, (0, 1), 2, 0, 1),
        (both, sizes, 2, places, (0, 1), 2, 0, 2),
        (both, sizes, 2, places, (0, 1), 2, 1, working),
        (both, sizes, 2, places, (0, 1), 2, 1, 0),
        (both, sizes, 2, places, (1, 1), 2, 0, working),
        (both, sizes, 2, places, (0, 0), 2, 0, working),
        (both, sizes, 2, places, (0, 2), 2, 0, working),
        (both, sizes, 2, places, (0, 1), 0, 0, working),
        (both, sizes, 1, places, (0, 1), 2, 0, working),
        (both, sizes, 0, places, (0, 1), 0, 0, working),
        (both, (PAGE, 0), 2, places, (0, 1), 2, 0, working),
        ((one, memory(a)), sizes, 2, places, (0, 1), 2, 0, working),
        ((one, a.host_memory(PAGE)), sizes, 2, places, (0, 1), 2, 0, working),
        ((one, one), sizes, 2, places, (0, 1), 2, 0, working),
        ((one + 8, other), (8, 8), 2, places, (0, 1), 2, 0, working),
    )
    for call in calls:
        a.c.cudaMemPrefetchBatchAsync(*call)
        a.c.cudaGetLastError()
        for pointer in both:
            for attribute in (LAST_PLACE, LAST_TYPE, LAST_ID):
                a.c.cudaMemRangeGetAttribute(4, attribute, pointer, PAGE)
    for left_out in (0, 1, 3, 4):
        args = list(calls[0])
        args[left_out] = None
        a.c.cudaMemPrefetchBatchAsync(*args)


@question()
def calls_that_need_a_newer_driver(w: World) -> None:
    """What they answer, whether a context is there then, and what they look at before."""
    for call in ("cudaMemcpyWithAttributesAsync", "cudaLaunchHostFunc_v2"):
        a = fresh(w)
        args: tuple[object, ...] = (0, 0, 16, ATTRIBUTES, 0) if call.startswith("cudaMemcpy") else (0, 0, 0, 7)
        getattr(a.c, call)(*args)
        a.c.cudaPeekAtLastError()
        a.c.cuCtxGetCurrent()
        a.c.cuDevicePrimaryCtxGetState(0)
    b = using(w)
    working = stream(b)
    b.c.cudaMemcpyWithAttributesAsync(memory(b), memory(b), 16, ATTRIBUTES, working)
    b.c.cudaMemcpyWithAttributesAsync(memory(b), memory(b), 16, None, working)
    b.c.cudaMemcpyWithAttributesAsync(memory(b), memory(b), 16, ATTRIBUTES, 0)
    for mode in (0, 1, 2):
        b.c.cudaLaunchHostFunc_v2(working, b.c_function("abs"), 0, mode)
    b.c.cudaStreamSynchronize(working)
