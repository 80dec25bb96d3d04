"""Programs with two accesses, which only one order of the detector's table orders."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.graph.fixtures import memset
from fakecuda import Machine
from tests.model.ordering_devices import between_devices, launched_behind_an_upload
from tests.model.racing import (
    BLOCKING,
    LEGACY,
    NON_BLOCKING,
    SIZE,
    Scene,
    by_context_synchronise,
    by_elapsed_time,
    by_event,
    by_event_query,
    by_event_synchronise,
    by_free,
    by_function,
    by_limit,
    by_stream_query,
    by_stream_synchronise,
    by_value,
    by_value_that_the_host_sees,
    by_wait_of_the_context,
    copy_out,
    fill,
)
from tests.model.test_branches import PTX
from tests.model.test_strong_accesses import Exchange
from tests.model.world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable

DEVICE_LAUNCH = 4
PINNED, HOST = 1, 2
"""CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST."""
P2P_TOKENS, SYNC_MEMOPS, CTX_SYNC_MEMOPS = 5, 6, 128
"""CU_POINTER_ATTRIBUTE_P2P_TOKENS and _SYNC_MEMOPS, CU_CTX_SYNC_MEMOPS."""


def between(edge: Callable[[Scene], object]) -> Callable[[Scene], None]:
    """Return a program of two writes in two streams, with something between them."""

    def program(scene: Scene) -> None:
        fill(scene, scene.one)
        edge(scene)
        fill(scene, scene.two)

    return program


def memory_that_says_so(scene: Scene) -> None:
    """A memset without a stream of memory with the attribute, then a stream reads the bytes."""
    done(scene.c.cuPointerSetAttribute(1, SYNC_MEMOPS, scene.common))
    done(scene.c.cuMemsetD8(scene.common, 1, SIZE))
    copy_out(scene, scene.one)


def source_that_says_so(scene: Scene) -> None:
    """A copy without a stream from memory with the attribute, which a query of tokens sets, then a stream writes the bytes."""
    scene.c.cuPointerGetAttribute(P2P_TOKENS, scene.common)
    done(scene.c.cuMemcpyDtoD(scene.own, scene.common, SIZE))
    fill(scene, scene.one)


def context_that_says_so(scene: Scene) -> None:
    """A copy without a stream from plain memory, in a context with the flag, then a stream reads the bytes."""
    done(scene.c.cuCtxSetFlags(CTX_SYNC_MEMOPS))
    done(scene.c.cuMemcpyHtoD(scene.common, bytes(SIZE), SIZE))
    copy_out(scene, scene.one)


def attribute_set_later(scene: Scene) -> None:
    """A memset without a stream, then the memory gets the attribute, then a stream reads the bytes."""
    done(scene.c.cuMemsetD8(scene.common, 1, SIZE))
    done(scene.c.cuPointerSetAttribute(0, SYNC_MEMOPS, scene.own))
    done(scene.c.cuPointerSetAttribute(1, SYNC_MEMOPS, scene.common))
    copy_out(scene, scene.one)


def one_stream(scene: Scene) -> None:
    """A stream writes twice."""
    fill(scene, scene.one)
    fill(scene, scene.one)


def launched_twice(scene: Scene) -> None:
    """Two streams launch one executable graph, which fills memory."""
    graph = done(scene.c.cuGraphCreate(0))
    done(scene.c.cuGraphAddMemsetNode(graph, (), 0, memset(scene.common, width=SIZE), 0))
    ready = done(scene.c.cuGraphInstantiate(graph, 0))
    done(scene.c.cuGraphLaunch(ready, scene.one))
    done(scene.c.cuGraphLaunch(ready, scene.two))


def uploaded(scene: Scene) -> None:
    """A stream launches an executable graph, which fills memory, and another one uploads the graph before it fills that."""
    graph = done(scene.c.cuGraphCreate(0))
    done(scene.c.cuGraphAddMemsetNode(graph, (), 0, memset(scene.common, width=SIZE), 0))
    ready = done(scene.c.cuGraphInstantiate(graph, 0))
    done(scene.c.cuGraphLaunch(ready, scene.one))
    done(scene.c.cuGraphUpload(ready, scene.two))
    fill(scene, scene.two)


def default_stream(scene: Scene) -> None:
    """The legacy default stream writes, then a stream that blocks on it, then the default stream again."""
    stream = int(done(scene.c.cuStreamCreate(BLOCKING)))
    fill(scene, LEGACY)
    fill(scene, stream)
    fill(scene, LEGACY)


def around_the_default_stream(act: Callable[[Scene], object]) -> Callable[[Scene], None]:
    """Return a program of two writes in blocking streams, between which the legacy stream does what an H200 leaves out."""

    def program(scene: Scene) -> None:
        one, two = (int(done(scene.c.cuStreamCreate(BLOCKING))) for _ in range(2))
        fill(scene, one)
        act(scene)
        fill(scene, two)

    return program


def empty_graph(scene: Scene) -> None:
    """The legacy stream launches an empty graph."""
    done(scene.c.cuGraphLaunch(done(scene.c.cuGraphInstantiate(done(scene.c.cuGraphCreate(0)), 0)), LEGACY))


def allocation(scene: Scene) -> None:
    """The legacy stream allocates memory of a pool."""
    done(scene.c.cuMemAllocAsync(SIZE, LEGACY))


def attachment(scene: Scene) -> None:
    """The legacy stream writes; the host waits for a blocking stream that has attached memory; a stream writes, too."""
    stream, managed = int(done(scene.c.cuStreamCreate(BLOCKING))), int(done(scene.c.cuMemAllocManaged(SIZE, 1)))
    fill(scene, LEGACY)
    done(scene.c.cuStreamAttachMemAsync(stream, managed, 0, 1))
    done(scene.c.cuStreamSynchronize(stream))
    fill(scene, scene.one)


def event_of_another_process(scene: Scene) -> None:
    """A stream of another process waits for an event of the first stream."""
    other = started(scene.machine, name="b")
    event = int(done(scene.c.cuEventCreate(2 | 4)))
    there = int(done(other.c.cuIpcOpenEventHandle(done(scene.c.cuIpcGetEventHandle(event)))))
    opened = int(done(other.c.cuIpcOpenMemHandle(done(scene.c.cuIpcGetMemHandle(scene.common)), 1)))
    stream = int(done(other.c.cuStreamCreate(NON_BLOCKING)))
    fill(scene, scene.one)
    done(scene.c.cuEventRecord(event, scene.one))
    done(other.c.cuStreamWaitEvent(stream, there, 0))
    done(other.c.cuMemsetD8Async(opened, 1, SIZE, stream))


def copied_to_the_host(scene: Scene) -> None:
    """A call without a stream copies to the host; a stream writes what it has read."""
    done(scene.c.cuMemcpyDtoH(ctypes.addressof(scene.host), scene.common, SIZE))
    fill(scene, scene.two)


def copied_on_the_host(scene: Scene) -> None:
    """A copy in a stream between two places of the host waits."""
    done(scene.c.cuMemcpyAsync(scene.pinned, ctypes.addressof(scene.host), SIZE, scene.one))
    done(scene.c.cuMemsetD8Async(scene.pinned, 1, SIZE, scene.two))


def filled_on_the_host(scene: Scene) -> None:
    """A memset without a stream of page-locked memory waits."""
    done(scene.c.cuMemsetD8(scene.pinned, 1, SIZE))
    done(scene.c.cuMemsetD8Async(scene.pinned, 1, SIZE, scene.two))


def staged(scene: Scene) -> None:
    """A call without a stream copies from plain memory; a stream reads what it has written."""
    done(scene.c.cuMemcpyHtoD(scene.common, ctypes.addressof(scene.host), SIZE))
    copy_out(scene, scene.two)


def staged_in_rows(scene: Scene) -> None:
    """The same by a copy of rows, which a stream overwrites."""
    host = ctypes.addressof(scene.host)
    done(scene.c.cuMemcpy2D((0, 0, 1, host, 0, 0, 16, 0, 0, 2, 0, scene.common, 0, 32, 8, 4)))
    fill(scene, scene.two)


def to_plain_memory(scene: Scene) -> None:
    """A stream copies to plain memory; another one writes what it has read."""
    done(scene.c.cuMemcpyDtoHAsync(ctypes.addressof(scene.host), scene.common, SIZE, scene.one))
    fill(scene, scene.two)


def to_a_host_pool(scene: Scene) -> None:
    """A stream copies to memory of a host pool that grants the device no access; another one writes what it has read."""
    memory = of_a_host_pool(scene)
    done(scene.c.cuMemsetD8Async(scene.own, 1, SIZE, scene.one))
    done(scene.c.cuMemcpyDtoHAsync(memory, scene.common, SIZE, scene.one))
    fill(scene, scene.two)


def of_a_host_pool(scene: Scene) -> int:
    """Return memory of a host pool that grants no device access."""
    pool = done(scene.c.cuMemPoolCreate((PINNED, 0, (HOST, 0), 0, 0, 0, 0)))
    memory = int(done(scene.c.cuMemAllocFromPoolAsync(SIZE, pool, scene.third)))
    done(scene.c.cuStreamSynchronize(scene.third))
    return memory


def from_managed_memory(scene: Scene) -> None:
    """A stream copies from managed memory, which the call takes as the host's."""
    managed = int(done(scene.c.cuMemAllocManaged(4096, 1)))
    done(scene.c.cuMemcpyHtoDAsync(scene.common, managed, SIZE, scene.one))
    fill(scene, scene.two)


def page_locked(scene: Scene) -> None:
    """The host frees page-locked memory."""
    done(scene.c.cuMemFreeHost(int(done(scene.c.cuMemHostAlloc(SIZE, 0)))))


def unregistered(scene: Scene) -> None:
    """The host ends a registration."""
    place = scene.process.host_memory(4096)
    done(scene.c.cuMemHostRegister(place, 4096, 0))
    done(scene.c.cuMemHostUnregister(place))


def closed(scene: Scene) -> None:
    """The host closes memory of another process."""
    other = started(scene.machine, name="b")
    memory = done(other.c.cuMemAlloc(SIZE))
    done(scene.c.cuIpcCloseMemHandle(done(scene.c.cuIpcOpenMemHandle(done(other.c.cuIpcGetMemHandle(memory)), 1))))


def array_destroyed(scene: Scene) -> None:
    """The host destroys an array."""
    done(scene.c.cuArrayDestroy(done(scene.c.cuArrayCreate((64, 64, 1, 1)))))


def context_destroyed(scene: Scene) -> None:
    """Another context writes memory of the first one, and is destroyed."""
    other = done(scene.c.cuCtxCreate(None, 0, 0))
    stream = int(done(scene.c.cuStreamCreate(NON_BLOCKING)))
    fill(scene, stream)
    done(scene.c.cuCtxDestroy(other))
    fill(scene, scene.one)


def module_loaded(scene: Scene) -> None:
    """The host loads a module."""
    done(scene.c.cuModuleLoadData(PTX))


def module_unloaded(scene: Scene) -> None:
    """The host unloads a module between two writes in two streams."""
    module = done(scene.c.cuModuleLoadData(PTX))
    between(lambda _: done(scene.c.cuModuleUnload(module)))(scene)


def library_used(scene: Scene) -> None:
    """The host takes the first function of a library, which loads it."""
    library = done(scene.c.cuLibraryLoadData(PTX, None, None, 0, None, None, 0))
    between(lambda _: done(scene.c.cuLibraryGetModule(library)))(scene)


def library_unloaded(scene: Scene) -> None:
    """The host unloads a library that has a variable in the context."""
    image = PTX + b".visible .global .u32 variable;"
    library = done(scene.c.cuLibraryLoadData(image, None, None, 0, None, None, 0))
    done(scene.c.cuLibraryGetModule(library))
    between(lambda _: done(scene.c.cuLibraryUnload(library)))(scene)


def stream_destroyed_as_before(scene: Scene) -> None:
    """The first form of the call waits for the stream."""
    done(scene.c.cuStreamDestroy_v1(scene.one))


def event_destroyed_as_before(scene: Scene) -> None:
    """The first form of the call waits for the event."""
    scene.record(scene.one)
    done(scene.c.cuEventDestroy_v1(scene.event))


def unrecorded_event_destroyed_as_before(scene: Scene) -> None:
    """It waits for the context if the event was never recorded."""
    done(scene.c.cuEventDestroy_v1(scene.event))


def graph_destroyed(scene: Scene) -> None:
    """The host destroys a graph that devices may launch."""
    graph = done(scene.c.cuGraphCreate(0))
    done(scene.c.cuGraphAddMemsetNode(graph, None, 0, memset(scene.own, 1), 0))
    made = done(scene.c.cuGraphInstantiate(graph, DEVICE_LAUNCH))
    done(scene.c.cuGraphUpload(made, scene.third))
    done(scene.c.cuStreamSynchronize(scene.third))
    done(scene.c.cuGraphExecDestroy(made))


def locked(scene: Scene) -> None:
    """Another process has the first one locked, and unlocked again."""
    other = started(scene.machine, name="b")
    done(other.c.cuCheckpointProcessLock(scene.process.pid, None))
    done(other.c.cuCheckpointProcessUnlock(scene.process.pid, None))


def acquired(scene: Scene) -> None:
    """A kernel acquires what a kernel of another stream has released."""
    assert scene.machine.races is not None
    with Machine("h200", seed=1, kernels="run", races="strict" if scene.machine.races.strict else True) as machine:
        kernels = Exchange(machine)
        kernels.run("gives", kernels.one)
        kernels.run("takes", kernels.two)


def of_hip(program: Callable[[Any, int, int, int], None]) -> Callable[[Scene], None]:
    """Return a program of HIP, which gets its calls, two streams and memory."""

    def run(scene: Scene) -> None:
        assert scene.machine.races is not None
        with Machine("hip-clr-2026", seed=1, races="strict" if scene.machine.races.strict else True) as machine:
            c: Any = machine.spawn().c
            one, two = (done(c.hipStreamCreateWithFlags(1)) for _ in range(2))
            program(c, one, two, done(c.hipMalloc(4096)))

    return run


@of_hip
def hip_copied(c: Any, one: int, two: int, memory: int) -> None:
    """A copy without a stream, and one in a stream to plain memory, wait."""
    host = (ctypes.c_char * 4096)()
    done(c.hipMemcpyDtoH(ctypes.addressof(host), memory, SIZE))
    done(c.hipMemsetAsync(memory, 1, SIZE, two))
    done(c.hipStreamSynchronize(two))
    done(c.hipMemcpy2DAsync(ctypes.addressof(host), 64, memory, 64, 32, 2, 2, one))
    done(c.hipMemsetAsync(memory, 1, SIZE, two))


@of_hip
def hip_freed(c: Any, one: int, two: int, memory: int) -> None:
    """A free waits for the device."""
    other = done(c.hipMalloc(SIZE))
    done(c.hipMemsetAsync(memory, 1, SIZE, one))
    done(c.hipFree(other))
    done(c.hipMemsetAsync(memory, 1, SIZE, two))


ORDERED: dict[str, tuple[Callable[[Scene], None], ...]] = {
    "IN_STREAM": (one_stream,),
    "AWAITED_EVENT": (between(by_event),),
    "AWAITED_IN_CONTEXT": (between(by_wait_of_the_context),),
    "AWAITED_ELSEWHERE": (event_of_another_process,),
    "LAUNCHED_BEFORE": (launched_twice,),
    "UPLOADED_BEHIND": (uploaded,),
    "UPLOADED_BEFORE": (launched_behind_an_upload,),
    "BETWEEN_DEVICES": tuple(between_devices("cuMemcpyPeer", device) for device in (0, 1)),
    "ACROSS_DEVICES": tuple(between_devices(act, device) for act in ("cuMemcpyDtoD", "cuMemcpy") for device in (0, 1)),
    "LEGACY_STREAM": (default_stream, *map(around_the_default_stream, (empty_graph, allocation)), attachment),
    "SYNCHRONIZED": tuple(map(between, (by_stream_synchronise, by_context_synchronise, by_event_synchronise))),
    "QUERIED": tuple(map(between, (by_stream_query, by_event_query, by_elapsed_time))),
    "HOST_FUNCTION": (between(by_function),),
    "AWAITED_VALUE": (between(by_value),),
    "ACQUIRED_VALUE": (acquired,),
    "POLLED_VALUE": (between(by_value_that_the_host_sees),),
    "COPIED": (copied_to_the_host, copied_on_the_host, filled_on_the_host),
    "COPIED_BY_HIP": (hip_copied,),
    "SYNCHRONOUS": (memory_that_says_so, source_that_says_so, context_that_says_so),
    "SYNCHRONOUS_SET": (attribute_set_later,),
    "STAGED": (staged, staged_in_rows),
    "PAGEABLE": (to_plain_memory, to_a_host_pool, from_managed_memory),
    "FREED": (between(by_free),),
    "FREED_BY_HIP": (hip_freed,),
    "ENDED": tuple(map(between, (page_locked, unregistered, closed))),
    "ARRAY_ENDED": (between(array_destroyed),),
    "CONTEXT_ENDED": (context_destroyed,),
    "LOADED": (between(module_loaded), library_used),
    "UNLOADED": (module_unloaded, library_unloaded),
    "OLDER_DESTROYED": tuple(
        map(between, (stream_destroyed_as_before, event_destroyed_as_before, unrecorded_event_destroyed_as_before))
    ),
    "LIMITED": (between(by_limit),),
    "GRAPH_ENDED": (between(graph_destroyed),),
    "LOCKED": (between(locked),),
}
"""A program for each order, in which nothing else orders two accesses."""
