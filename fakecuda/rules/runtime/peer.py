"""Peer access in the runtime API, between primary contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.peer.ctx_disable_peer_access import ctx_disable_peer_access
from fakecuda.rules.driver.peer.ctx_enable_peer_access import ctx_enable_peer_access
from fakecuda.rules.driver.peer.device_can_access_peer import device_can_access_peer
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import device_at, primary_context, primary_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@RUNTIME.op("cudaDeviceCanAccessPeer")
def can_access_peer(call: Call, device: int, peer_device: int) -> int:
    """Return whether a device can access memory of another."""
    device_at(call, device)
    device_at(call, peer_device)
    return device_can_access_peer(call, device, peer_device)


@RUNTIME.op("cudaDeviceEnablePeerAccess")
def enable_peer_access(call: Call, peer_device: int, flags: int) -> None:
    """Let the current context access the allocations of a peer device's primary context, in this direction only."""
    # CHECK
    primary_context(call)
    device = device_at(call, peer_device)
    peer = primary_of(call, device)
    # EFFECT
    ctx_enable_peer_access(call, peer.handle, flags)


@RUNTIME.op("cudaDeviceDisablePeerAccess")
def disable_peer_access(call: Call, peer_device: int) -> None:
    """Disable the current context's access to a peer device."""
    # CHECK
    primary_context(call)
    device = device_at(call, peer_device)
    peer = primary_of(call, device)
    # EFFECT
    ctx_disable_peer_access(call, peer.handle)
