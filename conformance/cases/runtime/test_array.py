"""Arrays in the runtime API: creation and queries.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import BYTES, FLOATS, array
from conformance.cases.runtime.test_library import current
from conformance.kit.case import Entry, suite
from conformance.kit.program import INSIDE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

LAYERED, SURFACE, CUBEMAP, GATHER, COLOR, SPARSE, DEFERRED = 1, 2, 4, 8, 32, 64, 128
"""cudaArrayLayered and its like."""
NONE, NV12, UNORM8X4, BC1, BC5, BC6, PACKED = 3, 4, 7, 17, 25, 27, 32
"""cudaChannelFormatKind."""
GARBAGE = 0x1234_5678_9000
ROW, ROWS, LEVELS = 64, 16, 3
ANYTHING = 16384
"""Elements in each dimension of an array too large for any device."""


def mipmapped(a: Process) -> int:
    """Return a new mipmapped array."""
    made: int = a.ok.cudaMallocMipmappedArray(BYTES, (ROW, ROWS, 0), LEVELS, 0)
    return made


def gone(a: Process) -> int:
    """Return a freed array."""
    ended = array(a)
    a.ok.cudaFreeArray(ended)
    return ended


def gone_mipmapped(a: Process) -> int:
    """Return a freed mipmapped array."""
    ended = mipmapped(a)
    a.ok.cudaFreeMipmappedArray(ended)
    return ended


def told(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the array's description, and its channel descriptor."""
    i.c.cudaArrayGetInfo(results[0])
    i.c.cudaGetChannelDesc(results[0])


width = Entry.of("cudaDeviceGetTexture1DLinearMaxWidth", lambda _: (FLOATS, 0))
width.null("maxWidthInElements", "RESULT_IS_GIVEN")
width.breaks("CHANNELS_ARE_GIVEN", fmtDesc=None)
width.breaks("CHANNELS_ARE_A_FORMAT", fmtDesc=(8, 8, 8, 0, 1))
width.breaks("CHANNELS_ARE_A_FORMAT", "no element of arrays", fmtDesc=(8, 8, 8, 8, PACKED))
width.also("blocks", fmtDesc=(8, 8, 8, 8, BC1))
width.breaks("DEVICE_IS_VALID", device=99)
flat = Entry.of("cudaMallocArray", lambda _: (BYTES, ROW, ROWS, 0), then=told)
solid = Entry.of("cudaMalloc3DArray", lambda _: (BYTES, (ROW, ROWS, 4), 0), then=told)
levels = Entry.of("cudaMallocMipmappedArray", lambda _: (BYTES, (ROW, ROWS, 0), 99, 0))
for one, result in ((flat, "array"), (solid, "array"), (levels, "mipmappedArray")):
    then = None if one is levels else told
    one.null(result, "RESULT_IS_GIVEN")
    one.breaks("CHANNELS_ARE_GIVEN", desc=None)
    for name, channels in {
        "no component": (0, 0, 0, 0, 1),
        "three components": (8, 8, 8, 0, 1),
        "components that differ": (8, 16, 0, 0, 1),
        "a gap": (8, 0, 8, 0, 1),
        "12 bits": (12, 0, 0, 0, 1),
        "64 bits": (64, 0, 0, 0, 1),
        "floats of 8 bits": (8, 0, 0, 0, 2),
        "of no kind": (8, 0, 0, 0, NONE),
        "an unknown kind": (8, 0, 0, 0, 99),
        "normalized with other bits": (16, 16, 16, 16, UNORM8X4),
        "normalized with fewer components": (8, 8, 0, 0, UNORM8X4),
    }.items():
        one.breaks("CHANNELS_ARE_A_FORMAT", name, desc=channels)
    one.breaks("FORMAT_IS_KNOWN", "several planes", desc=(8, 8, 8, 0, NV12))
    one.breaks("array.array_create.FLAGS_ARE_KNOWN", flags=1 << 20)
    one.breaks("array.array_create.FLAGS_ARE_KNOWN", "color", flags=COLOR)
    one.breaks("array.array_create.FLAGS_GO_TOGETHER", flags=SPARSE | DEFERRED)
    one.also("mapped later", flags=DEFERRED, then=then)
    for name, channels in {
        "two floats": FLOATS,
        "four signed words": (16, 16, 16, 16, 0),
        "halves": (16, 0, 0, 0, 2),
        "normalized": (8, 8, 8, 8, UNORM8X4),
        "compressed": (8, 8, 8, 8, BC1),
        "compressed of two components": (8, 8, 0, 0, BC5),
        "compressed of three components": (16, 16, 16, 0, BC6),
    }.items():
        one.also(name, desc=channels, then=then)
flat.breaks("SHAPE_IS_POSSIBLE", width=0)
flat.breaks("SHAPE_IS_POSSIBLE", "layers", flags=LAYERED)
flat.breaks("SHAPE_IS_POSSIBLE", "a cubemap", flags=CUBEMAP)
flat.breaks("SHAPE_IS_WITHIN_LIMITS", width=1 << 20)
flat.also("of one dimension", height=0, then=told)
flat.also("for surfaces and gathers", flags=SURFACE | GATHER, then=told)
flat.also("sparse", flags=SPARSE, then=told)
flat.also("a sparse line", height=0, flags=SPARSE, rule="SHAPE_IS_POSSIBLE")
for one in (solid, levels):
    one.breaks("SHAPE_IS_POSSIBLE", "no width", extent=(0, ROWS, 4))
    one.breaks("SHAPE_IS_POSSIBLE", "no height", extent=(ROW, 0, 4))
    one.breaks("SHAPE_IS_WITHIN_LIMITS", extent=(1 << 20, 1, 1))
    one.breaks("SURFACES_ARE_NOT_COMPRESSED", desc=(8, 8, 8, 8, BC1), flags=SURFACE)
    one.breaks("memory.mem_alloc.MEMORY_SUFFICES", desc=(32, 32, 32, 32, 2), extent=(ANYTHING, ANYTHING, ANYTHING))
    one.also("layers", extent=(ROW, 0, 4), flags=LAYERED)
    one.also("a cubemap", extent=(ROW, ROW, 6), flags=CUBEMAP)
    one.also("a cubemap with five faces", extent=(ROW, ROW, 5), flags=CUBEMAP, rule="SHAPE_IS_POSSIBLE")
levels.also("no level", numLevels=0)

frees = Entry.of("cudaFreeArray", lambda a: (array(a),))
frees_levels = Entry.of("cudaFreeMipmappedArray", lambda a: (mipmapped(a),))
tells = Entry.of("cudaArrayGetInfo", lambda a: (array(a),))
tells_elements = Entry.of("cudaGetChannelDesc", lambda a: (array(a, channels=FLOATS),))
gets_level = Entry.of("cudaGetMipmappedArrayLevel", lambda a: (mipmapped(a), 1))


def refuse(one: Entry, argument: str, ended: Callable[[Process], int]) -> None:
    """Add the cases of a handle that is null, garbage or freed."""
    one.undefined("ARRAY_IS_KNOWN", code=400, **{argument: GARBAGE})
    one.undefined("ARRAY_IS_LIVE", code=Result.CONTEXT_IS_DESTROYED, **{argument: lambda i: ended(i.process)})


for one in (frees, tells, tells_elements):
    refuse(one, "array", gone)
for one in (frees_levels, gets_level):
    refuse(one, "mipmappedArray", gone_mipmapped)
frees.also("null", array=0)
frees.also("a level", array=lambda i: i.process.ok.cudaGetMipmappedArrayLevel(mipmapped(i.process), 0))
frees_levels.also("null", mipmappedArray=0)
tells.breaks("array.handle.ARRAY_IS_GIVEN", array=0)
tells_elements.breaks("array.handle.ARRAY_IS_GIVEN", array=0)
tells_elements.null("desc", "RESULTS_ARE_GIVEN")
for result in ("desc", "extent", "flags", "desc extent flags"):
    tells.null(result, None)
tells.answers_inside()
tells.also("of three dimensions", array=lambda i: i.process.ok.cudaMalloc3DArray(FLOATS, (ROW, ROWS, 4), SURFACE))
tells.also("a level", array=lambda i: i.process.ok.cudaGetMipmappedArrayLevel(mipmapped(i.process), 2))
gets_level.breaks("array.handle.ARRAY_IS_GIVEN", mipmappedArray=0)
gets_level.breaks("LEVEL_IS_THERE", level=LEVELS)
gets_level.null("levelArray", "RESULT_IS_GIVEN")
for one in (flat, solid, levels, frees, frees_levels, tells, tells_elements, gets_level):
    one.also("in a thread without a context", then=current)(lambda w, i: i.on_thread(w.thread_name()))

INVALID = int(Result.INVALID_VALUE)


def later(a: Process, flags: int) -> int:
    """Return a new array with deferred mapping."""
    made: int = a.ok.cudaMalloc3DArray(BYTES, (ROW, ROWS, 0), flags)
    return made


def mipmapped_later(a: Process, flags: int) -> int:
    """Return a new mipmapped array with deferred mapping."""
    made: int = a.ok.cudaMallocMipmappedArray(BYTES, (ROW, ROWS, 0), LEVELS, flags)
    return made


needs = Entry.of("cudaArrayGetMemoryRequirements", lambda a: (later(a, DEFERRED), 0))
tiles = Entry.of("cudaArrayGetSparseProperties", lambda a: (later(a, SPARSE),))
levels_need = Entry.of("cudaMipmappedArrayGetMemoryRequirements", lambda a: (mipmapped_later(a, DEFERRED), 0))
tiles_of_levels = Entry.of("cudaMipmappedArrayGetSparseProperties", lambda a: (mipmapped_later(a, SPARSE),))
plane = Entry.of("cudaArrayGetPlane", lambda a: (array(a), 0), answers=INVALID)
for one, argument, result, rule in (
    (needs, "array", "memoryRequirements", "ARRAY_IS_DEFERRED"),
    (tiles, "array", "sparseProperties", "ARRAY_IS_SPARSE"),
    (levels_need, "mipmap", "memoryRequirements", "ARRAY_IS_DEFERRED"),
    (tiles_of_levels, "mipmap", "sparseProperties", "ARRAY_IS_SPARSE"),
    (plane, "hArray", "pPlaneArray", "ARRAY_HAS_PLANES"),
):
    made, ended = (mipmapped, gone_mipmapped) if argument == "mipmap" else (array, gone)
    one.null(result, "RESULT_IS_GIVEN")
    one.breaks("array.handle.ARRAY_IS_GIVEN" if one is plane else "ARRAY_TO_DESCRIBE_IS_GIVEN", **{argument: 0})
    one.breaks(rule, **{argument: lambda i, made=made: made(i.process)})
    refuse(one, argument, ended)
    without = rule if one is plane else ""
    one.also("in a thread without a context", rule=without)(lambda w, i: i.on_thread(w.thread_name()))
    one.without("inside_function")
    inside = "CALLS_ARE_PERMITTED" if one is plane else ""  # a card answers so
    one.also("inside of a function of the host", rule=inside)(lambda _, i: i.on_thread(INSIDE))
for one in (needs, levels_need):
    one.also("no such device", device=99)
plane.also("another plane", code=Result.INVALID_VALUE, planeIdx=1)

test_array = suite(
    *(width, flat, solid, levels, frees, frees_levels, tells, tells_elements, gets_level),
    *(needs, tiles, levels_need, tiles_of_levels, plane),
)
