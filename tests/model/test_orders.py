"""Each order and each access of the detector's table: what it orders, with each reading of the manual, and which calls have it."""

from __future__ import annotations

import ctypes
import re
from itertools import product
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
from fakecuda.spec.codes import Result
from fakecuda.spec.orders import Access, Order
from tests.each import each
from tests.model.ordering_programs import ORDERED, context_that_says_so, memory_that_says_so, of_a_host_pool
from tests.model.racing import (
    LEGACY,
    NON_BLOCKING,
    SIZE,
    Scene,
    copy_out,
    fill,
)
from tests.model.test_branches import PTX, turn
from tests.model.world import GRANULE, created, done, mapped
from tools.pages.races import calls_of, reached, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

MEMPOOL_HANDLE = 17
"""CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE."""
ROWS = orders.rows()
READINGS: tuple[Any, ...] = (True, "strict")
CASES = [(name, program) for name, programs in ORDERED.items() for program in programs]


@each("case, races, completion", list(product(CASES, READINGS, ["eager", "manual"])))
def test_what_orders(case: tuple[str, Callable[[Scene], None]], races: Any, completion: str) -> None:
    """By default each order counts. By the manual's word those count that it promises, and without the others there is a finding."""
    name, program = case
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


def read_early(scene: Scene) -> None:
    """A stream fills memory, and then copies it without an order between the two."""
    fill(scene, scene.one)
    early = 3, (0, 0), (0, 0), 0  # CU_MEMCPY_SRC_ACCESS_ORDER_ANY
    scene.c.cuMemcpyBatchAsync((scene.own,), (scene.common,), (SIZE,), 1, (early,), (0,), 1, scene.one)


def filled(scene: Scene) -> None:
    """Two streams fill the same bytes."""
    fill(scene, scene.one)
    fill(scene, scene.two)


def discarded(scene: Scene) -> None:
    """A stream discards what another one reads."""
    memory = int(done(scene.c.cuMemAllocManaged(SIZE, 1)))
    done(scene.c.cuMemcpyAsync(scene.own, memory, SIZE, scene.one))
    scene.c.cuMemDiscardBatchAsync((memory,), (SIZE,), 1, 0, scene.two)


def value(scene: Scene) -> None:
    """A stream writes a value, and another one resets it."""
    done(scene.c.cuStreamWriteValue32(scene.one, scene.common, 1, 0))
    scene.c.cuMemsetD32Async(scene.common, 0, 1, scene.two)


ACCESSED: dict[str, Callable[[Scene], None]] = {
    "COPY": copied,
    "EARLY": read_early,
    "FILL": filled,
    "KERNEL": kernel,
    "NODE": nodes,
    "VALUE": value,
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
    *(branches.given, pool_effects.allocate, graph_memory.allocate, order.attend),
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
        if row.says not in {"", *orders.PAGES}:
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
"""Functions that create a context, and end it, by the call that ends it."""


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


@pytest.mark.parametrize("races", [True, False])
def test_a_load_of_a_module_waits_for_the_context(races: Any) -> None:
    """Also for a stream that does not block, whether races are searched or not."""
    with Machine("h200", seed=1, completion="manual", races=races) as machine:
        scene = Scene(machine)
        fill(scene, scene.one)
        assert scene.c.cuStreamQuery(scene.one) == (Result.NOT_READY,)
        done(scene.c.cuModuleLoadData(PTX))
        assert scene.c.cuStreamQuery(scene.one) == (Result.SUCCESS,)


@pytest.mark.parametrize("granted", [False, True])
@pytest.mark.parametrize("races", [True, False])
def test_a_copy_to_a_host_pool_waits_if_the_device_has_no_access(races: Any, granted: bool) -> None:  # noqa: FBT001 - a parameter
    """A copy from there is left to the stream."""
    with Machine("h200", seed=1, completion="manual", races=races) as machine:
        scene = Scene(machine)
        memory = of_a_host_pool(scene)
        if granted:
            pool = done(scene.c.cuPointerGetAttribute(MEMPOOL_HANDLE, memory))
            done(scene.c.cuMemPoolSetAccess(pool, (((1, 0), 3),), 1))
        done(scene.c.cuMemcpyHtoDAsync(scene.common, memory, SIZE, scene.one))
        assert scene.c.cuStreamQuery(scene.one) == (Result.NOT_READY,)
        done(scene.c.cuMemcpyDtoHAsync(memory, scene.common, SIZE, scene.one))
        assert scene.c.cuStreamQuery(scene.one) == (Result.NOT_READY if granted else Result.SUCCESS,)
