"""Peer access in the runtime API.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__PEER.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import memory, peered
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

can = Entry.of("cudaDeviceCanAccessPeer", lambda _: (0, 1), start=peered)
can.null("canAccessPeer", "RESULT_IS_GIVEN")
can.also("itself", peerDevice=0)
can.also("no device", peerDevice=99, rule="runtime.active.DEVICE_IS_THERE")

enable = Entry.of("cudaDeviceEnablePeerAccess", lambda _: (1, 0), start=peered)
enable.breaks("DEVICE_IS_THERE", peerDevice=99)
enable.breaks("DEVICE_IS_THERE", "negative", peerDevice=-1)
enable.also("unknown flags", flags=1, rule="peer.ctx_enable_peer_access.FLAGS_ARE_ZERO")
enable.also("itself", peerDevice=0, rule="PEER_IS_REACHABLE")

disable = Entry.of("cudaDeviceDisablePeerAccess", lambda _: (1,), start=peered)
disable.breaks("DEVICE_IS_THERE", peerDevice=99)


@disable.also("not enabled", rule="PEER_IS_ENABLED")
def again(_w: World, i: Invocation) -> None:
    i.run()


@disable.world("CONTEXT_IS_PRIMARY")
def in_a_context_of_the_driver(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


@enable.also("twice", rule="PEER_IS_NOT_ENABLED")
def twice(_w: World, i: Invocation) -> None:
    i.run()


@enable.also("by the driver API", rule="PEER_IS_NOT_ENABLED")
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
    """Return the call with access already enabled."""
    i = valid(w)
    _enabled(i)
    return i


disable.valid = ready

test_peer = suite(can, enable, disable)
