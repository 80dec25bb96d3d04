"""What is asked about batch calls, checkpoints and the profiler."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from conformance.record.arrays.asking import enum, question

if TYPE_CHECKING:
    from conformance.record.arrays.asking import Asker

MANAGED, PAGE = 1, 1 << 21


def _place(a: Asker, kind: int, number: int) -> Any:
    made = a.cu.CUmemLocation()
    made.type, made.id = enum(a.cu.CUmemLocationType, kind), number
    return made


@question
def batches(a: Asker) -> None:
    """Prefetches and discards in batches: what is looked at."""
    a.cu.cuInit(0)
    pointer = a.cu.CUdeviceptr
    for stream in (0, 1, 2):
        one = pointer(1 << 40)
        a.ask(f"no context {stream}", "cuMemDiscardBatchAsync", [one], [1], 1, 0, stream)
        a.ask(f"no context {stream}", "cuMemPrefetchBatchAsync", [one], [1], 1, [_place(a, 1, 0)], [0], 1, 0, stream)
    a.begin()
    one, other = (a.get("cuMemAllocManaged", PAGE, enum(a.cu.CUmemAttach_flags, 1)) for _ in range(2))
    linear = a.get("cuMemAlloc", PAGE)
    working = a.get("cuStreamCreate", 1)
    both, sizes = [one, other], [PAGE, PAGE]
    here, host = _place(a, 1, 0), _place(a, 2, 0)

    def told() -> None:
        for where in both:
            for number in (4, 7, 8):
                kind = enum(a.cu.CUmem_range_attribute, number)
                a.ask(f"attribute {number}", "cuMemRangeGetAttribute", 4, kind, where, PAGE, show=int)

    discards: dict[str, tuple[Any, ...]] = {
        "plain": (both, sizes, 2, 0, working),
        "flags": (both, sizes, 2, 1, working),
        "flags, legacy": (both, sizes, 2, 1, 0),
        "legacy": (both, sizes, 2, 0, 0),
        "legacy by name": (both, sizes, 2, 0, 1),
        "per thread": (both, sizes, 2, 0, 2),
        "none": (both, sizes, 0, 0, working),
        "none, legacy": (both, sizes, 0, 0, 0),
        "one of two": (both, sizes, 1, 0, working),
        "no bytes": (both, [PAGE, 0], 2, 0, working),
        "a byte": ([pointer(int(one) + 8), other], [1, 1], 2, 0, working),
        "linear": ([one, linear], sizes, 2, 0, working),
        "null": ([one, pointer(0)], sizes, 2, 0, working),
        "twice": ([one, one], sizes, 2, 0, working),
        "past": (both, [PAGE, 2 * PAGE], 2, 0, working),
        "half": ([pointer(int(one) + PAGE // 2), other], [PAGE, PAGE], 2, 0, working),
        "no pointers": (None, sizes, 2, 0, working),
        "no sizes": (both, None, 2, 0, working),
    }
    for name, args in discards.items():
        a.get("cuMemPrefetchAsync", one, PAGE, here, 0, working)
        a.ask(name, "cuMemDiscardBatchAsync", *args)
        told()
    places = [here, host]
    prefetches: dict[str, tuple[Any, ...]] = {
        "plain": (both, sizes, 2, places, [0, 1], 2, 0, working),
        "one place": (both, sizes, 2, [here], [0], 1, 0, working),
        "flags": (both, sizes, 2, places, [0, 1], 2, 1, working),
        "flags, legacy": (both, sizes, 2, places, [0, 1], 2, 1, 0),
        "legacy": (both, sizes, 2, places, [0, 1], 2, 0, 0),
        "legacy by name": (both, sizes, 2, places, [0, 1], 2, 0, 1),
        "per thread": (both, sizes, 2, places, [0, 1], 2, 0, 2),
        "none": (both, sizes, 0, places, [0, 1], 0, 0, working),
        "no places": (both, sizes, 2, places, [0, 1], 0, 0, working),
        "many places": (both, sizes, 1, places, [0, 1], 2, 0, working),
        "first index": (both, sizes, 2, places, [1, 1], 2, 0, working),
        "same index": (both, sizes, 2, places, [0, 0], 2, 0, working),
        "far index": (both, sizes, 2, places, [0, 2], 2, 0, working),
        "no bytes": (both, [PAGE, 0], 2, places, [0, 1], 2, 0, working),
        "a byte": ([pointer(int(one) + 8), other], [1, 1], 2, places, [0, 1], 2, 0, working),
        "linear": ([one, linear], sizes, 2, places, [0, 1], 2, 0, working),
        "null": ([one, pointer(0)], sizes, 2, places, [0, 1], 2, 0, working),
        "twice": ([one, one], sizes, 2, places, [0, 1], 2, 0, working),
        "past": (both, [PAGE, 2 * PAGE], 2, places, [0, 1], 2, 0, working),
        "nowhere": (both, sizes, 2, [here, _place(a, 0, 0)], [0, 1], 2, 0, working),
        "far device": (both, sizes, 2, [here, _place(a, 1, 99)], [0, 1], 2, 0, working),
        "device -1": (both, sizes, 2, [here, _place(a, 1, -1)], [0, 1], 2, 0, working),
        "node": (both, sizes, 2, [here, _place(a, 3, 0)], [0, 1], 2, 0, working),
        "far node": (both, sizes, 2, [here, _place(a, 3, 99)], [0, 1], 2, 0, working),
        "node -1": (both, sizes, 2, [here, _place(a, 3, -1)], [0, 1], 2, 0, working),
        "current node": (both, sizes, 2, [here, _place(a, 4, 5)], [0, 1], 2, 0, working),
        "kind 9": (both, sizes, 2, [here, _place(a, 9, 0)], [0, 1], 2, 0, working),
        "far device, linear": ([one, linear], sizes, 2, [here, _place(a, 1, 99)], [0, 1], 2, 0, working),
        "no pointers": (None, sizes, 2, places, [0, 1], 2, 0, working),
        "no sizes": (both, None, 2, places, [0, 1], 2, 0, working),
        "no places given": (both, sizes, 2, None, [0, 1], 2, 0, working),
        "no indices": (both, sizes, 2, places, None, 2, 0, working),
    }
    for call in ("cuMemPrefetchBatchAsync", "cuMemDiscardAndPrefetchBatchAsync"):
        for name, args in prefetches.items():
            a.get("cuMemPrefetchAsync", one, PAGE, here, 0, working)
            a.ask(name, call, *args)
            told()
    a.get("cuCtxSetCurrent", None)
    a.ask("none is current", "cuMemDiscardBatchAsync", both, sizes, 2, 0, working)
    for call in ("cuMemPrefetchBatchAsync", "cuMemDiscardAndPrefetchBatchAsync"):
        a.ask("none is current", call, *prefetches["plain"])


@question
def discarded_bytes(a: Asker) -> None:
    """What pages hold that were discarded."""
    a.begin()
    one = a.get("cuMemAllocManaged", PAGE, enum(a.cu.CUmemAttach_flags, 1))
    working = a.get("cuStreamCreate", 1)
    for place in (None, _place(a, 1, 0), _place(a, 2, 0)):
        a.get("cuMemsetD8", one, 7, PAGE)
        if place is None:
            a.ask("discard", "cuMemDiscardBatchAsync", [one], [PAGE], 1, 0, working)
        else:
            a.ask("discard", "cuMemDiscardAndPrefetchBatchAsync", [one], [PAGE], 1, [place], [0], 1, 0, working)
        a.get("cuStreamSynchronize", working)
        out = bytearray(PAGE)
        a.get("cuMemcpyDtoH", out, one, PAGE)
        a.tell("bytes", sorted(set(out)))


@question
def profiler(a: Asker) -> None:
    """When profiling begins and ends."""
    a.ask("before cuInit", "cuProfilerStart")
    a.ask("before cuInit", "cuProfilerStop")
    a.cu.cuInit(0)
    a.ask("no context", "cuProfilerStart")
    a.ask("no context", "cuProfilerStop")
    context = a.begin()
    for call in ("Stop", "Start", "Start", "Stop", "Stop"):
        a.ask("in one", f"cuProfiler{call}")
    other = a.get("cuCtxCreate", None, 0, 0)
    a.get("cuCtxDestroy", context)
    a.ask("in another", "cuProfilerStart")
    a.get("cuCtxDestroy", other)
    a.ask("after all", "cuProfilerStop")


@question
def checkpoint_states(a: Asker) -> None:
    """Which processes have a state, and what is refused of those that have none."""
    mine = os.getpid()
    a.ask("before cuInit", "cuCheckpointProcessGetState", mine, show=int)
    a.cu.cuInit(0)
    a.ask("no context", "cuCheckpointProcessGetState", mine, show=int)
    a.ask("no context", "cuCheckpointProcessGetRestoreThreadId", mine)
    a.begin()
    a.ask("running", "cuCheckpointProcessGetState", mine, show=int)
    a.ask("running", "cuCheckpointProcessGetRestoreThreadId", mine, show=lambda said: int(said) == mine)
    for number in (0, -1, 1, 999_999, os.getppid()):
        name = {os.getppid(): "parent"}.get(number, str(number))
        a.ask(name, "cuCheckpointProcessGetState", number, show=int)
        a.ask(name, "cuCheckpointProcessGetRestoreThreadId", number)
        a.ask(name, "cuCheckpointProcessLock", number, None)
        a.ask(name, "cuCheckpointProcessCheckpoint", number, None)
        a.ask(name, "cuCheckpointProcessRestore", number, None)
        a.ask(name, "cuCheckpointProcessUnlock", number, None)
    a.ask("running", "cuCheckpointProcessUnlock", mine, None)
    a.ask("running", "cuCheckpointProcessCheckpoint", mine, None)
    a.ask("running", "cuCheckpointProcessRestore", mine, None)


@question
def checkpoint(a: Asker) -> None:
    """A process that locks, checkpoints and restores itself."""
    mine = os.getpid()
    a.begin()
    memory = a.get("cuMemAlloc", 4096)
    a.get("cuMemsetD8", memory, 7, 4096)
    lock = a.cu.CUcheckpointLockArgs()
    lock.timeoutMs = 5000
    state = ("cuCheckpointProcessGetState", mine)
    a.ask("lock", "cuCheckpointProcessLock", mine, lock)
    a.ask("state", *state, show=int)
    a.ask("twice", "cuCheckpointProcessLock", mine, lock)
    a.ask("restore", "cuCheckpointProcessRestore", mine, None)
    a.ask("unlock", "cuCheckpointProcessUnlock", mine, None)
    a.ask("state", *state, show=int)
    a.ask("lock", "cuCheckpointProcessLock", mine, lock)
    a.ask("checkpoint", "cuCheckpointProcessCheckpoint", mine, None)
    a.ask("state", *state, show=int)
    a.ask("unlock", "cuCheckpointProcessUnlock", mine, None)
    a.ask("lock", "cuCheckpointProcessLock", mine, lock)
    a.ask("checkpoint", "cuCheckpointProcessCheckpoint", mine, None)
    a.ask("restore", "cuCheckpointProcessRestore", mine, None)
    a.ask("state", *state, show=int)
    a.ask("unlock", "cuCheckpointProcessUnlock", mine, None)
    a.ask("state", *state, show=int)
    out = bytearray(4096)
    a.ask("copy", "cuMemcpyDtoH", out, memory, 4096)
    a.tell("bytes", sorted(set(out)))
