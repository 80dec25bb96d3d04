"""One handle is opened twice by a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import LAZY, MIB, checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def endpoints(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """The application and a library open the buffer in different contexts."""
    sender, receiver = (fakecuda.spawn(name).driver for name in ("sender", "receiver"))
    context(sender)
    handle = checked(sender.cuIpcGetMemHandle(checked(sender.cuMemAlloc(MIB))))
    context(receiver, 1)
    opened = checked(receiver.cuIpcOpenMemHandle(handle, LAZY))

    primary = checked(receiver.cuDevicePrimaryCtxRetain(1))
    checked(receiver.cuCtxPushCurrent(primary))
    again = opened if fixed else checked(receiver.cuIpcOpenMemHandle(handle, LAZY))
    checked(receiver.cuCtxPopCurrent())
    checked(receiver.cuDevicePrimaryCtxRelease(1))
    checked(receiver.cuIpcCloseMemHandle(again))


def second_buffer(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Another buffer of the sender is opened on its own device in a second context."""
    sender, receiver = (fakecuda.spawn(name).driver for name in ("sender", "receiver"))
    context(sender, 1)
    handles = [checked(sender.cuIpcGetMemHandle(checked(sender.cuMemAlloc(4096)))) for _ in range(2)]
    for number, handle in enumerate(handles):
        if number == 0 or not fixed:
            context(receiver, 1)
        checked(receiver.cuIpcOpenMemHandle(handle, LAZY))


def graph_buffers(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Two registered buffers are views of one allocation, and each opens it."""
    rank, peer = (fakecuda.spawn(name).runtime for name in ("rank-0", "rank-1"))
    base = int(checked(rank.cudaMalloc(2 * MIB)))
    handles = [checked(rank.cudaIpcGetMemHandle(view)) for view in (base, base + MIB)]
    checked(peer.cudaSetDevice(1))
    regions = {checked(peer.cudaIpcOpenMemHandle(handle, 1)) for handle in (handles[:1] if fixed else handles)}
    for region in regions:
        checked(peer.cudaIpcCloseMemHandle(region))
    checked(rank.cudaFree(base))


def reconnected(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """A peer that reconnects opens what it has open, and closes it once at the end."""
    rank, peer = (fakecuda.spawn(name).driver for name in ("rank-0", "rank-1"))
    context(rank)
    context(peer)
    pointer = checked(rank.cuMemAlloc(512))
    opened: dict[str, object] = {}
    for _connection in range(3):
        if not (fixed and opened):
            opened["signal"] = checked(peer.cuIpcOpenMemHandle(checked(rank.cuIpcGetMemHandle(pointer)), LAZY))
    checked(peer.cuIpcCloseMemHandle(opened["signal"]))
    checked(rank.cuMemFree(pointer))


EXHIBITS = [
    Exhibit(
        number=15,
        report="openucx/ucx#3192",
        title="a second context opens a sender's memory",
        happens=(
            "An application has opened a buffer, and a library below it opens it, too, in a context of its own. Only "
            "one context on a device may open memory of a given process and device; the second context is refused."
        ),
        part=Part.REFUSED,
        told=("ipc.ipc_open_mem_handle.CONTEXT_IS_THE_OPENER",),
        programs={"endpoints": endpoints, "second-buffer": second_buffer},
        devices={"endpoints": 2, "second-buffer": 2},
    ),
    Exhibit(
        number=15,
        report="vllm-project/vllm#2641",
        title="one handle is opened twice and closed once",
        happens=(
            "Buffers that are views of one allocation have one handle, which is opened for each of them. Driver 530 "
            "refused the second open as already mapped. Driver 580 counts opens, so one close leaves the memory open, "
            "and the exporter's memory in use."
        ),
        part=Part.UNDEFINED,
        told=("memory.mem_free.NO_IMPORTER_IS_OPEN",),
        programs={"graph-buffers": graph_buffers, "reconnected": reconnected},
        devices={"graph-buffers": 2},
    ),
]
