"""Access to the memory of other devices in the runtime API.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__PEER.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import entry, memory, peered, suite
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

can = entry("cudaDeviceCanAccessPeer", lambda _: (0, 1), start=peered)
can.also("itself", peerDevice=0)
can.also("no device", peerDevice=99, code=Result.INVALID_DEVICE)

enable = entry("cudaDeviceEnablePeerAccess", lambda _: (1, 0), start=peered)
enable.breaks("DEVICE_IS_THERE", peerDevice=99)
enable.breaks("DEVICE_IS_THERE", "negative", peerDevice=-1)
enable.also("unknown flags", flags=1, code=Result.INVALID_VALUE)
enable.also("itself", peerDevice=0, code=Result.PEER_ACCESS_UNSUPPORTED)

disable = entry("cudaDeviceDisablePeerAccess", lambda _: (1,), start=peered)
disable.breaks("DEVICE_IS_THERE", peerDevice=99)


@disable.also("not enabled", code=Result.PEER_ACCESS_NOT_ENABLED)
def again(_w: World, i: Invocation) -> None:
    i.run()


@enable.also("twice", code=Result.PEER_ACCESS_ALREADY_ENABLED)
def twice(_w: World, i: Invocation) -> None:
    i.run()


@enable.also("by the driver API", code=Result.PEER_ACCESS_ALREADY_ENABLED)
def by_driver(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxEnablePeerAccess(i.process.ok.cuDevicePrimaryCtxRetain(1), 0)


@enable.after("its memory is accessible")
def accessible(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    a = i.process
    a.ok.cudaSetDevice(1)
    there = memory(a)
    a.ok.cudaSetDevice(0)
    assert a.c.cudaMemset(there, 1, 16) == (Result.SUCCESS,)


def _enabled(i: Invocation) -> None:
    i.process.ok.cudaDeviceEnablePeerAccess(1, 0)


valid = disable.valid


def ready(w: World) -> Invocation:
    """Return the call with access that is enabled."""
    i = valid(w)
    _enabled(i)
    return i


disable.valid = ready

test_peer = suite(can, enable, disable)
