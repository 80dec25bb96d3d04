"""Several calls that belong together: each pattern makes some that shall succeed, until one does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.drawing.capture_patterns import CAPTURES
from conformance.drawing.code_patterns import OF as CODE
from conformance.drawing.graph_patterns import GRAPHS
from conformance.drawing.rows import ROWS
from conformance.drawing.values import PAGE
from conformance.kit.kernels import PTX
from conformance.kit.world import GRANULE, POSIX, READ_WRITE, access, pinned

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.drawing.drawing import Drawing

    from conformance.drawing.graph_patterns import Make

    Pattern = Callable[[Drawing, str, Make], None]


def fill(drawing: Drawing, process: str, make: Make) -> None:
    """Fill memory, copy it and read it."""
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
    """Map new memory and give access to it."""
    device = drawing.random.randrange(drawing.devices)
    start = make(process, "cuMemAddressReserve", 2 * GRANULE, 0, 0, 0)
    handle = start and make(process, "cuMemCreate", GRANULE, pinned(device, POSIX), 0)
    if handle and make(process, "cuMemMap", start, GRANULE, 0, handle, 0):
        place = access(drawing.random.randrange(drawing.devices), READ_WRITE)
        make(process, "cuMemSetAccess", start, GRANULE, (place,), 1)


def pass_on(drawing: Drawing, process: str, make: Make) -> None:
    """Pass an allocation handle to the other process."""
    handle = make(process, "cuMemCreate", GRANULE, pinned(0, POSIX), 0)
    file = handle and make(process, "cuMemExportToShareableHandle", handle, POSIX, 0)
    if file:
        make(drawing.other(process), "cuMemImportFromShareableHandle", file, POSIX)


def make_graph(drawing: Drawing, process: str, make: Make) -> None:
    """Make a graph of a few nodes, and launch it."""
    graph = make(process, "cuGraphCreate", 0)
    first = graph and make(process, "cuGraphAddEmptyNode", graph, None, 0)
    if first:
        make(process, "cuGraphAddEmptyNode", graph, (first,), 1)
        executable = make(process, "cuGraphInstantiate", graph, 0)
        if executable and drawing.random.randrange(2):
            make(process, "cuGraphLaunch", executable, 0)


def load_code(drawing: Drawing, process: str, make: Make) -> None:
    """Load code, look up a kernel that has no parameters, and launch it."""
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


OF: dict[str, tuple[Pattern, ...]] = {
    "graph": (make_graph, *GRAPHS),
    "capture": CAPTURES,
    **CODE,
}
"""By chapter, patterns that its programs make more often than others."""
PATTERNS: tuple[Pattern, ...] = (
    *(fill, share, share_pool, map_memory, pass_on, load_code),
    *(pattern for patterns in OF.values() for pattern in dict.fromkeys(patterns)),
)
"""All of them."""
