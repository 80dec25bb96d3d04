"""Questions about forks and functions of the host: what a created stream is enough for, and whether its work is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, PER_THREAD, stream, word
from conformance.kit.program import FORKED, INSIDE
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import World


@question(alone=True)
def work_of_forks_and_of_their_parent(w: World) -> None:
    """Which work of forks is done: each piece, in a stream of its own, in one stream, and behind work of the parent."""
    a = w.process()
    one, place = stream(a, NON_BLOCKING), word(a)
    for number in range(4):
        a.thread(FORKED).c.cuStreamWriteValue32(stream(a, NON_BLOCKING), place + 4 * number, 1, 0)
        a.thread(FORKED).c.cuStreamWriteValue32(one, place + 64 + 4 * number, 1, 0)
        if number > 1:
            a.c.cuStreamWriteValue32(one, place + 128 + 4 * number, 1, 0)
    a.c.cuCtxSynchronize()
    a.c.cuMemcpyDtoH(bytearray(160), place, 160)


@question(alone=True)
def frees_and_batches_inside_a_function_of_the_host(w: World) -> None:
    """Which of the calls that no answer tells of such a function may make with a created stream."""
    a = w.process()
    one, place, made = stream(a, NON_BLOCKING), word(a), a.ok.cuMemAllocAsync(PAGE, 0)
    a.ok.cuCtxSynchronize()
    door = a.thread(INSIDE).c
    door.cuMemcpyBatchAsync((place,), (place + 64,), (16,), 1, ((1, (0, 0), (0, 0), 0),), (0,), 1, one)
    door.cuMemFreeAsync(made, one)
    door.cuMemAllocFromPoolAsync(PAGE, a.ok.cuDeviceGetMemPool(0), one)
    door.cuLaunchHostFunc(one, a.c_function("abs"), 0)
    a.c.cuCtxSynchronize()


@question(alone=True)
def batches_in_forks_by_what_was_current(w: World) -> None:
    """What a batch of copies answers in a fork of a thread with a context, with two, with none, and of one that had none."""
    for had in (1, 2, 0):
        a = w.process()
        place, context = word(a), a.ok.cuCtxGetCurrent()
        streams = (stream(a, NON_BLOCKING), stream(a), PER_THREAD)
        if had == 2:
            a.ok.cuCtxPushCurrent(context)
        elif not had:
            a.ok.cuCtxPopCurrent()
        for door in (a.thread(FORKED).c, a.c):
            for working in streams:
                door.cuMemcpyBatchAsync((place,), (place + 64,), (16,), 1, ((1, (0, 0), (0, 0), 0),), (0,), 1, working)
        other = a.thread("beside")
        other.c.cuMemcpyBatchAsync((place,), (place + 64,), (16,), 1, ((1, (0, 0), (0, 0), 0),), (0,), 1, streams[0])
