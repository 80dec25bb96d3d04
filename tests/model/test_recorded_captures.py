"""Captures, arrays, halted processes and calls that wait answer as recorded.

``conform`` replays all recordings, and these reach what no case reaches.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import conformance
from conformance.record import replay
from conformance.record.recordings import Recording
from fakecuda.model.memory.backing import DeviceMemory
from fakecuda.model.memory.host_memory import HostMemory

FOLDER = Path(conformance.__file__).parent / "data" / "recordings"
PATHS = sorted(path for kind in ("arrays", "capture", "halted", "waits") for path in FOLDER.glob(f"*/{kind}*.jsonl.gz"))
REACHING = {
    "h100-d/halted.jsonl.gz": """
        cuCtxGetCurrent/halted cuCtxGetDevice_v2/halted cuDeviceGetCount/halted cuDeviceGraphMemTrim/halted
        cuGraphAddMemAllocNode/halted cuGraphBatchMemOpNodeGetParams/halted cuGraphLaunch/halted
        cuLaunchHostFunc/halted cuLibraryGetKernel/halted cuLibraryGetModule/halted cuMemAllocFromPoolAsync/halted
        cuMemCreate/halted cuMemDiscardAndPrefetchBatchAsync/halted cuMemPrefetchAsync/halted
        cuMemRetainAllocationHandle/halted cuMemSetAccess/halted cuMemcpyHtoAAsync/halted cuModuleLoadDataEx/halted
        cuStreamBatchMemOp/halted cuStreamQuery/halted cudaEventQuery/halted cudaGraphMemAllocNodeGetParams/halted
        cudaHostAlloc/halted cudaHostGetFlags/halted cudaInitDevice/halted cudaMalloc3D/halted
        cudaMallocAsync/halted cudaMallocManaged/halted cudaMemPoolImportFromShareableHandle/halted
        cudaMemPoolImportPointer/halted cudaMemcpyArrayToArray/halted cudaMemcpyFromArray/halted
        cudaMemcpyFromArrayAsync/halted cudaMemcpyToArray/halted cudaMemcpyToArrayAsync/halted cudaMemset3D/halted
        cudaStreamBeginCaptureToGraph/halted questions/halted/a_call_waits_for_work
        questions/halted/memory_of_each_kind questions/halted/no_room_to_come_back
        questions/halted/while_it_is_locked
    """,
    "h200-x2/capture.jsonl.gz": """
        questions/capture/cuEventRecordWithFlags questions/capture/cuEventRecordWithFlags,_external
        questions/capture/cuGraphDestroy questions/capture/cuLaunchKernel questions/capture/cuMemFreeAsync
        questions/capture/cuMemcpy3DAsync questions/capture/cuMemcpyAsync_of_no_bytes
        questions/capture/cuMemcpyAsync_of_nowhere questions/capture/cuMemcpyDtoD
        questions/capture/cuMemsetD8Async_of_no_bytes questions/capture/cuStreamBeginCaptureToGraph
        questions/capture/cuStreamCopyAttributes questions/capture/cuStreamDestroy
        questions/capture/cuStreamGetCaptureInfo questions/capture/cuStreamWaitEvent,_never_recorded
        questions/capture/cuStreamWaitValue32 questions/capture/dependencies questions/capture/events
        questions/capture/merges questions/capture/unjoined
    """,
}
"""Programs of large recordings that reach branches which no case reaches.

The calls of waits.jsonl.gz meet in threads, so that all its programs run."""


MOST = 1 << 20
"""The maximum size in bytes."""


@pytest.fixture(autouse=True)
def _large_fills_end_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a fill set a MiB at most: a program fills five GiB to say how much it uses, and reads none of it."""
    for kind in (DeviceMemory, HostMemory):
        fill: Any = kind.fill

        def short(one: Any, extent: Any, offset: int, value: int, size: int, fill: Any = fill) -> None:
            fill(one, extent, offset, value, min(size, MOST))

        monkeypatch.setattr(kind, "fill", short)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_recorded_answers_come(path: Path) -> None:
    """No answer differs."""
    found = replay.recording(path)
    assert isinstance(found, Recording)
    names = [found.programs.name(number) for number in range(len(found.programs))]
    chosen = set(REACHING.get(f"{path.parent.name}/{path.name}", "\n".join(names)).split())
    assert chosen <= set(names)
    assert not [
        unknown
        for number, name in enumerate(names)
        if name in chosen
        for unknown in replay.replay(path, number).unknown
    ]
