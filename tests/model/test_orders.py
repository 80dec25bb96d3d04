"""Each order and each access of the detector's table: what it orders, with each reading of the manual, and which calls have it."""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.graph.fixtures import memset
from fakecuda import Machine, UndefinedBehaviour
from fakecuda.model import context_effects
from fakecuda.model.graph import graph_memory
from fakecuda.model.memory import pool_effects
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.event import Event
from fakecuda.rules.driver.event import handle
from fakecuda.rules.driver.graph import branches
from fakecuda.rules.driver.stream import order, race
from fakecuda.rules.registry import EVERY_OP
from fakecuda.spec import orders
from fakecuda.spec.orders import Access, Order
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
from tests.model.test_branches import PTX, turn
from tests.model.world import GRANULE, created, done, mapped, started
from tools.pages.races import calls_of, reached, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

DEVICE_LAUNCH = 4
ROWS = orders.rows()
READINGS: tuple[Any, ...] = (True, "strict")
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


def default_stream(scene: Scene) -> None:
    """The legacy default stream writes, then a stream that blocks on it, then the default stream again."""
    stream = int(done(scene.c.cuStreamCreate(BLOCKING)))
    fill(scene, LEGACY)
    fill(scene, stream)
    fill(scene, LEGACY)


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


def module_unloaded(scene: Scene) -> None:
    """The host unloads a module."""
    done(scene.c.cuModuleUnload(done(scene.c.cuModuleLoadData(PTX))))


def stream_destroyed_as_before(scene: Scene) -> None:
    """The first form of the call waits for the stream."""
    done(scene.c.cuStreamDestroy_v1(scene.one))


def event_destroyed_as_before(scene: Scene) -> None:
    """The first form of the call waits for the event."""
    scene.record(scene.one)
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
    "LEGACY_STREAM": (default_stream,),
    "SYNCHRONIZED": tuple(map(between, (by_stream_synchronise, by_context_synchronise, by_event_synchronise))),
    "QUERIED": tuple(map(between, (by_stream_query, by_event_query, by_elapsed_time))),
    "HOST_FUNCTION": (between(by_function),),
    "AWAITED_VALUE": (between(by_value),),
    "POLLED_VALUE": (between(by_value_that_the_host_sees),),
    "COPIED": (copied_to_the_host, copied_on_the_host, filled_on_the_host),
    "COPIED_BY_HIP": (hip_copied,),
    "SYNCHRONOUS": (memory_that_says_so, source_that_says_so, context_that_says_so),
    "SYNCHRONOUS_SET": (attribute_set_later,),
    "STAGED": (staged, staged_in_rows),
    "PAGEABLE": (to_plain_memory, from_managed_memory),
    "FREED": (between(by_free),),
    "FREED_BY_HIP": (hip_freed,),
    "ENDED": tuple(map(between, (page_locked, unregistered, closed))),
    "ARRAY_ENDED": (between(array_destroyed),),
    "CONTEXT_ENDED": (context_destroyed,),
    "UNLOADED": (between(module_unloaded),),
    "OLDER_DESTROYED": tuple(map(between, (stream_destroyed_as_before, event_destroyed_as_before))),
    "LIMITED": (between(by_limit),),
    "GRAPH_ENDED": (between(graph_destroyed),),
    "LOCKED": (between(locked),),
}
"""A program for each order, in which nothing else orders two accesses."""
CASES = [
    pytest.param(name, program, id=f"{name}-{number}")
    for name, programs in ORDERED.items()
    for number, program in enumerate(programs)
]


@pytest.mark.parametrize("completion", ["eager", "manual"])
@pytest.mark.parametrize("races", READINGS)
@pytest.mark.parametrize(("name", "program"), CASES)
def test_what_orders(name: str, program: Callable[[Scene], None], races: Any, completion: str) -> None:
    """By default each order counts. By the manual's word those count that it promises, and without the others there is a finding."""
    with Machine("h200-x2", seed=1, completion=completion, races=races) as machine:
        scene = Scene(machine)
        row = ROWS[name]
        assert isinstance(row, Order)
        if races is True or row.promised:
            program(scene)
            assert not machine.findings
        else:
            with pytest.raises(UndefinedBehaviour) as caught:
                program(scene)
            assert caught.value.finding.rule is race.ACCESSES_ARE_ORDERED


def kernel(scene: Scene) -> None:
    """A stream fills memory, and a kernel in another one writes it."""
    fakecuda.kernel("turn", "u64", "u32*", "u32")(turn)
    function = done(scene.c.cuModuleGetFunction(done(scene.c.cuModuleLoadData(PTX)), b"turn"))
    held = ctypes.c_uint64(0), ctypes.c_uint64(scene.common), ctypes.c_uint32(1)
    places = (ctypes.c_uint64 * 3)(*map(ctypes.addressof, held))
    fill(scene, scene.one)
    scene.c.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, scene.two, ctypes.addressof(places), 0)


def nodes(scene: Scene) -> None:
    """Two nodes of a graph fill the same bytes."""
    graph = done(scene.c.cuGraphCreate(0))
    for _ in range(2):
        done(scene.c.cuGraphAddMemsetNode(graph, None, 0, memset(scene.common, 1), 0))
    scene.c.cuGraphLaunch(done(scene.c.cuGraphInstantiate(graph, 0)), scene.one)


def pool_allocation(scene: Scene) -> None:
    """A stream frees what another one allocates."""
    scene.c.cuMemFreeAsync(done(scene.c.cuMemAllocAsync(SIZE, scene.one)), scene.two)


def pool_free(scene: Scene) -> None:
    """The host frees what a stream has filled."""
    place = done(scene.c.cuMemAllocAsync(SIZE, scene.one))
    done(scene.c.cuStreamSynchronize(scene.one))
    done(scene.c.cuMemsetD8Async(place, 1, SIZE, scene.two))
    scene.c.cuMemFree(place)


def end(scene: Scene) -> None:
    """The host frees what a stream of another context fills."""
    done(scene.c.cuCtxCreate(None, 0, 0))
    fill(scene, int(done(scene.c.cuStreamCreate(NON_BLOCKING))))
    scene.c.cuMemFree(scene.common)


def unmapping(scene: Scene) -> None:
    """The host unmaps what a stream has filled."""
    place = mapped(scene.process, created(scene.process))
    done(scene.c.cuMemsetD8Async(place, 1, SIZE, scene.one))
    scene.c.cuMemUnmap(place, GRANULE)


def copied(scene: Scene) -> None:
    """A stream fills what another one copies."""
    copy_out(scene, scene.one)
    fill(scene, scene.two)


def filled(scene: Scene) -> None:
    """Two streams fill the same bytes."""
    fill(scene, scene.one)
    fill(scene, scene.two)


def discarded(scene: Scene) -> None:
    """A stream discards what another one reads."""
    memory = int(done(scene.c.cuMemAllocManaged(SIZE, 1)))
    done(scene.c.cuMemcpyAsync(scene.own, memory, SIZE, scene.one))
    scene.c.cuMemDiscardBatchAsync((memory,), (SIZE,), 1, 0, scene.two)


ACCESSED: dict[str, Callable[[Scene], None]] = {
    "COPY": copied,
    "FILL": filled,
    "KERNEL": kernel,
    "NODE": nodes,
    "DISCARD": discarded,
    "POOL_ALLOCATION": pool_allocation,
    "POOL_FREE": pool_free,
    "END": end,
    "UNMAPPING": unmapping,
}
"""A program for each access, in which it lacks an order."""


@pytest.mark.parametrize("races", READINGS)
@pytest.mark.parametrize("program", ACCESSED.values(), ids=ACCESSED)
def test_what_counts_as_an_access(program: Callable[[Scene], None], races: Any) -> None:
    """Without an order there is a finding, with each reading of the manual."""
    with Machine("h200-x2", seed=1, races=races) as machine:
        scene = Scene(machine)
        with pytest.raises(UndefinedBehaviour) as caught:
            program(scene)
        assert caught.value.finding.rule in {race.ACCESSES_ARE_ORDERED, branches.BRANCHES_ARE_ORDERED}


def memory_freed(scene: Scene) -> None:
    """Memory of a device."""
    fill(scene, scene.one)
    scene.c.cuMemFree(scene.common)


def host_memory_freed(scene: Scene) -> None:
    """Page-locked memory."""
    done(scene.c.cuMemsetD8Async(scene.pinned, 1, SIZE, scene.one))
    scene.c.cuMemFreeHost(scene.pinned)


@pytest.mark.parametrize("completion", ["eager", "manual"])
@pytest.mark.parametrize("program", [memory_freed, host_memory_freed])
def test_memory_that_its_own_context_uses(program: Callable[[Scene], None], completion: str) -> None:
    """A card waits before it frees the memory. The manual promises no wait, and a free that is refused changes nothing."""
    with Machine("h200-x2", seed=1, completion=completion) as machine:
        program(Scene(machine))
        assert not machine.findings
    with Machine("h200-x2", seed=1, completion=completion, races="strict") as machine:
        scene = Scene(machine)
        with pytest.raises(UndefinedBehaviour, match="ACCESSES_ARE_ORDERED"):
            program(scene)
        done(scene.c.cuCtxSynchronize())
        done(scene.c.cuMemFree(scene.common))
        done(scene.c.cuMemFreeHost(scene.pinned))


def test_every_row_is_tried() -> None:
    """By a program of its own, and some call makes such an order or access."""
    assert ROWS.keys() == ORDERED.keys() | ACCESSED.keys()
    assert ROWS.keys() == calls_of().keys()


ORDERING = {
    *(race.seen, race.seen_in, order.waited, order.emptied, order.attend, handle.awaited, handle.done),
    *(Event.precede, Event.precede_all, stream_scheduler.call, context_effects.destroy),
}
"""The functions through which operations order work."""
ACCESSING = {
    *(race.at_once, race.in_stream, race.judge, race.is_put_by, race.freed, race.ended, race.unmapped),
    *(branches.given, pool_effects.allocate, graph_memory.allocate),
}
"""The functions through which operations access memory."""


def test_every_call_has_its_rows() -> None:
    """A call whose operation orders work or accesses memory has a row that says so."""
    missing = []
    for call in EVERY_OP:
        functions, names = reached(call), rows_of(call)
        for kind, sinks in ((Order, ORDERING), (Access, ACCESSING)):
            if functions & sinks and not any(isinstance(ROWS[name], kind) for name in names):
                missing.append(f"{call}: no {kind.__name__}")
    assert not missing, "name a row of fakecuda/spec/orders.py in the function that orders or accesses"


def test_the_words_are_the_manuals() -> None:
    """Each row quotes the docstring of the call that it names."""
    manuals = [pytest.importorskip(f"cuda.bindings.{name}") for name in ("driver", "runtime")]
    manuals.append(pytest.importorskip("rocm.bindings.hip", reason="the manual of HIP: pip install -e '.[hip]'"))
    for name, row in ROWS.items():
        if isinstance(row, Order) and row.says not in {"", orders.BEHAVIOUR}:
            text = next(found.__doc__ for module in manuals if (found := getattr(module, row.says, None)) is not None)
            plain = " ".join(
                re.sub(r":py:obj:`~\.([^`]*)`|`([^`]*)`", lambda found: found[1] or found[2], text).split()
            )
            assert row.words.replace("`", "") in plain, name
        assert isinstance(row, Access) or row.promised or row.note, name


def of_this_context(scene: Scene) -> None:
    """A stream of the context fills its memory."""
    place = done(scene.c.cuMemAlloc(SIZE))
    done(scene.c.cuMemsetD8Async(place, 1, SIZE, int(done(scene.c.cuStreamCreate(NON_BLOCKING)))))


def of_another_context(scene: Scene) -> None:
    """A stream of another context of the device fills its memory."""
    place, current = done(scene.c.cuMemAlloc(SIZE)), done(scene.c.cuCtxGetCurrent())
    done(scene.c.cuMemsetD8Async(place, 1, SIZE, scene.one))
    done(scene.c.cuCtxSetCurrent(current))


CONTEXTS: dict[str, tuple[Callable[[Any], object], Callable[[Any], tuple[int, ...]]]] = {
    "cuCtxDestroy": (lambda c: c.cuCtxCreate(None, 0, 0), lambda c: c.cuCtxDestroy(c.cuCtxGetCurrent()[1])),
    "cuCtxDetach": (lambda c: c.cuCtxCreate(None, 0, 0), lambda c: c.cuCtxDetach(c.cuCtxGetCurrent()[1])),
    "cuDevicePrimaryCtxRelease": (
        lambda c: c.cuCtxSetCurrent(c.cuDevicePrimaryCtxRetain(0)[1]),
        lambda c: c.cuDevicePrimaryCtxRelease(0),
    ),
    "cuDevicePrimaryCtxReset": (
        lambda c: c.cuCtxSetCurrent(c.cuDevicePrimaryCtxRetain(0)[1]),
        lambda c: c.cuDevicePrimaryCtxReset(0),
    ),
    "cudaDeviceReset": (
        lambda c: c.cuCtxSetCurrent(c.cuDevicePrimaryCtxRetain(0)[1]),
        lambda c: c.cudaDeviceReset(),
    ),
}
"""How a context is made, and how it ends, by the call that ends it."""


@pytest.mark.parametrize("completion", ["eager", "manual"])
@pytest.mark.parametrize("used", [of_this_context, of_another_context])
@pytest.mark.parametrize("call", CONTEXTS)
def test_a_context_whose_memory_is_in_use(call: str, used: Callable[[Scene], None], completion: str) -> None:
    """A card waits for the work. By the manual's word, the end of the context has an order only if the host has waited."""
    make, ends = CONTEXTS[call]
    with Machine("h200-x2", seed=1, completion=completion) as machine:
        scene = Scene(machine)
        make(scene.c)
        used(scene)
        assert ends(scene.c) == (0,)
        assert not machine.findings
    with Machine("h200-x2", seed=1, completion=completion, races="strict") as machine:
        scene = Scene(machine)
        first = done(scene.c.cuCtxGetCurrent())
        make(scene.c)
        used(scene)
        with pytest.raises(UndefinedBehaviour, match="ACCESSES_ARE_ORDERED"):
            ends(scene.c)
        done(scene.c.cuCtxSynchronize())
        last = done(scene.c.cuCtxGetCurrent())
        done(scene.c.cuCtxSetCurrent(first))
        done(scene.c.cuCtxSynchronize())
        done(scene.c.cuCtxSetCurrent(last))
        assert ends(scene.c) == (0,)


@pytest.mark.parametrize("races", [True, False])
@pytest.mark.parametrize("program", [memory_that_says_so, context_that_says_so])
def test_calls_that_wait_because_the_program_says_so(program: Callable[[Scene], None], races: Any) -> None:
    """The host waits for them, also behind other work of the default stream, whether races are searched or not."""
    with Machine("h200", seed=1, completion="manual", races=races) as machine:
        scene = Scene(machine)
        fill(scene, LEGACY)
        program(scene)
        assert [len(stream.work) for stream in machine.scheduler.pending] == [1]
