"""How calls access memory and order accesses: manual and drivers.

Code that orders work names the row here by which it does so, and code that accesses memory the row of the access. The tables
of docs/races.md are made from these rows, with the calls whose operations reach such code. With ``races="strict"`` the
detector of races takes only the orders that the manual promises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")

BEHAVIOUR = "API synchronization behavior"
"""The page of the driver's manual on synchronization behaviour."""
DEFAULT_STREAMS = "Stream synchronization behavior"
"""The page of the driver's manual on default streams."""
PAGES = frozenset({BEHAVIOUR, DEFAULT_STREAMS})


class Order(NamedTuple):
    """One way in which a call orders earlier work before later work.

    Attributes:
        when: When the second access comes after the first, as a clause.
        says: The call whose manual has the words, or one of :data:`PAGES`; empty if no manual says anything.
        words: These words; empty without a source.
        promised: Whether the order holds with ``races="strict"``, too.
        note: What a driver does beyond the manual, or how the words are to be read; may be empty.
        calls: How the names of its calls begin, if code for several APIs names it.
    """

    when: str
    says: str = ""
    words: str = ""
    promised: bool = True
    note: str = ""
    calls: str = ""


class Access(NamedTuple):
    """One way in which a call accesses memory.

    Attributes:
        what: The access.
        by: What makes it.
        extent: The bytes that it touches.
        says: The call whose manual has the words; empty if no manual says anything.
        words: These words; empty without a source.
    """

    what: str
    by: str
    extent: str
    says: str = ""
    words: str = ""


MADE: dict[Callable[..., Any], tuple[Order | Access, ...]] = {}
"""The rows of functions that do not name rows in their text."""


def makes(*rows: Order | Access) -> Callable[[F], F]:
    """Declare that a function makes the orders or accesses of some rows."""

    def declared(function: F) -> F:
        MADE[function] = rows
        return function

    return declared


COPY = Access(
    "copies",
    "a stream, or a call without a stream that does not wait",
    "the bytes of each row",
    "cuMemcpyAsync",
    "`ByteCount` specifies the number of bytes to copy",
)
EARLY = Access(
    'sources of copies whose `srcAccessOrder` is `DURING_API_CALL` or `ANY`; with `"strict"` plain memory copied to a device',
    "the call, which need not wait for earlier work of the stream",
    "the bytes of each copy",
    "cuMemcpyBatchAsync",
    "access to the source pointer can be out of stream order",
)
FILL = Access(
    "memsets",
    "a stream, or a call without a stream that does not wait",
    "the bytes of each row",
    "cuMemsetD8Async",
    "Sets the memory range of `N` 8-bit values to the specified value",
)
DISCARD = Access(
    "discards of managed memory",
    "a stream",
    "the bytes of each range",
    "cuMemDiscardBatchAsync",
    "any reads, writes or prefetches to any part of the memory range that occur simultaneously with the discard operation "
    "result in undefined behavior",
)
KERNEL = Access(
    "kernels that run when they are launched; their atomic operations, strong loads and strong stores need no order among "
    "each other",
    "the stream of the launch",
    "what they read and write",
)
VALUE = Access(
    "values that a stream writes or changes, and waits for values; they need no order among each other, nor with strong "
    "accesses of kernels",
    "the stream; a wait accesses the value when it ends",
    "the bytes of the value",
    "cuStreamWriteValue32",
    "Write a value to memory",
)
NODE = Access(
    "nodes of one graph",
    "the node, among the nodes that no path of edges connects with it",
    "what it reads, writes, allocates or frees",
)
POOL_ALLOCATION = Access(
    "an allocation from a pool",
    "the stream of the allocation",
    "all of it",
    "cuMemAllocAsync",
    "The allocation must not be accessed until the the allocation operation completes",
)
POOL_FREE = Access(
    "a free to a pool",
    "the stream of the free; or the call, which does not wait",
    "all of it",
    "cuMemFreeAsync",
    "The allocation must not be accessed after stream execution reaches the free",
)
END = Access(
    "a free of other memory, an unregistration, a last close of an IPC mapping, an end of an array or variable, "
    'by `"strict"` of a context',
    "the call; by default it waits for the context",
    "what work that the call does not wait for has used",
    "cuMemFree",
    "Frees the memory space pointed to by `dptr`",
)
UNMAPPING = Access(
    "an unmap, a change of access, or an end of peer access",
    "the call, which does not wait",
    "what work has used at its addresses; of a device that loses access, or kernels and memsets of a context that does",
    "cuMemUnmap",
    "the address range is converted to an address reservation",
)

IN_STREAM = Order(
    "both accesses are in one stream",
    "cuLaunchHostFunc",
    "after currently enqueued work and will block work added after it",
    note="all work of a stream does so",
)
AWAITED_EVENT = Order(
    "an event was recorded after the first access, and the stream of the second access waits for the event",
    "cuStreamWaitEvent",
    "Makes all future work submitted to `hStream` wait for all work captured in `hEvent`",
)
AWAITED_IN_CONTEXT = Order(
    "an event was recorded after the first access, and the context of the second access waits for the event",
    "cuCtxWaitEvent",
    "Makes all future work submitted to context `hCtx` wait",
)
AWAITED_ELSEWHERE = Order(
    "an event was recorded after the first access, and another process has opened the event and waits for it",
    "cuIpcGetEventHandle",
    "to allow efficient hardware synchronization between GPU work in different processes",
)
LAUNCHED_BEFORE = Order(
    "both accesses are of launches of one executable graph",
    "cuGraphLaunch",
    "Each launch is ordered behind both any previous work in `hStream` and any previous launches of `hGraphExec`",
    note="an H200 runs launches in two streams one after the other",
)
UPLOADED_BEHIND = Order(
    "the first access is of a launch or before an upload of an executable graph, and the stream of the second access "
    "uploads the graph",
    "cuGraphUpload",
    "Each upload is ordered behind both any previous work in `hStream` and any previous launches of `hGraphExec`",
    note="an H200 orders uploads so, too",
)
UPLOADED_BEFORE = Order(
    "the first access is before an upload of an executable graph, and the stream of the second access launches the graph",
    promised=False,
    note="an H200 orders a launch behind uploads; the manual does not mention this order",
)
LEGACY_STREAM = Order(
    "one access is in the legacy default stream, and the other access is in a blocking stream",
    DEFAULT_STREAMS,
    "the legacy stream first waits on all blocking streams",
    note="then the blocking streams wait for the legacy stream; an H200 leaves out some actions",
)
SYNCHRONIZED = Order(
    "the host has waited for the stream of the first access, for its context, or for an event after it",
    "cuStreamSynchronize",
    "Waits until the device has completed all operations in the stream",
)
QUERIED = Order(
    "a query by the host showed that the first access was complete",
    "cuStreamQuery",
    "a return value of `CUDA_SUCCESS` is equivalent to having called `cuStreamSynchronize()`",
    note="`cuEventElapsedTime` answers `NOT_READY` otherwise",
)
HOST_FUNCTION = Order(
    "a host function behind the first access in its stream has started to run",
    "cuLaunchHostFunc",
    "has the same effect as synchronizing an event recorded in the same stream immediately prior to the function",
)
AWAITED_VALUE = Order(
    "the stream of the second access waits for a value, and the first access is before each write that may have ended the "
    "wait",
    "cuStreamWaitValue32",
    "Work ordered after the operation will block until the given condition on the memory is satisfied",
    note="a value from before orders nothing",
)
ACQUIRED_VALUE = Order(
    "a kernel with an acquire or a fence reads, by a strong load or an atomic operation, what a kernel or a stream has written "
    "after the first access, by a strong store, an atomic operation or as a value",
    note="PTX ISA: an acquire pattern that observes a release pattern synchronizes with it",
)
POLLED_VALUE = Order(
    "after the first access, its stream wrote a value to memory that the host can read; or a kernel that releases or has a "
    "fence wrote there by a strong store or an atomic operation",
    note="the host may have polled the value",
)
COPIED = Order(
    "a call without a stream copied to the host, or filled the host's memory; or a copy had host memory on both sides",
    BEHAVIOUR,
    "the function returns only once the copy has completed",
)
COPIED_BY_HIP = Order(
    "HIP copied by a call without `Async` in its name, or to or from memory that is not page-locked",
    "hipMemcpyAsync",
    "If host or dst are not pinned, the memory copy will be performed synchronously",
    note="clr also waits for all copies without `Async`",
    calls="hip",
)
STAGED = Order(
    "a call without a stream copied from memory that is not page-locked to a device",
    BEHAVIOUR,
    "but the DMA to final destination may not have completed",
    promised=False,
    note="by default the copy counts as done; at the return, an H200 had done 1 of 50 copies of 1 MiB, and all copies "
    "of 512 KiB",
)
SYNCHRONOUS = Order(
    "a call without a stream copied or filled memory, and the memory has `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS` or the context "
    "`CU_CTX_SYNC_MEMOPS`",
    "cuPointerSetAttribute",
    "is guaranteed to always synchronize memory operations that are synchronous",
)
SYNCHRONOUS_SET = Order(
    "a call without a stream used memory of its context, and the host then set `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS` of that "
    "memory",
    "cuPointerSetAttribute",
    "the function does not return until those memory operations are complete",
    note="an H200 waits for nothing else",
)
BETWEEN_DEVICES = Order(
    "`cuMemcpyPeer` copied between contexts, as work of the default streams of both",
    "cudaMemcpyPeer",
    "serialized with respect all pending and future asynchronous work in to the current device, `srcDevice`, and "
    "`dstDevice`",
    note="on H200, streams that do not block run beside the copy",
)
ACROSS_DEVICES = Order(
    "another call without a stream copied between devices, or between contexts of a device, as work of the default streams of "
    "these contexts",
    promised=False,
    note="on one H200 and on two, as for `cuMemcpyPeer`; the manual says nothing about it",
)
PAGEABLE = Order(
    "a copy in a stream went to memory that is not page-locked, or to a host pool that grants the device no access, or "
    "took managed memory as host memory",
    BEHAVIOUR,
    "the function might be synchronous with respect to host",
    promised=False,
    note="the call waits for the copy",
    calls="cu",
)
FREED = Order(
    "the host freed memory of a device that is not from a pool",
    "cuMemFree",
    "this API may perform implicit synchronization",
    promised=False,
    note="a card waits for the context",
)
FREED_BY_HIP = Order(
    "the host freed memory of HIP",
    "hipFree",
    "This API performs an implicit hipDeviceSynchronize() call",
)
ENDED = Order(
    "the host freed page-locked memory, unregistered memory or closed an IPC mapping; with HIP also unmapped memory",
    promised=False,
    note="a card waits for the context; the manual does not mention a wait",
)
ARRAY_ENDED = Order(
    "the host destroyed an array",
    promised=False,
    note="a card waits for the context; the manual does not mention a wait",
)
CONTEXT_ENDED = Order(
    "the host destroyed or reset the context of the first access",
    promised=False,
    note="a card waits for the context; the manual does not mention a wait",
)
LOADED = Order(
    "the host loaded a module",
    promised=False,
    note="an H200 waits for the context; the manual does not mention a wait",
)
UNLOADED = Order(
    "the host unloaded a module or a library",
    promised=False,
    note="a card waits for the context; the manual does not mention a wait",
)
OLDER_DESTROYED = Order(
    "the host called `cuEventDestroy_v1` or `cuStreamDestroy_v1`",
    promised=False,
    note="a card waits for the event or the stream; the manual says nothing about these forms",
)
LIMITED = Order(
    "the host changed the stack size of the context of the first access",
    "cuCtxSetLimit",
    "if necessary, the device will block until all preceding requested tasks are complete",
    promised=False,
    note="a card waits for the context",
)
GRAPH_ENDED = Order(
    "the host destroyed an executable graph that devices launch",
    "cuGraphExecDestroy",
    "it will not be terminated, but rather freed asynchronously on completion",
    promised=False,
    note="a card waits for the context",
)
LOCKED = Order(
    "the process of the first access was locked for a checkpoint",
    "cuCheckpointProcessLock",
    "the timeout is reached the process will be left in the RUNNING state",
    promised=False,
    note="a card waits for the process's work",
)


def rows() -> dict[str, Order | Access]:
    """Return all rows by their names."""
    return {name: value for name, value in globals().items() if isinstance(value, Order | Access)}
