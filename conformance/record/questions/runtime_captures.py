"""Questions about the runtime API's arrays, graphs and libraries while a stream is captured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime import (  # noqa: F401 - their entries are asked
    test_array,
    test_array_copy,
    test_executable,
    test_graph,
    test_kernel_node,
    test_library,
    test_newer,
    test_prefetch,
)
from conformance.cases.runtime.fixtures import stream
from conformance.cases.runtime.test_capture import GLOBAL, RELAXED
from conformance.kit.case import ENTRIES
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import World

ARRAYS = (
    *("cudaMalloc3DArray", "cudaMallocArray", "cudaMallocMipmappedArray", "cudaFreeArray", "cudaFreeMipmappedArray"),
    *("cudaArrayGetInfo", "cudaGetChannelDesc", "cudaGetMipmappedArrayLevel"),
)
COPIES = (
    *("cudaMemcpyToArray", "cudaMemcpyToArrayAsync", "cudaMemcpyFromArray", "cudaMemcpyFromArrayAsync"),
    *("cudaMemcpy2DToArray", "cudaMemcpy2DToArrayAsync", "cudaMemcpy2DFromArray", "cudaMemcpy2DFromArrayAsync"),
    *("cudaMemcpyArrayToArray", "cudaMemcpy2DArrayToArray"),
)
BATCHES = (
    *("cudaMemDiscardBatchAsync", "cudaMemDiscardAndPrefetchBatchAsync", "cudaMemPrefetchBatchAsync"),
    *("cudaMemcpyWithAttributesAsync", "cudaLaunchHostFunc_v2"),
)


def within(w: World, calls: tuple[str, ...]) -> None:
    """Make the valid call of each while its stream is captured, or another one, in each mode, and end the capture."""
    for call in calls:
        for mode in (GLOBAL, RELAXED):
            made = ENTRIES[call].valid(w)
            a = made.process
            working = made.args.get("stream") or stream(a)
            a.c.cudaStreamBeginCapture(working, mode)
            made.run()
            a.c.cudaStreamIsCapturing(working)
            a.c.cudaStreamEndCapture(working)
            a.c.cudaGetLastError()


def beginning(*beginnings: str) -> tuple[str, ...]:
    """Return the calls whose names begin so."""
    return tuple(sorted(call for call in ENTRIES if call.startswith(beginnings)))


@question()
def arrays_while_a_stream_is_captured(w: World) -> None:
    """What is made, freed and told."""
    within(w, ARRAYS)


@question()
def copies_of_arrays_while_a_stream_is_captured(w: World) -> None:
    """In the captured stream, or at once."""
    within(w, COPIES)


@question()
def batches_while_a_stream_is_captured(w: World) -> None:
    """In the captured stream: batches, and calls that a newer driver has."""
    within(w, BATCHES)


@question()
def graphs_while_a_stream_is_captured(w: World) -> None:
    """Graphs that are changed, made executable, and launched in the captured stream; and user objects."""
    within(w, beginning("cudaGraph", "cudaUserObject"))


@question()
def libraries_while_a_stream_is_captured(w: World) -> None:
    """Libraries, their kernels, and what those occupy."""
    within(w, beginning("cudaLibrary", "cudaKernel", "cudaFunc", "cudaOccupancy"))
