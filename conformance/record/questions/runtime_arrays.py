"""Questions about the runtime API's arrays, kernels and copies of graphs that the first card left open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import (
    BYTES,
    DEVICE_TO_DEVICE,
    PAGE,
    array,
    graph,
    managed,
    memory,
    using,
)
from conformance.cases.runtime.test_array import BC1, ROW, ROWS, SURFACE
from conformance.cases.runtime.test_array_copy import counted, filled, to_memory
from conformance.cases.runtime.test_capture import GLOBAL, RELAXED, captured
from conformance.cases.runtime.test_library import CARVEOUT, DYNAMIC, WIDTH, kernel
from conformance.kit.kernels import NEWER
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import World

PLACES = (ROW, ROW + 1, ROW + 36, 2 * ROW, 2 * ROW + 1, ROW * (ROWS - 1), ROW * ROWS)
"""Bytes from the beginning of a row on, all behind its end."""
NO_FORMAT = (0, 0, 0, 0, 1)
COMPRESSED = (8, 8, 8, 8, BC1)


@question()
def bytes_from_behind_a_row_on(w: World) -> None:
    """How far behind the end of a row bytes may begin, and where they are then."""
    a = using(w)
    source, place = filled(a), memory(a)
    for x in PLACES:
        made = array(a)
        if not a.c.cudaMemcpyToArray(made, x, 1, counted(a), 72, DEVICE_TO_DEVICE)[0]:
            to_memory(a, made)
        a.c.cudaMemcpyFromArray(place, source, x, 3, 8, DEVICE_TO_DEVICE)
        a.c.cudaMemcpyArrayToArray(made, x, 1, source, 62, 3, 8, DEVICE_TO_DEVICE)
        a.c.cudaMemcpyArrayToArray(made, 60, 1, source, x, 3, 8, DEVICE_TO_DEVICE)
        a.c.cudaGetLastError()
    to_memory(a, made)


@question()
def bytes_of_no_kind_and_too_many(w: World) -> None:
    """Whether anything is copied of a kind that is none, or before the last row is passed."""
    a = using(w)
    for kind, count in ((5, 72), (-1, 72), (99, 72), (DEVICE_TO_DEVICE, PAGE)):
        made = array(a)
        a.c.cudaMemcpyToArray(made, 60, 1, counted(a), count, kind)
        to_memory(a, made)
        a.c.cudaMemcpyFromArray(memory(a), made, 60, 1, count, kind)
        a.c.cudaMemcpyArrayToArray(made, 60, 1, filled(a), 60, 1, count, kind)


@question()
def arrays_of_two_mistakes(w: World) -> None:
    """What is looked at first: results, channels, formats for surfaces, widths."""
    a = using(w)
    for channels in (NO_FORMAT, None):
        a.c.cudaMalloc3DArray(channels, (ROW, ROWS, 4), 0, null="array")
        a.c.cudaMallocMipmappedArray(channels, (ROW, ROWS, 0), 1, 0, null="mipmappedArray")
        a.c.cudaMallocArray(channels, 0, ROWS, 0)
        a.c.cudaMalloc3DArray(channels, (0, ROWS, 4), 0)
    a.c.cudaMallocArray(COMPRESSED, 0, ROWS, SURFACE)
    a.c.cudaMallocArray(COMPRESSED, ROW, 0, SURFACE)
    a.c.cudaMallocArray(BYTES, 0, 0, SURFACE)
    a.c.cuArray3DCreate((0, ROWS, 4, 145, 4, SURFACE))


@question()
def bytes_to_arrays_in_a_captured_stream(w: World) -> None:
    """How many nodes they become, of which kinds; which copies between arrays a capture forbids."""
    for x, count in ((0, 16), (0, ROW), (60, 72), (60, 200), (0, 4 * ROW)):
        a = using(w)
        made, place = array(a), counted(a)
        working = captured(a, RELAXED)
        a.c.cudaMemcpyToArrayAsync(made, x, 1, place, count, DEVICE_TO_DEVICE, working)
        a.c.cudaMemcpyFromArrayAsync(place, made, x, 1, count, DEVICE_TO_DEVICE, working)
        code, of, *_ = a.c.cudaStreamEndCapture(working)
        if not code:
            a.c.cudaGraphGetNodes(of, 9)
        source = filled(a)
        begun = captured(a, GLOBAL)
        a.c.cudaMemcpyArrayToArray(made, x, 1, source, x, 1, count, DEVICE_TO_DEVICE)
        a.c.cudaStreamIsCapturing(begun)
        a.c.cudaStreamEndCapture(begun)
        a.kill()


@question()
def managed_memory_in_place_of_a_device_s(w: World) -> None:
    """Which side of a copy of an executable graph may become managed memory, and be that no longer, by either API."""
    a = using(w)
    places = (memory(a), memory(a))
    others = (managed(a), managed(a))
    mixed = (places, others, (places[0], others[1]), (others[0], places[1]))
    for dst, src in mixed:
        of = graph(a)
        node = a.ok.cudaGraphAddMemcpyNode1D(of, None, 0, dst, src, 16, DEVICE_TO_DEVICE)
        held = a.ok.cudaGraphInstantiate(of, 0)
        for to, from_ in mixed:
            a.c.cudaGraphExecMemcpyNodeSetParams1D(held, node, to, from_, 16, DEVICE_TO_DEVICE)
            side = (0, 0, 0, 0, 2, 0)
            box = (*side, from_, 0, 0, 0, 0, *side, to, 0, 0, 0, 0, 16, 1, 1)
            a.c.cuGraphExecMemcpyNodeSetParams(held, node, box, 0)


@question()
def attributes_of_kernels_and_of_their_functions(w: World) -> None:
    """Which was set last counts, whoever sets it; what clusters that were compiled may be set to."""
    a = using(w)
    one = kernel(a, b"fixed")
    function = a.ok.cuKernelGetFunction(one)
    of_a_device = "cudaKernelSetAttributeForDevice"
    for call, *args in (
        (of_a_device, one, DYNAMIC, 40000, 0),
        ("cudaFuncSetAttribute", one, DYNAMIC, 41000),
        ("cuFuncSetAttribute", function, DYNAMIC, 42000),
        (of_a_device, one, DYNAMIC, 43000, 0),
        ("cudaFuncSetAttribute", one, DYNAMIC, 44000),
        ("cudaFuncSetAttribute", one, CARVEOUT, 50),
    ):
        getattr(a.c, str(call))(*args)
        a.c.cudaFuncGetAttributes(one)
        a.c.cuFuncGetAttribute(DYNAMIC, function)
        a.c.cuKernelGetAttribute(DYNAMIC, one, 0)
    fixed = kernel(a, b"clustered", NEWER)
    for side in (WIDTH, WIDTH + 1, WIDTH + 2):
        for size in (0, 1, 2, 4, 7):
            a.c.cudaFuncSetAttribute(fixed, side, size)
            a.c.cuKernelSetAttribute(side, size, fixed, 0)
    a.c.cudaFuncGetAttributes(fixed)
