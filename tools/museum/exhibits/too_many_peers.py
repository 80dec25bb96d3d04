"""Every device enables access to every other device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.bindings import runtime

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import checked, context

if TYPE_CHECKING:
    from fakecuda import FakeCuda


DEVICES = 10


def every_pair(_: FakeCuda, *, fixed: bool) -> None:
    """By the runtime API; the fixed program has peers in each half of the devices."""
    for device in range(DEVICES):
        checked(runtime.cudaSetDevice(device))
        for peer in range(DEVICES):
            together = device // 5 == peer // 5
            if peer != device and checked(runtime.cudaDeviceCanAccessPeer(device, peer)) and (together or not fixed):
                checked(runtime.cudaDeviceEnablePeerAccess(peer, 0))


def star(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """In another process, the first device enables access to all others."""
    api = fakecuda.spawn("server").driver
    contexts = [context(api, device) for device in range(DEVICES)]
    checked(api.cuCtxSetCurrent(contexts[0]))
    for device in reversed(range(2 if fixed else 1, DEVICES)):
        checked(api.cuCtxEnablePeerAccess(contexts[device], 0))


EXHIBITS = [
    Exhibit(
        number=29,
        report="tensorflow/tensorflow#5362",
        title="more peers than a device can have",
        happens=(
            "On a host with more than nine cards, a program enables peer access between all pairs. Without NVSwitch a "
            "device has "
            "eight connections at most; the ninth is refused."
        ),
        part=Part.REFUSED,
        told=("peer.connection.CONNECTIONS_ARE_LEFT", "RuntimeError: ", "TOO_MANY_PEERS"),
        programs={"every-pair": every_pair, "star": star},
        devices={"every-pair": 10, "star": 10},
        settings={"profile": "pcie-10"},
    ),
]
