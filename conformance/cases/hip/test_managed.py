"""Managed memory of HIP: advice, prefetches, and attributes of a range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import HERE, HOST, NEW, OLD, SIZE, entries, host, managed, memory, new, stream
from conformance.kit.case import Entry, suite

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

NOWHERE, CPU = -2, -1
"""Invalid and special device numbers."""
READ_MOSTLY, PREFERRED, ACCESSED_BY = 1, 3, 5
"""Each a hipMemoryAdvise."""


def prefetches(a: Process) -> tuple[Plain, ...]:
    """Return the arguments of prefetches of two ranges."""
    return (managed(a), managed(a)), (SIZE, SIZE), 2, (HERE, HOST), (0, 1), 2, 0, stream(a)


every = entries(
    {
        "hipMemAdvise": lambda a: (managed(a), SIZE, PREFERRED, 0),
        "hipMemAdvise_v2": lambda a: (managed(a), SIZE, PREFERRED, HERE),
        "hipMemPrefetchAsync": lambda a: (managed(a), SIZE, 0, stream(a)),
        "hipMemPrefetchAsync_v2": lambda a: (managed(a), SIZE, HERE, 0, stream(a)),
        "hipMemPrefetchBatchAsync": prefetches,
        "hipMemRangeGetAttribute": lambda a: (4, 1, managed(a), SIZE),
        "hipMemRangeGetAttributes": lambda a: ((4,), (1,), 1, managed(a), SIZE),
    }
)


def wrong(entry: Entry, device: Plain) -> dict[str, Plain]:
    """Return a device of this number, in the form of a call."""
    return {"device": device} if "device" in entry.inputs else {"location": (1, device)}


for call in ("hipMemAdvise", "hipMemAdvise_v2", "hipMemPrefetchAsync", "hipMemPrefetchAsync_v2"):
    one = every[call]
    one.breaks("RANGE_IS_GIVEN", "null", dev_ptr=0)
    one.breaks("RANGE_IS_GIVEN", "no bytes", count=0)
    one.breaks("RANGE_FITS", count=2 * SIZE + 1)
    one.breaks("RANGE_FITS", "further in", dev_ptr=lambda i: i.args["dev_ptr"] + SIZE, count=SIZE + 1)
    one.breaks("managed.DEVICE_IS_THERE", **wrong(one, 2))
    one.breaks("managed.DEVICE_IS_THERE", "negative", **wrong(one, -2))
    if "Advise" in call:
        one.breaks("ADVICE_IS_KNOWN", advice=-1)
        one.breaks("RANGE_IS_MANAGED", dev_ptr=new(memory), advice=READ_MOSTLY)
        one.breaks("RANGE_IS_MANAGED", "nothing", dev_ptr=4096, advice=READ_MOSTLY)
    else:
        one.breaks("DEVICE_REACHES_IT", dev_ptr=new(host))
advise = every["hipMemAdvise"]
advise.breaks("managed.DEVICE_IS_THERE", "of null", dev_ptr=0, device=2)
advise.only(OLD, "DEVICE_IS_THERE-of-null")
advise.breaks("managed.DEVICE_IS_THERE", "that accesses it", advice=ACCESSED_BY, device=-2)
every["hipMemAdvise_v2"].breaks("LOCATION_IS_KNOWN", location=(5, 0))
every["hipMemPrefetchAsync_v2"].breaks("managed.FLAGS_ARE_ZERO", flags=1)

batch = every["hipMemPrefetchBatchAsync"]
for name in ("dev_ptrs", "sizes", "prefetch_locs", "prefetch_loc_idxs"):
    batch.breaks("ARGUMENTS_ARE_GIVEN", name, **{name: None})
for name, value in {"count": 0, "num_prefetch_locs": 0, "flags": 1, "stream": 0}.items():
    batch.breaks("ARGUMENTS_ARE_GIVEN", name, **{name: value})
batch.breaks("ARGUMENTS_ARE_GIVEN", "more places than ranges", num_prefetch_locs=3)
for label, indices in {"from 1": (1, 2), "beyond": (0, 2), "one twice": (0, 0)}.items():
    batch.breaks("INDICES_INCREASE", label, prefetch_loc_idxs=indices)
batch.breaks("RANGES_ARE_ALLOCATED", "no bytes", sizes=(SIZE, 0))
batch.breaks("RANGES_ARE_ALLOCATED", "past the end", sizes=(SIZE, 2 * SIZE + 1))
batch.breaks("RANGES_ARE_ALLOCATED", "the host's", dev_ptrs=lambda i: (managed(i.process), host(i.process)))
batch.breaks("DEVICE_OF_A_BATCH_IS_THERE", prefetch_locs=(HERE, (1, 2)))
batch.breaks("MEMORY_IS_SHARED", dev_ptrs=lambda i: (managed(i.process), memory(i.process)))

advise.also("the host's memory", dev_ptr=new(host), advice=READ_MOSTLY)
prefetch = every["hipMemPrefetchAsync"]
prefetch.also("memory of the device", dev_ptr=new(memory), count=SIZE)
prefetch.also("the host's memory, to the host", dev_ptr=new(host), count=SIZE, device=CPU)

one, several = every["hipMemRangeGetAttribute"], every["hipMemRangeGetAttributes"]
for each in (one, several):
    each.null("data", "DATA_IS_GIVEN")
    each.breaks("RANGE_IS_MANAGED", "past the end", count=2 * SIZE + 1)
one.breaks("DATA_IS_GIVEN", "no size", data_size=0)
one.breaks("DATA_IS_GIVEN", "null range", dev_ptr=0)
one.breaks("DATA_IS_GIVEN", "no bytes", count=0)
one.breaks("ATTRIBUTE_IS_KNOWN", attribute=5)
one.breaks("RANGE_IS_MANAGED", dev_ptr=new(memory))
one.breaks("SIZE_IS_THE_ATTRIBUTES", data_size=8)
one.breaks("SIZE_IS_THE_ATTRIBUTES", "no multiple", data_size=10, attribute=3)
nothing: dict[str, int | None] = {"data_sizes": None, "attributes": None, "num_attributes": 0}
for name, missing in nothing.items():
    several.breaks("DATA_IS_GIVEN", name, **{name: missing})
several.breaks("ATTRIBUTE_IS_KNOWN", attributes=(5,))
several.breaks("MEMORY_IS_HIPS", dev_ptr=new(memory))
several.breaks("SIZE_IS_THE_ATTRIBUTES", data_sizes=(8,))

COHERENCY = 100
TOLD = (1, 2, 4, COHERENCY)
"""hipMemRangeAttribute values with one number."""


@one.after("advice and prefetches, of whole pages")
def advised(_w: World, i: Invocation, _r: tuple[Plain]) -> None:
    c, ptr = i.process.ok, managed(i.process)

    def asked(attribute: int, size: int = 4, count: int = SIZE) -> Plain:
        return c.hipMemRangeGetAttribute(size, attribute, ptr, count)

    assert [asked(attribute) for attribute in TOLD] == [0, NOWHERE, NOWHERE, 0]
    c.hipMemAdvise(ptr, 1, READ_MOSTLY, 99)
    c.hipMemAdvise(ptr, SIZE, PREFERRED, 1)
    c.hipMemPrefetchAsync(ptr, SIZE, 0, 0)
    c.hipMemAdvise(ptr, SIZE, 100, 0)
    assert [asked(attribute) for attribute in TOLD] == [1, 1, 0, 1]
    assert [asked(attribute, count=2 * SIZE) for attribute in TOLD] == [0, NOWHERE, NOWHERE, 2]
    for number in (1, CPU, 0):
        c.hipMemAdvise(ptr, SIZE, ACCESSED_BY, number)
    assert asked(3, 16) == (0, 1, CPU, NOWHERE)
    c.hipMemAdvise(ptr, SIZE, ACCESSED_BY + 1, CPU)  # clr asks device 0 where the host is meant
    assert asked(3, 12) == (1, CPU, NOWHERE)
    c.hipMemAdvise_v2(ptr, SIZE, PREFERRED, (3, 0))
    c.hipMemPrefetchAsync_v2(ptr, SIZE, HOST, 0, 0)
    c.hipMemAdvise(ptr, SIZE, 101, 0)
    assert c.hipMemRangeGetAttributes((4, 4, 4), (2, 4, COHERENCY), 3, ptr, SIZE) == (CPU, CPU, 0)
    c.hipMemPrefetchBatchAsync((ptr, ptr + SIZE), (8, 8), 2, (HERE,), (0,), 1, 0, stream(i.process))
    assert asked(4, count=2 * SIZE) == 0


@one.after("of memory that is not managed")
def of_others(_w: World, i: Invocation, _r: tuple[Plain]) -> None:
    """Check that host memory keeps no advice, and the coherency of each memory."""
    c, plain = i.process.ok, host(i.process)
    c.hipMemAdvise(plain, SIZE, READ_MOSTLY, 0)
    assert c.hipMemRangeGetAttribute(4, 1, plain, SIZE) == 0
    places = [*(c.hipHostMalloc(SIZE, flags) for flags in (0, 1, 0x80000000)), memory(i.process)]
    assert [c.hipMemRangeGetAttribute(4, COHERENCY, place, SIZE) for place in places] == [0, 0, 1, 1]


one.only(NEW, "advice-and-prefetches,-of-whole-pages", "of-memory-that-is-not-managed")

test_managed = suite(*every.values())
