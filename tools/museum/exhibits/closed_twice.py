"""An opened handle is closed more often than it was opened."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tools.museum.exhibit import ERRORS, Exhibit, Part
from tools.museum.workshop import LAZY, MIB, checked, context, logged

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def blocks(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """A large buffer is copied in blocks, and each finished block unmaps the buffer."""
    sender, receiver = (fakecuda.spawn(name).driver for name in ("sender", "receiver"))
    context(sender)
    context(receiver, 1)
    source = checked(sender.cuMemAlloc(3 * MIB))
    target = checked(receiver.cuMemAlloc(3 * MIB))
    opened = checked(receiver.cuIpcOpenMemHandle(checked(sender.cuIpcGetMemHandle(source)), LAZY))
    for block in range(3):
        if block == 0 or fixed:
            checked(receiver.cuMemcpyDtoD(int(target) + block * MIB, int(opened) + block * MIB, MIB))
            checked(receiver.cuCtxSynchronize())
        if block == 2 or not fixed:
            logged(receiver.cuIpcCloseMemHandle(opened))
    checked(sender.cuMemFree(source))


def cache(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API: an endpoint closes what its full cache has closed already."""
    sender, receiver = (fakecuda.spawn(name).runtime for name in ("sender", "receiver"))
    buffer = checked(sender.cudaMalloc(4096))
    handle = checked(sender.cudaIpcGetMemHandle(buffer))
    checked(receiver.cudaSetDevice(1))
    regions = [checked(receiver.cudaIpcOpenMemHandle(handle, 1))]

    evicted = regions.pop() if fixed else regions[0]
    checked(receiver.cudaIpcCloseMemHandle(evicted))
    for region in regions:
        logged(receiver.cudaIpcCloseMemHandle(region))
    checked(sender.cudaFree(buffer))


def callbacks(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Each key of a region has a callback that unmaps the region, and all are called."""
    sender, receiver = (fakecuda.spawn(name).driver for name in ("sender", "receiver"))
    context(sender, 1)
    context(receiver, 1)
    pointers = [checked(sender.cuMemAlloc(512)) for _ in range(2)]
    opened = [checked(receiver.cuIpcOpenMemHandle(checked(sender.cuIpcGetMemHandle(one)), LAZY)) for one in pointers]
    keys = [opened[0], opened[1], opened[0], opened[1]]
    for region in reversed(keys[:2] if fixed else keys):
        logged(receiver.cuIpcCloseMemHandle(region))


def progress_thread(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """The program and its progress thread both close what the transfer has opened."""
    sender, receiver = fakecuda.spawn("sender"), fakecuda.spawn("receiver")
    context(sender.driver)
    current = context(receiver.driver, 1)
    pointer = checked(sender.driver.cuMemAlloc(MIB))
    opened = checked(receiver.driver.cuIpcOpenMemHandle(checked(sender.driver.cuIpcGetMemHandle(pointer)), LAZY))

    def progress() -> None:
        checked(receiver.driver.cuCtxSetCurrent(current))
        logged(receiver.driver.cuIpcCloseMemHandle(opened))

    thread = threading.Thread(target=progress)
    thread.start()
    thread.join()
    if not fixed:
        logged(receiver.driver.cuIpcCloseMemHandle(opened))


EXHIBITS = [
    Exhibit(
        number=14,
        report="openucx/ucx#4410",
        title="cuIpcCloseMemHandle for each block of a copy",
        happens=(
            "A transfer of more than a gigabyte goes in blocks. Each block that is done closes the opened memory, "
            "although the first close ends the mapping for all blocks."
        ),
        part=Part.IGNORED,
        told=("ipc.ipc_close_mem_handle.POINTER_IS_A_MAPPING",),
        programs={"blocks": blocks, "cache": cache},
        devices={"blocks": 2, "cache": 2},
        settings=ERRORS,
    ),
    Exhibit(
        number=14,
        report="openucx/ucx#4431",
        title="cuIpcCloseMemHandle by each key of a region",
        happens=(
            "The fix of ucx#4410: only the last user of a region may close it. If every key of the region closes it, "
            "all closes after the first are refused."
        ),
        part=Part.IGNORED,
        told=("ipc.ipc_close_mem_handle.POINTER_IS_A_MAPPING",),
        programs={"callbacks": callbacks, "progress-thread": progress_thread},
        devices={"callbacks": 2, "progress-thread": 2},
        settings=ERRORS,
    ),
]
