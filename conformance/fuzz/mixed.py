"""Calls of the runtime API in the state machine, mixed with those of the driver: what one made, the other uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
from hypothesis.stateful import rule

from conformance.fuzz.choices import LATE, MOST, PAGE
from conformance.fuzz.draws import Drawn, Line
from conformance.kit.program import FORKED, MAIN
from fakecuda.api import RUNTIME, api_of
from fakecuda.api.both import CALLS
from fakecuda.model.memory import Allocation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.kit.names import Name
    from fakecuda.api.description import Param

DEFAULT = 4
"""cudaMemcpyDefault: the addresses tell which side is the host's."""
VAST = 1 << 60
DEVICES = ((0, 0, 1), (-1, 99))
HERE = (1, 0)

BY_NAME: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
    "attr": ((1, 75, 86), (9999,)),
    "count": ((0, 1, 16), (1 << 40,)),
    "device": DEVICES,
    "deviceFlags": ((0, 4), (3, 256)),
    "dstDevice": DEVICES,
    "error": ((0, 1, 700), (12345,)),
    "flags": ((0,), (1, 64)),
    "height": ((1, 2, 3), (0,)),
    "kind": ((DEFAULT,), (5, -1)),
    "limit": ((0, 5), (-1, 99)),
    "peerDevice": DEVICES,
    "pitch": ((16, 64), (0, 17)),
    "prop": ((None,), (None,)),
    "size": ((1, PAGE), (0, VAST)),
    "srcDevice": DEVICES,
    "value": ((0, 7, 0x107), (7,)),
    "width": ((1, 2, 4), (0,)),
}
"""Legal and illegal values by the parameter's name."""
BY_CALL: dict[tuple[str, str], tuple[Sequence[Any], Sequence[Any]]] = {
    ("cudaDeviceSetLimit", "value"): ((64, 128), (1 << 20,)),
    ("cudaDeviceGetP2PAttribute", "attr"): ((1, 2, 3), (99,)),
    ("cudaEventCreateWithFlags", "flags"): ((0, 2, 6), (4, 8)),
    ("cudaHostAlloc", "flags"): ((0, 1, 2), (64,)),
    ("cudaHostAlloc", "size"): ((1, PAGE, 0), (1 << 46,)),
    ("cudaHostRegister", "flags"): ((0,), (64,)),
    ("cudaHostRegister", "size"): ((PAGE, 100), (0,)),
    ("cudaIpcOpenMemHandle", "flags"): ((1,), (0, 2)),
    ("cudaMallocAsync", "size"): ((1, PAGE), (0, VAST)),
    ("cudaMallocHost", "size"): ((1, PAGE, 0), (1 << 46,)),
    ("cudaMallocManaged", "flags"): ((1, 2), (0, 3)),
    ("cudaMallocPitch", "height"): ((7, 8), (0,)),
    ("cudaMallocPitch", "width"): ((1, 512, 1000), (0, 1 << 62)),
    ("cudaMemPoolTrimTo", "minBytesToKeep"): ((0, 1), (VAST,)),
    ("cudaMemcpy", "kind"): ((DEFAULT, DEFAULT, DEFAULT, 5), (5, -1)),  # seldom is all else legal
    ("cudaMemGetDefaultMemPool", "location"): ((HERE, (1, 1)), (None, (1, 99))),
    ("cudaMemGetDefaultMemPool", "type"): ((1,), (0, 99)),
    ("cudaMemPoolCreate", "poolProps"): (((1, 0, HERE, 0, 0, 0),), (None, (1, 0, (1, 99), 0, 0, 0))),
    ("cudaMemPoolGetAttribute", "attr"): ((1, 2, 3, 4, 5, 6), (0, 99)),
    ("cudaSetDeviceFlags", "flags"): ((0, 4, 8), (3, 256)),
    ("cudaStreamCreateWithFlags", "flags"): ((0, 1), (2,)),
    ("cudaStreamCreateWithPriority", "flags"): ((0, 1), (2,)),
    ("cudaStreamCreateWithPriority", "priority"): ((0, -1, 1000), (0,)),
}
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
FREES = {"cudaFree", "cudaFreeHost", "cudaFreeAsync"}
COPIES = frozenset({"cudaMemcpy", "cudaMemcpyPeer", "cudaMemset", "cudaMemset2D", "cudaMemsetAsync"})
"""Calls that take an address which is none of a device's for one of the host, or fault on it."""


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


class Mixed(Drawn):
    """Calls of the runtime API; they are drawn as the driver's are."""

    trusted = COPIES

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

    def _choices(self, process: str, call: str, param: Param) -> tuple[Sequence[Any], Sequence[Any]]:
        found = BY_CALL.get((call, param.name)) or BY_NAME.get(param.name) if api_of(call) is RUNTIME else None
        return found or super()._choices(process, call, param)

    def _names(self, process: str, call: str, name: Name) -> bool:
        """Return whether a name stands for what a call can be given: what others have mapped is not freed."""
        if not super()._names(process, call, name):
            return False
        if call not in FREES | COPIES or isinstance(name.value, bytes) or name.kind not in {"dptr", "va", "pinned"}:
            return call not in COPIES or name.kind != "host"
        memory = self.model.processes[process].memory.at(name.value)
        if call in COPIES:
            return memory is not None and name.kind != "va"
        shared = isinstance(memory, Allocation) and memory.share is not None
        importers = getattr(memory, "importers", None)
        return memory is not None and memory.start == name.value and not shared and not importers


assert all(call in CALLS for call in DRAWN), "a call was renamed"
