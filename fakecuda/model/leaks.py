"""Objects that a process has not given back, with their kind and origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from fakecuda.model import history
from fakecuda.model.code.linking import Linker
from fakecuda.model.code.module import Library, Module
from fakecuda.model.graph.executables import is_held
from fakecuda.model.memory.array import is_level
from fakecuda.model.memory.memory import VARIABLES, Import, Mapped, Registered
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.va import Mapping
from fakecuda.model.os.interruption import whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fakecuda.model.context import Context
    from fakecuda.model.machine import Machine
    from fakecuda.model.memory.memory import Span
    from fakecuda.model.memory.texture import Seen
    from fakecuda.model.os.process import Process

FIXES = {
    "allocation": "free it: cuMemFree, cuMemFreeHost or cuMemFreeAsync, as it was allocated (cudaFree, hipFree and so on)",
    "texture": "call cuTexObjectDestroy or cuSurfObjectDestroy (cudaDestroyTextureObject, cudaDestroySurfaceObject)",
    "array": "call cuArrayDestroy or cuMipmappedArrayDestroy (cudaFreeArray, cudaFreeMipmappedArray)",
    "handle": "call cuMemRelease for each cuMemCreate, cuMemImportFromShareableHandle and cuMemRetainAllocationHandle (hipMemRelease)",
    "mapping": "call cuMemUnmap on the range (hipMemUnmap)",
    "reservation": "call cuMemAddressFree on the whole range, once nothing is mapped there (hipMemAddressFree)",
    "descriptor": "close the descriptor with os.close once the importer has it",
    "ipc": "close it: cuIpcCloseMemHandle, cuEventDestroy or cuMemFree, as it was opened (cudaIpcCloseMemHandle, hipIpcCloseMemHandle)",
    "peer": "call cuCtxDisablePeerAccess in the context that enabled it (cudaDeviceDisablePeerAccess, hipDeviceDisablePeerAccess)",
    "context": "call cuCtxDestroy (hipCtxDestroy)",
    "retain": "call cuDevicePrimaryCtxRelease for each cuDevicePrimaryCtxRetain (hipDevicePrimaryCtxRelease)",
    "pool": "call cuMemPoolDestroy (cudaMemPoolDestroy, hipMemPoolDestroy)",
    "stream": "call cuStreamDestroy (cudaStreamDestroy, hipStreamDestroy)",
    "event": "call cuEventDestroy (cudaEventDestroy, hipEventDestroy)",
    "module": "call cuModuleUnload",
    "linker": "call cuLinkDestroy",
    "library": "call cuLibraryUnload (cudaLibraryUnload)",
    "graph": "call cuGraphDestroy, or cuGraphExecDestroy for an executable graph (cudaGraphDestroy, cudaGraphExecDestroy)",
    "object": "call cuUserObjectRelease, as often as it was retained (cudaUserObjectRelease)",
    "registration": "call cuMemHostUnregister (cudaHostUnregister, hipHostUnregister)",
}
"""The call that releases an object, by kind; libraries keep the others."""
KINDS = (
    "allocation",
    "texture",
    "array",
    "handle",
    "mapping",
    "reservation",
    "descriptor",
    "ipc",
    "peer",
    "context",
    "retain",
    "pool",
    "stream",
    "event",
    "module",
    "library",
    "linker",
    "graph",
    "object",
    "registration",
    "kept",
)
"""Kinds of objects, in the order of reports. ``kept`` is for objects that a library keeps as long as its process
lives."""
FEW = 3
"""The maximum number of objects from one line that a report numbers."""


@frozen
class Origin:
    """How a leaked object was made.

    Attributes:
        call: The call, with its arguments.
        number: Which of the objects it is that its line made by this call, from 1. 0 if that is unknown.
        of: The number of these objects.
        least: Whether there may have been more.
        ended: How many of them were ended.
        how: The verb for that, such as ``freed``.
        lines: The lines at which they were ended.
    """

    call: str
    number: int = 0
    of: int = 0
    least: bool = False
    ended: int = 0
    how: str = ""
    lines: tuple[str, ...] = ()


@frozen
class Leak:
    """An object that was not given back.

    Attributes:
        kind: One of ``KINDS``.
        process: The name of the process that holds it.
        item: The object of the model.
        text: Its description.
        size: Bytes of memory or addresses. 0 for other objects.
        stack: The stack that made it.
        origin: The call that made it, and which of several it is. None if unknown.
    """

    kind: str
    process: str
    item: Any = field(repr=False, eq=id)
    text: str
    size: int = 0
    stack: history.Stack = field(default=history.NOWHERE, eq=False, repr=False)
    origin: Origin | None = field(default=None, eq=False, repr=False)

    @property
    def line(self) -> str:
        """The line of the user's code that made the object.

        Empty if unknown.
        """
        return next(iter(history.places(self.stack)), "")

    @property
    def fix(self) -> str:
        """The call that releases the object; empty for an object that a library keeps."""
        return FIXES.get(self.kind, "")

    @property
    def report(self) -> str:
        """A description of the object, where it was made, and how to release it."""
        rows = [
            f"{self.kind}: {self.text}, of process {self.process}",
            *history.story(self.stack, history.NOWHERE, ("made", "")),
            *([f"by {self.origin.call}"] if self.origin else []),
            *which([self]),
        ]
        return "\n  ".join([*rows, *([f"fix: {self.fix}"] if self.fix else [])])

    def __str__(self) -> str:
        made = f", made at {self.line}" if self.line else ""
        by = f", by {self.origin.call}" if self.origin else ""
        return f"{self.kind}: {self.text}, of process {self.process}{made}{by}"


def which(alike: list[Leak]) -> list[str]:
    """Return a line on which objects from one line were left; empty if all or unknown.

    Args:
        alike: The leaks of the line.
    """
    origins = [leak.origin for leak in alike if leak.origin is not None and leak.origin.number]
    if len(origins) < len(alike) or origins[0].of <= len(alike):
        return []
    first, places = origins[0], sorted(one.number for one in origins)
    named = [_ordinal(number) for number in places[:FEW]]
    if len(places) > FEW:
        named.append(f"{len(places) - FEW} more")
    text = f"{_and(named)} of {'at least ' * first.least}{first.of} made at this line"
    if first.ended:
        the = "the other " if first.ended == first.of - len(alike) else ""
        text += f"; {the}{first.ended} {'was' if first.ended == 1 else 'were'} {first.how}"
        text += f" at {_and(first.lines)}" if first.lines else ""
    return [text]


def _ordinal(number: int) -> str:
    """Return a number as an ordinal: 1st, 12th, 23rd."""
    teens = number % 100 // 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _and(words: Sequence[str]) -> str:
    """Join words as a list in a sentence."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


@whole
def leaks_on(machine: Machine) -> list[Leak]:
    """Return what a machine's processes hold or left at exit, by process and kind."""
    machine.exchange.reap()
    found = [leak for process in machine.processes.values() for leak in (*process.left, *leaks_in(process))]
    found += [_made(export.process, "descriptor", export) for export in machine.exchange.exports.values()]
    places = {name: place for place, name in enumerate(machine.processes)}
    return sorted(found, key=lambda leak: (places.get(leak.process, len(places)), KINDS.index(leak.kind)))


def leaks_in(process: Process) -> list[Leak]:
    """Return what a process holds, except for exported descriptors.

    The process's machine lists those.
    """
    return [
        *_memory(process),
        *(
            _made(process, "handle", handle, handle.physical.size)
            for handle in process.handles.values()
            if handle.references
        ),
        *(_made(process, "reservation", reservation, reservation.size) for reservation in process.reservations),
        *_contexts(process),
        *_pools(process),
        *_code(process),
        *(_made(process, "array", grid, grid.room) for grid in process.arrays.values() if not is_level(grid)),
        *(_made(process, "texture", seen) for context in process.contexts.values() for seen in _seen(context)),
        *(_made(process, "stream", stream) for stream in process.streams.values()),
        *(_made(process, "ipc" if event.exported else "event", event) for event in process.events.values()),
        *(_made(process, "graph", item) for item in process.graphs.values() if is_held(item)),
        *(_made(process, "object", item) for item in process.user_objects.live.values() if item.owned),
    ]


def _made(process: Process, kind: str, item: Any, size: int = 0) -> Leak:
    return Leak(kind, process.name, item, str(item), size, item.created)


def _memory(process: Process) -> Iterator[Leak]:
    for item in process.memory:
        if isinstance(item, Import) or (isinstance(item, Pooled) and item.source is not None):
            yield _made(process, "ipc", item, item.size)
        elif isinstance(item, Mapping):
            yield _made(process, "mapping", item, item.size)
        elif isinstance(item, Registered):
            yield _made(process, "registration", item, item.size)
        elif item.start not in process.leaving and not isinstance(item, (Mapped, *VARIABLES)):
            yield _allocation(process, item)


def _allocation(process: Process, item: Span) -> Leak:
    """Return a leaked allocation; for graph memory, with the line of its node."""
    leak = _made(process, "allocation", item, item.size)
    node = item.of_node if isinstance(item, Pooled) else None
    added = "" if node is None else next(iter(history.places(node.created)), "")
    return evolve(leak, text=f"{leak.text}, by a graph node that was added at {added}") if added else leak


def _code(process: Process) -> Iterator[Leak]:
    """Yield loaded code and linkers; modules of a library go with the library."""
    for item in process.loaded.values():
        if isinstance(item, Library):
            if not item.of_program:
                yield _made(process, "library", item)
        elif isinstance(item, Linker):
            yield _made(process, "linker", item)
        elif isinstance(item, Module) and item.library is None:
            yield _made(process, "module", item)


def _contexts(process: Process) -> Iterator[Leak]:
    # The runtime's references keep these contexts, and so the access between them.
    kept = [primary.context for primary in process.primaries.values() if primary.active and primary.held]
    for context in process.contexts.values():
        if not context.primary:
            yield _made(process, "context", context)
        for peer in context.peers:
            stack = context.connected.get(peer, history.NOWHERE)
            kind = "kept" if context in kept and peer in kept else "peer"
            yield Leak(kind, process.name, context, access(context, peer), 0, stack)
    for ordinal, primary in process.primaries.items():
        for retain in primary.retains:
            text = f"reference to the primary context of device {ordinal}"
            yield Leak("retain", process.name, retain, text, 0, retain.created)
        if primary.context is not None and primary.active and (primary.held or not primary.references):
            text = f"the runtime's primary context of device {ordinal}"
            yield Leak("kept", process.name, primary, text, 0, primary.context.created)


def access(context: Context, peer: Context) -> str:
    """Return the description of a context's peer access."""
    return f"access of {context} to {peer.device}"


def _seen(context: Context) -> Iterable[Seen]:
    """Return the texture and surface objects of a context."""
    return (*context.textures.values(), *context.surfaces.values())


def _pools(process: Process) -> Iterable[Leak]:
    for pool in process.pools.live.values():
        yield _made(process, "kept" if pool.default else "pool", pool)
