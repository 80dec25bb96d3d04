"""A cache of mappings has an address whose memory has been replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import LAZY, MIB, checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def registered_again(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """The owner frees memory and reuses its address; the peer's cache is stale."""
    owner, peer = (fakecuda.spawn(name).driver for name in ("owner", "peer"))
    context(owner)
    context(peer)
    cache: dict[int, Any] = {}

    def remote(address: int) -> Any:
        if address not in cache:
            cache[address] = checked(peer.cuIpcOpenMemHandle(checked(owner.cuIpcGetMemHandle(address)), LAZY))
        return cache[address]

    first = checked(owner.cuMemAlloc(2 * MIB))
    checked(peer.cuMemsetD8(remote(int(first)), 1, MIB))
    checked(peer.cuCtxSynchronize())
    if fixed:
        checked(peer.cuIpcCloseMemHandle(cache.pop(int(first))))
    checked(owner.cuMemFree(first))
    second = checked(owner.cuMemAlloc(2 * MIB))
    checked(peer.cuMemsetD8(remote(int(second)), 2, MIB))
    checked(peer.cuCtxSynchronize())


def resized(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API: a buffer that grows is a new allocation at the old address."""
    owner, peer = (fakecuda.spawn(name).runtime for name in ("owner", "peer"))
    checked(peer.cudaSetDevice(0))
    buffer = checked(owner.cudaMalloc(MIB))
    known = {buffer: checked(peer.cudaIpcOpenMemHandle(checked(owner.cudaIpcGetMemHandle(buffer)), 1))}
    if fixed:
        checked(peer.cudaIpcCloseMemHandle(known.pop(buffer)))
    checked(owner.cudaFree(buffer))
    grown = checked(owner.cudaMalloc(2 * MIB))
    if grown not in known:
        known[grown] = checked(peer.cudaIpcOpenMemHandle(checked(owner.cudaIpcGetMemHandle(grown)), 1))
    checked(peer.cudaMemset(known[grown], 1, 2 * MIB))
    checked(peer.cudaDeviceSynchronize())


def given_out_again(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """A part of the owner's arena has a new user while a peer still writes to it."""
    owner, peer = (fakecuda.spawn(name).driver for name in ("owner", "peer"))
    context(owner)
    context(peer)
    arena = checked(owner.cuMemAlloc(4 * MIB))
    cached = checked(peer.cuIpcOpenMemHandle(checked(owner.cuIpcGetMemHandle(arena)), LAZY))
    theirs, ours = checked(peer.cuStreamCreate(1)), checked(owner.cuStreamCreate(1))
    checked(peer.cuMemsetD8Async(int(cached) + MIB, 1, MIB, theirs))
    if fixed:
        checked(peer.cuStreamSynchronize(theirs))
    checked(owner.cuMemsetD8Async(int(arena) + MIB, 2, MIB, ours))
    checked(owner.cuStreamSynchronize(ours))
    checked(peer.cuStreamSynchronize(theirs))
    checked(peer.cuIpcCloseMemHandle(cached))
    checked(owner.cuMemFree(arena))


def without_their_event(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """The owner waits for its own event before a copy, not for the peer's event."""
    owner, peer = (fakecuda.spawn(name).driver for name in ("owner", "peer"))
    context(owner)
    context(peer)
    region = checked(owner.cuMemAlloc(8 * MIB))
    cached = checked(peer.cuIpcOpenMemHandle(checked(owner.cuIpcGetMemHandle(region)), LAZY))
    theirs, ours = checked(peer.cuStreamCreate(1)), checked(owner.cuStreamCreate(1))
    filled, own = checked(peer.cuEventCreate(6)), checked(owner.cuEventCreate(2))
    checked(peer.cuMemsetD32Async(int(cached) + 4 * MIB, 7, 1024, theirs))
    checked(peer.cuEventRecord(filled, theirs))
    checked(owner.cuEventRecord(own, ours))
    told = checked(owner.cuIpcOpenEventHandle(checked(peer.cuIpcGetEventHandle(filled))))
    checked(owner.cuStreamWaitEvent(ours, told if fixed else own, 0))
    checked(owner.cuMemcpyDtoDAsync(region, int(region) + 4 * MIB, 4096, ours))
    checked(owner.cuStreamSynchronize(ours))
    checked(peer.cuStreamSynchronize(theirs))
    checked(peer.cuIpcCloseMemHandle(cached))


HAPPENS = (
    "A peer caches the mappings that it has opened, keyed by the owner's addresses. The owner reuses an address, and "
    "the peer uses the old mapping for the new memory."
)
EXHIBITS = [
    Exhibit(
        number=21,
        report="openucx/ucx#2738",
        title="a cached mapping shows another allocation",
        happens=HAPPENS,
        part=Part.UNDEFINED,
        told=("memory.mem_free.NO_IMPORTER_IS_OPEN",),
        programs={"registered-again": registered_again, "resized": resized},
    ),
    Exhibit(
        number=21,
        report="openucx/ucx#10405",
        title="a cached mapping shows memory with another user",
        happens=HAPPENS,
        part=Part.UNDEFINED,
        told=("stream.race.ACCESSES_ARE_ORDERED",),
        programs={"given-out-again": given_out_again, "without-their-event": without_their_event},
    ),
]
