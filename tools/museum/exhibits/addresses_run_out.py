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
    """In one process, a segment for each stream and each model, aligned as it would like to be."""
    context(driver)
    card = int(checked(driver.cuDeviceTotalMem(0)))
    for _model in range(2):
        for _stream in range(IMPORTS // 2):
            wanted = 64 * MIB if fixed else -(-card * 5 // 4 // (2 * MIB)) * 2 * MIB
            checked(driver.cuMemAddressReserve(wanted, 2 * MIB, 0, 0))


EXHIBITS = [
    Exhibit(
        number=13,
        report="pytorch/pytorch#186213",
        title="addresses run out",
        happens=(
            "Whoever imports a piece of an expandable segment reserves addresses for nine eighths of a card, though the piece "
            "never grows. After some hundred imports the process has no addresses left, with nearly no memory in use."
        ),
        part=Part.REFUSED,
        told=("va.mem_address_reserve.ADDRESSES_SUFFICE", "RuntimeError: CUDA_ERROR_OUT_OF_MEMORY"),
        programs={"received": received, "streams": streams},
    ),
]
