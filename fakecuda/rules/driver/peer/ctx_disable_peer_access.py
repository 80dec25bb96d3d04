"""cuCtxDisablePeerAccess: end the current context's access to a peer's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.context.handle import live_context_of
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import MEMORY_IS_AT_REST
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

PEER_IS_GIVEN = Rule(
    "the peer's context is not null",
    Result.INVALID_CONTEXT,
    manual("cuCtxDisablePeerAccess", "Returns CUDA_ERROR_INVALID_CONTEXT if … peerContext is not a valid context"),
    fix="pass the context that you passed to cuCtxEnablePeerAccess",
)
PEER_IS_ENABLED = Rule(
    "access from the current context to the peer's context is enabled",
    Result.PEER_ACCESS_NOT_ENABLED,
    manual("cuCtxDisablePeerAccess", "if direct peer access has not yet been enabled"),
    fix="call cuCtxEnablePeerAccess first, and disable it once; each direction is enabled separately",
)


@guard
def relied_on(call: Call, context: Context, peer: Context) -> None:
    """Report in-flight work that uses memory of a peer whose access ends."""
    working = (one for one in call.machine.scheduler.pending if one.context is context)
    for stream in (one for one in working if any(peer in work.needs.peers for work in one.work)):
        call.undefined(MEMORY_IS_AT_REST, stream=stream, peer=peer)
    race.disconnected(call, context, peer)


@DRIVER.op("cuCtxDisablePeerAccess")
def ctx_disable_peer_access(call: Call, peer_context: int) -> None:
    """Disable the current context's access to the allocations of ``peer_context``."""
    # CHECK
    context = current(call)
    if not peer_context:
        raise PEER_IS_GIVEN.broken()
    peer = live_context_of(call, peer_context)
    if peer not in context.peers:
        raise PEER_IS_ENABLED.broken(context=context, peer=peer)
    relied_on(call, context, peer)
    # EFFECT
    context.disconnect(peer)
