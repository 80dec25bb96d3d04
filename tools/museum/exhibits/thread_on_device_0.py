"""A new thread has no current device, and creates a context on device 0."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from cuda.bindings import driver, runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import checked

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def in_a_thread(work: Any) -> None:
    """Run a function in a new thread, and wait for it."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def output_copy(_: FakeCuda, *, fixed: bool) -> None:
    """A thread allocates pinned memory, and copies results to it."""
    checked(runtime.cudaSetDevice(1))
    checked(runtime.cudaMalloc(4096))

    def copy() -> None:
        if fixed:
            checked(runtime.cudaSetDevice(1))
        checked(runtime.cudaFreeHost(checked(runtime.cudaHostAlloc(4096, 0))))

    in_a_thread(copy)
    _flags, active = checked(driver.cuDevicePrimaryCtxGetState(0))
    assert not active, "the worker of device 1 leaves device 0 alone"


def pool_of_threads(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Of a worker's two threads, one was never told its device."""
    worker = fakecuda.spawn("worker")
    checked(worker.runtime.cudaSetDevice(1))
    barrier = threading.Barrier(2)

    def task(number: int) -> None:
        if fixed or number == 0:
            checked(worker.runtime.cudaSetDevice(1))
        barrier.wait()
        checked(worker.runtime.cudaDeviceSynchronize())

    threads = [threading.Thread(target=task, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _flags, active = checked(worker.driver.cuDevicePrimaryCtxGetState(0))
    assert not active, "the worker of device 1 leaves device 0 alone"


def watchdog(_: FakeCuda, *, fixed: bool) -> None:
    """A watchdog creates the event for which it waits."""
    checked(runtime.cudaSetDevice(1))
    stream = checked(runtime.cudaStreamCreate())

    def watch() -> None:
        if fixed:
            checked(runtime.cudaSetDevice(1))
        event = checked(runtime.cudaEventCreateWithFlags(runtime.cudaEventDisableTiming))
        if fixed:
            checked(runtime.cudaEventRecord(event, stream))
        checked(runtime.cudaEventQuery(event))

    in_a_thread(watch)
    assert checked(driver.cuDevicePrimaryCtxGetState(0))[1] == 0, "rank 1 has no context on device 0"


def each_rank(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Each of four ranks has a watchdog that uses memory of device 0."""
    ranks = [fakecuda.spawn(f"rank-{number}") for number in range(4)]
    for number, rank in enumerate(ranks):
        checked(rank.runtime.cudaSetDevice(number))
        checked(rank.runtime.cudaMalloc(1 << 20))

        def watch(rank: Any = rank, number: int = number) -> None:
            if fixed:
                checked(rank.runtime.cudaSetDevice(number))
            checked(rank.runtime.cudaStreamSynchronize(0))

        in_a_thread(watch)
    on_first = [rank.name for rank in ranks if checked(rank.driver.cuDevicePrimaryCtxGetState(0))[1]]
    assert on_first == ["rank-0"], "no other rank has a context on device 0"


EXHIBITS = [
    Exhibit(
        number=27,
        report="vllm-project/vllm#37449",
        title="a thread of a worker makes a context on device 0",
        happens=(
            "cudaSetDevice counts for the thread that calls it. A new thread of a worker for another device calls the "
            "runtime, which creates a context on device 0 and uses 800 MiB of that card."
        ),
        part=Part.STATE,
        told=("AssertionError: the worker of device 1 leaves device 0 alone",),
        programs={"output-copy": output_copy, "executor": pool_of_threads},
        devices={"output-copy": 2, "executor": 2},
    ),
    Exhibit(
        number=27,
        report="meta-pytorch/torchcomms#777",
        title="each rank's watchdog makes a context on device 0",
        happens="The bug also occurs in the watchdog of a communicator: seven of eight ranks use memory of the first "
        "card, whose own rank runs out of memory.",
        part=Part.STATE,
        told=("AssertionError: ", "context on device 0"),
        programs={"watchdog": watchdog, "each-rank": each_rank},
        devices={"watchdog": 2, "each-rank": 4},
        settings={"profile": "h200-x4"},
    ),
]
