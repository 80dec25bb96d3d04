"""Any call with arguments drawn by what its parameters are: mostly legal ones, often one that is a step from legal.

The legal and the illegal values of a parameter stand in a table by its call and name, else by its C type. What a
process holds (contexts, events, addresses) comes from the names that the program has given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
from hypothesis.stateful import rule

from conformance.lockstep import SAFE_DEAD, Lockstep
from conformance.names import ADDRESSES, kind_of
from conformance.program import FORKED, MAIN
from conformance.world import GRANULE, POSIX, access, pinned
from fakecuda.api import CALLS, ENUMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.names import Name
    from fakecuda.api import Param

PAGE = 4096
LATE = "c"
"""A process that calls cuInit late or never."""
NOWHERE = 0x3FF0_0000_0000
"""An address that no driver gives out."""
MOST = 5
"""Parameters of the calls that are drawn."""
ATTRIBUTE = ENUMS["CUpointer_attribute"]
MEMORY_TYPE, BUFFER_ID = ATTRIBUTE["CU_POINTER_ATTRIBUTE_MEMORY_TYPE"], ATTRIBUTE["CU_POINTER_ATTRIBUTE_BUFFER_ID"]
SYNC_MEMOPS = ATTRIBUTE["CU_POINTER_ATTRIBUTE_SYNC_MEMOPS"]
PROPERTIES = (pinned(), pinned(handle_types=POSIX), (1, 0, (2, 0), 0, (0, 0, 0)))
IMPROPER = (
    (0, 0, (1, 0), 0, (0, 0, 0)),
    (1, 99, (1, 0), 0, (0, 0, 0)),
    (1, 0, (9, 0), 0, (0, 0, 0)),
    (1, 0, (1, 99), 0, (0, 0, 0)),
    (1, 0, (0, 0), 0, (0, 0, 0)),
    (1, 0, (1, 0), 0, (9, 0, 0)),
    (1, 0, (1, 0), 0, (0, 0, 1)),
    (1, 0, (3, 99), 0, (0, 0, 0)),
    (1, POSIX, (2, 0), 0, (0, 0, 0)),
    (1, 8, (1, 0), 0, (0, 0, 0)),
)
"""CUmemAllocationProp, proper and not."""

CHOICES: dict[tuple[str, str], tuple[Sequence[Any], Sequence[Any]]] = {
    ("cuInit", "Flags"): ((0,), (1,)),
    ("cuGetErrorName", "error"): ((0, 1, 700), (12345,)),
    ("cuGetErrorString", "error"): ((0, 1, 700), (12345,)),
    ("cuGetProcAddress", "symbol"): ((b"cuMemAlloc", b"cuInit"), (b"cuNone",)),
    ("cuGetProcAddress", "cudaVersion"): ((13000, 2000), (99999,)),
    ("cuGetProcAddress", "flags"): ((0, 1, 2), (4,)),
    ("cuFlushGPUDirectRDMAWrites", "scope"): ((100, 200), (0,)),
    ("cuDevicePrimaryCtxSetFlags", "flags"): ((0, 4), (3,)),
    ("cuCtxSetFlags", "flags"): ((0, 1, 4, 16), (3, 256)),
    ("cuCtxSetLimit", "limit"): ((0, 4, 5), (3, 7, 99)),
    ("cuCtxSetLimit", "value"): ((64, 128), (1 << 20,)),
    ("cuCtxAttach", "flags"): ((0,), (1,)),
    ("cuDeviceGetP2PAtomicCapabilities", "operations"): (((0,), (0, 12)), (None, (99,))),
    ("cuDeviceGetP2PAtomicCapabilities", "count"): ((1,), (0,)),
    ("cuDeviceGetHostAtomicCapabilities", "operations"): (((0,), (0, 12)), (None, (99,))),
    ("cuDeviceGetHostAtomicCapabilities", "count"): ((1,), (0,)),
    ("cuMemAllocPitch", "WidthInBytes"): ((1, 512, 1000), (0, 1 << 62, 1 << 62)),
    ("cuMemAllocPitch", "Height"): ((7, 8), (0,)),
    ("cuMemAllocPitch", "ElementSizeBytes"): ((4, 8, 16), (0, 5)),
    ("cuMemAllocHost", "bytesize"): ((1, PAGE), (0, 1 << 46)),
    ("cuMemHostAlloc", "bytesize"): ((1, PAGE), (0, 1 << 46)),
    ("cuMemHostAlloc", "Flags"): ((0, 1, 2, 4, 7), (8,)),
    ("cuMemAllocManaged", "bytesize"): ((1, PAGE), (0,)),
    ("cuMemAllocManaged", "flags"): ((1, 2), (0, 3)),
    ("cuMemHostGetDevicePointer", "Flags"): ((0,), (1,)),
    ("cuMemHostRegister", "bytesize"): ((PAGE, 100), (0,)),
    ("cuMemHostRegister", "Flags"): ((0, 8, 8, 1), (4, 16)),
    ("cuMemGetHandleForAddressRange", "size"): ((PAGE,), (0, 100)),
    ("cuMemGetHandleForAddressRange", "handleType"): ((1,), (0, 99)),
    ("cuMemGetHandleForAddressRange", "flags"): ((0,), (1, 2)),
    ("cuPointerGetAttributes", "numAttributes"): ((1, 2), (0,)),
    ("cuPointerGetAttributes", "attributes"): (((MEMORY_TYPE, BUFFER_ID),), (None, (99, MEMORY_TYPE))),
    ("cuPointerSetAttribute", "value"): ((0, 1), (None,)),
    ("cuPointerSetAttribute", "attribute"): ((SYNC_MEMOPS,), (MEMORY_TYPE, 99)),
    ("cuMemcpy", "ByteCount"): ((0, 1, 16), (1 << 40,)),
    ("cuMemcpyPeer", "ByteCount"): ((0, 1, 16), (1 << 40,)),
    ("cuMemsetD16", "N"): ((0, 4), (1 << 40,)),
    ("cuMemsetD32", "N"): ((0, 2), (1 << 40,)),
    ("cuCtxCreate", "ctxCreateParams"): (((0, 1, 0),), ((0, 1, 0),)),
    ("cuCtxCreate", "flags"): ((0,), (3,)),
    ("cuCtxCreate", "dev"): ((0,), (-1, 99)),
    ("cuCtxDestroy", "ctx"): ((0,), (0,)),
    ("cuCtxDetach", "ctx"): ((0,), (0,)),
    ("cuDeviceGetByPCIBusId", "pciBusId"): ((b"0000:ff:1f.7",), (b"x", None)),
    ("cuDeviceGetPCIBusId", "len"): ((20,), (3,)),
    ("cuMemcpyDtoH", "dstHost"): ((None,), (None,)),
    ("cuMemcpyDtoH", "ByteCount"): ((0, 1), (1,)),
    ("cuMemcpyHtoD", "srcHost"): ((None,), (None,)),
    ("cuMemcpyHtoD", "ByteCount"): ((0, 1), (1,)),
    ("cuIpcOpenMemHandle", "handle"): ((bytes(64),), (bytes(64),)),
    ("cuIpcOpenMemHandle", "Flags"): ((1,), (0, 2)),
    ("cuCtxEnablePeerAccess", "Flags"): ((0,), (1,)),
    ("cuMemAlloc", "bytesize"): ((1, PAGE), (0, 1 << 60)),
    ("cuMemcpyDtoD", "ByteCount"): ((0, 1, 16), (1 << 40,)),
    ("cuMemsetD8", "uc"): ((0, 7), (7,)),
    ("cuMemsetD8", "N"): ((0, 4), (1 << 40,)),
    ("cuMemAddressReserve", "size"): ((GRANULE, 2 * GRANULE), (0, 1, 1 << 60)),
    ("cuMemAddressReserve", "alignment"): ((0, GRANULE), (3,)),
    ("cuMemAddressReserve", "addr"): ((0,), (1,)),
    ("cuMemAddressReserve", "flags"): ((0,), (1,)),
    ("cuMemAddressFree", "size"): ((GRANULE, 2 * GRANULE), (0,)),
    ("cuMemCreate", "size"): ((GRANULE,), (0, 1, 1 << 50)),
    ("cuMemCreate", "prop"): (PROPERTIES, (None, *IMPROPER)),
    ("cuMemCreate", "flags"): ((0,), (1,)),
    ("cuMemMap", "size"): ((GRANULE,), (0, 2 * GRANULE)),
    ("cuMemMap", "offset"): ((0,), (GRANULE,)),
    ("cuMemMap", "flags"): ((0,), (1,)),
    ("cuMemUnmap", "size"): ((GRANULE,), (0, 1)),
    ("cuMemSetAccess", "size"): ((GRANULE,), (0, 8 * GRANULE)),
    ("cuMemSetAccess", "desc"): (
        ((access(),),),
        (None, (access(99),), (access(flags=2),), (((2, 0), 3),), (((2, 0), 3),)),
    ),
    ("cuMemSetAccess", "count"): ((1,), (0,)),
    ("cuMemGetAccess", "location"): (((1, 0), (1, 1)), (None, (1, 99))),
    ("cuMemGetAllocationGranularity", "prop"): (PROPERTIES, (None, *IMPROPER)),
    ("cuMemGetAllocationGranularity", "option"): ((0, 1), (99,)),
    ("cuMemExportToShareableHandle", "handleType"): ((1,), (2, 99)),
    ("cuMemExportToShareableHandle", "flags"): ((0,), (1,)),
    ("cuMemImportFromShareableHandle", "osHandle"): ((-1,), (-1,)),
    ("cuMemImportFromShareableHandle", "shHandleType"): ((1,), (2, 99)),
    ("cuEventCreate", "Flags"): ((0, 0, 2, 6), (4, 8)),
    ("cuEventRecordWithFlags", "flags"): ((0, 0, 1), (2,)),
}
"""Legal and illegal values by call and parameter, where the type does not tell."""
BY_TYPE: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {
    "CUdevice": ((0, 1), (-1, 99)),
    "CUstream": ((0, 1, 2), (0,)),
    "unsigned short": ((0, 7), (7,)),
    "unsigned int": ((0, 7), (7,)),
}
DEVICES = [
    "cuDeviceGetByPCIBusId",
    "cuDeviceGetPCIBusId",
    "cuInit",
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuGetProcAddress",
    "cuDeviceGet",
    "cuDeviceGetCount",
    "cuDeviceTotalMem",
    "cuDeviceGetUuid",
    "cuDeviceGetLuid",
    "cuDeviceGetProperties",
    "cuDeviceComputeCapability",
    "cuDeviceGetExecAffinitySupport",
    "cuDeviceGetAttribute",
    "cuDeviceGetDefaultMemPool",
    "cuDeviceGetMemPool",
    "cuDeviceSetMemPool",
    "cuDevicePrimaryCtxSetFlags",
    "cuDevicePrimaryCtxGetState",
    "cuDeviceCanAccessPeer",
    "cuDeviceGetP2PAttribute",
    "cuDeviceGetP2PAtomicCapabilities",
    "cuDeviceGetHostAtomicCapabilities",
]
CONTEXTS = [
    "cuCtxDestroy",
    "cuCtxDetach",
    "cuCtxSetFlags",
    "cuCtxGetFlags",
    "cuCtxGetId",
    "cuCtxSetLimit",
    "cuCtxGetLimit",
    "cuCtxGetCacheConfig",
    "cuCtxSetCacheConfig",
    "cuCtxGetSharedMemConfig",
    "cuCtxSetSharedMemConfig",
    "cuCtxGetApiVersion",
    "cuCtxGetStreamPriorityRange",
    "cuCtxResetPersistingL2Cache",
    "cuCtxGetExecAffinity",
    "cuCtxAttach",
    "cuCtxGetDevice_v2",
    "cuCtxSynchronize_v2",
    "cuFlushGPUDirectRDMAWrites",
    "cuCtxEnablePeerAccess",
    "cuCtxDisablePeerAccess",
    "cuCtxCreate",
]
HOST_MEMORY = [
    "cuMemAllocHost",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemHostGetDevicePointer",
    "cuMemHostGetFlags",
    "cuMemAllocManaged",
    "cuMemHostRegister",
    "cuMemHostUnregister",
    "cuPointerGetAttribute",
    "cuPointerGetAttributes",
    "cuPointerSetAttribute",
]
DEVICE_MEMORY = [
    "cuMemcpyDtoH",
    "cuMemcpyHtoD",
    "cuIpcOpenMemHandle",
    "cuMemAlloc",
    "cuMemAllocPitch",
    "cuMemGetHandleForAddressRange",
    "cuMemGetAddressRange",
    "cuIpcGetMemHandle",
    "cuMemcpy",
    "cuMemcpyPeer",
    "cuMemcpyDtoD",
    "cuMemsetD8",
    "cuMemsetD16",
    "cuMemsetD32",
]
EVENTS = [
    "cuEventCreate",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventElapsedTime",
    "cuEventCreate",
    "cuEventDestroy",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuEventRecord",
    "cuEventRecordWithFlags",
    "cuEventElapsedTime",
    "cuIpcGetEventHandle",
    "cuIpcOpenEventHandle",
    "cuCtxRecordEvent",
    "cuCtxWaitEvent",
]
VIRTUAL_MEMORY = [
    "cuMemAddressReserve",
    "cuMemCreate",
    "cuMemRelease",
    "cuMemMap",
    "cuMemUnmap",
    "cuMemSetAccess",
    "cuMemGetAccess",
    "cuMemGetAllocationGranularity",
    "cuMemGetAllocationPropertiesFromHandle",
    "cuMemExportToShareableHandle",
    "cuMemImportFromShareableHandle",
    "cuMemRetainAllocationHandle",
    "cuMemAddressFree",
]
"""Calls whose arguments can be drawn one by one."""
NEEDS_RESULTS = {"cuGetErrorName", "cuGetErrorString", "cuGetProcAddress"}
"""Calls that write through a null pointer."""
KEEPS_DEAD_CONTEXTS = {"cuCtxGetId", "cuCtxGetApiVersion", "cuCtxGetDevice_v2", "cuCtxSynchronize_v2"}
"""Calls that know a destroyed context."""
TRUSTED = {"cuMemcpy", "cuMemcpyPeer"}
"""Calls that take an address which is none of a device's for one of the host."""


Line = tuple[str, str, str, list[int], int | None, bool]
"""Process, thread, call, a number for each argument, the one that is wrong or None, and whether a result is null."""


def several(calls: Sequence[str]) -> st.SearchStrategy[list[Line]]:
    """Return the strategy of a few lines with some of these calls."""
    line = st.tuples(
        st.sampled_from(("a", "a", "a", "b", "b", "b", LATE)),
        st.sampled_from((*[MAIN] * 12, "second", FORKED)),
        st.sampled_from(calls),
        st.lists(st.integers(0, 15), min_size=MOST, max_size=MOST),
        st.one_of(st.none(), st.none(), st.integers(0, MOST)),
        st.sampled_from((*[False] * 11, True)),
    )
    return st.lists(line, min_size=2, max_size=8)


class Drawn(Lockstep):
    """Any call that takes plain arguments, with what the process holds."""

    @rule(process=st.sampled_from(("a", "b")), pages=st.sampled_from((1, 2)))
    def plain_memory(self, process: str, pages: int) -> None:
        """Make memory of the host that can be registered."""
        self.model.host_memory(process, pages * PAGE)
        self.follow()

    @rule(lines=several(DEVICES))
    def devices(self, lines: list[Line]) -> None:
        """Ask what the driver and the devices are."""
        self.make(lines)

    @rule(lines=several(CONTEXTS))
    def contexts(self, lines: list[Line]) -> None:
        """Ask and set what contexts have."""
        self.make(lines)

    @rule(lines=several(HOST_MEMORY))
    def host_memory(self, lines: list[Line]) -> None:
        """Make pinned, managed and registered memory, and ask of pointers."""
        self.make(lines)

    @rule(lines=several(DEVICE_MEMORY))
    def device_memory(self, lines: list[Line]) -> None:
        """Make linear memory, copy and fill."""
        self.make(lines)

    @rule(lines=several(EVENTS))
    def events(self, lines: list[Line]) -> None:
        """Make and use events."""
        self.make(lines)

    @rule(lines=several(VIRTUAL_MEMORY))
    def virtual_memory(self, lines: list[Line]) -> None:
        """Reserve, create and map."""
        self.make(lines)

    def make(self, lines: list[Line]) -> None:
        """Make calls; of each one argument may be wrong, or the first result pointer null."""
        for process, on, call, draws, wrong, null in lines:
            if process == LATE and LATE not in self.model.processes:
                self.model.spawn(LATE)
                self.follow()
            values = self.arguments(
                process,
                call,
                draws,
                wrong % len(CALLS[call].inputs) if wrong is not None and CALLS[call].inputs else MOST,
            )
            if values is not None:
                results = [param.name for param in CALLS[call].outputs]
                left_out = results[0] if null and results and call not in NEEDS_RESULTS else ""
                made = self.call(process, on, call, *values, null=left_out)
                if made is not None and CALLS[call].acquires and process in self.known:
                    self.known[process].dead.clear()  # it may lie where something was
                if made is not None and process in self.known:
                    self.refresh(process)

    def refresh(self, process: str) -> None:
        """Forget what a drawn call has ended."""
        known, state = self.known[process], self.model.processes[process]
        known.handles = [one for one in known.handles if one[0] in state.handles and state.handles[one[0]].references]
        known.mapped = [one for one in known.mapped if state.memory.at(one.pointer) is not None]
        known.reserved = [one for one in known.reserved if state.reservations.at(one.pointer) is not None]

    def arguments(self, process: str, call: str, draws: list[int], wrong: int) -> tuple[Any, ...] | None:
        """Return arguments of a call, or None where the process holds nothing that it could be given.

        Args:
            process: The calling process.
            call: The call.
            draws: A number for each parameter: which of its values.
            wrong: The parameter that gets an illegal value; one that there is not leaves all of them legal.
        """
        values = []
        for index, (param, draw) in enumerate(zip(CALLS[call].inputs, draws, strict=False)):
            legal, illegal = self._choices(process, call, param)
            chosen = illegal if index == wrong else legal
            if not chosen:
                return None
            values.append(chosen[draw % len(chosen)])
        return tuple(values)

    def _choices(self, process: str, call: str, param: Param) -> tuple[Sequence[Any], Sequence[Any]]:
        """Return the legal and the illegal values of a parameter."""
        if (call, param.name) in CHOICES:
            return CHOICES[call, param.name]
        if param.type in BY_TYPE:
            return BY_TYPE[param.type]
        if param.type in ENUMS:
            return sorted(set(ENUMS[param.type].values())), (9999,)
        kind = kind_of(call, param, {})
        assert isinstance(kind, str)
        kinds = ADDRESSES if kind in ADDRESSES else (kind,)
        held = [
            name.value
            for name in self.model.names.by_text.values()
            if name.kind in kinds and self._names(process, call, name)
        ]
        if kind == "ipc":
            return held, (bytes(64),)
        if kind == "ctx" and call in KEEPS_DEAD_CONTEXTS:
            return held, (0, *self.model.processes[process].dead_contexts)
        if kind in ADDRESSES:
            dead = self.known[process].dead if call in SAFE_DEAD and process in self.known else []
            if not held and call == "cuMemGetHandleForAddressRange":
                held = [NOWHERE]  # it looks at the address last
            return held, (0, *dead, *[int(value) + 1 for value in held[:2] if call not in TRUSTED])
        return held, (0,)

    def _names(self, process: str, call: str, name: Name) -> bool:
        """Return whether a name stands for something that a process holds: the driver follows all else."""
        if not name.live or name.process not in {"", process}:
            return False
        state = self.model.processes[process]
        if name.kind == "ctx":
            return name.value in state.contexts
        if name.kind == "event":
            return name.value in state.events
        if name.kind == "handle":
            return name.value in state.handles and state.handles[name.value].references > 0
        if name.kind == "va":
            return call not in TRUSTED and state.reservations.at(name.value) is not None
        return name.kind not in ADDRESSES or name.kind == "host" or state.memory.at(name.value) is not None
