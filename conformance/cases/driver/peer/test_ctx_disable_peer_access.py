"""cuCtxDisablePeerAccess: end the current context's access to a peer's memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.peer.fixtures import alloc_in, peer_of, peered, refuse_contexts
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = peered(w)
    peer = peer_of(a)
    a.ok.cuCtxEnablePeerAccess(peer, 0)
    return a.call("cuCtxDisablePeerAccess", peerContext=peer)


entry = Entry("cuCtxDisablePeerAccess", valid)
refuse_contexts(entry)
entry.breaks("PEER_IS_ENABLED", "itself", peerContext=lambda i: i.process.context)


@entry.world("PEER_IS_ENABLED")
def disabled(_w: World, i: Invocation) -> None:
    i.run()


@entry.world("PEER_IS_ENABLED", "enabled from another context")
def other_context(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


@entry.after("the other direction stays")
def other_direction(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    a = i.process
    a.ok.cuCtxEnablePeerAccess(i.args["peerContext"], 0)
    a.ok.cuCtxPushCurrent(i.args["peerContext"])
    a.ok.cuCtxEnablePeerAccess(a.context, 0)
    a.ok.cuCtxDisablePeerAccess(a.context)
    a.ok.cuCtxPopCurrent()
    assert a.c.cuCtxEnablePeerAccess(i.args["peerContext"], 0) == (Result.PEER_ACCESS_ALREADY_ENABLED,)


def write(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    i.c.cuMemsetD8(alloc_in(i.process, i.args["peerContext"]), 1, 64)


@entry.also("new allocations of the peer are out of reach", then=write)
def reached(w: World, i: Invocation) -> None:
    write(w, i, ())


@entry.after("it may be enabled again")
def again(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert i.c.cuCtxEnablePeerAccess(i.args["peerContext"], 0) == (Result.SUCCESS,)


@entry.undefined("MEMORY_IS_AT_REST", code=Result.SUCCESS)
def at_work(w: World, i: Invocation) -> None:
    a = i.process
    far, working = alloc_in(a, i.args["peerContext"]), stream(a, NON_BLOCKING)
    block(w, a, working)
    a.ok.cuMemsetD8Async(far, 1, 64, working)


test_ctx_disable_peer_access = entry.test()
