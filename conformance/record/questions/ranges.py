"""Questions about ranges of managed memory: what is checked first, and what ranges of mixed pages say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream
from conformance.cases.driver.unified.fixtures import ATTRIBUTE, SIZE, managed, pooled
from conformance.cases.driver.va.fixtures import NOWHERE
from conformance.kit.world import DEVICE
from conformance.record.questions.fixtures import question, waits

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

GPU = (DEVICE, 0)
PLACES = (GPU, (2, 0), (3, 0), (3, 99), (4, 0), (5, 0), (6, 0), (6, 1), (0, 0), (1, 99), (1, -1), (1, -2), (7, 0))
ADVICE = range(8)


def all_of(a: Process, ptr: int, count: int) -> None:
    """Ask for every attribute of a range."""
    for attribute in ATTRIBUTE.values():
        a.c.cuMemRangeGetAttribute(16 if attribute == ATTRIBUTE["ACCESSED_BY"] else 4, attribute, ptr, count)


@question()
def without_a_context(w: World) -> None:
    """Advice, prefetches and attributes while no context is current."""
    a = w.process()
    ptr, one = managed(a), stream(a)
    a.ok.cuCtxPopCurrent()
    for advice in ADVICE:
        a.c.cuMemAdvise(ptr, SIZE, advice, GPU)
    for working in (0, 1, 2, one):
        a.c.cuMemPrefetchAsync(ptr, SIZE, GPU, 0, working)
    all_of(a, ptr, SIZE)
    a.c.cuMemAdvise(NOWHERE, SIZE, 1, GPU)
    a.c.cuMemAdvise(ptr, 0, 1, GPU)


@question()
def every_place_of_every_advice(w: World) -> None:
    """Each advice with each kind of place, and what remains."""
    a = w.process()
    for advice in ADVICE:
        ptr = managed(a)
        for place in PLACES:
            a.c.cuMemAdvise(ptr, SIZE, advice, place)
            all_of(a, ptr, SIZE)


@question()
def every_place_of_a_prefetch(w: World) -> None:
    """A prefetch to each kind of place, and what remains."""
    a = w.process()
    for place in PLACES:
        ptr = managed(a)
        a.c.cuMemPrefetchAsync(ptr, SIZE, place, 0, 0)
        a.c.cuCtxSynchronize()
        all_of(a, ptr, SIZE)


@question()
def mixed_ranges(w: World) -> None:
    """What attributes say of ranges that begin and end within and beside what was advised."""
    a = w.process()
    ptr = managed(a, 8 * PAGE)
    a.ok.cuMemAdvise(ptr + 2 * PAGE, PAGE, 1, GPU)
    a.ok.cuMemAdvise(ptr + 3 * PAGE, PAGE, 3, GPU)
    a.ok.cuMemAdvise(ptr + 4 * PAGE, PAGE, 3, (2, 0))
    a.ok.cuMemAdvise(ptr + 5 * PAGE, PAGE, 5, GPU)
    a.ok.cuMemAdvise(ptr + 5 * PAGE, 2 * PAGE, 5, (2, 0))
    a.ok.cuMemPrefetchAsync(ptr + 6 * PAGE, PAGE, GPU, 0, 0)
    a.ok.cuCtxSynchronize()
    for start in range(8):
        for pages in (1, 2, 8 - start):
            all_of(a, ptr + start * PAGE, pages * PAGE)
    all_of(a, ptr + 3 * PAGE - 1, 2)
    all_of(a, ptr + 3 * PAGE + 1, 1)


@question()
def past_an_allocation(w: World) -> None:
    """Ranges that run from one allocation into the next, past the end, and through all addresses."""
    a = w.process()
    first, second = sorted(a.ok.cuMemAllocManaged(64 * PAGE, 1) for _round in range(2))
    for ptr, count in (
        (first, second - first + PAGE),
        (first, 64 * PAGE + 1),
        (first, 64 * PAGE),
        (second + 64 * PAGE - 1, 2),
        (first, (1 << 64) - 1),
        (first + 1, (1 << 64) - 2),
        (first - PAGE, 2 * PAGE),
        (first, 0),
        (0, 0),
    ):
        a.c.cuMemAdvise(ptr, count, 1, GPU)
        a.c.cuMemPrefetchAsync(ptr, count, GPU, 0, 0)
        all_of(a, ptr, count)


@question()
def after_a_free(w: World) -> None:
    """Advice and attributes of memory that was freed, and of what lies there later."""
    a = w.process()
    ptr = managed(a)
    a.ok.cuMemAdvise(ptr, SIZE, 1, GPU)
    a.c.cuMemFree(ptr)
    a.c.cuMemAdvise(ptr, SIZE, 1, GPU)
    a.c.cuMemPrefetchAsync(ptr, SIZE, GPU, 0, 0)
    all_of(a, ptr, SIZE)
    later = managed(a)
    all_of(a, later, SIZE)


@question()
def order_of_checks(w: World) -> None:
    """Several wrong things at once, of every three that can be."""
    a = w.process()
    ptr = managed(a)
    wrong: dict[str, tuple[Any, Any]] = {
        "ptr": (ptr, NOWHERE),
        "count": (SIZE, 0),
        "advice": (1, 99),
        "place": (GPU, (1, 99)),
    }
    for mask in range(16):
        chosen = [pair[mask >> place & 1] for place, pair in enumerate(wrong.values())]
        a.c.cuMemAdvise(*chosen)
        a.c.cuMemPrefetchAsync(chosen[0], chosen[1], chosen[3], int(chosen[2] == 99), 0)
        a.c.cuMemRangeGetAttribute(4 if mask < 8 else 3, chosen[2], chosen[0], chosen[1])
        a.c.cuMemRangeGetAttributes((4,), (chosen[2],), 1, chosen[0], chosen[1])


@question()
def numbers_of_attributes(w: World) -> None:
    """Each attribute by its number and in each size."""
    a = w.process()
    ptr = managed(a)
    for attribute in range(-1, 11):
        for size in (0, 1, 2, 4, 8, 12, 16):
            a.c.cuMemRangeGetAttribute(size, attribute, ptr, SIZE)


@question()
def attached_memory(w: World) -> None:
    """Advice and prefetches of memory that is attached to the host or to a stream."""
    a = w.process()
    one = stream(a)
    for flags in (1, 2):
        ptr = a.ok.cuMemAllocManaged(16 * PAGE, flags)
        for attach in (2, 4, 1):
            a.c.cuStreamAttachMemAsync(one, ptr, 0, attach)
            a.c.cuStreamSynchronize(one)
            a.c.cuMemPrefetchAsync(ptr, 16 * PAGE, GPU, 0, 0)
            a.c.cuMemAdvise(ptr, 16 * PAGE, 3, GPU)
            a.c.cuMemcpyDtoH(bytearray(4), ptr, 4)
            all_of(a, ptr, 16 * PAGE)


@question()
def prefetches_wait(w: World) -> None:
    """Whether a prefetch or an advice waits for a stream that is at work."""
    a = w.process()
    ptr = managed(a)
    waits(a, lambda: a.c.cuMemPrefetchAsync(ptr, SIZE, GPU, 0, 0))
    waits(a, lambda: a.c.cuMemPrefetchAsync(ptr, SIZE, (2, 0), 0, 0), NON_BLOCKING)
    waits(a, lambda: a.c.cuMemAdvise(ptr, SIZE, 1, GPU))
    waits(a, lambda: a.c.cuMemRangeGetAttribute(4, ATTRIBUTE["READ_MOSTLY"], ptr, SIZE))


@question()
def before_the_driver_is_up(w: World) -> None:
    """Advice and prefetches before cuInit, without a context and in a destroyed one, with each kind of place."""
    before, bare, ended = w.process(init=False), w.process(), w.process()
    ptr = managed(bare)
    bare.ok.cuCtxPopCurrent()
    lost, other = managed(ended), ended.thread("other")
    other.ok.cuCtxSetCurrent(ended.context)
    ended.ok.cuCtxDestroy(ended.context)
    for c, place in ((before.c, 0), (bare.c, ptr), (other.c, lost)):
        for advice in range(1, 7):
            for where in (GPU, (1, 99), (2, 0), (3, 0), (3, 99), (4, 0)):
                c.cuMemAdvise(place, SIZE, advice, where)
        for where in (*PLACES, (9, 0)):
            c.cuMemPrefetchAsync(place, SIZE, where, 0, 0)
        c.cuMemPrefetchAsync(place, 0, GPU, 1, 0)


@question()
def pages_that_are_shared(w: World) -> None:
    """What small allocations on one page say of advice, while it is there and after each of them is freed."""
    a = w.process()
    first, middle, last = (a.ok.cuMemAllocManaged(512, 1) for _round in range(3))
    for advice in (1, 3, 5):
        a.c.cuMemAdvise(middle, 512, advice, GPU)
    a.c.cuMemPrefetchAsync(middle, 512, GPU, 0, 0)
    a.c.cuCtxSynchronize()
    for ptr in (first, middle, last):
        all_of(a, ptr, 512)
    a.c.cuMemFree(middle)
    for ptr in (first, last):
        all_of(a, ptr, 512)
    a.c.cuMemAdvise(first, 512, 1, GPU)
    all_of(a, last, 512)
    a.c.cuMemFree(first)
    all_of(a, last, 512)


@question()
def ranges_that_wrap(w: World) -> None:
    """Ranges whose end is past the last address: at 0, before the first byte, at it, and in the allocation again."""
    a = w.process()
    ptr = managed(a, 8 * PAGE)
    everything = 1 << 64
    a.ok.cuMemAdvise(ptr, 2 * PAGE, 3, GPU)
    for start in (ptr, ptr + 2 * PAGE, ptr + 4 * PAGE + 1):
        for end in (0, PAGE, ptr - PAGE, ptr, ptr + 1, start - 1):
            count = (end - start) % everything
            a.c.cuMemAdvise(start, count, 1, GPU)
            a.c.cuMemPrefetchAsync(start, count, GPU, 0, 0)
            all_of(a, start, count)
        a.c.cuCtxSynchronize()
        all_of(a, ptr, 8 * PAGE)


@question()
def managed_pools(w: World) -> None:
    """Each advice for memory of a managed pool, in it and past its end, with each kind of place, and prefetches of it."""
    a = w.process()
    ptr = pooled(a)
    a.c.cuCtxSynchronize()
    all_of(a, ptr, SIZE)
    for advice in range(1, 7):
        for place in (GPU, (2, 0), (3, 0)):
            a.c.cuMemAdvise(ptr, SIZE, advice, place)
        a.c.cuMemAdvise(ptr, 0, advice, GPU)
        a.c.cuMemAdvise(ptr, 1 << 40, advice, GPU)
    for place in PLACES[:5]:
        a.c.cuMemPrefetchAsync(ptr, SIZE, place, 0, 0)
        a.c.cuCtxSynchronize()
        all_of(a, ptr, SIZE)
    all_of(a, ptr, 2 * SIZE)
    all_of(a, ptr + SIZE - 1, PAGE)
