"""Questions about memory pools: their books, what gives memory back, what others may do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.pool.fixtures import (
    ATTRIBUTE,
    CHUNK,
    HOST,
    HOST_NUMA,
    MANAGED,
    NONE,
    SIZE,
    imported,
    memory,
    opened,
    pool,
    shared,
)
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream
from conformance.kit.world import DEVICE, PINNED, POSIX, access
from conformance.record.questions.fixtures import question, waits

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

BOOKS = ("RESERVED_MEM_CURRENT", "USED_MEM_CURRENT", "RESERVED_MEM_HIGH", "USED_MEM_HIGH")
SIZES = (
    1,
    256,
    511,
    512,
    513,
    4096,
    65536,
    65537,
    (2 << 20) - 1,
    2 << 20,
    (2 << 20) + 1,
    CHUNK - 1,
    CHUNK,
    CHUNK + 1,
    3 * CHUNK + 5,
)
KEEP = 1 << 40


def books(a: Process, of: int) -> None:
    """Ask for the books of a pool, whatever the answers."""
    for name in BOOKS:
        a.c.cuMemPoolGetAttribute(of, ATTRIBUTE[name])


@question()
def books_by_size(w: World) -> None:
    """What a pool reserves for one allocation of each size, and what it counts as used; what remains after the free."""
    a = w.process()
    for size in SIZES:
        made = pool(a)
        ptr = memory(a, made, size)
        books(a, made)
        a.ok.cuMemFreeAsync(ptr, 0)
        books(a, made)
        a.ok.cuCtxSynchronize()
        books(a, made)
        a.ok.cuMemPoolDestroy(made)


@question()
def books_of_many(w: World) -> None:
    """How allocations of several sizes share what is reserved, and what frees in another order leave."""
    a = w.process()
    made = pool(a)
    a.ok.cuMemPoolSetAttribute(made, ATTRIBUTE["RELEASE_THRESHOLD"], KEEP)
    held = []
    for size in (PAGE, CHUNK // 2, CHUNK // 2, CHUNK, 3 * CHUNK, 1, CHUNK - PAGE):
        held.append(memory(a, made, size))
        books(a, made)
    for ptr in held[::2] + held[1::2]:
        a.ok.cuMemFreeAsync(ptr, 0)
        books(a, made)
    a.ok.cuCtxSynchronize()
    books(a, made)
    memory(a, made, 2 * CHUNK)
    books(a, made)
    for keep in (8 * CHUNK, 4 * CHUNK, 3 * CHUNK - 1, 1, 0):
        a.c.cuMemPoolTrimTo(made, keep)
        books(a, made)


@question()
def marks(w: World) -> None:
    """What high-water marks are set to and count from."""
    a = w.process()
    for name in ("RESERVED_MEM_HIGH", "USED_MEM_HIGH"):
        for value in (0, 1, CHUNK, 1 << 60):
            made = pool(a)
            ptr = memory(a, made, CHUNK)
            a.c.cuMemPoolSetAttribute(made, ATTRIBUTE[name], value)
            books(a, made)
            a.ok.cuMemFreeAsync(ptr, 0)
            a.ok.cuCtxSynchronize()
            a.c.cuMemPoolSetAttribute(made, ATTRIBUTE[name], value)
            books(a, made)
            memory(a, made)
            books(a, made)


@question()
def what_gives_memory_back(w: World) -> None:
    """Which calls have a pool give back what is above its threshold, after a free in a stream."""
    a = w.process()
    for wait in (
        "stream",
        "other stream",
        "event",
        "query",
        "event query",
        "context",
        "legacy",
        "free",
        "alloc",
        "trim",
    ):
        made, one, event, linear = pool(a), stream(a, NON_BLOCKING), a.ok.cuEventCreate(0), a.ok.cuMemAlloc(PAGE)
        ptr = memory(a, made, CHUNK, one)
        a.ok.cuStreamSynchronize(one)
        a.ok.cuMemFreeAsync(ptr, one)
        a.ok.cuEventRecord(event, one)
        books(a, made)
        if wait == "stream":
            a.c.cuStreamSynchronize(one)
        elif wait == "other stream":
            a.c.cuStreamSynchronize(stream(a, NON_BLOCKING))
        elif wait == "event":
            a.c.cuEventSynchronize(event)
        elif wait == "query":
            a.c.cuStreamQuery(one)
            a.c.cuStreamQuery(one)
        elif wait == "event query":
            a.c.cuEventQuery(event)
            a.c.cuEventQuery(event)
        elif wait == "context":
            a.c.cuCtxSynchronize()
        elif wait == "legacy":
            a.c.cuStreamSynchronize(1)
        elif wait == "free":
            a.c.cuMemFree(linear)
        elif wait == "alloc":
            memory(a, made, PAGE, one)
        else:
            a.c.cuMemPoolTrimTo(made, 0)
        books(a, made)
        a.ok.cuCtxSynchronize()
        books(a, made)


@question()
def frees(w: World) -> None:
    """What cuMemFreeAsync and cuMemFree answer to each kind of memory, before and after it is allocated in its stream."""
    a = w.process()
    one = stream(a, NON_BLOCKING)
    linear, managed, pinned, pooled = (
        a.ok.cuMemAlloc(PAGE),
        a.ok.cuMemAllocManaged(PAGE, 1),
        a.ok.cuMemAllocHost(PAGE),
        memory(a),
    )
    for ptr in (0, linear + 1, pooled + 1, pooled + 512, managed, pinned, linear, pooled, pooled):
        a.c.cuMemFreeAsync(ptr, one)
    a.c.cuCtxSynchronize()
    made = pool(a, handle_types=POSIX)
    ptr = memory(a, made)
    a.c.cuMemFree(ptr)
    books(a, made)
    a.c.cuMemFree(ptr)
    a.c.cuMemFreeAsync(ptr, 0)
    a.c.cuMemFree(memory(a, made) + 512)


@question()
def frees_wait(w: World) -> None:
    """Whether a free of a pool's memory by cuMemFree waits, and whether allocations and pools' ends do."""
    a = w.process()
    made, other = pool(a), pool(a)
    ptr, later = memory(a, made), memory(a, other)
    a.ok.cuCtxSynchronize()
    waits(a, lambda: a.c.cuMemFree(ptr), NON_BLOCKING)
    waits(a, lambda: a.c.cuMemAllocFromPoolAsync(CHUNK, made, 0), NON_BLOCKING)
    waits(a, lambda: a.c.cuMemPoolTrimTo(made, 0), NON_BLOCKING)
    waits(a, lambda: a.c.cuMemPoolDestroy(made), NON_BLOCKING)
    waits(a, lambda: a.c.cuMemPoolSetAccess(other, (access(),), 1), NON_BLOCKING)
    waits(a, lambda: a.c.cuMemFreeAsync(later, 0), NON_BLOCKING)


@question()
def every_attribute(w: World) -> None:
    """Each attribute of each kind of pool, by number, the newer ones among them; and whether it can be set."""
    a = w.process()
    kinds = ((PINNED, DEVICE), (PINNED, HOST), (PINNED, HOST_NUMA), (MANAGED, NONE), (MANAGED, DEVICE), (MANAGED, HOST))
    for kind, where in kinds:
        code, made = a.c.cuMemPoolCreate((kind, 0, (where, 0), 0, 0, 0, 0))
        if code:
            continue
        for attribute in range(18):
            a.c.cuMemPoolGetAttribute(made, attribute)
        for attribute in range(1, 18):
            a.c.cuMemPoolSetAttribute(made, attribute, 0)
        for attribute in range(18):
            a.c.cuMemPoolGetAttribute(made, attribute)
    for default in (a.ok.cuDeviceGetDefaultMemPool(0), a.ok.cuDeviceGetMemPool(0)):
        for attribute in range(18):
            a.c.cuMemPoolGetAttribute(default, attribute)


@question()
def access_of_each_kind(w: World) -> None:
    """Who has access to pools of each kind, and what may be given and taken."""
    a = w.process()
    places = ((DEVICE, 0), (HOST, 0), (HOST_NUMA, 0), (4, 0), (NONE, 0), (DEVICE, 1))
    for kind, where in (
        (PINNED, DEVICE),
        (PINNED, HOST),
        (PINNED, HOST_NUMA),
        (MANAGED, NONE),
        (MANAGED, DEVICE),
        (MANAGED, HOST),
    ):
        code, made = a.c.cuMemPoolCreate((kind, 0, (where, 0), 0, 0, 0, 0))
        if code:
            continue
        for place in places:
            a.c.cuMemPoolGetAccess(made, place)
            for flags in (3, 1, 0):
                a.c.cuMemPoolSetAccess(made, ((place, flags),), 1)
                a.c.cuMemPoolGetAccess(made, place)
        a.c.cuMemAllocFromPoolAsync(PAGE, made, 0)


@question()
def shared_twice(w: World) -> None:
    """A pointer that is exported twice and imported twice, from within, and once it is freed here or there."""
    a, b = w.process(), w.process()
    into, source = imported(a, b)
    ptr, data = shared(b, source)
    again = b.ok.cuMemPoolExportPointer(ptr)
    b.c.cuMemPoolExportPointer(ptr + 512)
    code, first = a.c.cuMemPoolImportPointer(into, data)
    a.c.cuMemPoolImportPointer(into, data)
    a.c.cuMemPoolImportPointer(into, again)
    if not code:
        a.c.cuMemPoolExportPointer(first)
        for _round in range(4):
            a.c.cuMemcpyDtoH(bytearray(4), first, 4)
            a.c.cuMemFreeAsync(first, 0)
            a.c.cuCtxSynchronize()
        a.c.cuMemPoolImportPointer(into, data)
    b.c.cuMemFreeAsync(ptr, 0)
    b.c.cuCtxSynchronize()
    a.c.cuMemPoolImportPointer(into, data)


@question()
def imported_in_its_own_process(w: World) -> None:
    """A pool that the exporting process imports itself."""
    b = w.process()
    source = pool(b, handle_types=POSIX)
    descriptor = b.ok.cuMemPoolExportToShareableHandle(source, POSIX, 0)
    ptr, data = shared(b, source)
    code, into = b.c.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)
    if not code:
        code, mine = b.c.cuMemPoolImportPointer(into, data)
        if not code:
            b.c.cuMemcpyDtoH(bytearray(4), mine, 4)
            b.c.cuMemFreeAsync(mine, 0)
        b.c.cuMemPoolDestroy(into)
    b.c.cuMemFreeAsync(ptr, 0)
    b.c.cuMemPoolDestroy(source)


@question()
def after_the_exporters_death(w: World) -> None:
    """What an importer can do when its exporter was killed: with what is open, and with data that it did not open."""
    a, b = w.process(), w.process()
    into, source = imported(a, b)
    _, data = shared(b, source)
    _, unused = shared(b, source)
    mine = a.ok.cuMemPoolImportPointer(into, data)
    b.kill()
    a.c.cuMemcpyDtoH(bytearray(4), mine, 4)
    a.c.cuMemPoolImportPointer(into, unused)
    a.c.cuMemFreeAsync(mine, 0)
    a.c.cuCtxSynchronize()
    a.c.cuMemPoolDestroy(into)


@question()
def the_exporter_frees_first(w: World) -> None:
    """What an importer reads when the exporter has freed what is open, and what it frees."""
    a, b = w.process(), w.process()
    mine, ptr = opened(a, b)
    b.c.cuMemFreeAsync(ptr, 0)
    b.c.cuCtxSynchronize()
    a.c.cuMemcpyDtoH(bytearray(4), mine, 4)
    a.c.cuMemFreeAsync(mine, 0)
    a.c.cuCtxSynchronize()


@question()
def a_primary_context_that_is_reset(w: World) -> None:
    """Which pools and which memory of them survive a reset of the primary context, and a last release."""
    for end in ("cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxRelease"):
        a = w.process(context=False)
        a.ok.cuCtxPushCurrent(a.ok.cuDevicePrimaryCtxRetain(0))
        made, default = pool(a), a.ok.cuDeviceGetDefaultMemPool(0)
        a.ok.cuMemPoolSetAttribute(made, ATTRIBUTE["RELEASE_THRESHOLD"], KEEP)
        a.ok.cuMemPoolSetAttribute(default, ATTRIBUTE["RELEASE_THRESHOLD"], KEEP)
        a.ok.cuDeviceSetMemPool(0, made)
        held, of_default = memory(a, made), memory(a, default)
        a.ok.cuCtxSynchronize()
        getattr(a.c, end)(0)
        a.ok.cuCtxSetCurrent(0)
        a.ok.cuCtxPushCurrent(a.ok.cuDevicePrimaryCtxRetain(0))
        a.c.cuDeviceGetMemPool(0)
        a.c.cuDeviceGetDefaultMemPool(0)
        for one in (default, made):
            books(a, one)
            a.c.cuMemPoolGetAttribute(one, ATTRIBUTE["RELEASE_THRESHOLD"])
        for ptr in (of_default, held):
            a.c.cuMemcpyDtoH(bytearray(4), ptr, 4)
            a.c.cuMemFreeAsync(ptr, 0)
        a.c.cuMemAllocFromPoolAsync(SIZE, default, 0)
        a.c.cuMemAllocFromPoolAsync(SIZE, made, 0)
        a.c.cuMemPoolDestroy(made)


@question()
def imported_twice(w: World) -> None:
    """Whether two imports of a pool are two: what is left of the second when the first was destroyed."""
    for exporter, importer in ((w.process(), w.process()), (own := w.process(), own)):
        made = pool(exporter, handle_types=POSIX)
        descriptor = exporter.ok.cuMemPoolExportToShareableHandle(made, POSIX, 0)
        first = importer.ok.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)
        second = importer.ok.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)
        importer.c.cuMemPoolSetAccess(first, (access(0, 0),), 1)
        importer.c.cuMemPoolGetAccess(first, (DEVICE, 0))
        importer.c.cuMemPoolGetAccess(second, (DEVICE, 0))
        importer.c.cuMemPoolDestroy(first)
        importer.c.cuMemPoolGetAccess(second, (DEVICE, 0))
        third = importer.ok.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)
        importer.c.cuMemPoolDestroy(second)
        importer.c.cuMemPoolGetAccess(third, (DEVICE, 0))
        importer.c.cuMemPoolDestroy(third)
        exporter.c.cuMemPoolDestroy(made)


@question()
def imported_twice_and_in_use(w: World) -> None:
    """Whether a pool that was imported twice can be destroyed once while memory of it is open; by two descriptors of it."""
    exporter, importer = w.process(), w.process()
    made = pool(exporter, handle_types=POSIX)
    descriptor = exporter.ok.cuMemPoolExportToShareableHandle(made, POSIX, 0)
    another = exporter.ok.cuMemPoolExportToShareableHandle(made, POSIX, 0)
    first = importer.ok.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)
    second = importer.ok.cuMemPoolImportFromShareableHandle(another, POSIX, 0)
    _, data = shared(exporter, made)
    ptr = importer.ok.cuMemPoolImportPointer(second, data)
    for one in (second, second):
        importer.c.cuMemPoolDestroy(one)
        importer.c.cuMemPoolGetAccess(one, (DEVICE, 0))
    importer.c.cuMemFreeAsync(ptr, 0)
    importer.c.cuCtxSynchronize()
    for one in (first, second):
        importer.c.cuMemPoolDestroy(one)
    importer.c.cuMemPoolImportFromShareableHandle(another, POSIX, 0)


@question()
def in_a_created_stream_of_a_thread_without_a_context(w: World) -> None:
    """Whether memory can be allocated before the process has a pool in use; in a thread that had a context and in others."""
    for popped in (False, True):
        a = w.process()
        made, other = stream(a), stream(a)
        never = a.thread(w.thread_name())
        if popped:
            a.ok.cuCtxPopCurrent()
        never.c.cuMemAllocAsync(SIZE, made)
        never.c.cuMemAllocAsync(SIZE, made)
        if popped:
            a.c.cuMemAllocAsync(SIZE, made)
            a.ok.cuCtxPushCurrent(a.context)
        a.ok.cuMemAllocAsync(SIZE, other)
        never.c.cuMemAllocAsync(SIZE, made)
        a.ok.cuDeviceGetDefaultMemPool(0)
        never.c.cuMemAllocAsync(SIZE, made)
        _, inside = a.recorded.recorder.call(a.name, "inside", "cuCtxGetCurrent", ())
        never.c.cuMemAllocAsync(SIZE, made)
        a.thread(w.thread_name()).c.cuMemAllocAsync(SIZE, made)
        assert not inside
    a = w.process()
    made = stream(a)
    a.recorded.recorder.call(a.name, "inside", "cuCtxGetCurrent", ())
    a.thread(w.thread_name()).c.cuMemAllocAsync(SIZE, made)
    a.ok.cuCtxPopCurrent()
    a.c.cuMemAllocAsync(SIZE, made)


@question()
def batches_of_copies_without_a_context(w: World) -> None:
    """Whether a batch needs a current context: of a thread that had one, of another, with and without hints."""
    a = w.process()
    made, place, pinned = stream(a), a.ok.cuMemAlloc(PAGE), a.ok.cuMemAllocHost(PAGE)
    never = a.thread(w.thread_name())
    a.ok.cuCtxSynchronize()
    a.ok.cuCtxPopCurrent()
    for door in (a.c, never.c):
        for order in (1, 2, 3):
            for there, here in ((place, place + 64), (place, pinned), (pinned, place), (pinned, pinned + 64)):
                attributes = ((order, (0, 0), (0, 0), 0),)
                door.cuMemcpyBatchAsync((there,), (here,), (16,), 1, attributes, (0,), 1, made)
            door.cuMemcpyBatchAsync((place,), (pinned,), (16,), 1, ((order, (2, 0), (1, 0), 0),), (0,), 1, made)
        door.cuMemcpyAsync(place, pinned, 16, made)
