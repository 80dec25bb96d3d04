"""Objects that a world leaves in a process, by its model: queries and clean-up.

A process whose world left nothing is as a new one, so that the next world may use it. A call that failed left nothing,
whatever it is called; what was changed and taken back did not, either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.cleaning import DEEP
from conformance.kit.program import MAIN, Door
from conformance.kit.world import CONTEXT, INITIALISED, NEW, RUNTIME
from fakecuda.model.graph.graph import Graph
from fakecuda.model.memory.array import Array, Mipmapped
from fakecuda.model.memory.memory import Import, Pinned, Placed, Registered
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.va import Mapping
from fakecuda.model.os.process import HALTED, NOT_INITIALIZED, READY
from fakecuda.rules.driver.context.ctx_set_flags import CHANGEABLE
from fakecuda.rules.driver.device.graph_mem import MARKS, VALUES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from conformance.kit.program import Recorder
    from fakecuda.model.context import Context
    from fakecuda.model.graph.graph_memory import GraphPool
    from fakecuda.reach.process import Process

SPARES = 1
"""Spare contexts of a device, besides the primary one, kept for later worlds."""
NO_CONTEXT = "its context is gone"
"""Differences of a clean process from a new one: only its context."""
UNNAMED = -1
"""A marker instead of a code: the program has no name for the object."""


def _changed(context: Context) -> bool:
    """Return whether a context differs from a new one."""
    return bool(
        context.lost
        or context.peers
        or context.flags != context.first_flags
        or context.usage != 1
        or context.limits
        or context.cache_config
        or context.taken
        or context.gates
        or context.textures
        or context.surfaces
        or any(stream.work or stream.attributes or stream.priority for stream in context.default_streams.values())
    )


class Undo:
    """Undoes what a world has done in one process.

    Args:
        recorder: What the calls are made and logged by.
        model: The recorder of the model that lives through the same calls.
        name: The process's name.
        kind: What kind of process it is to be.
        device: Its device.
        context: The name of the context that was made for it, or empty.
        beside: The ordinals of other devices whose primary contexts the runtime library holds in such a process.

    Attributes:
        spares: The handles, on the model, of other contexts that are as new ones: later worlds may have them.
    """

    def __init__(
        self,
        recorder: Recorder,
        model: Recorder,
        name: str,
        kind: str,
        device: int,
        context: str,
        beside: Collection[int] = (),
    ) -> None:
        self._recorder = recorder
        self._model = model
        self._name = name
        self._door = Door(recorder, name, MAIN)
        self._process: Process = model.processes[name]
        self._kind = kind
        self._device = device
        self._context = int(model.names.by_text[context].value) if context else 0
        self._beside = beside
        self.spares: list[int] = []

    @property
    def _own(self) -> Context | None:
        """The process's own context, while it is live."""
        process = self._process
        if self._kind != RUNTIME:
            return process.contexts.get(self._context)
        primary = process.primaries.get(process.devices[self._device].ordinal)
        return primary.context if primary is not None and primary.active else None

    def let_go(self) -> None:
        """Make the process's own context the only current one, and close IPC memory."""
        process, door, own = self._process, self._door, self._own
        if process.state in HALTED:
            return  # its calls would wait
        main = process.thread_of(MAIN)
        self._end_captures()
        if main.last_error:
            door.cudaGetLastError()
        if main.stack != ([own] if own else []) or main.device != self._device * (self._kind == RUNTIME):
            for _ in range(DEEP):
                if not main.stack or door.cuCtxPopCurrent()[0]:
                    break
            if self._kind == RUNTIME:
                door.cudaSetDevice(self._device)
            elif own is not None:
                self._end("ctx", own.handle, "cuCtxPushCurrent")
        if own is not None:
            self._reset_flags(own)
            door.cuCtxSynchronize()  # a copy between devices may still be under way
        for item in [one for one in process.memory if isinstance(one, Import)]:
            for _ in range(DEEP):
                if process.memory.at(item.start) is not item or self._end("dptr", item.start, "cuIpcCloseMemHandle"):
                    break

    def _end_captures(self) -> None:
        """End captures in their threads, and reset the threads' capture modes."""
        captures = self._process.captures
        names = {thread: str(name) for name, thread in self._process.threads.items()}
        for one in captures.all() if captures is not None else ():
            thread, handle = names.get(one.thread, MAIN), one.origin.handle
            if handle in self._process.streams:
                self._end("stream", handle, "cuStreamEndCapture", on=thread)
            else:
                Door(self._recorder, self._name, thread).cuStreamEndCapture(handle)
        for thread, name in names.items():
            if thread.capture_mode:
                Door(self._recorder, self._name, name).cuThreadExchangeStreamCaptureMode(0)

    def _end_objects(self) -> None:
        """Destroy graphs, code and arrays, derived objects first."""
        process = self._process
        for kind, call, live in (
            ("texture", "cuTexObjectDestroy", {number for one in process.contexts.values() for number in one.textures}),
            (
                "surface",
                "cuSurfObjectDestroy",
                {number for one in process.contexts.values() for number in one.surfaces},
            ),
            ("executable", "cuGraphExecDestroy", process.graphs),
            ("graph", "cuGraphDestroy", process.graphs),
            ("linker", "cuLinkDestroy", process.loaded),
            ("library", "cuLibraryUnload", process.loaded),
            ("module", "cuModuleUnload", process.loaded),
        ):
            for name in [one for one in self._model.names.by_text.values() if one.kind == kind and one.live]:
                if name.process == self._name and name.value in live and self._ends_alone(kind, name.value):
                    self._end(kind, int(name.value), call)
        for array in list(process.arrays.values()):
            if isinstance(array, Mipmapped):
                self._end("mipmapped", array.handle, "cuMipmappedArrayDestroy")
            elif isinstance(array, Array) and array.level_of is None:
                self._end("array", array.handle, "cuArrayDestroy")

    def free(self) -> None:
        """Free what is left, containers last."""
        process, own = self._process, self._own
        if process.state in HALTED:
            return
        if self._kind != NEW and process.state == READY:
            self._end_objects()
        others = [one for one in process.contexts.values() if not one.primary and one is not own]
        spares = self._spared(others)
        for context in others:
            if context not in spares:
                self._end("ctx", context.handle, "cuCtxDestroy")
        for context in spares:
            self._end("ctx", context.handle, "cuCtxPushCurrent")
            self._reset_flags(context)
            self._door.cuCtxSynchronize()
            for peer in list(context.peers):
                self._end("ctx", peer.handle, "cuCtxDisablePeerAccess")
            self._door.cuCtxPopCurrent()
        for primary in list(process.primaries.values()):
            for _ in range(primary.references - primary.held):
                assert primary.context is not None
                self._door.cuDevicePrimaryCtxRelease(process.number_of(primary.context.device))
        for peer in list(own.peers) if own is not None else ():
            self._end("ctx", peer.handle, "cuCtxDisablePeerAccess")
        pooled = any(isinstance(item, Pooled) for item in process.memory)
        for item in list(process.memory):
            self._free(item)
        for event in list(process.events):
            self._end("event", event, "cuEventDestroy")
        for stream in list(process.streams):
            self._end("stream", stream, "cuStreamDestroy")
        for handle in list(process.handles):
            for _ in range(DEEP):
                if handle not in process.handles or self._end("handle", handle, "cuMemRelease"):
                    break
        for range_ in list(process.reservations):
            self._end("va", range_.start, "cuMemAddressFree", range_.size)
        if own is not None and pooled:
            self._door.cuCtxSynchronize()
        if process.state == READY:
            self._trim()
        self.spares = [one.handle for one in spares if not _changed(one)]
        for context in [one for one in spares if one.handle not in self.spares]:
            self._end("ctx", context.handle, "cuCtxDestroy")
        # A pool goes after its memory: driver 580 crashes some calls after cuMemFree of memory whose pool is destroyed.
        for pool in list(process.pools.live.values()):
            if not pool.default:
                self._end("pool", pool.handle, "cuMemPoolDestroy")

    def _reset_flags(self, context: Context) -> None:
        """Reset the current context's flags, which some executable graphs change."""
        if context.flags != context.first_flags:
            self._door.cuCtxSetFlags(context.first_flags & CHANGEABLE)

    def _trim(self) -> None:
        """Trim the graph memory of the devices, and reset its high-water marks."""
        for device in {pool.device for pool in self._graph_pools()}:
            number = self._process.number_of(device)
            self._door.cuDeviceGraphMemTrim(number)
            for mark in sorted(MARKS):
                self._door.cuDeviceSetGraphMemAttribute(number, mark, 0)

    def _graph_pools(self) -> Iterable[GraphPool]:
        state = self._process.graph_memory
        return () if state is None else state.pools.values()

    def left(self) -> str:
        """Return a process's differences from a new one in a few words; empty if none."""
        process, own = self._process, self._own
        if self._kind == NEW:
            return "" if process.state == NOT_INITIALIZED else "it is initialised"
        main = process.thread_of(MAIN)
        default = process.pools.defaults.values()
        runtime = self._kind == RUNTIME
        told = {
            "its state": process.state != READY,
            "a fault": process.fault,
            "the runtime library": process.runtimes.started != runtime or main.last_error,
            NO_CONTEXT: own is None and self._kind != INITIALISED,
            "its context's settings": own is not None and _changed(own),
            "contexts": any(
                one is not own and not one.primary and one.handle not in self.spares
                for one in process.contexts.values()
            ),
            "primary contexts": any(
                one.flags or one.references != runtime or one.held != runtime or not self._stays(one.context)
                for one in process.primaries.values()
                if one.active or one.references or one.held or one.flags
            )
            or not all(number in process.primaries and process.primaries[number].active for number in self._beside),
            "memory": len(process.memory) or process.leaving or process.registered,
            "reservations": len(process.reservations),
            "handles": process.handles,
            "events": process.events,
            "streams": process.streams,
            "pools": process.pools.live.keys() - {pool.handle for pool in default} or process.pools.retired,
            "current pools": process.pools.current,
            "default pools": any(
                pool.used or pool.threshold or pool.exported or len(pool.access) > 1 or not all(pool.policies.values())
                for pool in default
            ),
            "memory of graphs": any(read(pool) for pool in self._graph_pools() for read in VALUES.values()),
            "captures": process.captures is not None and process.captures.all(),
            "how a thread heeds captures": any(thread.capture_mode for thread in process.threads.values()),
            "the stack": main.stack != ([own] if own is not None else []),
            "the runtime's device": main.device != self._device * runtime,
        }
        return ", ".join(what for what, there in told.items() if there)

    def _stays(self, context: Context | None) -> bool:
        """Return whether a primary context belongs to a clean process."""
        if context is None or context is self._own:
            return context is not None
        return context.device.ordinal in self._beside and not _changed(context)

    def _spared(self, others: list[Context]) -> list[Context]:
        """Return the other contexts of a process that a later world could use."""
        process = self._process
        empty = not (len(process.memory) or process.events or process.streams)
        if self._kind not in {CONTEXT, INITIALISED} or process.state != READY or not (self._own or empty):
            return []
        kept: dict[int, list[Context]] = {}
        for context in others:
            alike = kept.setdefault(context.device.ordinal, [])
            other = context.lost or context.first_flags or context.usage != 1 or context.taken
            if not other and len(alike) < SPARES:
                alike.append(context)
        return [context for alike in kept.values() for context in alike]

    def _free(self, item: object) -> None:
        match item:
            case Mapping():
                self._end("va", item.start, "cuMemUnmap", item.size)
            case Registered():
                self._end("host", item.start, "cuMemHostUnregister")
            case Pinned():
                self._end("pinned", item.start, "cuMemFreeHost")
            case Pooled() if self._own is not None:  # after cuMemFree the driver goes on counting it as used
                self._end("dptr", item.start, "cuMemFreeAsync", 0)
            case Placed() | Pooled():
                self._end("dptr", item.start, "cuMemFree")

    def _ends_alone(self, kind: str, value: int) -> bool:
        """Return whether an object is destroyed by its own call in this thread."""
        process = self._process
        if kind == "graph":
            graph = process.graphs[value]
            return isinstance(graph, Graph) and graph.owner is None
        if kind == "module":
            return process.loaded[value].library is None  # type: ignore[union-attr]
        return kind != "linker" or process.loaded[value].thread is process.thread_of(MAIN)  # type: ignore[union-attr]

    def _end(self, kind: str, value: int, call: str, *rest: int, on: str = MAIN) -> int:
        """Make a call with the target's values in place of the model's; return its code."""
        theirs = _translate(kind, value, self._name, self._model, self._recorder)
        door = self._door if on == MAIN else Door(self._recorder, self._name, on)
        return UNNAMED if theirs is None else int(getattr(door, call)(theirs, *rest)[0])


def _translate(kind: str, value: int, process: str, source: Recorder, target: Recorder) -> int | None:
    """Return a value of one recorder in the other by its name, or None."""
    found = source.names.alias(process, kind, value)
    if found is None:
        return None
    name, plus = found
    theirs = target.names.by_text.get(name.text)
    return None if theirs is None else int(theirs.value) + plus
