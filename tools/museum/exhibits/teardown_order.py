"""An importer's mappings are not all released, or in an impossible order."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tools.museum.exhibit import LEAKS, Exhibit, Part
from tools.museum.workshop import DESCRIPTOR, MIB, checked, context, logged, mapped, properties, unmapped

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def imported(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """The importer maps memory, and keeps the reference of the import."""
    owner, peer = (fakecuda.spawn(name).driver for name in ("owner", "peer"))
    context(owner)
    context(peer, 1)
    memory = checked(owner.cuMemCreate(2 * MIB, properties(shared=True), 0))
    number = checked(owner.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0))

    handle = checked(peer.cuMemImportFromShareableHandle(number, DESCRIPTOR))
    address = mapped(peer, 2 * MIB, handle, 1)
    if fixed:
        checked(peer.cuMemRelease(handle))
    unmapped(peer, address, 2 * MIB)
    os.close(int(number))
    checked(owner.cuMemRelease(memory))


def addresses_first(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Addresses are freed before their memory is unmapped, and the teardown ends."""
    api = fakecuda.spawn("owner").driver
    context(api)
    memory = checked(api.cuMemCreate(4 * MIB, properties(), 0))
    address = mapped(api, 4 * MIB, memory)
    steps = [
        lambda: api.cuMemUnmap(address, 4 * MIB),
        lambda: api.cuMemRelease(memory),
        lambda: api.cuMemAddressFree(address, 4 * MIB),
    ]
    all(logged(step()) for step in (steps if fixed else reversed(steps)))


EXHIBITS = [
    Exhibit(
        number=11,
        report="kvcache-ai/Mooncake#2380",
        title="VMM memory that is never released, or in the wrong order",
        happens=(
            "A program imports and maps memory of another process, and never releases the handle. On other paths it "
            "frees the addresses before it unmaps them. The driver refuses the free, and the rest of the cleanup does "
            "not happen."
        ),
        part=Part.LEFT,
        told=("left behind: ", "handle: allocation handle "),
        programs={"imported": imported, "addresses-first": addresses_first},
        devices={"imported": 2},
        settings=LEAKS,
    ),
]
