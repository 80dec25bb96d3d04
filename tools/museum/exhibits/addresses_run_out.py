"""Each import reserves addresses for a whole card."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cuda.bindings import driver

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import DESCRIPTOR, MIB, checked, context, open_to, properties

if TYPE_CHECKING:
    from fakecuda import FakeCuda


IMPORTS = 1000
WINDOW = 2 * MIB


def received(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """A worker receives a thousand tensors, and keeps them."""
    owner, worker = (fakecuda.spawn(name).driver for name in ("owner", "worker"))
    context(owner)
    context(worker, 1)
    size = 2 * MIB if fixed else checked(worker.cuDeviceTotalMem(1)) * 9 // 8 // MIB // 2 * 2 * MIB
    memory = checked(owner.cuMemCreate(2 * MIB, properties(shared=True), 0))
    number = checked(owner.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0))
    for _tensor in range(IMPORTS):
        handle = checked(worker.cuMemImportFromShareableHandle(number, DESCRIPTOR))
        address = int(checked(worker.cuMemAddressReserve(size, 0, 0, 0)))
        checked(worker.cuMemMap(address, 2 * MIB, 0, handle, 0))
        open_to(worker, address, 2 * MIB, 1)
    os.close(int(number))


def streams(_: FakeCuda, *, fixed: bool) -> None:
    """A process reserves aligned segments for each stream and each model."""
    context(driver)
    card = int(checked(driver.cuDeviceTotalMem(0)))
    for _model in range(2):
        for _stream in range(IMPORTS // 2):
            wanted = 64 * MIB if fixed else -(-card * 5 // 4 // (2 * MIB)) * 2 * MIB
            checked(driver.cuMemAddressReserve(wanted, 2 * MIB, 0, 0))


def windows(_: FakeCuda, *, fixed: bool) -> None:
    """A library reserves addresses for all windows at once; a program registers one buffer again and again."""
    context(driver)
    space, registered = 8 * WINDOW, dict[int, int]()
    first = int(checked(driver.cuMemAddressReserve(space, 0, 0, 0)))
    buffer = checked(driver.cuMemCreate(WINDOW, properties(), 0))
    taken = 0
    for _registration in range(12):
        if fixed and int(buffer) in registered:
            continue
        checked(driver.cuMemMap(first + taken, WINDOW, 0, buffer, 0))
        registered[int(buffer)] = first + taken
        taken += WINDOW


def windows_of_ranks(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Two ranks share a buffer, and each maps it into its own space at each registration of the other."""
    ranks = [fakecuda.spawn(f"rank {number}").driver for number in range(2)]
    for number, rank in enumerate(ranks):
        context(rank, number)
    shared = checked(ranks[0].cuMemCreate(WINDOW, properties(shared=True), 0))
    number = checked(ranks[0].cuMemExportToShareableHandle(shared, DESCRIPTOR, 0))
    space = int(checked(ranks[1].cuMemAddressReserve(4 * WINDOW, 0, 0, 0)))
    for registration in range(6):
        handle = checked(ranks[1].cuMemImportFromShareableHandle(number, DESCRIPTOR))
        if not fixed or not registration:
            checked(ranks[1].cuMemMap(space + registration * WINDOW, WINDOW, 0, handle, 0))
        checked(ranks[1].cuMemRelease(handle))
    os.close(int(number))


EXHIBITS = [
    Exhibit(
        number=13,
        report="pytorch/pytorch#186213",
        title="addresses run out",
        happens=(
            "A process that imports a piece of an expandable segment reserves addresses for nine eighths of a card, "
            "though the piece "
            "never grows. After some hundred imports the process has no addresses left, with nearly no memory in use."
        ),
        part=Part.REFUSED,
        told=("va.mem_address_reserve.ADDRESSES_SUFFICE", "RuntimeError: CUDA_ERROR_OUT_OF_MEMORY"),
        programs={"received": received, "streams": streams},
        devices={"received": 2},
    ),
    Exhibit(
        number=13,
        report="NVIDIA/nccl#2331",
        title="each registration of the same buffer uses new addresses",
        happens=(
            "A library reserves a fixed space of addresses for windows. The library does not know that a buffer is "
            "already registered, and maps it again after all other buffers, until the space is full. The library "
            "itself checks for a full space; in these programs the driver refuses the map."
        ),
        part=Part.REFUSED,
        told=("va.mem_map.RANGE_IS_RESERVED", "RuntimeError: CUDA_ERROR_INVALID_VALUE"),
        programs={"windows": windows, "ranks": windows_of_ranks},
        devices={"ranks": 2},
    ),
]
