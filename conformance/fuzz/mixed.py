"""Calls of the runtime API in the state machine, mixed with those of the driver: what one made, the other uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hypothesis.strategies as st
from hypothesis.stateful import rule

from conformance.fuzz.arguments import RuntimeArguments
from conformance.fuzz.choices import LATE, MOST
from conformance.fuzz.draws import Drawn, Line
from conformance.kit.program import FORKED, MAIN
from fakecuda.spec.both import CALLS

if TYPE_CHECKING:
    from collections.abc import Sequence

OF_DEVICES = (
    *["cudaSetDevice"] * 4,
    "cudaInitDevice",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetDeviceFlags",
    "cudaSetDeviceFlags",
    "cudaDeviceReset",
    "cudaDeviceSynchronize",
    "cudaGetLastError",
    "cudaPeekAtLastError",
    "cudaDeviceCanAccessPeer",
    *["cudaDeviceEnablePeerAccess"] * 2,
    "cudaDeviceDisablePeerAccess",
    "cudaDeviceGetAttribute",
    "cudaDeviceGetP2PAttribute",
    "cudaDeviceGetLimit",
    "cudaDeviceSetLimit",
    "cudaDeviceGetDefaultMemPool",
    "cudaDeviceGetStreamPriorityRange",
    "cudaGetDeviceProperties",
    "cudaGetErrorName",
)
OF_MEMORY = (
    *["cudaMalloc"] * 3,
    *["cudaFree"] * 2,
    "cudaMallocPitch",
    "cudaMallocManaged",
    "cudaHostAlloc",
    "cudaMallocHost",
    "cudaFreeHost",
    "cudaHostGetDevicePointer",
    "cudaHostGetFlags",
    "cudaHostRegister",
    "cudaHostUnregister",
    *["cudaPointerGetAttributes"] * 2,
    "cudaMemGetInfo",
    "cudaMemset",
    "cudaMemset2D",
    "cudaMemcpy",
    "cudaMemcpyPeer",
    "cudaIpcGetMemHandle",
    "cudaIpcOpenMemHandle",
    "cudaGetLastError",
)
OF_STREAMS = (
    "cudaEventCreate",
    "cudaEventCreateWithFlags",
    "cudaEventRecord",
    "cudaEventSynchronize",
    "cudaEventDestroy",
    "cudaStreamCreate",
    "cudaStreamCreateWithFlags",
    "cudaStreamCreateWithPriority",
    "cudaStreamDestroy",
    "cudaStreamGetDevice",
    "cudaStreamGetFlags",
    "cudaStreamGetPriority",
    "cudaStreamSynchronize",
    "cudaStreamWaitEvent",
    "cudaMallocAsync",
    "cudaFreeAsync",
    "cudaMemsetAsync",
    "cudaMemPoolCreate",
    "cudaMemPoolDestroy",
    "cudaMemPoolGetAttribute",
    "cudaMemPoolTrimTo",
    "cudaMemGetDefaultMemPool",
    "cudaGetLastError",
)
DRAWN = frozenset((*OF_DEVICES, *OF_MEMORY, *OF_STREAMS))
"""Calls of the runtime API that programs make; what asks whether work is done is none: its answer is a last error."""


def several(calls: Sequence[str]) -> st.SearchStrategy[list[Line]]:
    """Return the strategy of a few lines with some of these calls, also in a process that has called nothing."""
    line = st.tuples(
        st.sampled_from(("a", "a", "b", LATE, LATE)),
        st.sampled_from((*[MAIN] * 8, "second", "second", FORKED)),
        st.sampled_from(calls),
        st.lists(st.integers(0, 15), min_size=MOST, max_size=MOST),
        st.one_of(st.none(), st.none(), st.integers(0, MOST)),
        st.sampled_from((*[False] * 15, True)),
    )
    return st.lists(line, min_size=2, max_size=8)


class Mixed(RuntimeArguments, Drawn):
    """Calls of the runtime API; they are drawn as the driver's are."""

    @rule(lines=several(OF_DEVICES))
    def runtime_devices(self, lines: list[Line]) -> None:
        """Choose devices, ask and set what they have, reset them."""
        self.make(lines)

    @rule(lines=several(OF_MEMORY))
    def runtime_memory(self, lines: list[Line]) -> None:
        """Make memory of every kind, fill, copy, share and free it."""
        self.make(lines)

    @rule(lines=several(OF_STREAMS))
    def runtime_streams(self, lines: list[Line]) -> None:
        """Make streams, events and pools, and use them."""
        self.make(lines)

    def refresh(self, process: str) -> None:
        """Forget what a drawn call has ended, also what a device's reset has."""
        super().refresh(process)
        known, state = self.known[process], self.model.processes[process]
        known.primaries = {number: one for number, one in known.primaries.items() if one in state.contexts}
        for kind in ("memory", "imports"):
            held = [one for one in getattr(known, kind) if state.memory.at(one.pointer) is not None]
            setattr(known, kind, held)


assert all(call in CALLS for call in DRAWN), "a call was renamed"
