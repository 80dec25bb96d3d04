"""cuCtxEnablePeerAccess: give the current context access to a peer's memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import fakecuda
from conformance.cases.driver.context.fixtures import another, ready
from conformance.cases.driver.peer.fixtures import alloc_in, peer_of, peered, refuse_contexts
from conformance.kit.case import Entry
from fakecuda.profiles import load
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = peered(w)
    return a.call("cuCtxEnablePeerAccess", peerContext=peer_of(a), Flags=0)


entry = Entry("cuCtxEnablePeerAccess", valid)
refuse_contexts(entry)
entry.breaks("FLAGS_ARE_ZERO", Flags=1)
entry.breaks("PEER_IS_REACHABLE", "itself", peerContext=lambda i: i.process.context)


@entry.world("PEER_IS_REACHABLE", "another context of the device")
def same_device(_w: World, i: Invocation) -> Invocation:
    return i.evolve(peerContext=peer_of(i.process, 0))


@entry.world("PEER_IS_NOT_ENABLED")
def enabled(_w: World, i: Invocation) -> None:
    i.run()


@entry.after("new allocations of the peer are accessible")
def accessible(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    ptr = alloc_in(i.process, i.args["peerContext"])
    assert i.c.cuMemsetD8(ptr, 1, 64) == (Result.SUCCESS,)


@entry.also("so are older ones")
def older(_w: World, i: Invocation) -> None:
    a, peer = i.process, peer_of(i.process)
    ptr = alloc_in(a, peer)
    assert a.c.cuMemsetD8(ptr, 1, 64) == (Result.INVALID_VALUE,)
    a.ok.cuCtxEnablePeerAccess(peer, 0)
    assert a.c.cuMemsetD8(ptr, 1, 64) == (Result.SUCCESS,)


@entry.after("access is unidirectional")
def unidirectional(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    a = i.process
    a.ok.cuCtxPushCurrent(i.args["peerContext"])
    assert a.c.cuCtxDisablePeerAccess(a.context) == (Result.PEER_ACCESS_NOT_ENABLED,)
    assert a.c.cuCtxEnablePeerAccess(a.context, 0) == (Result.SUCCESS,)


@entry.also("each context of a device by itself")
def each(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxEnablePeerAccess(peer_of(i.process), 0)


@entry.also("disabled before")
def disabled(_w: World, i: Invocation) -> None:
    i.run()
    i.process.ok.cuCtxDisablePeerAccess(i.args["peerContext"])


entry.also("a primary context", peerContext=lambda i: i.process.ok.cuDevicePrimaryCtxRetain(1))


@entry.also("it is the current context that is granted access")
def granted(_w: World, i: Invocation) -> None:
    i.run()
    i.process.ok.cuCtxCreate(None, 0, 0)


test_ctx_enable_peer_access = entry.test()


def test_peer_is_reachable() -> None:
    with ready(fakecuda.Machine("pcie-pair")) as a:
        _, peer = a.c.cuCtxCreate(None, 0, 1)
        a.c.cuCtxCreate(None, 0, 0)
        assert a.c.cuCtxEnablePeerAccess(peer, 0) == (Result.PEER_ACCESS_UNSUPPORTED,)


def test_connections_are_left() -> None:
    """A device has eight peer connections in all processes, for both directions."""
    machine = fakecuda.Machine("pcie-10")
    with ready(machine) as a:
        b = another(machine)
        one, *others = (a.c.cuCtxCreate(None, 0, device)[1] for device in range(10))
        _, again = a.c.cuCtxCreate(None, 0, 1)
        a.c.cuCtxSetCurrent(one)
        for other in others[:8]:
            assert a.c.cuCtxEnablePeerAccess(other, 0) == (Result.SUCCESS,)
        assert a.c.cuCtxEnablePeerAccess(others[8], 0) == (Result.TOO_MANY_PEERS,)
        assert a.c.cuCtxEnablePeerAccess(again, 0) == (Result.SUCCESS,)
        _, theirs = b.c.cuCtxCreate(None, 0, 0)
        b.c.cuCtxCreate(None, 0, 9)
        assert b.c.cuCtxEnablePeerAccess(theirs, 0) == (Result.TOO_MANY_PEERS,)
        a.c.cuCtxSetCurrent(others[0])
        assert a.c.cuCtxEnablePeerAccess(one, 0) == (Result.SUCCESS,)
        a.c.cuCtxSetCurrent(one)
        a.c.cuCtxDisablePeerAccess(others[7])
        assert b.c.cuCtxEnablePeerAccess(theirs, 0) == (Result.SUCCESS,)


def test_connections_are_not_counted_with_nvswitch() -> None:
    with ready(fakecuda.Machine(load("hgx-8").with_devices(10))) as a:
        one, *others = (a.c.cuCtxCreate(None, 0, device)[1] for device in range(10))
        a.c.cuCtxSetCurrent(one)
        assert [a.c.cuCtxEnablePeerAccess(other, 0) for other in others] == [(Result.SUCCESS,)] * 9
