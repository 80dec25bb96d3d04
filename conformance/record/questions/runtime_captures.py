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


def beginning(*beginnings: str) -> tuple[str, ...]:
    """Return the calls that have an entry and whose names begin so."""
    return tuple(sorted(call for call in ENTRIES if call.startswith(beginnings)))


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
ADDING = beginning("cudaGraphAdd")
EXECUTABLES = beginning("cudaGraphExec", "cudaGraphInstantiate", "cudaGraphLaunch", "cudaGraphUpload")


def within(w: World, calls: tuple[str, ...]) -> None:
    """Make the valid call of each while its stream is captured, or another one, in each mode, and end the capture."""
    for call in calls:
        for mode in (GLOBAL, RELAXED):
            made = ENTRIES[call].valid(w)
            a = made.process
            working = made.args.get("stream") or stream(a)
            a.c.cudaStreamBeginCapture(working, mode)
            made.run()
            if a.alive:
                a.c.cudaStreamIsCapturing(working)
                a.c.cudaStreamEndCapture(working)
                a.c.cudaGetLastError()
                a.kill()  # each has a context, and they are many


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
def graphs_that_grow_while_a_stream_is_captured(w: World) -> None:
    """Nodes that are added to graphs that nobody captures."""
    within(w, ADDING)


@question()
def executables_while_a_stream_is_captured(w: World) -> None:
    """Executable graphs that are changed, and launched in the captured stream."""
    within(w, EXECUTABLES)


@question()
def graphs_while_a_stream_is_captured(w: World) -> None:
    """What else there is of graphs, and user objects."""
    others = beginning("cudaGraph", "cudaUserObject")
    within(w, tuple(call for call in others if call not in ADDING + EXECUTABLES))


@question()
def libraries_while_a_stream_is_captured(w: World) -> None:
    """Libraries, their kernels, and what those occupy."""
    within(w, beginning("cudaLibrary", "cudaKernel", "cudaFunc", "cudaOccupancy"))
