"""Programs that fail in another order than the first, each with its fix."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import fakecuda
from tests.model.world import GRANULE, contents, created, done, mapped, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Exploration, Orders, Process
    from fakecuda.reach.bindings.c import CLevel

SIZE = 4096
NON_BLOCKING = 1
DESCRIPTOR = 1
SHARED_POOL = (1, DESCRIPTOR, (1, 0), 0, 0, 0, 0)


def threads(orders: Orders, *names: str) -> list[CLevel]:
    """Return the calls of a new process's threads, to each of which its context is current."""
    process = started(orders.machine)
    context = done(process.c.cuCtxGetCurrent())
    calls = [process.thread(name).c for name in names]
    for c in calls:
        done(c.cuCtxSetCurrent(context))
    return calls


def asleep(orders: Orders, *, fixed: bool) -> None:
    """Museum 10, vllm#43020: a server is put to sleep, which unmaps its weights, while a request still copies them."""
    serving, sleeping = threads(orders, "serving", "sleeping")
    process = orders.machine.processes["a"]
    weights = mapped(process, created(process))
    backup = done(process.c.cuMemAllocHost(GRANULE))
    stream = done(serving.cuStreamCreate(NON_BLOCKING))
    requests = ["copy"]

    def serve() -> None:
        done(serving.cuMemcpyDtoHAsync(backup, weights, GRANULE, stream))
        done(serving.cuStreamSynchronize(stream))
        requests.clear()

    def sleep() -> None:
        if fixed:
            orders.wait(lambda: not requests, "the requests")
        done(sleeping.cuMemUnmap(weights, GRANULE))

    orders.start(serve, process=process)
    orders.start(sleep, process=process)


def cached(orders: Orders, *, fixed: bool) -> None:
    """Museum 22, cuda-python#2848: the deleter of an imported buffer runs while another thread imports the same one again."""
    (owner,) = threads(orders, "main")
    pool = done(owner.cuMemPoolCreate(SHARED_POOL))
    memory = done(owner.cuMemAllocFromPoolAsync(SIZE, pool, 0))
    done(owner.cuStreamSynchronize(0))
    number = done(owner.cuMemPoolExportToShareableHandle(pool, DESCRIPTOR, 0))
    data = done(owner.cuMemPoolExportPointer(memory))
    both = threads(orders, "one", "two")
    imported = done(both[0].cuMemPoolImportFromShareableHandle(number, DESCRIPTOR, 0))
    os.close(number)
    cache: dict[bytes, int] = {}
    users: list[CLevel] = []
    changing = orders.lock() if fixed else nullcontext()

    def use(c: CLevel) -> None:
        with changing:
            users.append(c)
            if data not in cache:
                cache[data] = done(c.cuMemPoolImportPointer(imported, data))
        done(c.cuMemsetD8(cache[data], 1, SIZE))
        with changing:
            users.remove(c)
            if not users:
                done(c.cuMemFreeAsync(cache[data], 0))
                del cache[data]

    for c in both:
        orders.start(use, c, process=orders.machine.processes["b"])


def used_again(orders: Orders, *, fixed: bool) -> None:
    """Museum 24, rmm#2489: one event stands for all blocks that were freed, and is recorded for the next one too early."""
    giver, taker, other = threads(orders, "giver", "taker", "other")
    process = orders.machine.processes["a"]
    block = done(giver.cuMemAlloc(SIZE))
    streams = [done(giver.cuStreamCreate(NON_BLOCKING)) for _ in range(3)]
    events = [done(giver.cuEventCreate(2)) for _ in range(2)]
    done(giver.cuMemsetD8Async(block, 1, SIZE, streams[0]))
    done(giver.cuEventRecord(events[0], streams[0]))

    def take() -> None:
        done(taker.cuStreamWaitEvent(streams[2], events[0], 0))
        done(taker.cuMemsetD8Async(block, 2, SIZE, streams[2]))

    def give_another() -> None:
        done(other.cuEventRecord(events[fixed], streams[1]))

    orders.start(take, process=process)
    orders.start(give_another, process=process)
    orders.join()
    done(giver.cuCtxSynchronize())
    assert contents(process, block, SIZE) == b"\2" * SIZE


def explored(program: Callable[..., object], **options: Any) -> Exploration:
    """Return what a search shows on a machine of one card."""
    return fakecuda.explore(program, **{"profile": "h200", **options})


def asked(orders: Orders, *, calls: int, processes: int) -> None:
    """Two threads make calls that have nothing to do with each other's, in one process or in two."""
    there = [orders.machine.spawn() for _ in range(processes)]
    for process in there:
        done(process.c.cuInit(0))

    def ask(process: Process) -> None:
        for _ in range(calls):
            done(process.c.cuDeviceGetCount())

    for number in range(2):
        orders.start(ask, there[number % processes], process=there[number % processes])
