"""The exporter frees memory that another process has open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import LAZY, MIB, checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def cached(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """The receiver caches what it has opened; the sender frees memory in a loop."""
    sender, receiver = (fakecuda.spawn(name).driver for name in ("sender", "receiver"))
    context(sender)
    context(receiver, 1)
    opened = []
    for _message in range(3):
        pointer = checked(sender.cuMemAlloc(4 * MIB))
        opened.append(checked(receiver.cuIpcOpenMemHandle(checked(sender.cuIpcGetMemHandle(pointer)), LAZY)))
        if fixed:
            checked(receiver.cuIpcCloseMemHandle(opened.pop()))
        checked(sender.cuMemFree(pointer))


def on_a_stream(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API, with a free in stream order."""
    sender, receiver = (fakecuda.spawn(name).runtime for name in ("sender", "receiver"))
    pointer = checked(sender.cudaMalloc(512))
    checked(receiver.cudaSetDevice(0))
    opened = checked(receiver.cudaIpcOpenMemHandle(checked(sender.cudaIpcGetMemHandle(pointer)), 1))
    if fixed:
        checked(receiver.cudaIpcCloseMemHandle(opened))
    checked(sender.cudaFreeAsync(pointer, 0))


def no_barrier(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Three ranks close the others' buffers and free their own, one of them too early."""
    ranks = [fakecuda.spawn(f"rank-{number}").driver for number in range(3)]
    for number, rank in enumerate(ranks):
        context(rank, number % 2)
    buffers = [checked(rank.cuMemAlloc(MIB)) for rank in ranks]
    handles = [checked(rank.cuIpcGetMemHandle(one)) for rank, one in zip(ranks, buffers, strict=True)]
    opened = [
        [checked(rank.cuIpcOpenMemHandle(handle, LAZY)) for other, handle in enumerate(handles) if other != number]
        for number, rank in enumerate(ranks)
    ]

    def close(number: int) -> None:
        for theirs in opened[number]:
            checked(ranks[number].cuIpcCloseMemHandle(theirs))

    def free(number: int) -> None:
        checked(ranks[number].cuMemFree(buffers[number]))

    steps = [(close, 0), (close, 1), (close, 2), (free, 0), (free, 1), (free, 2)]
    for step, number in steps if fixed else steps[::3] + steps[1::3] + steps[2::3]:
        step(number)


def destructors(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API: destructors of two ranks run one after the other."""
    first, second = (fakecuda.spawn(f"rank-{number}").runtime for number in range(2))
    checked(second.cudaSetDevice(1))
    mine, theirs = checked(first.cudaMalloc(4096)), checked(second.cudaMalloc(4096))
    of_mine = checked(second.cudaIpcOpenMemHandle(checked(first.cudaIpcGetMemHandle(mine)), 1))
    of_theirs = checked(first.cudaIpcOpenMemHandle(checked(second.cudaIpcGetMemHandle(theirs)), 1))
    steps = [
        (second.cudaIpcCloseMemHandle, of_mine),
        (second.cudaFree, theirs),
        (first.cudaIpcCloseMemHandle, of_theirs),
        (first.cudaFree, mine),
    ]
    if fixed:
        steps[1], steps[2] = steps[2], steps[1]
    for step, pointer in steps:
        checked(step(pointer))


EXHIBITS = [
    Exhibit(
        number=16,
        report="openucx/ucx#10346",
        title="a cache keeps open what its exporter frees",
        happens=(
            "A transport keeps opened handles in a cache. The sender frees its buffer after each message, while the receiver still "
            "has it open, which the manual calls undefined. A card shows no error."
        ),
        part=Part.UNDEFINED,
        told=("memory.mem_free.NO_IMPORTER_IS_OPEN",),
        programs={"cached": cached, "on-a-stream": on_a_stream},
        devices={"cached": 2},
    ),
    Exhibit(
        number=16,
        report="deepseek-ai/DeepEP#497",
        title="ranks tear down without a barrier",
        happens=(
            "At the end each rank closes the buffers of other ranks and then frees its own buffer. Without a barrier "
            "between "
            "closing and freeing, an early rank frees a buffer that a late rank still has open."
        ),
        part=Part.UNDEFINED,
        told=("memory.mem_free.NO_IMPORTER_IS_OPEN",),
        programs={"no-barrier": no_barrier, "destructors": destructors},
        devices={"no-barrier": 2, "destructors": 2},
    ),
]
