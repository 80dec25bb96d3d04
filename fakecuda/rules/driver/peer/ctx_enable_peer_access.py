"""cuCtxEnablePeerAccess: let the current context access a peer's allocations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.context.handle import live_context_of
from fakecuda.rules.driver.peer.connection import connectable
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

PEER_IS_GIVEN = Rule(
    "the peer's context is not null",
    Result.INVALID_CONTEXT,
    manual("cuCtxEnablePeerAccess", "Returns CUDA_ERROR_INVALID_CONTEXT if … peerContext is not a valid context"),
    fix="pass the peer's context, from cuCtxCreate or cuDevicePrimaryCtxRetain",
)
FLAGS_ARE_ZERO = Rule(
    "the flags argument is 0",
    Result.INVALID_VALUE,
    manual("cuCtxEnablePeerAccess", "Returns CUDA_ERROR_INVALID_VALUE if Flags is not 0"),
    fix="pass 0 for the flags of cuCtxEnablePeerAccess",
)
PEER_IS_REACHABLE = Rule(
    "cuDeviceCanAccessPeer reports that the current device can access the peer's device",
    Result.PEER_ACCESS_UNSUPPORTED,
    manual(
        "cuCtxEnablePeerAccess",
        "if cuDeviceCanAccessPeer() indicates that the CUdevice of the current context cannot directly access memory",
    ),
    fix="call cuDeviceCanAccessPeer first, and copy through the host if the device cannot access the peer",
)
PEER_IS_NOT_ENABLED = Rule(
    "access from the current context to the peer's context is not enabled yet",
    Result.PEER_ACCESS_ALREADY_ENABLED,
    manual(
        "cuCtxEnablePeerAccess", "if direct access of peerContext from the current context has already been enabled"
    ),
    fix="enable access to a peer once for each context",
)


@DRIVER.op("cuCtxEnablePeerAccess")
def ctx_enable_peer_access(call: Call, peer_context: int, flags: int) -> None:
    """Let the current context access all allocations of a peer context, in this direction only.

    Args:
        call: The call.
        peer_context: A context of the process on another device.
        flags: 0.
    """
    # CHECK
    context = current(call)
    if not peer_context:
        raise PEER_IS_GIVEN.broken()
    if flags != 0:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    peer = live_context_of(call, peer_context)
    profile = call.machine.profile
    link = profile.peers.get((context.device.ordinal, peer.device.ordinal))
    if link is None or not link.can_access:
        raise PEER_IS_REACHABLE.broken(context=context, peer=peer)
    if peer in context.peers:
        raise PEER_IS_NOT_ENABLED.broken(context=context, peer=peer)
    connectable(call, context.device, peer.device)
    # EFFECT
    context.connect(peer, history.here())
