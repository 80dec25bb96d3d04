"""Patterns of related calls, each of which stops at the first failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.drawing.capture_patterns import CAPTURES
from conformance.drawing.code_patterns import OF as CODE
from conformance.drawing.graph_patterns import GRAPHS, plain, some
from conformance.drawing.rows import ROWS
from conformance.drawing.values import PAGE
from conformance.kit.kernels import PTX
from conformance.kit.world import GRANULE, POSIX, READ_WRITE, access, pinned

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.drawing.drawing import Drawing
    from conformance.drawing.graph_patterns import Make

    Pattern = Callable[[Drawing, str, Make], None]

INTERPROCESS = 6
"""CU_EVENT_INTERPROCESS and CU_EVENT_DISABLE_TIMING."""


def fill(drawing: Drawing, process: str, make: Make) -> None:
    """Fill memory, copy it, and read it."""
    large = drawing.large(process)
    if large:
        one, other = drawing.random.choice(large), drawing.random.choice(large) + ROWS
        make(process, "cuMemcpyHtoD", one, b"sixteen bytes, 1", 16)
        make(process, "cuMemcpyDtoD", other, one, 16)
        make(process, "cuMemcpyDtoH", bytearray(16), other, 16)


def share(drawing: Drawing, process: str, make: Make) -> None:
    """Open memory of one process in the other."""
    name = "cuda" if drawing.runtime and drawing.random.randrange(2) else "cu"
    alloc = {"cu": "cuMemAlloc", "cuda": "cudaMalloc"}[name]
    pointer = make(process, alloc, drawing.random.choice((PAGE, GRANULE)))
    handle = pointer and make(process, f"{name}IpcGetMemHandle", pointer)
    if handle:
        make(drawing.other(process), f"{name}IpcOpenMemHandle", handle, 1)


def share_pool(drawing: Drawing, process: str, make: Make) -> None:
    """Share a pool and memory of it."""
    pool = make(process, "cuMemPoolCreate", (1, POSIX, (1, 0), 0, 0, 0, 0))
    pointer = pool and make(process, "cuMemAllocFromPoolAsync", PAGE, pool, 0)
    file = pointer and make(process, "cuMemPoolExportToShareableHandle", pool, POSIX, 0)
    data = file and make(process, "cuMemPoolExportPointer", pointer)
    other = drawing.other(process)
    into = data and make(other, "cuMemPoolImportFromShareableHandle", file, POSIX, 0)
    if into:
        make(other, "cuMemPoolImportPointer", into, data)


def map_memory(drawing: Drawing, process: str, make: Make) -> None:
    """Map new memory, and set its access."""
    device = drawing.random.randrange(drawing.devices)
    start = make(process, "cuMemAddressReserve", 2 * GRANULE, 0, 0, 0)
    handle = start and make(process, "cuMemCreate", GRANULE, pinned(device, POSIX), 0)
    if handle and make(process, "cuMemMap", start, GRANULE, 0, handle, 0):
        place = access(drawing.random.randrange(drawing.devices), READ_WRITE)
        make(process, "cuMemSetAccess", start, GRANULE, (place,), 1)
        if drawing.random.randrange(4) == 0 and make(process, "cuMemUnmap", start, GRANULE):
            make(process, "cuMemAddressFree", start, drawing.random.choice((2, 2, 1)) * GRANULE)


def pass_on(drawing: Drawing, process: str, make: Make) -> None:
    """Pass an allocation handle to the other process."""
    handle = make(process, "cuMemCreate", GRANULE, pinned(0, POSIX), 0)
    file = handle and make(process, "cuMemExportToShareableHandle", handle, POSIX, 0)
    if file:
        make(drawing.other(process), "cuMemImportFromShareableHandle", file, POSIX)


def make_graph(drawing: Drawing, process: str, make: Make) -> None:
    """Create a graph of a few nodes, and launch it."""
    graph = make(process, "cuGraphCreate", 0)
    first = graph and make(process, "cuGraphAddEmptyNode", graph, None, 0)
    if first:
        make(process, "cuGraphAddEmptyNode", graph, (first,), 1)
        executable = make(process, "cuGraphInstantiate", graph, 0)
        if executable and drawing.random.randrange(2):
            make(process, "cuGraphLaunch", executable, 0)


def load_code(drawing: Drawing, process: str, make: Make) -> None:
    """Load code, look up a kernel without parameters, and launch it."""
    name = drawing.random.choice((b"empty", b"most", b"fixed"))
    if drawing.random.randrange(2):
        module = make(process, "cuModuleLoadData", PTX)
        found = module and make(process, "cuModuleGetFunction", module, name)
    else:
        library = make(process, "cuLibraryLoadData", PTX, None, None, 0, None, None, 0)
        kernel = library and make(process, "cuLibraryGetKernel", library, name)
        found = kernel and make(process, "cuKernelGetFunction", kernel)
    if found:
        make(process, "cuLaunchKernel", found, 1, 1, 1, drawing.random.choice((1, 32)), 1, 1, 0, 0, 0, 0)


def share_event(drawing: Drawing, process: str, make: Make) -> None:
    """Open an event of one process in the other, and wait for it."""
    event = make(process, "cuEventCreate", INTERPROCESS)
    handle = event and make(process, "cuIpcGetEventHandle", event)
    other = drawing.other(process)
    opened = handle and make(other, "cuIpcOpenEventHandle", handle)
    if opened:
        make(process, "cuEventRecord", event, 0)
        some(
            drawing,
            other,
            make,
            "cuStreamWaitEvent",
            "cuEventQuery",
            "cuEventRecord",
            "cuEventDestroy",
            "cuEventElapsedTime",
        )


def time_events(drawing: Drawing, process: str, make: Make) -> None:
    """Record two events, and query the time between them."""
    first, second = (make(process, "cuEventCreate", drawing.random.choice((0, 0, 1, 2))) for _ in range(2))
    if first and second:
        stream = drawing.random.choice((0, 1, 2))
        make(process, "cuEventRecord", first, stream)
        make(process, "cuEventRecord", second, stream)
        make(process, "cuEventSynchronize", second)
        make(process, drawing.random.choice(("cuEventElapsedTime", "cuEventElapsedTime_v1")), first, second)


def manage(drawing: Drawing, process: str, make: Make) -> None:
    """Allocate managed memory, and advise or prefetch its pages."""
    if make(process, "cuMemAllocManaged", PAGE, drawing.random.choice((1, 2))):
        batches = ("cuMemPrefetchBatchAsync", "cuMemDiscardBatchAsync", "cuMemDiscardAndPrefetchBatchAsync")
        some(drawing, process, make, *batches, "cuMemAdvise", "cuMemPrefetchAsync", "cuStreamAttachMemAsync", often=2)


def reach_peers(drawing: Drawing, process: str, make: Make) -> None:
    """Enable peer access and disable it, in few programs because of its effects."""
    other = make(process, "cuCtxGetCurrent") if drawing.lasting and not drawing.runtime else None
    if other and make(process, "cuCtxCreate", None, 0, drawing.random.randrange(drawing.devices)):
        make(process, "cuCtxEnablePeerAccess", other, 0)
        some(drawing, process, make, "cuCtxEnablePeerAccess", "cuCtxDisablePeerAccess", "cuMemcpyDtoD")
        make(process, "cuCtxDisablePeerAccess", other)
        make(process, "cuCtxPopCurrent")


def end_context(drawing: Drawing, process: str, make: Make) -> None:
    """Create objects in another context, destroy it, and pass them to calls."""
    random = drawing.random
    if drawing.runtime or (not drawing.lasting and random.randrange(3)):
        return
    context = make(process, "cuCtxCreate", None, 0, random.randrange(drawing.devices))
    stream, event = (context and make(process, call, 0) for call in ("cuStreamCreate", "cuEventCreate"))
    graph = stream and event and make(process, "cuGraphCreate", 0)
    if not graph:
        return
    memory, module = make(process, "cuMemAlloc", PAGE), make(process, "cuModuleLoadData", PTX)
    plain(drawing, process, make, graph, random.randint(0, 2))
    executable = make(process, "cuGraphInstantiate", graph, 0)
    if random.randrange(2):
        make(process, "cuCtxPopCurrent")
    make(process, random.choice(("cuCtxDestroy", "cuCtxDestroy", "cuCtxDestroy_v1")), context)
    uses: list[tuple[Any, ...]] = [
        ("cuEventRecord", event, random.choice((0, stream))),
        ("cuStreamWaitEvent", random.choice((0, stream)), event, 0),
        *((call, stream) for call in ("cuStreamQuery", "cuStreamGetCtx", "cuStreamGetFlags", "cuStreamIsCapturing")),
        ("cuStreamGetAttribute", stream, 3),
        ("cuMemAllocAsync", PAGE, stream),
        ("cuMemsetD8", memory, 1, 16),
        ("cuModuleGetFunction", module, b"empty"),
        ("cuGraphInstantiate", graph, 0),
        ("cuGraphLaunch", executable, random.choice((0, stream))),
        ("cuGraphUpload", executable, random.choice((0, stream))),
        ("cuStreamBeginCapture", stream, 2),
        *((call, event) for call in ("cuEventQuery", "cuEventSynchronize", "cuEventDestroy")),
        *((call, stream) for call in ("cuStreamSynchronize", "cuStreamDestroy")),
    ]
    for call, *given in random.sample(uses, random.randint(2, 5)):
        if None not in given:
            make(process, call, *given)


OF: dict[str, tuple[Pattern, ...]] = {
    "graph": (make_graph, *GRAPHS),
    "capture": CAPTURES,
    **CODE,
}
"""Patterns that the programs of a chapter make more often."""
PATTERNS: tuple[Pattern, ...] = (
    fill,
    share,
    share_pool,
    share_event,
    map_memory,
    pass_on,
    load_code,
    time_events,
    manage,
    reach_peers,
    end_context,
    *(pattern for patterns in OF.values() for pattern in dict.fromkeys(patterns)),
)
"""All patterns."""
